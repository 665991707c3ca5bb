"""What a question costs as a library grows: the example household among more and more other files.

    python benchmarks/growth.py --texts FOLDER … [--cache FOLDER] [--sizes 0,10000,100000,1000000]

The household is indexed as ever; then files of ten passages each are put beside it, with texts and
vectors from `scale_data.py`. The same questions are asked in each library, by the real agent and
the real model. What the model takes is the same in all of them, so it is told apart: the rest is
what grows, or does not. Each question is asked `TIMES` times, after one that warms the model up,
and its answer is compared with the one that the household alone gives.

Prints Markdown tables. Libraries are kept in the cache folder.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil

import scale_data
from asking import HOUSEHOLD, ask
from manole import Agent, Library, Settings
from manole.models.load import ChatLoader
from manole.models.weights.cache import Weights
from scale_manole import EACH, fill

TIMES = 5
QUESTIONS = (
    "How many PDF files do I have?",
    "Which folder has the most files?",
    "What is the notice period of the rental contract?",
    "What does error code E07 mean?",
    "What is the total of invoice 2024-0119?",
    "What did I do in March 2023?",
    "Which is my newest invoice, and what is its total?",
)


FIRST = "the first count after opening"
MADE, MENDED = "the list of files made", "… and mended after one has changed"


@dataclass(slots=True)
class Asked:
    """What a question cost in one library: seconds without the model's, with it, and the answer."""

    rest: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    answer: str = ""


@dataclass(slots=True)
class Measured:
    """What a library gave: its questions, and seconds by what was measured beside them."""

    asked: dict[str, Asked]
    beside: dict[str, float]


async def _build(settings: Settings, folder: Path, size: int, stored: scale_data.Floats) -> None:
    """The household, with `size` passages of other files beside it."""
    async with await Library.open(folder, settings) as library:
        await library.sync()
        if not size:
            return
        store = await library.store()
        made = scale_data.vectors(stored, size)
        async with store.writing(dimensions=made.shape[1], embedder=store.embedder):
            await fill(store, made)


async def _listed(library: Library) -> dict[str, float]:
    """Seconds in which the list of files is made, and mended after one file has changed."""
    store = await library.store()
    started = time.perf_counter()
    before = await store.file_list()
    made = time.perf_counter() - started
    one = before.files[0]
    async with store.writing(dimensions=store.dimensions, embedder=store.embedder):
        await store.touch([replace(one, mtime_ns=one.mtime_ns + 1)])
    started = time.perf_counter()
    await store.file_list(before)
    return {MADE: made, MENDED: time.perf_counter() - started}


async def _measure(settings: Settings, folder: Path, times: int) -> Measured:
    """Every question, and what was measured beside them."""
    loader = ChatLoader(settings, Weights(settings.weights_dir))
    await loader.get()
    asked = {question: Asked() for question in QUESTIONS}
    started = time.perf_counter()
    async with await Library.open(folder, settings) as library:
        agent = Agent(library, loader, settings)
        await ask(agent, QUESTIONS[0])
        first = time.perf_counter() - started
        await ask(agent, "What is the rent?")
        for question in [q for q in QUESTIONS for _ in range(times)]:
            turn = await ask(agent, question)
            spent = turn.timings
            without = spent["total"] - spent.get("model", 0.0) - spent.get("model_load", 0.0)
            asked[question].rest.append(without)
            asked[question].whole.append(spent["total"])
            asked[question].answer = turn.answer
        beside = {FIRST: first} | await _listed(library)
    await loader.close()
    return Measured(asked, beside)


def _row(name: str, cells: Sequence[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |"


def _table(found: dict[int, Measured]) -> None:
    least, *_ = found.values()
    head = "seconds without the model's (with them)"
    print(_row(head, [f"{size:,} other passages" for size in found]))
    print("|---|" + "---:|" * len(found))
    for question, base in least.asked.items():
        cells = []
        for measured in found.values():
            mine = measured.asked[question]
            other = "" if mine.answer == base.answer else " *"
            rest, whole = statistics.median(mine.rest), statistics.median(mine.whole)
            cells.append(f"{rest:.2f} ({whole:.1f}){other}")
        print(_row(question, cells))
    for what in least.beside:
        print(_row(what, [f"{measured.beside[what]:.2f}" for measured in found.values()]))
    print("\n\\* another answer than in the smallest library. All answers:\n")
    for question in least.asked:
        answers = [measured.asked[question].answer for measured in found.values()]
        for answer in dict.fromkeys(answers):
            print(f"- {question} {' '.join(answer.split())}")


def main() -> int:
    """Read the command line, build, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, nargs="*", default=[])
    parser.add_argument("--cache", type=Path, help="where libraries are kept")
    parser.add_argument("--sizes", default="0,10000,100000,1000000")
    parser.add_argument("--times", type=int, default=TIMES)
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    cache = options.cache or Path(tempfile.mkdtemp())
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / "household"
    if not folder.exists():
        shutil.copytree(HOUSEHOLD, folder, copy_function=shutil.copy2)
    stored, _ = scale_data.base(cache, options.texts, [])
    own = Settings.load().cache_dir
    found: dict[int, Measured] = {}
    for size in sizes:
        place = cache / f"growth{size}"
        settings = Settings(data_dir=place, cache_dir=own)
        if not (place / "built").exists():
            shutil.rmtree(place, ignore_errors=True)
            asyncio.run(_build(settings, folder, size, stored))
            (place / "built").touch()
        found[size] = asyncio.run(_measure(settings, folder, options.times))
        memory = psutil.Process().memory_info().rss
        print(f"{size:,}: {memory / 2**20:,.0f} MiB", file=sys.stderr)
    print(f"{EACH} passages a file.\n")
    _table(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
