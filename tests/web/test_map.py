"""The map of files: drawn, filtered, searched, and as a list."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from manole.library import Library

from .conftest import Open
from .looks import violations


def test_the_map_is_drawn_and_a_file_is_found_on_it(visit: Open) -> None:
    page = visit("/map")
    expect(page.locator("main canvas").first).to_be_visible()
    field = page.get_by_label("Find a file on the map")
    field.fill("rental")
    expect(page.locator("main").get_by_role("option").first).to_be_visible()
    field.press("ArrowDown")
    field.press("Enter")
    main = page.locator("main")
    expect(main.get_by_role("button", name=re.compile("^Open"))).to_be_visible()
    main.get_by_role("button", name="Find similar").click()
    expect(main).to_contain_text(re.compile(r"\d+ ?%"))
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
    page.get_by_label("Folders").uncheck()
    fewer = changes(every)
    assert fewer < every
    page.get_by_role("slider").fill("0.95")
    assert changes(fewer) < fewer


def choose(page: Page, name: str) -> Locator:
    """The card of the file that is found first."""
    field = page.get_by_label("Find a file on the map")
    field.fill(name)
    expect(page.locator("main").get_by_role("option").first).to_be_visible()
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
    page.get_by_label("Folders").uncheck()
    expect(page).to_have_url(re.compile("without=structure"))
    page.reload()
    expect(card).to_contain_text("rental-contract.pdf")
    expect(page.get_by_label("Folders")).not_to_be_checked()


def test_the_card_says_what_files_share_and_leads_to_a_question(visit: Open) -> None:
    page = visit("/map")
    card = choose(page, "budget 2022")
    expect(card).to_contain_text(re.compile(r"\d+ ?%: both say \w+"))
    assert violations(page) == []
    card.get_by_role("link", name="Ask about this file").click()
    expect(page).to_have_url(re.compile(r"/ask\?.*scope=finance%2Fbudget-2022\.xlsx"))


def test_a_group_can_be_asked_about_and_says_what_it_holds(visit: Open) -> None:
    page = visit("/map")
    page.get_by_role("button", name=re.compile("^invoices")).click()
    card = page.locator("[data-card]")
    expect(card).to_contain_text(re.compile(r"By folder: invoices \d+"))
    assert violations(page) == []
    card.get_by_role("link", name="Ask about these files").click()
    expect(page).to_have_url(re.compile(r"/ask\?(.*scope=invoices%2F){5}"))


def test_the_list_holds_the_same_without_a_canvas(visit: Open) -> None:
    page = visit("/map")
    page.get_by_role("button", name="List").click()
    expect(page.locator("main canvas")).to_have_count(0)
    entry = page.get_by_role("button", name=re.compile("Invoice"))
    expect(entry.first).to_be_visible()
    entry.first.focus()
    page.keyboard.press("Enter")
    expect(
        page.locator("main").get_by_role("button", name=re.compile("^Open")).first
    ).to_be_visible()
    assert violations(page) == []
    page.locator("[data-card]").get_by_role("button", name="Close").click()
    expect(entry.first).to_be_focused()


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
    expect(page.locator("main").get_by_role("option").first).to_be_visible()
    field.press("Escape")
    expect(page.locator("main").get_by_role("option")).to_have_count(0)
    field.press("Escape")
    expect(field).to_have_value("")
    expect(source).to_be_visible()
    field.press("Escape")
    expect(source).to_have_count(0)
