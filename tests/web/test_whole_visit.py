"""A visit by the keyboard alone, and what it looks like at four widths, light and dark."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from .conftest import Open
from .looks import overflow, violations
from .test_ask import ask
from .test_parts import PARTS
from .test_talks import finished

QUESTION = "How high is the deposit in the rental contract?"
WIDTHS = ((390, 844), (768, 1024), (1366, 768), (2560, 1440))


def tab_to(page: Page, selector: str) -> None:
    """Presses Tab until the focus is where it is wanted, as somebody without a mouse does."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab never comes to {selector}")


def test_a_whole_visit_by_keys_alone(visit: Open) -> None:
    page = visit("/ask")
    expect(page.get_by_label("Your question")).to_be_focused()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    finished(page, 1)
    page.keyboard.press("Shift+Tab")  # backwards, from the field to what stands above it
    page.get_by_label("Your question").focus()
    tab_to(page, "nav a")
    page.keyboard.press("Escape")
    tab_to(page, "section[aria-label=Evidence] li > button")
    page.keyboard.press("Enter")
    source = page.get_by_label("Source", exact=True)
    expect(source.get_by_role("heading", level=2)).to_be_focused()
    page.keyboard.press("Escape")
    expect(source).not_to_be_attached()
    expect(page.locator("section[aria-label=Evidence] li > button:focus")).to_have_count(1)
    page.keyboard.press("/")
    expect(page.get_by_label("Words to search for")).to_be_focused()
    page.keyboard.type("flour")
    expect(page.get_by_role("region", name="Results")).to_contain_text("pancakes")
    for part in ("Library", "Conversations", "Map", "Ask"):
        page.get_by_role("link", name="Skip to the content").focus()
        tab_to(page, f"nav a[aria-label^='{part}']")  # it may say that it answers
        page.keyboard.press("Enter")
        expect(page).to_have_title(re.compile(f"^({part}|{re.escape(QUESTION)})"))
    expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_part_at_four_widths(visit: Open, theme: str) -> None:
    page = visit("/ask", theme=theme)
    ask(page, QUESTION)
    finished(page, 1)
    talk = page.url.partition("#")[2]
    for part, said in {**PARTS, talk: "rental-contract"}.items():
        page.goto(re.sub("#.*", f"#{part}", page.url))
        expect(page.get_by_role("main")).to_contain_text(said)
        expect(page.get_by_role("main")).not_to_have_attribute("aria-busy", "true")
        for across, down in WIDTHS:
            page.set_viewport_size({"width": across, "height": down})
            assert overflow(page) <= 0, (part, across)
            assert violations(page) == [], (part, across)
