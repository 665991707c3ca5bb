"""Search as you type, the timeline, and the source beside the results."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from .conftest import Open
from .looks import overflow, violations


def results(page: Page):
    return page.get_by_role("region", name="Results").get_by_role("heading", level=2)


def stands_at(page: Page, item: str) -> None:
    """Waits until the result that the list knows by this name has the focus."""
    expect(page.locator("[data-item]:focus")).to_have_attribute("data-item", item)


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
    page = visit("/search?q=rental+deposit")
    expect(results(page).first).to_have_text("Rental contract for a flat")
    page.get_by_role("searchbox").press("ArrowDown")
    page.keyboard.press("Enter")
    panel = page.get_by_label("Source", exact=True)
    expect(panel.get_by_role("heading", name="rental-contract.pdf")).to_be_focused()
    expect(panel.locator("figure span").first).to_be_visible()  # the marked line on the page
    page.keyboard.press("Escape")
    expect(panel).not_to_be_attached()
    stands_at(page, "0 home/rental-contract.pdf")
    page.keyboard.press("ArrowDown")
    stands_at(page, "1 home/rental-contract.pdf")


def test_words_are_found_again_within_the_open_file(visit: Open) -> None:
    page = visit("/search?q=rental+deposit&f=home/boiler-thermaro-b24-manual.pdf&p=1")
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
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("image => image.naturalWidth") > 100


def test_no_results_say_what_to_try(visit: Open) -> None:
    page = visit("/search?q=zzzz&type=slides&since=2031-01-01")
    expect(page.locator("main")).to_contain_text(re.compile("filter|fewer|other words", re.I))
    expect(page.locator("main a[href*='/ask?q=zzzz']")).to_be_visible()


def test_the_timeline_leads_to_dated_files(visit: Open) -> None:
    page = visit("/search?view=timeline")
    page.locator("main").get_by_text("budget", exact=False).first.wait_for()
    page.locator("main a[href*='f=']").first.click()
    expect(page.get_by_label("Source", exact=True)).to_be_visible()


def test_the_keyboard_alone_leads_from_a_slash_to_a_source_and_back(visit: Open) -> None:
    page = visit("/library")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.keyboard.press("/")
    field = page.get_by_role("searchbox", name="Words to search for")
    expect(field).to_be_focused()
    page.keyboard.type("rental deposit")
    expect(results(page).first).to_have_text("Rental contract for a flat")
    page.keyboard.press("Enter")  # into the results, as soon as all is typed and found
    stands_at(page, "0 home/rental-contract.pdf")
    page.keyboard.press("ArrowDown")
    stands_at(page, "1 home/rental-contract.pdf")
    page.keyboard.press("Enter")
    panel = page.get_by_label("Source", exact=True)
    expect(panel.get_by_role("heading", name="rental-contract.pdf")).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel).not_to_be_attached()
    stands_at(page, "1 home/rental-contract.pdf")
    page.keyboard.press("Enter")
    expect(panel.get_by_role("heading", name="rental-contract.pdf")).to_be_focused()
    page.keyboard.press("/")  # from within the source, too; it stays open, and so does the search
    expect(field).to_be_focused()
    expect(field).to_have_value("rental deposit")
    expect(panel).to_be_visible()
    page.keyboard.press("ArrowDown")
    stands_at(page, "0 home/rental-contract.pdf")
    page.keyboard.press("Enter")
    expect(panel.get_by_role("heading", name="rental-contract.pdf")).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).not_to_be_attached()
    stands_at(page, "0 home/rental-contract.pdf")
    page.keyboard.press("?")
    keys = page.get_by_role("dialog")
    expect(keys).to_be_visible()
    page.keyboard.press("Escape")
    expect(keys).not_to_be_visible()
    stands_at(page, "0 home/rental-contract.pdf")


def test_closing_a_source_that_a_link_opened_leads_to_its_result(visit: Open) -> None:
    page = visit("/search?q=rental+deposit&f=home/rental-contract.pdf&p=2")
    expect(results(page).first).to_have_text("Rental contract for a flat")
    expect(page.get_by_role("heading", name="rental-contract.pdf")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_label("Source", exact=True)).not_to_be_attached()
    stands_at(page, "0 home/rental-contract.pdf")


def test_what_is_found_can_be_asked_about(visit: Open) -> None:
    page = visit("/search?q=rent+deposit&path=home&since=2020-01-01")
    found = page.get_by_role("region", name="Results")
    all_ = found.get_by_role("link", name=re.compile(r"Ask about these \d files"))
    expect(all_).to_have_attribute("href", re.compile("scope=home%2Frental-contract.pdf"))
    assert violations(page) == []

    found.get_by_role("checkbox", name="Mark Rental contract for a flat").focus()
    page.keyboard.press("Space")
    one = found.get_by_role("link", name="Ask about this file", exact=True)
    expect(one).to_have_attribute(
        "href", re.compile(r"/ask\?scope=home%2Frental-contract.pdf&from=2020-01-01&in=[\w-]+$")
    )
    page.keyboard.press("Space")
    expect(all_).to_be_visible()

    found.get_by_role("link", name="Ask about this file: Rental contract for a flat").click()
    expect(page).to_have_url(re.compile(r"/ask\?scope=home%2Frental-contract.pdf&in=[\w-]+"))
    page.go_back()
    expect(all_).to_be_visible()


def test_only_one_results_actions_are_in_the_way_of_tab(visit: Open) -> None:
    page = visit("/search?q=rental+deposit")
    expect(results(page).first).to_have_text("Rental contract for a flat")
    inside = "[...document.querySelectorAll('main ol :is(a, button, input)')]"
    assert page.evaluate(f"{inside}.filter((one) => one.tabIndex === 0).length") == 3


def test_the_timelines_period_can_be_asked_about(visit: Open) -> None:
    page = visit("/search?view=timeline&since=2024-01-01&until=2024-12-31")
    link = page.locator("main").get_by_role("link", name="Ask about this period")
    expect(link).to_have_attribute(
        "href", re.compile(r"/ask\?from=2024-01-01&to=2024-12-31&in=[\w-]+$")
    )


def test_no_month_has_a_longer_bar_than_its_year(visit: Open) -> None:
    page = visit("/search?view=timeline")
    page.get_by_role("navigation", name="Years and months").wait_for()
    years = page.evaluate(
        "[...document.querySelectorAll('nav[aria-label=\"Years and months\"] ul')].map((year) =>"
        " [...year.querySelectorAll('button')].map((one) => [one.querySelector('i').offsetWidth,"
        " Number(one.querySelector('small').textContent)]))"
    )
    for (length, files), *months in years:
        assert all(of_month <= length for of_month, _ in months)
        assert all(of_month < length for of_month, n in months if n < files)


def test_search_speaks_german_and_keeps_within_a_narrow_page(visit: Open) -> None:
    page = visit("/search", "narrow")
    page.evaluate("localStorage.setItem('manole.language', 'de')")
    for path in (
        "q=rental+deposit&path=home&since=2020-01-01",
        "q=zzzz&since=2031-01-01",
        "view=timeline",
    ):
        page.goto(f"{page.url.split('#')[0]}#/search?{path}")
        page.reload()
        expect(page.get_by_role("heading", name="Suche", exact=True)).to_be_visible()
        said = page.locator("main").get_by_text(re.compile("Dateien|Nichts gefunden"))
        expect(said.locator("visible=true").first).to_be_attached()
        assert overflow(page) <= 0
        assert violations(page) == []


def test_a_source_that_cannot_be_shown_leaves_the_search(visit: Open) -> None:
    page = visit("/search?q=rental+deposit", offline_is_fine=True)
    expect(results(page).first).to_have_text("Rental contract for a flat")
    nonsense = {"json": {"file": "home/rental-contract.pdf", "marks": 7}}
    page.route("**/view?*", lambda route: route.fulfill(**nonsense))
    results(page).first.get_by_role("link").click()
    expect(page.get_by_text("This part of the page broke.")).to_be_visible()
    expect(page.get_by_role("searchbox")).to_have_value("rental deposit")
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_text("This part of the page broke.")).not_to_be_attached()
    expect(results(page).first).to_be_visible()
