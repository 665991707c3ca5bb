"""Search as you type, the timeline, and the source beside the results."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from .conftest import Open


def results(page: Page):
    return page.get_by_role("region", name="Results").get_by_role("heading", level=2)


def test_results_come_while_typing_and_stand_in_the_address(visit: Open) -> None:
    page = visit("/search")
    page.get_by_role("searchbox").press_sequentially("notice period", delay=30)
    expect(results(page).first).to_have_text("Rental contract for a flat")
    expect(page.locator("main mark").first).to_have_text(re.compile("notice", re.I))
    expect(page).to_have_url(re.compile(r"q=notice\+period$"))
    page.get_by_label("Mail").check()
    expect(results(page).first).not_to_have_text("Rental contract for a flat")
    page.reload()
    expect(page.get_by_role("searchbox")).to_have_value("notice period")
    expect(page.get_by_label("Mail")).to_be_checked()


def test_the_keyboard_opens_a_result_and_comes_back(visit: Open) -> None:
    page = visit("/search?q=deposit")
    expect(results(page).first).to_have_text("Rental contract for a flat")
    page.get_by_role("searchbox").press("ArrowDown")
    page.keyboard.press("Enter")
    panel = page.get_by_label("Source", exact=True)
    expect(panel.get_by_role("heading", name="rental-contract.pdf")).to_be_visible()
    expect(panel.locator("figure span").first).to_be_visible()  # the marked line on the page
    page.keyboard.press("Escape")
    expect(panel).not_to_be_attached()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.closest('[aria-label=Results]') !== null")


def test_words_are_found_again_within_the_open_file(visit: Open) -> None:
    page = visit("/search?q=deposit&f=home/boiler-thermaro-b24-manual.pdf&p=1")
    panel = page.get_by_label("Source", exact=True)
    panel.get_by_label("Find in this file").fill("pressure")
    expect(panel.get_by_text(re.compile(r"1 of \d+"))).to_be_visible()
    panel.get_by_label("Next hit").click()
    expect(panel.get_by_text(re.compile(r"2 of \d+"))).to_be_visible()
    panel.get_by_label("Show the text that Manole reads").click()
    expect(panel.locator("mark").first).to_be_visible()


def test_sheets_mail_and_pictures_open_too(visit: Open) -> None:
    for file, words in {
        "finance/budget-2024.xlsx": "Groceries",
        "holidays/holiday-house-booking.eml": "Blokhus",
        "recipes/lentil-soup.md": "lentil",
    }.items():
        page = visit(f"/search?f={file}")
        expect(page.get_by_label("Source", exact=True)).to_contain_text(re.compile(words, re.I))
    page = visit("/search?f=home/floor-plan.png")
    picture = page.get_by_label("Source", exact=True).locator("figure img")
    expect(picture).to_be_visible()
    page.wait_for_function("document.querySelector('aside figure img').naturalWidth > 100")


def test_no_results_say_what_to_try(visit: Open) -> None:
    page = visit("/search?q=zzzz&type=slides&since=2031-01-01")
    expect(page.locator("main")).to_contain_text(re.compile("filter|fewer|other words", re.I))
    expect(page.locator("main a[href*='/ask?q=zzzz']")).to_be_visible()


def test_the_timeline_leads_to_dated_files(visit: Open) -> None:
    page = visit("/search?view=timeline")
    page.locator("main").get_by_text("budget", exact=False).first.wait_for()
    page.locator("main a[href*='f=']").first.click()
    expect(page.get_by_label("Source", exact=True)).to_be_visible()
