"""How large the page is, how soon it shows what, how smooth it stays, and what memory it takes.

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
ROUNDS = 60  # through all parts of the page, a minute each in real use
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


def evidence(browser: Browser, url: str, runs: int) -> float:
    """Median milliseconds from Enter to the first words of a file; the model reads on."""
    taken = []
    with browser.new_context() as context:
        page = context.new_page()
        for number in range(runs + 1):
            page.goto(f"{url}/#/ask")
            page.keyboard.press("n")
            field = page.get_by_label("Your question")
            field.fill(f"What do the papers say about the {WORDS[number % len(WORDS)]}?")
            started = time.perf_counter()
            field.press("Enter")
            page.get_by_label("Evidence").get_by_role("button").first.wait_for()
            taken.append(1000 * (time.perf_counter() - started))
            page.get_by_label("Stop").click()
            page.get_by_text("You stopped this answer.").wait_for()
    return statistics.median(taken[1:])


def events(rows: int) -> list[dict[str, object]]:
    """What a turn is kept as that lists so many papers, with an extract and a few sentences."""
    words = "The boiler is serviced once a year, as the manual says. " * 6
    extract = {
        "n": 1, "file": "home/boiler-thermaro-b24-manual.pdf", "page": 1, "line": 1, "line_end": 9,
        "headings": ["Care"], "text": words, "marks": [[0, 54]], "orders": [], "boxes": [],
    }  # fmt: skip
    table = [
        {"file": f"invoices/{n}.pdf", "page": 1, "line": 3, "quote": "Total",
         "columns": {"issuer": f"Firm {n % 40}", "date": f"20{n % 24:02}-03-01", "total": n / 7,
                     "currency": "EUR"}}
        for n in range(rows)
    ]  # fmt: skip
    decided = {"type": "decision", "step": 1, "tool": "query", "inputs": {}, "seconds": 0.1}
    result = {"type": "result", "step": 1, "tool": "query", "name": "rows", "message": "", "n": 1}
    sources = [{key: extract[key] for key in ("n", "file", "page", "line", "line_end")}]
    return [
        {"type": "evidence", "extracts": [extract], "seconds": 0.1},
        decided | {"reasoning": "read as: papers; listed", "by": "model"},
        result | {"payload_type": "table" if rows else "passages", "objects": table,
                  "metadata": {}, "seconds": 0.1},
        {"type": "complete", "version": 1, "answer": f"{words}[1]", "found": True,
         "outcome": "answered", "sources": [one | {"quote": "", "cited": True} for one in sources],
         "confidence": "medium", "grounding": 1.0, "corrected": False, "signals": {},
         "timings": {"total": 1.0}, "model_calls": 1,
         "tokens": {"prompt": 9, "cached": 0, "completion": 9}},
    ]  # fmt: skip


def long(browser: Browser, url: str, turns: int, rows: int) -> list[tuple[str, float]]:
    """Milliseconds until a kept conversation stands, of its frames while read, and of a key."""
    now = "2026-01-01T00:00:00Z"
    known = {"id": "long", "title": "Long", "created": now, "updated": now, "turns": turns}
    asked = [
        {"n": n + 1, "question": f"What about the boiler, {n}?", "scope": None, "asked": now,
         "events": events(rows), "rating": None, "comment": None}
        for n in range(turns)
    ]  # fmt: skip
    body = json.dumps({"conversation": known, "turns": asked})
    with browser.new_context() as context:
        page = context.new_page()
        page.route(
            "**/conversations/long",
            lambda route: route.fulfill(body=body, content_type="application/json"),
        )
        page.goto(f"{url}/#/ask")
        page.get_by_label("Your question").wait_for()
        page.evaluate("location.hash = '#/ask/long'")
        started = time.perf_counter()
        page.get_by_role("article").last.wait_for()
        opened = 1000 * (time.perf_counter() - started)
        page.mouse.move(600, 300)
        page.evaluate(f"window.frames_ = ({FRAMES})(3)")
        for _ in range(60):
            page.mouse.wheel(0, -400)
            page.wait_for_timeout(30)
        read = page.evaluate("window.frames_")
        page.get_by_label("Your question").focus()
        page.evaluate(f"window.frames_ = ({FRAMES})(3)")
        page.keyboard.type("a question of some thirty keys", delay=60)
        typed = page.evaluate("window.frames_")
    return [
        ("stands after", opened),
        ("a frame while it is read, 95 of 100", _p95(read)),
        ("a frame while one types, 95 of 100", _p95(typed)),
    ]


def memory(browser: Browser, url: str, rounds: int) -> tuple[float, float]:
    """Megabytes of JavaScript after a few rounds through the page, and after all of them."""
    held = []
    with browser.new_context() as context:
        page = context.new_page()
        session = context.new_cdp_session(page)
        page.goto(f"{url}/#/ask")
        page.get_by_label("Your question").wait_for()
        for number in range(rounds):
            page.keyboard.press("n") if number else None
            page.get_by_label("Your question").fill("How many files are there?")
            page.keyboard.press("Enter")
            page.get_by_label("Copy the answer with its sources").first.wait_for()
            for part in ("search?q=deposit&f=home/rental-contract.pdf", "library", "map", "ask"):
                page.evaluate(f"location.hash = '#/{part}'")
                page.wait_for_timeout(700)
            if number in (rounds // 5, rounds - 1):
                session.send("HeapProfiler.collectGarbage")
                held.append(page.evaluate("performance.memory.usedJSHeapSize") / 1e6)
    return held[0], held[-1]


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
    """Milliseconds until a map is drawn, and of its frames while it is moved."""
    body = graph(count)
    with browser.new_context() as context:
        page: Page = context.new_page()
        page.route(
            "**/graph*", lambda route: route.fulfill(body=body, content_type="application/json")
        )
        page.goto(f"{url}/#/map")
        started = time.perf_counter()
        page.locator("main circle").first.wait_for()
        drawn = 1000 * (time.perf_counter() - started)
        box = page.locator("main svg[role=img]").bounding_box()
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
        print(
            f"| from Enter to the first words of a file | {evidence(browser, url, runs):.0f} ms |"
        )
        for turns, rows in ((200, 0), (1, 5_000)):
            what = f"{turns} turns" if turns > 1 else f"a list of {rows:,} rows"
            for name, taken in long(browser, url, turns, rows):
                print(f"| {what}: {name} | {taken:.0f} ms |")
        for count in (500, 10_000):
            for name, taken in mapped(browser, url, count):
                print(
                    f"| map of {count:,} files and {3 * count:,} links: {name} | {taken:.0f} ms |"
                )
        early, late = memory(browser, url, ROUNDS)
        print(
            f"| memory of scripts after {ROUNDS // 5} rounds through all parts | {early:.1f} MB |"
        )
        print(f"| the same after {ROUNDS} rounds | {late:.1f} MB |")
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default=str(ROOT / "examples/household"))
    parser.add_argument("--runs", type=int, default=11)
    arguments = parser.parse_args()
    main(arguments.folder, arguments.runs)
