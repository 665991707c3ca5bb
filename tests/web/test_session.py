"""A server that demands a token lets the page in with it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from manole.library import Library
from manole.settings import Settings

from .conftest import MODEL, Open
from .looks import violations
from .serving import Server

TOKEN = "a token of the tests, long enough"


@pytest.fixture(scope="module")
def guarded(served: Server, household: Library, page_settings: Settings) -> Iterator[Server]:
    server = Server(page_settings, household.roots[0], MODEL, MANOLE_SERVE__TOKEN=TOKEN)
    server.start()
    yield server
    server.kill()


def test_the_token_is_asked_for_once_and_kept_where_no_script_reads_it(
    visit: Open, guarded: Server
) -> None:
    page = visit("/search?q=deposit", at=guarded.url, offline_is_fine=True)
    field = page.get_by_label("This server's token")
    field.fill("something else, long enough")
    page.get_by_role("button", name="Enter").click()
    expect(page.get_by_text("That is not this server's token.")).to_be_visible()
    assert violations(page) == []
    field.fill(TOKEN)
    page.get_by_role("button", name="Enter").click()
    expect(page.locator("main mark").first).to_be_visible()
    page.wait_for_function("[...document.images].some(i => i.src.includes('/pages') && i.width)")
    assert TOKEN not in page.evaluate("document.cookie + JSON.stringify({...localStorage})")
    page.reload()
    expect(page.locator("main mark").first).to_be_visible()
