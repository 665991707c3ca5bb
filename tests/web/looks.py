"""What every part must hold: nothing for axe-core to find, nothing beyond the page's edge."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

_AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"


def violations(page: Page) -> list[str]:
    """What axe-core finds on the page, one line each."""
    page.evaluate(_AXE.read_text("utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def overflow(page: Page) -> int:
    """Pixels by which the page is wider than its window."""
    return page.evaluate(
        "Math.max(document.documentElement.scrollWidth - innerWidth,"
        " document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth)"
    )
