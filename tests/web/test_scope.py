"""What is asked: files, folders, a period, all libraries; in which language the page speaks."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Locator, expect

from manole.settings import Settings

from .conftest import MODEL, Open
from .looks import overflow, violations
from .serving import Server
from .test_ask import ask
from .test_talks import LONG, finished

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
    picked(field, "home")
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


def picked(field: Locator, value: str) -> None:
    """Puts in what the list offers, as a browser does where a person picks it."""
    field.evaluate(
        """(field, value) => {
          const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
          own.set.call(field, value);
          const inputType = "insertReplacementText";
          field.dispatchEvent(new InputEvent("input", {bubbles: true, inputType}));
        }""",
        value,
    )


def test_a_folder_inside_another_and_a_period_are_typed(visit: Open) -> None:
    page = visit("/ask")
    page.get_by_role("button", name="All of household").click()
    field = page.get_by_label("Folder or file to ask about")
    first = page.get_by_label("From", exact=True)
    expect(field).to_be_focused()
    field.press_sequentially("holidays/photos")  # the folder above is none that was meant
    expect(field).to_have_value("holidays/photos")
    field.press("Enter")
    expect(page.get_by_label("Ask about more than holidays/photos", exact=True)).to_be_visible()
    page.get_by_role("button", name="Add").click()
    first.press_sequentially("02022024")
    expect(page).to_have_url(re.compile("from=2024-02-02"))
    page.get_by_label("to", exact=True).press_sequentially("01012023")
    expect(page.get_by_text("The first day is after the last one.")).to_be_visible()
    expect(page).not_to_have_url(re.compile("to=2023"))
    page.get_by_label("to", exact=True).fill("2024-03-03")
    expect(page).to_have_url(re.compile("from=2024-02-02&to=2024-03-03"))
    assert violations(page) == []


def test_the_focus_stays_beside_what_is_taken_away(visit: Open) -> None:
    page = visit("/ask?scope=home&scope=recipes&from=2024-01-01")
    page.get_by_label("Ask about more than home").press("Enter")
    expect(page.get_by_label("Ask about more than recipes")).to_be_focused()
    page.get_by_label("Ask about more than since 1 January 2024").press("Enter")
    expect(page.get_by_role("button", name="Add")).to_be_focused()
    page.get_by_label("Ask about more than recipes").press("Enter")
    expect(page.get_by_role("button", name="All of household")).to_be_focused()


def test_what_is_taken_away_in_quick_succession_is_all_gone(visit: Open) -> None:
    page = visit("/ask?scope=home&scope=recipes&from=2024-01-01")
    chips = page.get_by_role("button", name="Ask about more than")
    expect(chips).to_have_count(3)
    chips.evaluate_all("all => all.map(one => one.click())")  # before anything is drawn anew
    expect(chips).to_have_count(0)
    expect(page.get_by_role("button", name="All of household")).to_be_visible()


def test_a_question_keeps_what_it_was_asked_of(visit: Open) -> None:
    page = visit("/ask?scope=recipes&from=2000-01-01")
    ask(page, COUNT)
    finished(page, 1)
    of = page.get_by_text("Only recipes, since 1 January 2000")
    expect(of).to_have_count(1)
    page.get_by_label("Ask about more than recipes").click()
    page.get_by_label("Ask about more than since").click()
    expect(page.get_by_role("button", name="All of household")).to_be_visible()
    page.get_by_role("button", name="Ask again").click()
    finished(page, 2)
    expect(of).to_have_count(2)
    first, second = (page.get_by_role("article").nth(n).inner_text() for n in (0, 1))
    counted = re.findall(r"\d+ files?", first)
    assert counted
    assert counted == re.findall(r"\d+ files?", second)
    page.reload()
    expect(of).to_have_count(2)


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
    question = page.get_by_role("article").get_by_role("heading", level=2)
    expect(question).to_have_text("What does the quokka eat?")


def test_a_server_of_all_libraries_begins_with_all(
    visit: Open, served: Server, page_settings: Settings
) -> None:
    server = Server(page_settings, Path("all"), MODEL)
    server.start()
    try:
        page = visit("/ask", at=server.url, offline_is_fine=True)
        expect(page.get_by_role("button", name="All libraries")).to_be_visible()
        expect(page.get_by_text("files of all libraries")).to_be_visible()
        page.get_by_role("combobox", name="Library", exact=True).select_option("household")
        page.reload()
        expect(page.get_by_role("button", name="All of household")).to_be_visible()
    finally:
        server.kill()


def test_what_was_understood_is_said_otherwise(visit: Open) -> None:
    page = visit("/ask")
    ask(page, "List all invoices and their totals.")
    finished(page, 1)
    page.get_by_label("Say it otherwise").click()
    understood = page.get_by_role("textbox", name="Say it otherwise")
    pencil = page.get_by_role("article").first.get_by_role("button", name="Say it otherwise")
    expect(understood).to_be_focused()
    understood.press("Escape")
    expect(pencil).to_be_focused()
    pencil.press("Enter")
    understood.fill(COUNT)
    understood.press("Enter")
    expect(pencil).to_be_focused()
    finished(page, 2)
    expect(page.get_by_role("article").nth(1)).to_contain_text("59 files")
    ask(page, LONG)
    expect(page.get_by_label("Stop")).to_be_visible()
    pencil.click(force=True)  # while another answer is written
    expect(understood).to_have_count(0)
    page.get_by_label("Stop").click()
    expect(page.get_by_text("You stopped this answer.")).to_be_visible()
    pencil.click()
    expect(understood).to_be_focused()


def test_what_is_understood_is_left_and_the_source_beside_it_stays(visit: Open) -> None:
    page = visit("/ask")
    ask(page, "List all invoices and their totals.")
    finished(page, 1)
    page.get_by_label("What was found").get_by_role("cell").get_by_role("button").first.click()
    source = page.get_by_label("Source", exact=True)
    expect(source).to_be_visible()
    page.get_by_role("button", name="Say it otherwise").click()
    page.get_by_role("textbox", name="Say it otherwise").press("Escape")
    expect(page.get_by_role("button", name="Say it otherwise")).to_be_focused()
    expect(source).to_be_visible()


def test_the_page_speaks_german_where_the_browser_does_or_a_person_wishes_it(visit: Open) -> None:
    page = visit("/ask", locale="de-AT")
    expect(page.get_by_role("heading", name="Was möchten Sie wissen?")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    for part, said in {
        "search": "Suche",
        "library": "59 Dateien",
        "conversations": "Gespräche",
        "map": "invoices",
        "library?tab=models": "Auf diesem Rechner",
    }.items():
        page.goto(re.sub("#.*", f"#/{part}", page.url))
        expect(page.get_by_role("main")).to_contain_text(said)
        expect(page.get_by_role("main")).not_to_have_attribute("aria-busy", "true")
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        assert violations(page) == [], part
        assert overflow(page) == 0, part
    page.get_by_label("Sprache").select_option("en")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.goto(re.sub("#.*", "#/ask", page.url))
    expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    page.get_by_label("Language").select_option("")
    expect(page.get_by_role("heading", name="Was möchten Sie wissen?")).to_be_visible()
