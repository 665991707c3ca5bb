"""What a step found, shown by its kind; and the strategy that a question is asked by."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from manole.library import Library
from manole.settings import Settings

from .conftest import MODEL, VARIANTS, Open
from .fake_strategy import FILES, LINE, MANUAL, RESULTS
from .looks import overflow, violations
from .serving import Server
from .test_ask import ask, done

SEEN = {  # what a person reads once a result is opened
    "chunks": [LINE, "home · page 6 · Faults"],
    "colqwen_pages": ["boiler-thermaro-b24-manual.pdf", "page 6", LINE],
    "interpretations": ["moondream2 sees: A table of fault codes.", f"On the page stands: {LINE}"],
    "summary": ["A summary of what was found so far", "E07 is the fan."],
    "entries": ["First night", "2 March 2022", "We slept on mattresses."],
    "files": [
        "boiler-thermaro-b24-manual.pdf",
        "home · 48.2 kB · changed 2 Mar 2024",
        "3 Jan 2024",
    ],
    "tree": ["holidays/photos", "3 files"],
    "folders": ["home", "7 files", "4.1 MB"],
    "usage": [".pdf", "21 files", "4.1 MB"],
    "table": ["E07", "boiler-thermaro-b24-manual.pdf"],
    "of_tomorrow": ["Its second line."],
}


@pytest.fixture(scope="module")
def go(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that the end of a turn waits for."""
    return tmp_path_factory.mktemp("go") / "go"


