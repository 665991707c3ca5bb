"""What every part must hold: nothing for axe-core to find, nothing beyond the page's edge."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page

_AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
_AT_REST = """async () => {
  const ends = (one) => one.effect?.getComputedTiming().endTime !== Infinity;
  const frame = () => new Promise(requestAnimationFrame);
  await document.fonts.ready;
  await frame();
  await Promise.allSettled(document.getAnimations().filter(ends).map((one) => one.finished));
  await frame();
}"""


def at_rest(page: Page) -> None:
    """Waits until what was drawn last stands still: fonts, what fades or moves, a frame more."""
    page.evaluate(_AT_REST)


def until(page: Page, told: Callable[[], bool]) -> None:
    """Waits for what no assertion of the browser's driver knows."""
    for _ in range(1200):
        if told():
            return
        page.wait_for_timeout(50)
    assert told()


def violations(page: Page) -> list[str]:
    """What axe-core finds on the page, one line each."""
    page.evaluate(_AXE.read_text("utf-8"))
    for _ in range(2):  # what was measured while a colour changed is measured again
        at_rest(page)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        if not found["violations"]:
            break
    return [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def overflow(page: Page) -> int:
    """Pixels by which the page is wider than its window."""
    at_rest(page)
    return page.evaluate(
        "Math.max(document.documentElement.scrollWidth - innerWidth,"
        " document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth)"
    )
