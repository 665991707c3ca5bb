"""Makes the pictures of the page in `docs/page/`, in Chromium before a running server.

    python docs/make_page.py [PART ...]

Indexes the example household into a folder of its own, asks real questions of the real model, and
takes a picture of each part. They are to be looked at before they are committed.
"""

from __future__ import annotations

import io
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from manole.settings import Settings

ROOT = Path(__file__).parents[1]
OUT = Path(__file__).parent / "page"
FOLDER = ROOT / "examples/household"
FLAGS = ["--no-sandbox", "--disable-background-networking", "--enable-unsafe-swiftshader"]
WIDE, NARROW = (1280, 800), (390, 780)


@contextmanager
def served(folder: Path | None) -> Iterator[str]:
    """The address of a server with a home of its own; without a folder it knows none.

    It reads a copy of the folder, so that no picture shows a path of the machine it was taken on.
    """
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {
            "HOME": home,
            "MANOLE_DATA_DIR": f"{home}/data",
            "MANOLE_CACHE_DIR": str(Settings.load().cache_dir),
        }
        if folder:
            folder = Path(shutil.copytree(folder, Path(home) / folder.name))
        program = str(Path(sys.executable).parent / "manole")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = [program, "serve", "--port", str(port)]
        if folder:
            subprocess.run([program, "index", str(folder)], env=environment, check=True)
            command += [str(folder), "--reuse"]
        process = subprocess.Popen(command, env=environment, cwd=home, stdout=subprocess.DEVNULL)
        try:
            for _ in range(300):
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2).close()
                    break
                except OSError:
                    time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def ask(page: Page) -> None:
    """An answer with its source open beside it."""
    answered(page, "How high is the deposit in the rental contract?")
    page.get_by_label("Evidence").get_by_role("button").first.click()
    page.get_by_label("Source", exact=True).locator("figure[data-state=shown]").first.wait_for()


def count(page: Page) -> None:
    """A question that needs no model, with its steps."""
    answered(page, "How many PDF files are there?")
    page.locator("article summary").first.click()


def answered(page: Page, question: str) -> None:
    """Ask, and wait for the end."""
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    page.get_by_text("The answer is ready.").wait_for(state="attached", timeout=180_000)


def search(page: Page) -> None:
    """Results while typing."""
    page.get_by_role("searchbox").first.fill("boiler pressure")
    page.locator("mark").first.wait_for()


def still(page: Page) -> None:
    """Whatever the part shows by itself."""


def due(page: Page) -> None:
    """What is due on a day of the example's papers."""
    page.clock.set_fixed_time("2024-12-05T10:00:00")
    page.reload()
    page.locator("main ol li").first.wait_for()


def drawn(page: Page) -> None:
    """The map, once it stands."""
    page.locator("main circle").first.wait_for()


# name, address, size, colours, what is done before the picture
Shot = tuple[str, str, tuple[int, int], str, Callable[[Page], None]]
SHOTS: tuple[Shot, ...] = (
    ("ask", "/ask", WIDE, "light", ask),
    ("ask-narrow", "/ask", NARROW, "dark", count),
    ("search", "/search", WIDE, "light", search),
    ("timeline", "/search?view=timeline", WIDE, "dark", still),
    ("due", "/due", WIDE, "light", due),
    ("library", "/library", WIDE, "light", still),
    ("models", "/library?tab=models", WIDE, "dark", still),
    ("settings", "/library?tab=settings", NARROW, "light", still),
    ("conversations", "/conversations", WIDE, "light", still),
    ("map", "/map", WIDE, "light", drawn),
    ("map-dark", "/map", WIDE, "dark", drawn),
)


def take(browser: Browser, url: str, shot: Shot) -> None:
    """One picture, as WebP."""
    name, path, (width, height), colours, prepare = shot
    page = browser.new_page(
        viewport={"width": width, "height": height}, color_scheme=colours, reduced_motion="reduce"
    )
    page.goto(f"{url}/#{path}")
    page.wait_for_timeout(1_500)
    prepare(page)
    page.wait_for_timeout(800)
    picture = Image.open(io.BytesIO(page.screenshot()))
    picture.convert("RGB").save(OUT / f"{name}.webp", quality=82, method=6)
    page.close()


def main(wanted: set[str]) -> None:
    """Take the pictures of the parts that are named, or of all."""
    OUT.mkdir(exist_ok=True)
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        shots = [shot for shot in SHOTS if not wanted or shot[0] in wanted]
        if shots:
            with served(FOLDER) as url:
                for shot in shots:
                    take(browser, url, shot)
        if not wanted or "welcome" in wanted:
            with served(None) as url:
                take(browser, url, ("welcome", "/welcome", WIDE, "light", still))
        browser.close()


if __name__ == "__main__":
    main(set(sys.argv[1:]))
