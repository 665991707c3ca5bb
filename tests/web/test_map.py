"""The map of files: drawn, filtered, searched, and as a list."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from manole.library import Library

from .conftest import Open
from .looks import violations


def test_the_map_is_drawn_and_a_file_is_found_on_it(visit: Open) -> None:
    page = visit("/map")
    main = page.locator("main")
    expect(main.locator("circle")).to_have_count(59 + 14)
    expect(main.locator("line")).to_have_count(95)
    choose(page, "rental")
    main.get_by_role("button", name=re.compile("^Open")).first.click()
    expect(page.get_by_label("Source", exact=True)).to_contain_text("rental-contract.pdf")


def test_relations_and_the_threshold_change_what_is_linked(visit: Open) -> None:
    page = visit("/map")
    status = page.get_by_role("status").filter(has_text="links")

    def links() -> int:
        text = status.inner_text()
        return int(re.search(r"([\d,]+) links?", text)[1].replace(",", ""))

    def changes(was: int) -> int:
        expect(status).not_to_contain_text(re.compile(f" {was:,} links?"))
        return links()

    expect(status).to_have_text(re.compile(r"59 files, \d+ links"))
    every = links()
    page.get_by_role("checkbox", name="Folders").uncheck()
    fewer = changes(every)
    assert fewer < every
    page.get_by_role("slider").fill("0.95")
    assert changes(fewer) < fewer


def choose(page: Page, name: str) -> Locator:
    """The card of the file that is found first."""
    field = page.get_by_label("Find a file on the map")
    field.fill(name)
    expect(page.get_by_role("status").filter(has_text="found")).to_be_visible()
    field.press("Enter")
    return page.locator("[data-card]")


def test_what_is_chosen_stands_in_the_address(visit: Open) -> None:
    page = visit("/map")
    card = choose(page, "rental")
    expect(card.get_by_role("heading", level=2)).to_be_focused()
    expect(page).to_have_url(re.compile(r"file=home%2Frental-contract\.pdf"))
    choose(page, "budget 2022")
    expect(card).to_contain_text("budget-2022.xlsx")
    page.go_back()
    expect(card).to_contain_text("rental-contract.pdf")
    page.reload()
    expect(card).to_contain_text("rental-contract.pdf")


def test_a_dot_is_pressed_and_the_map_is_moved_and_zoomed(visit: Open) -> None:
    page = visit("/map")
    drawn = page.locator("main svg[role=img]")
    before = drawn.get_attribute("viewBox")
    page.locator("main circle").nth(20).click()
    expect(page.locator("[data-card]")).to_be_visible()
    assert drawn.get_attribute("viewBox") == before  # it stays where it is
    page.locator("main circle").nth(20).hover()
    page.mouse.down()
    page.mouse.move(640, 500, steps=5)
    page.mouse.up()
    moved = drawn.get_attribute("viewBox")
    assert moved != before
    expect(page.locator("[data-card]")).to_be_visible()  # that was no press
    page.get_by_role("button", name="Zoom in").click()
    expect(drawn).not_to_have_attribute("viewBox", moved)
    page.get_by_role("button", name="Show all").click()
    expect(drawn).to_have_attribute("viewBox", before)


def test_the_card_says_what_files_share_and_leads_to_a_question(visit: Open) -> None:
    page = visit("/map")
    card = choose(page, "budget 2022")
    expect(card).to_contain_text(re.compile(r"\d+ ?%: both say \w+"))
    assert violations(page) == []
    card.get_by_role("link", name="Ask about this file").click()
    expect(page).to_have_url(re.compile(r"/ask\?.*scope=finance%2Fbudget-2022\.xlsx"))


def test_the_groups_hold_the_same_for_the_keyboard(visit: Open) -> None:
    page = visit("/map")
    page.locator("summary").filter(has_text="invoices").focus()
    page.keyboard.press("Enter")
    expect(page.locator("main circle[data-pale=true]")).not_to_have_count(0)
    entry = page.get_by_role("button", name=re.compile("^Invoice ML"))
    entry.focus()
    page.keyboard.press("Enter")
    card = page.locator("[data-card]")
    expect(card.get_by_role("heading", level=2)).to_be_focused()
    assert violations(page) == []
    card.get_by_role("button", name="Close").click()
    expect(entry).to_be_focused()
    page.get_by_role("link", name="Ask about these files").click()
    expect(page).to_have_url(re.compile(r"/ask\?(.*scope=invoices%2F){5}"))


def test_a_link_to_the_map_names_its_library(visit: Open, household: Library, hostile: str) -> None:
    page = visit("/map")
    choose(page, "rental")
    expect(page).to_have_url(re.compile(f"in={household.name}"))
    path = page.url.split("#")[1]
    page = visit(path, library=hostile)
    expect(page.locator("[data-card]")).to_contain_text("rental-contract.pdf")
    libraries = page.get_by_role("combobox", name="Library")
    expect(libraries).to_have_value(household.name)
    libraries.select_option(hostile)
    expect(page).to_have_url(re.compile(rf"/map\?in={hostile}$"))
    expect(page.get_by_role("status").filter(has_text="links")).to_have_text(
        re.compile(r"^\d files")
    )
    expect(libraries).to_have_value(hostile)


def test_escape_closes_what_is_chosen_before_the_source(visit: Open) -> None:
    page = visit("/map?f=finance/budget-2022.xlsx")
    source = page.get_by_label("Source", exact=True)
    expect(source.get_by_role("heading", level=2)).to_be_focused()
    card = choose(page, "rental")
    expect(card.get_by_role("heading", level=2)).to_be_focused()
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    field = page.get_by_label("Find a file on the map")
    field.fill("rental")
    field.press("Escape")
    expect(field).to_have_value("")
    expect(source).to_be_visible()
    field.press("Escape")
    expect(source).to_have_count(0)
