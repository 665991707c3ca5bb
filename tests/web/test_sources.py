"""The source beside an answer: finding, selecting, documents, what is asked of it; keys."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from .conftest import Open
from .looks import violations
from .test_ask import COUNT, ask
from .test_talks import finished

CONTRACT = "/search?f=home/rental-contract.pdf&p=1"


def test_find_goes_to_the_words_and_through_them(visit: Open) -> None:
    page = visit(CONTRACT)
    page.get_by_label("Find in this file").fill("deposit")
    panel = page.get_by_label("Source", exact=True)
    expect(panel.get_by_text(re.compile(r"^1 of \d"))).to_be_visible()
    expect(page).to_have_url(re.compile("p=2"))
    page.get_by_label("Next hit").click()
    expect(panel.get_by_text(re.compile(r"^2 of \d"))).to_be_visible()
    page.get_by_label("Find in this file").fill("xyzzyq")
    expect(panel.get_by_text("nothing found")).to_be_visible()


def test_the_words_of_a_drawn_page_can_be_selected(visit: Open) -> None:
    page = visit(CONTRACT)
    words = page.locator("figure svg text")
    expect(words.first).to_be_attached()
    chosen = words.nth(2).evaluate(
        "line => { getSelection().selectAllChildren(line); return getSelection().toString(); }"
    )
    assert len(chosen.split()) > 1


def test_a_document_is_shown_as_one_with_its_quotation_marked(visit: Open) -> None:
    page = visit("/search?f=recipes/pancakes.md&s=flour")
    panel = page.get_by_label("Source", exact=True)
    expect(panel.get_by_role("heading", name="Sunday pancakes")).to_be_visible()
    expect(panel.locator("mark")).to_have_text("flour")
    assert violations(page) == []
    page.get_by_label("Show the text that Manole reads").click()
    expect(panel.get_by_text("# Sunday pancakes")).to_be_visible()


def test_the_focus_returns_to_the_citation(visit: Open) -> None:
    page = visit("/ask")
    ask(page, "How high is the deposit in the rental contract?")
    finished(page, 1)
    source = page.get_by_label("Evidence").get_by_role("button").first
    source.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Source", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_label("Source", exact=True)).not_to_be_attached()
    expect(source).to_be_focused()


def test_keys_lead_everywhere(visit: Open) -> None:
    page = visit("/library")
    expect(page.get_by_role("heading", name="Library")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).not_to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_label("Words to search for")).to_be_focused()
    page.keyboard.press("Control+k")
    expect(page.get_by_label("Words to search for")).to_be_focused()
    page.get_by_role("heading", name="Search").click()
    page.keyboard.press("n")
    expect(page.get_by_label("Your question")).to_be_focused()
    assert page.title() == "Ask – Manole"


def test_a_question_asked_meanwhile_comes_next(visit: Open) -> None:
    page = visit("/ask")
    ask(page, "Describe in detail everything that the boiler manual says about maintenance.")
    ask(page, COUNT)
    expect(page.get_by_text("Asked as soon as this answer is written.")).to_be_visible()
    expect(page.get_by_role("article")).to_have_count(2, timeout=120_000)
    finished(page, 2)
    expect(page.get_by_label("Your question")).to_have_value("")


def test_what_a_library_suggests_can_be_asked(visit: Open) -> None:
    page = visit("/ask")
    suggested = page.get_by_role("button", name=re.compile("^List the invoices of"))
    question = suggested.first.inner_text()
    suggested.first.click()
    finished(page, 1)
    expect(page.get_by_role("article").get_by_role("heading", name=question)).to_be_visible()


def test_the_panel_is_made_wider_and_stays_so(visit: Open) -> None:
    page = visit(CONTRACT)
    panel = page.get_by_label("Source", exact=True)
    expect(panel.get_by_role("heading", level=2)).to_be_focused()  # it is opened
    before = panel.bounding_box()
    edge = page.get_by_role("separator", name="Width of the source")
    edge.focus()
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    expect(edge).to_have_attribute("aria-valuenow", "65")
    page.wait_for_timeout(200)  # even without motion a change takes a frame
    after = panel.bounding_box()
    assert before
    assert after
    assert after["width"] > before["width"] + 50
    page.reload()
    expect(edge).to_have_attribute("aria-valuenow", "65")
    kept = panel.bounding_box()
    assert kept
    assert abs(kept["width"] - after["width"]) < 2
