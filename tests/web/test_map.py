"""The map of files: drawn, filtered, searched, and as a list."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from .conftest import Open


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
    main.get_by_role("button", name=re.compile("similar", re.I)).click()
    expect(main).to_contain_text(re.compile(r"\d+ %"))
    main.get_by_role("button", name=re.compile("^Open")).first.click()
    expect(page.get_by_label("Source", exact=True)).to_contain_text("rental-contract.pdf")


def test_relations_and_the_threshold_change_what_is_linked(visit: Open) -> None:
    page = visit("/map")
    status = page.get_by_role("status").filter(has_text="links")

    def links() -> int:
        text = status.inner_text()
        return int(re.search(r"([\d,]+) links?", text)[1].replace(",", ""))

    expect(status).to_have_text(re.compile(r"58 files, \d+ links"))
    every = links()
    page.get_by_label("Folders").uncheck()
    page.wait_for_function("n => !document.body.innerText.includes(`${n} links`)", arg=every)
    fewer = links()
    assert fewer < every
    slider = page.get_by_role("slider")
    slider.fill("0.95")
    page.wait_for_function("n => !document.body.innerText.includes(`, ${n} links`)", arg=fewer)
    assert links() < fewer


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
