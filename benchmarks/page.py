"""How large the page is, how soon it is painted, and how smooth a map of 10,000 files stays.

    python benchmarks/page.py [FOLDER] [--runs 11]

Serves FOLDER (the example household by default; it must be indexed) and opens it in Chromium, each
time as a new visitor. Needs Node for nothing: the page is what `make web` built. Prints Markdown.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "src/manole/serve/http/web"
FLAGS = ["--no-sandbox", "--disable-background-networking", "--enable-unsafe-swiftshader"]
PAINTED = (
    "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
    " ?? new Promise(r => new PerformanceObserver(l => l.getEntriesByName("
    "'first-contentful-paint').forEach(e => r(e.startTime))).observe({type: 'paint'}))"
)
FRAMES = """seconds => new Promise(done => {
  const times = []; let last = performance.now(); const end = last + 1000 * seconds;
  const tick = now => {
    times.push(now - last); last = now;
    if (now < end) requestAnimationFrame(tick); else done(times);
  };
  requestAnimationFrame(tick);
})"""
WORDS = (
    "deposit", "boiler", "invoice", "recipe", "insurance", "holiday", "garden", "piano", "bicycle",
    "dentist", "school", "laptop", "electricity", "notice",
)  # fmt: skip


@contextmanager
def served(folder: str) -> Iterator[str]:
    """The address of a `manole serve` over the folder."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    program = str(Path(sys.executable).parent / "manole")
    command = [program, "serve", folder, "--reuse", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
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


def sizes() -> list[tuple[str, int]]:
    """Bytes, compressed by gzip, of what the first view loads, and of the whole page."""
    files = {path.name: path.read_bytes() for path in (BUILD / "assets").iterdir()}
    packed = {name: len(gzip.compress(content, 9)) for name, content in files.items()}
    html = (BUILD / "index.html").read_text("utf-8")
    first = sum(packed[name] for name in set(re.findall(r"/assets/([\w.-]+)", html)))
    return [("first view", first), ("the whole page, the map included", sum(packed.values()))]


def visits(browser: Browser, url: str, runs: int, slower: int) -> tuple[float, float]:
    """Median milliseconds to the first paint with words, and until a question can be typed."""
    painted, usable = [], []
    for _ in range(runs):
        with browser.new_context() as context:
            page = context.new_page()
            session = context.new_cdp_session(page)
            session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
            started = time.perf_counter()
            page.goto(f"{url}/#/ask")
            page.get_by_label("Your question").wait_for()
            usable.append(1000 * (time.perf_counter() - started))
            painted.append(page.evaluate(PAINTED))
    return statistics.median(painted), statistics.median(usable)


def typing(browser: Browser, url: str, runs: int) -> float:
    """Median milliseconds from the last key to results, the pause before asking included."""
    taken = []
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{url}/#/search")
        field = page.get_by_role("searchbox").first
        for number in range(runs + 1):
            field.fill("")
            page.wait_for_timeout(400)
            started = time.perf_counter()
            field.fill(WORDS[number % len(WORDS)])
            page.locator("[aria-label=Results] h2").first.wait_for()
            taken.append(1000 * (time.perf_counter() - started))
    return statistics.median(taken[1:])  # the first one loads the embedder


def graph(count: int) -> str:
    """A map of `count` files in communities, as the server would send it."""
    chance = random.Random(7)
    nodes = [
        {"id": f"folder-{n % 100}/file-{n}.pdf", "kind": "file", "format": "pdf", "size": n,
         "date": None, "title": None}
        for n in range(count)
    ]  # fmt: skip
    edges = []
    for n in range(count):
        for _ in range(3):
            near = (n + 100 * chance.randint(1, 40)) % count
            other = near if chance.random() < 0.95 else chance.randrange(count)
            edges.append([n, other, "similarity", round(chance.uniform(0.6, 1), 3), ""])
    return json.dumps({"nodes": nodes, "edges": edges, "computed": "2026-01-01T00:00:00Z"})


def mapped(browser: Browser, url: str, count: int) -> list[tuple[str, float]]:
    """Milliseconds until a map is drawn, and of its frames while it is laid out and moved."""
    body = graph(count)
    with browser.new_context() as context:
        page: Page = context.new_page()
        page.route(
            "**/graph*", lambda route: route.fulfill(body=body, content_type="application/json")
        )
        page.goto(f"{url}/#/map")
        started = time.perf_counter()
        page.locator("canvas").first.wait_for()
        drawn = 1000 * (time.perf_counter() - started)
        laid = page.evaluate(FRAMES, 3)
        page.wait_for_timeout(15_000)
        box = page.locator("canvas").first.bounding_box()
        assert box
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.move(*middle)
        page.mouse.down()
        page.evaluate(f"window.frames_ = ({FRAMES})(3)")
        for step in range(60):
            page.mouse.move(middle[0] + 3 * step, middle[1] + 2 * step)
            page.wait_for_timeout(30)
        moved = page.evaluate("window.frames_")
        page.mouse.up()
    return [
        ("drawn after", drawn),
        ("a frame while it is laid out, 95 of 100", _p95(laid)),
        ("a frame while it is moved, 95 of 100", _p95(moved)),
    ]


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def main(folder: str, runs: int) -> None:
    """Measure and print."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    print("| the page | |\n|---|---:|")
    for name, size in sizes():
        print(f"| {name}, compressed | {size / 1000:.0f} kB |")
    with served(folder) as url, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        for slower in (1, 4):
            painted, usable = visits(browser, url, runs, slower)
            times = "" if slower == 1 else f", processor slowed {slower} times"
            print(f"| first paint{times} | {painted:.0f} ms |")
            print(f"| a question can be typed{times} | {usable:.0f} ms |")
        print(f"| search, from the key to the results | {typing(browser, url, runs):.0f} ms |")
        for name, taken in mapped(browser, url, 10_000):
            print(f"| map of 10,000 files and 30,000 links: {name} | {taken:.0f} ms |")
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default=str(ROOT / "examples/household"))
    parser.add_argument("--runs", type=int, default=11)
    arguments = parser.parse_args()
    main(arguments.folder, arguments.runs)
