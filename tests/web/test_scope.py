"""What is asked: files, folders, a period, all libraries; in which language the page speaks."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from .conftest import Open
from .looks import overflow, violations
from .test_ask import ask
from .test_talks import finished

CONTRACT = "home/rental-contract.pdf"
COUNT = "How many files are there?"


def test_a_file_is_asked_about_from_its_source(visit: Open) -> None:
    page = visit(f"/search?f={CONTRACT}")
    page.get_by_label("Ask about this file").click()
    more = page.get_by_label(f"Ask about more than {CONTRACT}")
    expect(more).to_be_visible()
    ask(page, COUNT)
    finished(page, 1)
    expect(page.get_by_role("article")).to_contain_text("1 file")
    more.click()
    expect(more).not_to_be_attached()
    expect(page.get_by_role("button", name="All of household")).to_be_visible()


def test_folders_and_a_period_are_chosen_to_be_asked_about(visit: Open) -> None:
    page = visit("/ask")
    page.get_by_role("button", name="All of household").click()
    field = page.get_by_label("Folder or file to ask about")
    field.fill("recip")
    field.press("Enter")
    expect(page.get_by_label("Ask about more than recipes")).to_be_visible()
    expect(page.get_by_label("Your question")).to_be_focused()
    page.get_by_role("button", name="Add").click()
    field.fill("home")  # a whole name, as chosen from the list
    page.get_by_role("button", name="Add").click()
    page.get_by_label("From", exact=True).fill("1970-01-01")
    page.get_by_label("to", exact=True).fill("1980-01-01")
    field.press("Escape")
    expect(page.get_by_label("Ask about more than 1 January 1970 – 1 January 1980")).to_be_visible()
    expect(page).to_have_url(re.compile("scope=recipes&scope=home&from=1970-01-01&to=1980-01-01"))
    ask(page, COUNT)
    finished(page, 1)
    expect(page.get_by_role("article")).to_contain_text("There are no files in recipes, home, from")
    page.get_by_label("Ask about more than 1 January").click()
    ask(page, COUNT)
    finished(page, 2)
    expect(page.get_by_role("article").nth(1)).to_contain_text("11 files")
    assert violations(page) == []


def test_all_libraries_are_asked_at_once_and_their_files_open(visit: Open) -> None:
    page = visit("/ask?in=all")
    expect(page.get_by_role("button", name="All libraries")).to_be_visible()
    ask(page, "What does the quokka eat?")
    finished(page, 1)
    found = page.get_by_label("Evidence").get_by_role("button").first
    expect(found).to_contain_text("page.html")
    found.click()
    expect(page.get_by_label("Source", exact=True)).to_contain_text("The quokka eats leaves.")
    page.reload()
    expect(page.get_by_role("heading", level=2)).to_have_text("What does the quokka eat?")


def test_what_was_understood_is_said_otherwise(visit: Open) -> None:
    page = visit("/ask")
    ask(page, "List all invoices and their totals.")
    finished(page, 1)
    page.get_by_label("Say it otherwise").click()
    understood = page.get_by_role("textbox", name="Say it otherwise")
    expect(understood).to_be_focused()
    understood.fill(COUNT)
    understood.press("Enter")
    finished(page, 2)
    expect(page.get_by_role("article").nth(1)).to_contain_text("58 files")


def test_the_page_speaks_german_where_the_browser_does_or_a_person_wishes_it(visit: Open) -> None:
    page = visit("/ask", locale="de-AT")
    expect(page.get_by_role("heading", name="Was möchten Sie wissen?")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    for part in ("search", "library", "conversations", "map", "library?tab=models"):
        page.goto(re.sub("#.*", f"#/{part}", page.url))
        expect(page.get_by_role("main")).not_to_be_empty()
        page.wait_for_load_state("networkidle")
        assert violations(page) == [], part
        assert overflow(page) == 0, part
    page.get_by_label("Sprache").select_option("en")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.goto(re.sub("#.*", "#/ask", page.url))
    expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    page.get_by_label("Language").select_option("")
    expect(page.get_by_role("heading", name="Was möchten Sie wissen?")).to_be_visible()
