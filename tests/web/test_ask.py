"""Asking, the steps, the answer and its sources."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from .conftest import MODEL, VARIANTS, Open
from .looks import overflow, violations
from .serving import Server

COUNT = "How many PDF files are there?"  # needs no model
DEPOSIT = "How high is the deposit in the rental contract?"


def enter(page: Page, question: str) -> None:
    field = page.get_by_label("Your question")
    field.fill(question)
    field.press("Enter")


def ask(page: Page, question: str) -> None:
    """Asks, and waits until the question has left the field and stands below those before it."""
    enter(page, question)
    expect(page.get_by_label("Your question")).to_have_value("")
    last = page.get_by_role("article").last
    expect(last.get_by_role("heading", level=2).first).to_have_text(question)


def done(page: Page) -> None:
    expect(page.get_by_text("The answer is ready.")).to_be_attached(timeout=120_000)


@pytest.mark.parametrize(("width", "theme"), VARIANTS)
def test_a_question_is_answered_with_its_steps(visit: Open, width: str, theme: str) -> None:
    page = visit("/ask", width, theme)
    ask(page, COUNT)
    done(page)
    turn = page.get_by_role("article")
    expect(turn.get_by_role("heading", name=COUNT)).to_be_visible()
    expect(turn).to_contain_text("You have 21 PDF files")
    steps = turn.locator("details").first
    expect(steps).not_to_have_attribute("open", "")
    steps.locator("summary").click()
    expect(steps).to_contain_text("Looked it up")
    files = turn.get_by_role("region", name="Sources").locator("details")
    expect(files).not_to_have_attribute("open", "")
    expect(files.get_by_role("button")).to_have_count(0)
    files.get_by_text("21 PDF files").click()
    expect(files.get_by_role("button")).to_have_count(21)
    assert violations(page) == []
    assert overflow(page) <= 0


@pytest.mark.parametrize(("width", "theme"), VARIANTS)
def test_a_citation_opens_the_page_with_the_words_marked(
    visit: Open, width: str, theme: str
) -> None:
    page = visit("/ask", width, theme)
    ask(page, DEPOSIT)
    done(page)
    cite = page.get_by_role("article").get_by_label(re.compile("^Source 1"))
    source = cite.or_(page.get_by_label("Evidence").get_by_role("button")).first
    source.hover()
    source.click()
    panel = page.get_by_label("Source", exact=True)
    expect(panel.get_by_role("heading", level=2)).to_be_focused()
    expect(panel.locator("img, ol").first).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(panel).not_to_be_attached()


def test_a_question_in_the_address_is_asked_once(visit: Open) -> None:
    page = visit(f"/ask?q={COUNT}")
    done(page)
    page.reload()
    expect(page.get_by_role("article")).to_have_count(1)
    expect(page.get_by_role("article")).to_contain_text("21 PDF files")


def test_a_question_asked_before_the_library_is_known_waits_for_it(visit: Open) -> None:
    page = visit("/ask")
    held: list[Route] = []
    free: list[bool] = []
    page.route("**/libraries", lambda to: to.continue_() if free else held.append(to))
    with page.expect_request("**/libraries"):
        page.reload()
    enter(page, COUNT)
    expect(page.get_by_label("Your question")).to_have_value(COUNT)
    expect(page.get_by_role("article")).to_have_count(0)
    free.append(True)
    for route in held:
        route.continue_()
    done(page)
    expect(page.get_by_role("article")).to_have_count(1)
    expect(page.get_by_label("Your question")).to_have_value("")


def test_an_answer_is_copied_edited_asked_again_and_rated(visit: Open) -> None:
    page = visit("/ask")
    ask(page, COUNT)
    done(page)
    page.get_by_label("Copy the answer with its sources").click()
    expect(page.get_by_label("Copied")).to_be_visible()
    assert "21 PDF files" in page.evaluate("navigator.clipboard.readText()")
    page.get_by_label("Edit the question").click()
    expect(page.get_by_label("Your question")).to_have_value(COUNT)
    with page.expect_response("**/feedback"):
        page.get_by_label("Good answer").click()
    page.reload()
    expect(page.get_by_label("Good answer")).to_have_attribute("aria-pressed", "true")
    page.get_by_label("Ask again").click()
    expect(page.get_by_role("article")).to_have_count(2)
    done(page)
    with page.expect_download() as saved:
        page.get_by_label("Export the conversation as Markdown").first.click()
    assert COUNT in saved.value.path().read_text("utf-8")


def test_what_is_not_in_the_files_looks_unlike_an_answer(visit: Open) -> None:
    page = visit("/ask")
    ask(page, "What is the serial number of my submarine's periscope?")
    done(page)
    verdicts = "Not found in your files|Not stated outright|Low confidence"
    expect(page.get_by_text(re.compile(verdicts)).first).to_be_visible()


def test_the_table_of_an_answer_sorts_and_is_saved(visit: Open) -> None:
    page = visit("/ask")
    ask(page, "List all invoices and their totals.")
    done(page)
    table = page.get_by_role("region", name="What was found")
    values = table.locator("td[data-number], td").filter(has_text=re.compile(r"^[\d.,]+ EUR$"))
    expect(values.first).to_be_visible()
    head = table.get_by_role("columnheader", name="total")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    first = table.get_by_role("row").nth(1).inner_text()
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    assert table.get_by_role("row").nth(1).inner_text() != first
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as CSV").click()
    lines = saved.value.path().read_text("utf-8-sig").splitlines()
    assert lines[0].startswith("date,issuer,total,currency,file,page")
    assert saved.value.suggested_filename == "List all invoices and their totals.csv"
    assert len(lines) == table.get_by_role("row").count() - table.locator("tfoot tr").count()
    assert violations(page) == []


def test_an_answer_can_be_stopped(visit: Open) -> None:
    page = visit("/ask")
    ask(page, "Describe in detail everything that the boiler manual says about maintenance.")
    page.get_by_label("Stop").click()
    expect(page.get_by_text("You stopped this answer.")).to_be_visible()
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()


def test_the_server_may_restart_while_an_answer_streams(
    visit: Open, household, page_settings
) -> None:
    server = Server(page_settings, household.roots[0], MODEL)
    server.start()
    try:
        page = visit("/ask", at=server.url, offline_is_fine=True)
        ask(page, "Describe in detail everything that the boiler manual says about maintenance.")
        expect(page.get_by_text("Looking into it")).to_be_visible()
        server.kill()
        expect(page.get_by_text("Manole does not answer.")).to_be_visible()
        server.start()
        expect(page.get_by_text("Manole does not answer.")).not_to_be_attached()
        expect(page.get_by_text("This answer was broken off.")).to_be_visible()
        ask(page, COUNT)
        done(page)
        expect(page.get_by_role("article")).to_have_count(2)
    finally:
        server.kill()
