"""A turn belongs to the server: leaving, reloading, a second tab; and what is in sight."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from .conftest import Open
from .looks import at_rest, until, violations
from .test_ask import COUNT, ask

LONG = "Describe in detail everything that the boiler manual says about maintenance."
LIST = "Which files are the newest?"


def finished(page: Page, count: int) -> None:
    """Waits until so many turns have an answer."""
    expect(page.get_by_label("Copy the answer with its sources")).to_have_count(
        count, timeout=120_000
    )


def in_sight(page: Page, n: int, part: float = 1) -> None:
    """Waits until the n-th question begins within this part of what is above the composer."""
    question = page.get_by_role("article").nth(n).get_by_role("heading", level=2).first
    field = page.get_by_label("Your question")

    def is_there() -> bool:
        at, end = question.bounding_box(), field.bounding_box()
        return bool(at and end and 0 <= at["y"] < part * end["y"])

    until(page, is_there)


def test_a_new_question_stands_in_sight_however_long_the_answers_before(visit: Open) -> None:
    page = visit("/ask")
    for n, question in enumerate((LIST, "What formats are there?", COUNT)):
        ask(page, question)
        expect(page.get_by_role("article")).to_have_count(n + 1)
        in_sight(page, n, part=0.5)
        finished(page, n + 1)
        in_sight(page, n)
    assert violations(page) == []


def test_who_scrolls_away_is_left_there(visit: Open) -> None:
    page = visit("/ask")
    ask(page, LIST)
    finished(page, 1)
    ask(page, LONG)

    def top() -> float:
        return page.locator("main").evaluate("box => box.scrollTop")

    until(page, lambda: top() > 0)  # the question came into sight
    page.mouse.move(600, 400)
    page.mouse.wheel(0, -5000)
    until(page, lambda: top() == 0)
    finished(page, 2)
    at_rest(page)
    assert top() == 0


def test_an_answer_goes_on_while_somebody_looks_elsewhere(visit: Open) -> None:
    page = visit("/ask")
    ask(page, LONG)
    expect(page.get_by_text("Looking into it")).to_be_visible()
    page.get_by_role("link", name="Search", exact=True).click()
    expect(page.get_by_role("link", name="Ask, answering")).to_be_visible()
    page.get_by_role("link", name=re.compile("^Ask")).click()
    expect(page.get_by_role("article")).to_have_count(1)
    finished(page, 1)
    expect(page.get_by_text("broken off")).not_to_be_attached()
    expect(page.get_by_role("link", name="Ask, answering")).not_to_be_attached()


def test_an_answer_is_reached_from_a_tab_that_knows_nothing_of_it(visit: Open) -> None:
    page = visit("/ask")
    ask(page, LONG)
    expect(page.get_by_text("Looking into it")).to_be_visible()
    other = visit("/ask")
    other.locator("main").get_by_role("link", name=LONG).click()
    recent = other.get_by_role("navigation", name="Recent").get_by_role("link").first
    expect(recent).to_have_accessible_name(re.compile(r"^Describe in detail.*, answering$"))
    expect(recent).to_have_attribute("aria-current", "page")
    finished(other, 1)
    expect(recent).to_have_accessible_name(re.compile("^Describe in detail.*…$"))


def test_an_answer_goes_on_after_a_reload(visit: Open) -> None:
    page = visit("/ask")
    ask(page, LONG)
    expect(page.get_by_text("Looking into it")).to_be_visible()
    expect(page).to_have_url(re.compile("/ask/"))
    page.reload()
    expect(page.get_by_label("Stop")).to_be_visible()
    finished(page, 1)
    expect(page.get_by_role("article")).to_have_count(1)


def test_a_second_tab_learns_of_a_turn(visit: Open) -> None:
    page = visit("/ask")
    ask(page, COUNT)
    finished(page, 1)
    other = visit(page.url.split("#", 1)[1])
    finished(other, 1)
    ask(page, LONG)
    expect(other.get_by_role("article")).to_have_count(2)
    finished(other, 2)
    finished(page, 2)


def test_a_stopped_answer_stays_stopped(visit: Open) -> None:
    page = visit("/ask")
    ask(page, LONG)
    page.get_by_label("Stop").click()
    expect(page.get_by_text("You stopped this answer.")).to_be_visible()
    page.reload()
    expect(page.get_by_text("You stopped this answer.")).to_be_visible()
    expect(page.get_by_text("broken off")).not_to_be_attached()
    expect(page.get_by_role("button", name="Ask again")).to_be_enabled()


def test_another_library_begins_another_conversation(visit: Open, hostile: str) -> None:
    page = visit("/ask")
    ask(page, COUNT)
    finished(page, 1)
    page.get_by_role("combobox", name="Library").select_option(hostile)
    expect(page.get_by_role("article")).to_have_count(0)
    ask(page, "How many files are there?")
    finished(page, 1)
    page.go_back()
    expect(page.get_by_role("heading", name=COUNT)).to_be_visible()
    expect(page.get_by_text("There is no conversation")).not_to_be_attached()


def test_a_conversation_opens_at_its_last_question(visit: Open) -> None:
    page = visit("/ask")
    for n, question in enumerate((LIST, "what formats are there", COUNT), start=1):
        ask(page, question)
        finished(page, n)
    page.reload()
    finished(page, 3)
    in_sight(page, 2)


def test_a_found_conversation_opens_at_what_was_found(visit: Open) -> None:
    page = visit("/ask")
    for n, question in enumerate(("which zzyzx files are the newest", COUNT, LIST), start=1):
        ask(page, question)
        finished(page, n)
    page.goto(page.url.split("#")[0] + "#/conversations?q=zzyzx")
    page.locator("main").get_by_role("link", name=re.compile("zzyzx")).click()
    finished(page, 3)
    in_sight(page, 0)
    ask(page, COUNT)
    finished(page, 4)
    in_sight(page, 3)
