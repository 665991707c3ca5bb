"""Conversations: found again, renamed, deleted, taken back, replayed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from manole.library import Library

from .conftest import Open
from .test_ask import ask, done


@pytest.fixture
def listed(visit: Open) -> Page:
    """The list, with a conversation about folders at its head."""
    page = visit("/ask")
    ask(page, "How many folders are there?")
    done(page)
    page.get_by_role("link", name="Conversations").click()
    main = page.locator("main")
    expect(main.get_by_role("link", name="How many folders are there?").first).to_be_visible()
    return page


def test_a_conversation_is_replayed_with_its_steps(listed: Page) -> None:
    listed.locator("main").get_by_role("link", name="How many folders are there?").first.click()
    turn = listed.get_by_role("article")
    turn.locator("summary").first.click()
    expect(turn).to_contain_text("Looked it up")


def test_a_conversation_is_renamed_and_found_by_its_words(listed: Page) -> None:
    listed.get_by_role("button", name=re.compile("^Rename")).first.click()
    listed.get_by_label("New title").fill("Kitchen matters")
    listed.get_by_role("button", name="Save").click()
    expect(listed.locator("main").get_by_role("link", name="Kitchen matters")).to_be_visible()
    listed.get_by_role("searchbox").fill("nothing has these words")
    expect(listed.locator("main").get_by_role("link", name="Kitchen matters")).to_have_count(0)
    listed.get_by_role("searchbox").fill("Kitchen")
    expect(listed.locator("main").get_by_role("link", name="Kitchen matters")).to_be_visible()


def test_what_is_deleted_can_be_taken_back_for_a_while(listed: Page) -> None:
    titles = listed.locator("main").get_by_role("link", name="How many folders are there?")
    before = titles.count()
    listed.get_by_role("button", name=re.compile("^Delete")).first.click()
    listed.get_by_role("button", name=re.compile("Undo")).click()
    expect(titles).to_have_count(before)
    listed.get_by_role("button", name=re.compile("^Delete")).first.click()
    expect(titles).to_have_count(before - 1)
    listed.goto(listed.url.split("#")[0] + "#/ask")  # leaving makes it final
    expect(listed.get_by_label("Your question")).to_be_visible()
    listed.get_by_role("link", name="Conversations").click()
    expect(titles).to_have_count(before - 1)


def test_conversations_of_every_library_are_listed_whichever_is_chosen(
    listed: Page, household: Library, hostile: str
) -> None:
    title = listed.locator("main").get_by_role("link", name="How many folders are there?").first
    listed.get_by_role("combobox", name="Library").select_option(hostile)
    expect(listed).to_have_url(re.compile(f"/conversations\\?in={hostile}$"))
    title.click()
    expect(listed).to_have_url(re.compile(f"/ask/.*in={household.name}"))
    expect(listed.get_by_role("combobox", name="Library")).to_have_value(household.name)