@pytest.fixture(scope="module")
def faked(
    household: Library, page_settings: Settings, go: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server with one more strategy, `fake`."""
    folder = tmp_path_factory.mktemp("plugin")
    about = folder / "fake-1.dist-info"
    about.mkdir()
    (about / "entry_points.txt").write_text("[manole.strategies]\nfake = fake_strategy:Fake\n")
    inherited = os.environ.get("PYTHONPATH")
    places = os.pathsep.join(filter(None, [str(folder), str(Path(__file__).parent), inherited]))
    server = Server(page_settings, household.roots[0], MODEL, PYTHONPATH=places, FAKE_GO=str(go))
    server.start()
    yield server
    server.kill()


def first_line(message: str) -> str:
    """What stands of a result before it is opened: no colon, as nothing follows it there."""
    return message.split("\n")[0].removesuffix(":")


def steps(page: Page, question: str) -> Locator:
    """Asks, and unfolds the steps."""
    ask(page, question)
    done(page)
    page.get_by_role("article").locator("summary").first.click()
    return page.get_by_role("article").locator("details").first


@pytest.mark.parametrize(("width", "theme"), VARIANTS)
def test_each_result_is_opened_and_shown_by_its_kind(
    visit: Open, faked: Server, width: str, theme: str
) -> None:
    page = visit("/ask?by=fake", width, theme, at=faked.url)
    found = steps(page, "What does E07 mean?")
    for (_, message, _), texts in zip(RESULTS.values(), map(SEEN.get, RESULTS), strict=True):
        step = found.get_by_role("listitem").filter(has_text=first_line(message)).first
        assert texts
        expect(step).not_to_contain_text(texts[-1])
        step.get_by_role("button", expanded=False).first.press("Enter")  # then the query's own
        for text in texts:
            expect(step).to_contain_text(text)
    assert violations(page) == []
    assert overflow(page) <= 0


def test_a_long_list_is_shown_in_part_and_whole_on_demand(visit: Open, faked: Server) -> None:
    page = visit("/ask?by=fake", at=faked.url)
    found = steps(page, "What does E07 mean?")
    found.get_by_role("button", name="The 30 newest files").click()
    last = found.get_by_role("button", name=re.compile(FILES[-1].file.split("/")[1]))
    expect(last).to_have_count(0)
    found.get_by_role("button", name="18 more").click()
    expect(last).to_be_visible()


@pytest.mark.parametrize("kind", ["chunks", "colqwen_pages", "interpretations", "files", "entries"])
def test_what_was_found_opens_at_its_place(visit: Open, faked: Server, kind: str) -> None:
    page = visit("/ask?by=fake", at=faked.url)
    found = steps(page, "What does E07 mean?")
    step = found.locator(":scope > ol > li").nth(list(RESULTS).index(kind))
    step.get_by_role("button", expanded=False).click()
    step.get_by_role("button").nth(1).click()
    panel = page.get_by_label("Source", exact=True)
    expect(panel).to_contain_text("2022-03-02.md" if kind == "entries" else MANUAL.split("/")[1])
    if kind not in ("files", "entries"):
        expect(page).to_have_url(re.compile("[&?]p=6"))


def test_pages_are_shown_as_they_look(visit: Open, faked: Server) -> None:
    page = visit("/ask?by=fake", at=faked.url)
    found = steps(page, "What does E07 mean?")
    found.get_by_role("button", name="3 pages with visual matches.").click()
    pictures = found.locator("img")
    expect(pictures).to_have_count(3)
    pictures.last.scroll_into_view_if_needed()
    page.wait_for_function(
        "[...document.querySelectorAll('article img')].every(one => one.naturalWidth > 200)"
    )


def test_a_failure_says_what_to_try_and_a_reason_is_cut(visit: Open, faked: Server) -> None:
    page = visit("/ask?by=fake", at=faked.url)
    found = steps(page, "What does E07 mean?")
    expect(found).to_contain_text("Nothing fits. Try page search for drawings.")
    reasons = found.get_by_text(re.compile("^I will look at the pages"))
    expect(reasons).to_contain_text(re.compile(" …$"))
    assert len(reasons.inner_text()) < 260


def test_the_parts_of_a_result_are_named_in_german(visit: Open, faked: Server) -> None:
    page = visit("/ask?by=fake", at=faked.url, locale="de-DE")
    page.get_by_label("Die Frage").fill("Was ist E07?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Die Antwort ist fertig.")).to_be_attached()
    found = page.get_by_role("article").locator("details").first
    found.locator("summary").click()
    for message in ("A summary of 5 results.", "2 pages were looked at.", "The 30 newest files"):
        found.get_by_role("button", name=message).click()
    for text in ("nicht die Worte der Dateien", "moondream2 sieht:", "geändert 2. März 2024"):
        expect(found).to_contain_text(text)
    expect(found).to_contain_text("die Seitensuche")


def test_what_is_looked_into_stays_when_the_turn_ends(visit: Open, faked: Server, go: Path) -> None:
    page = visit("/ask?by=fake", at=faked.url)
    ask(page, "wait")
    page.get_by_role("button", name="A summary of 5 results.").click()
    go.touch()
    done(page)
    expect(page.get_by_text("E07 is the fan.")).to_be_visible()


def test_a_hostile_result_is_shown_as_text(visit: Open, faked: Server) -> None:
    page = visit("/ask?by=fake", at=faked.url, offline_is_fine=True)  # no such picture: 404
    found = steps(page, "hostile")
    closed = found.get_by_role("button", expanded=False)
    for button in closed.all()[::-1]:
        button.click()
    expect(closed).to_have_count(0)
    expect(found).to_contain_text("<img src=x onerror=alert(1)>")
    turn = page.get_by_role("article")
    assert turn.locator("img[src='x'], script, [onerror], a[href^='javascript']").count() == 0
    assert "owned" not in page.title()
    assert overflow(page) <= 0


@pytest.mark.parametrize(("width", "theme"), VARIANTS)
def test_the_strategy_is_chosen_beside_the_question(
    visit: Open, faked: Server, width: str, theme: str
) -> None:
    page = visit("/ask", width, theme, at=faked.url)
    page.get_by_label("How the answer is made: agent").press("Enter")
    ways = page.get_by_role("group", name="How the answer is made")
    expect(ways.get_by_role("radio", name=re.compile("^agent"))).to_be_focused()
    expect(ways).to_contain_text("One search, one answer.")
    assert violations(page) == []
    assert overflow(page) <= 0
    ways.get_by_role("radio", name="fake").check()
    page.keyboard.press("Escape")
    expect(page.get_by_label("How the answer is made: fake")).to_be_focused()
    with page.expect_request(
        lambda sent: sent.method == "POST" and sent.url.endswith("/turns")
    ) as asked:
        ask(page, "What does E07 mean?")
    assert asked.value.post_data_json["strategy"] == "fake"
    done(page)
    expect(page.get_by_role("article")).to_contain_text("The fan does not reach its speed.")
    page.reload()
    expect(page.get_by_label("How the answer is made: fake")).to_be_visible()


def test_a_strategy_that_there_is_not_counts_as_none(visit: Open, faked: Server) -> None:
    page = visit("/ask?by=seance", at=faked.url)
    expect(page.get_by_label("How the answer is made: agent")).to_be_visible()


def test_the_choice_closes_when_one_writes_on(visit: Open, faked: Server) -> None:
    page = visit("/ask", at=faked.url)
    page.get_by_label("How the answer is made: agent").click()
    field = page.get_by_label("Your question")
    field.click()
    expect(page.get_by_role("group", name="How the answer is made")).not_to_be_attached()
    expect(field).to_be_focused()
