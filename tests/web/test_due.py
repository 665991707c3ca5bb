"""What is due: the list with its sources, its calendar, and the few lines of the first page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from .conftest import VARIANTS, Open
from .looks import overflow, violations

DAY = "2024-12-05T10:00:00"  # of the household's papers
BOILER = "invoices/2024-11-28_invoice_boiler-service_TH-2024-311.pdf"


@pytest.fixture
def on_that_day(visit: Open):
    """Opens a part of the page on a day on which something is due."""

    def open_(path: str, *, day: str = DAY, **how: str) -> Page:
        page = visit("/library", **how)
        page.clock.set_fixed_time(day)
        page.evaluate(f"location.hash = '#{path}'")
        return page

    return open_


def test_what_is_due_stands_under_headings_with_its_sources(on_that_day) -> None:
    page = on_that_day("/due")
    soon = page.get_by_role("region", name="In the next 30 days")
    item = soon.get_by_role("listitem").filter(has_text="Thermaro")
    expect(item).to_contain_text("To pay: 290.96 EUR, Thermaro Service Südbaden")
    expect(item.locator("time")).to_have_attribute("datetime", "2024-12-12")
    expect(item.locator("time")).to_contain_text("Thursday, 12 December 2024")
    heads = page.locator("main").get_by_role("heading", level=2)
    expect(heads.first).to_have_text("Past, and not known to be done")
    expect(heads.last).to_have_text("Not sure")
    expect(page).to_have_title(re.compile("Due"))


def test_a_source_opens_where_it_is_said_and_gives_the_focus_back(on_that_day) -> None:
    page = on_that_day("/due")
    link = page.get_by_role("link", name=f"{BOILER}, page 1")
    link.focus()
    page.keyboard.press("Enter")
    panel = page.get_by_label("Source", exact=True)
    expect(panel.locator("figure span").first).to_be_visible()  # the marked line on the page
    expect(link).to_have_attribute("aria-current", "true")
    page.keyboard.press("Escape")
    expect(panel).not_to_be_attached()
    expect(link).to_be_focused()


def test_how_far_it_looks_stands_in_the_address(on_that_day) -> None:
    page = on_that_day("/due")
    cancel = page.get_by_role("listitem").filter(has_text="Kiesel Direkt").first
    expect(page.get_by_role("region", name="Until 5 March 2025")).to_be_visible()
    expect(cancel).not_to_be_attached()
    page.get_by_label("Look ahead").select_option("365")
    expect(cancel).to_contain_text("Last day to cancel")
    expect(cancel).to_contain_text("Began on 1 May 2022; 1 month before a year of it ends")
    expect(page).to_have_url(re.compile("days=365"))


def test_it_is_saved_as_a_calendar(on_that_day) -> None:
    page = on_that_day("/due")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as calendar").click()
    assert saved.value.suggested_filename == "due.ics"
    text = saved.value.path().read_text("utf-8")
    assert text.startswith("BEGIN:VCALENDAR")
    assert "20241212" in text


def test_the_first_page_has_a_few_lines_that_open_their_sources(on_that_day) -> None:
    page = on_that_day("/ask")
    few = page.get_by_role("region", name="Due soon")
    expect(few.get_by_role("listitem")).to_have_count(5)
    few.get_by_role("link", name=re.compile("Thermaro")).click()
    panel = page.get_by_label("Source", exact=True)
    expect(panel.get_by_role("heading", name=BOILER.split("/")[-1])).to_be_visible()
    page.keyboard.press("Escape")
    few.get_by_role("link", name="All that is due").click()
    expect(page.get_by_role("heading", level=1, name="What is due")).to_be_visible()


def test_where_nothing_is_due_it_says_so(on_that_day) -> None:
    page = on_that_day("/due?days=30", day="2019-03-01T10:00:00")
    nothing = page.get_by_role("heading", name="Nothing is due in the next 30 days")
    expect(nothing).to_be_visible()
    expect(page.get_by_role("button", name="Save as calendar")).not_to_be_attached()


def test_it_is_said_in_german(on_that_day) -> None:
    page = on_that_day("/due", locale="de-DE")
    soon = page.get_by_role("region", name="In den nächsten 30 Tagen")
    item = soon.get_by_role("listitem").filter(has_text="Thermaro")
    expect(item).to_contain_text("Zu zahlen: 290,96 EUR")
    expect(item).to_contain_text("12. Dezember 2024")


@pytest.mark.parametrize(("width", "theme"), VARIANTS)
def test_all_can_be_read_at_any_width(on_that_day, width: str, theme: str) -> None:
    for path in ("/due?days=365", "/ask"):
        page = on_that_day(path, width=width, theme=theme)
        expect(page.get_by_text("Thermaro").first).to_be_visible()
        assert violations(page) == []
        assert overflow(page) <= 0
