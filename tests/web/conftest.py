"""A browser, a server over the household, and pages at two widths, light and dark."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

import browsers
from manole.index.store.libraries import folder_of
from manole.library import Library
from manole.settings import Settings

from .serving import Server

BUILD = Path(__file__).parents[2] / "src/manole/serve/http/web/index.html"
MODEL = "smollm2-135m-instruct"  # real, quick, and without much sense
FLAGS = [
    "--no-sandbox", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--enable-unsafe-swiftshader",
]  # fmt: skip
WIDTHS = {"wide": (1280, 860), "narrow": (360, 740)}
VARIANTS = [(width, theme) for width in WIDTHS for theme in ("light", "dark")]

HOSTILE = {
    "notes/<img src=x onerror=alert(1)>.md": (
        "# Zebrafish <script>document.title='owned'</script>\n\n"
        "The zebrafish <b onclick=alert(2)>tank</b> holds 40 litres. "
        "[a link](javascript:alert(3)) ![](http://192.0.2.1/x.png)\n"
    ),
    "page.html": (
        "<html><head><style>body{display:none}</style><script>document.title='owned'</script>"
        "</head><body><h1>Quokka</h1><p onclick='alert(4)'>The quokka eats leaves.</p>"
        "<a href='javascript:alert(5)'>press</a></body></html>"
    ),
    "letter.eml": (
        "From: a@example.org\nTo: b@example.org\nSubject: <script>document.title='owned'</script>\n"
        "Content-Type: text/html\n\n<p>The axolotl sleeps.</p><img src=x onerror=alert(6)>\n"
    ),
    "quote.txt": "The okapi said: \"</script><script>document.title='owned'</script>\" twice.\n",
}
HOSTILE["copy of a <b onclick=alert(7)>quote.txt"] = HOSTILE["quote.txt"]

PATIENCE_MS = 60_000  # a machine with other work is slower, not wrong
expect.set_options(timeout=PATIENCE_MS)

Open = Callable[..., Page]


@pytest.fixture(scope="session")
def page_settings(
    household: Library, session_settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Settings:
    """A data folder of the page's own tests, with a copy of the household's index."""
    own = session_settings.model_copy(update={"data_dir": tmp_path_factory.mktemp("page")})
    shutil.copytree(household.path, folder_of(household.name, own))
    return own


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory, page_settings: Settings) -> str:
    """The name of a library whose files try to run scripts, once it is indexed."""
    folder = tmp_path_factory.mktemp("hostile")
    for name, text in HOSTILE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")

    async def index() -> str:
        async with await Library.open(folder, page_settings) as library:
            await library.sync()
            return library.name

    return asyncio.run(index())


@pytest.fixture(scope="session")
def served(household: Library, hostile: str, page_settings: Settings) -> Iterator[Server]:
    """The server that most tests share."""
    assert BUILD.is_file(), "the page is not built: run `make web`"
    server = Server(page_settings, household.roots[0], MODEL)
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="package")  # not longer: its driver keeps an event loop running
def browser(served: Server) -> Iterator[Browser]:
    """Chromium, until a test of another folder comes, which may want a loop of its own."""
    program = browsers.browser()
    assert program, browsers.lacking("browser")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Browser, served: Server) -> Iterator[Open]:
    """Opens a part of the page; fails at the end where the browser complained of anything."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def open_(
        path: str,
        width: str = "wide",
        theme: str = "light",
        *,
        at: str | None = None,
        library: str | None = None,
        locale: str = "en-GB",
        offline_is_fine: bool = False,
    ) -> Page:
        across, down = WIDTHS[width]
        context = browser.new_context(
            viewport={"width": across, "height": down}, color_scheme=theme,
            reduced_motion="reduce", locale=locale,
        )  # fmt: skip
        context.set_default_timeout(PATIENCE_MS)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        contexts.append(context)
        page = context.new_page()
        if not offline_is_fine:
            page.on("console", lambda m: m.type == "error" and complaints.append(m.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        if library:
            page.add_init_script(f"localStorage.setItem('manole.library', {library!r})")
        page.goto(f"{at or served.url}/#{path}")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []
