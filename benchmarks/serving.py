"""How many clients a server holds: searches side by side, and questions that share one model.

    python benchmarks/serving.py [--seconds 20] [--model NAME] [FOLDER]

Starts `manole serve` on a free loopback port over an index of its own, lets 50 clients search for
some seconds and then 8 clients ask, each one request after the other, and prints a Markdown table.
The questions are a mix: some need the model, some do not. A request is an error when it is not
answered with 200, or when its stream does not end in `complete`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import httpx

from manole.settings import Settings
from measuring import HOUSEHOLD, middle_and_p95

QUERIES = ("notice period", "boiler warranty", "rent of the flat", "dentist", "plum cake recipe")
QUESTIONS = (
    "How many PDF files do I have?",
    "What is our notice period as tenants?",
    "Which files are about the boiler?",
    "How high is the deposit?",
)
PATIENCE = 600.0


@dataclass
class Measured:
    """What a run saw: seconds of each request, and of each first line."""

    seconds: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    errors: int = 0


Ask = Callable[[httpx.AsyncClient, int, Measured], Awaitable[None]]


@contextmanager
def served(folder: Path, model: str | None) -> Iterator[str]:
    """The address of a server over `folder`, its index made."""
    with tempfile.TemporaryDirectory() as data:
        environment = os.environ | {
            "MANOLE_DATA_DIR": data,
            "MANOLE_CACHE_DIR": str(Settings.load().cache_dir),
            "MANOLE_SERVE__REQUESTS_PER_MINUTE": "1000000",
            "PYTHONUNBUFFERED": "1",
        }
        command = [sys.executable, "-m", "manole.cli.app", "serve", str(folder), "--port", "0"]
        command += ["--model", model] if model else []
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            if found is None:
                sys.exit("the server did not start")
            wait_for_index(found[0])
            yield found[0]
        finally:
            process.terminate()
            process.wait()


def wait_for_index(url: str) -> None:
    """Until the first sync is done."""
    with httpx.Client(base_url=url, timeout=PATIENCE) as client:
        path = f"/libraries/{client.get('/health').json()['library']}/sync"
        while client.get(path).json()["state"] == "running":
            time.sleep(0.2)


async def search(client: httpx.AsyncClient, number: int, seen: Measured) -> None:
    """One search."""
    query = QUERIES[number % len(QUERIES)]
    response = await client.get("/search", params={"q": query})
    seen.errors += response.status_code != 200 or not response.json()["results"]


async def question(client: httpx.AsyncClient, number: int, seen: Measured) -> None:
    """One question, its stream read to the end."""
    started, lines = time.perf_counter(), []
    body = {"query": QUESTIONS[number % len(QUESTIONS)]}
    async with client.stream("POST", "/agentic_search", json=body) as response:
        async for line in response.aiter_lines():
            if not lines:
                seen.first.append(time.perf_counter() - started)
            lines.append(line)
    ended = bool(lines) and json.loads(lines[-1]).get("type") == "complete"
    seen.errors += response.status_code != 200 or not ended


async def load(url: str, clients: int, seconds: float, ask: Ask) -> tuple[Measured, float]:
    """`clients` that ask again and again; what was begun within `seconds` is finished."""
    seen, numbers, began = Measured(), count(), time.perf_counter()

    async def client() -> None:
        async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as link:
            while time.perf_counter() - began < seconds:
                started = time.perf_counter()
                try:
                    await ask(link, next(numbers), seen)
                except httpx.HTTPError:
                    seen.errors += 1
                seen.seconds.append(time.perf_counter() - started)

    await asyncio.gather(*(client() for _ in range(clients)))
    return seen, time.perf_counter() - began


def shown(times: list[float]) -> str:
    """Median and 95th percentile as two cells."""
    if not times:
        return "– | –"
    middle, p95 = middle_and_p95(times)
    return f"{1000 * middle:,.0f} ms | {1000 * p95:,.0f} ms"


async def run(options: argparse.Namespace) -> None:
    """Serve, load, print."""
    with served(options.folder, options.model) as url:
        async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as client:
            for number in range(len(QUESTIONS)):  # the embedder and the model are loaded
                await search(client, number, Measured())
                await question(client, number, Measured())
        print("| requests | clients | answered | errors | a second | median | p95 |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        for name, clients, ask in (
            ("`GET /search`", options.searchers, search),
            ("`POST /agentic_search`", options.askers, question),
        ):
            seen, spent = await load(url, clients, options.seconds, ask)
            done = len(seen.seconds)
            counts = f"{clients} | {done:,} | {seen.errors} | {done / spent:.1f}"
            print(f"| {name} | {counts} | {shown(seen.seconds)} |")
            if seen.first:
                print(f"| … to its first line | | | | | {shown(seen.first)} |")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=HOUSEHOLD)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--searchers", type=int, default=50)
    parser.add_argument("--askers", type=int, default=8)
    parser.add_argument("--model", help="chat model; else the usual one")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
