"""Files that try to be part of the page are shown as text."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from manole.agent.events import Complete

from .conftest import HOSTILE, Open

WORDS = {  # what finds a file, and what must stand on the screen as text
    "zebrafish tank": "<script>document.title='owned'</script>",
    "quokka leaves": "The quokka eats leaves.",
    "axolotl sleeps": "The axolotl sleeps.",
    "okapi twice": "</script><script>document.title='owned'</script>",
}


@pytest.mark.parametrize("words", WORDS)
def test_a_hostile_file_is_found_and_opened_as_text(visit: Open, hostile: str, words: str) -> None:
    page = visit(f"/search?q={words}", library=hostile)
    page.locator("main mark").first.wait_for()
    page.locator("main").get_by_text(words.split()[0], exact=False).first.click()
    panel = page.get_by_label("Source", exact=True)
    expect(panel).to_contain_text(WORDS[words])
    assert "owned" not in page.title()
    assert panel.locator("script, style, [onclick], [onerror], a[href^='javascript']").count() == 0


def test_a_hostile_name_is_shown_as_it_is(visit: Open, hostile: str) -> None:
    page = visit("/library", library=hostile)
    (name,) = (name.rpartition("/")[2] for name in HOSTILE if "onerror" in name)
    expect(page.locator("main")).to_contain_text(name)
    assert page.locator("img[src='x']").count() == 0


def test_a_copy_is_named_as_it_is(visit: Open, hostile: str) -> None:
    page = visit("/search?q=okapi twice", library=hostile)
    results = page.get_by_role("region", name="Results")
    expect(results).to_contain_text("Also in copy of a <b onclick=alert(7)>quote.txt")
    expect(results.get_by_text("The okapi said")).to_have_count(1)
    assert results.locator("[onclick]").count() == 0


def test_a_model_that_writes_markup_and_links_is_shown_as_text(visit: Open) -> None:
    """The events are made up here: no model can be made to write this at will."""
    answer = (
        "<img src=x onerror=alert(1)> <script>document.title='owned'</script> "
        "[press](javascript:alert(2)) [out](http://192.0.2.1/) ![p](http://192.0.2.1/p.png)"
    )
    end = Complete(answer=answer).model_dump_json()
    page = visit("/ask", offline_is_fine=True)
    page.route(
        "**/turns/*/events*",
        lambda route: route.fulfill(body=f"{end}\n", content_type="application/x-ndjson"),
    )
    page.route("**/conversations/*", lambda route: route.abort(), times=1)
    page.get_by_label("Your question").fill("hello")
    page.keyboard.press("Enter")
    turn = page.get_by_role("article")
    expect(turn).to_contain_text("<img src=x onerror=alert(1)>")
    expect(turn).not_to_contain_text("[press]")  # it is shown as Markdown now
    assert turn.locator("img, script, a").count() == 0
    assert "owned" not in page.title()
