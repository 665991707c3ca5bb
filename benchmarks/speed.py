"""How fast a folder of text files is indexed and then searched, and what memory that takes.

    python benchmarks/speed.py [--files 10000] [--words 110] [--queries 150] [--fresh 3]

Prints Markdown tables. The embedder's share is what it alone needs for the same passages, run
after the sync in the same process, over the sync's wall time. Memory is that of this process and
its extraction workers together, at its highest. A fresh process is timed from its start to its
first result, interpreter and imports included.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from manole.index.store.records import Filters
from manole.index.store.rows import embedding_text
from manole.library import Library
from manole.settings import Settings
from measuring import Peak, middle_and_p95, prose

FOLDERS = 20
FRESH = """
import asyncio, sys
from pathlib import Path
from manole.library import Library
from manole.settings import Settings

async def main():
    settings = Settings(data_dir=Path(sys.argv[2]), cache_dir=Path(sys.argv[3]))
    async with await Library.open(Path(sys.argv[1]), settings) as library:
        assert await library.search(sys.argv[4])

asyncio.run(main())
"""


def write_files(folder: Path, files: int, words: int, seed: int) -> None:
    """Text files of `words` words on average, in twenty folders."""
    chance = random.Random(seed)
    for i in range(files):
        place = folder / f"folder{i % FOLDERS:02d}"
        place.mkdir(exist_ok=True)
        text = prose(chance, chance.randint(words // 2, words * 3 // 2))
        (place / f"note{i:05d}.txt").write_text(text)


async def indexed(library: Library) -> list[tuple[str, str]]:
    """Index, index again, embed alone; the rows of the table."""
    _ = library.embedder  # loaded, and fetched, outside of what is measured
    with Peak() as peak:
        started = time.perf_counter()
        report = await library.sync()
        wall = time.perf_counter() - started
    started = time.perf_counter()
    await library.sync()
    second = time.perf_counter() - started
    store = await library.store()
    texts = [embedding_text(passage) async for passage in store.scan_texts()]
    started = time.perf_counter()
    for at in range(0, len(texts), 512):
        library.embedder.embed(texts[at : at + 512])
    alone = time.perf_counter() - started
    return [
        ("passages", f"{report.passages:,}"),
        ("tokens", f"{report.tokens:,}"),
        ("first sync, wall", f"{wall:.1f} s"),
        ("inside the embedder's inference", f"{report.embed_seconds:.1f} s"),
        ("the embedder alone, same passages", f"{alone:.1f} s"),
        ("embedder alone / wall", f"{alone / wall:.0%}"),
        ("tokens a second, over all", f"{report.tokens / wall:,.0f}"),
        ("second sync, nothing changed", f"{second:.2f} s"),
        ("memory, at its highest", f"{peak.value / 2**20:,.0f} MiB"),
    ]


async def warm(library: Library, questions: list[str], filters: Filters) -> list[float]:
    """Milliseconds of each search."""
    for question in questions[:10]:
        await library.search(question, filters=filters)
    times = []
    for question in questions:
        started = time.perf_counter()
        await library.search(question, filters=filters)
        times.append(1000 * (time.perf_counter() - started))
    return times


def fresh(folder: Path, settings: Settings, question: str, runs: int) -> list[float]:
    """Seconds of each process."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        command = [sys.executable, "-c", FRESH]
        places = [folder, settings.data_dir, settings.cache_dir]
        subprocess.run([*command, *places, question], check=True)
        times.append(time.perf_counter() - started)
    return times


async def run(options: argparse.Namespace) -> None:
    """Write files, index them, search them; print the tables."""
    chance = random.Random(options.seed + 1)
    questions = [prose(chance, chance.randint(4, 14)) for _ in range(options.queries)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "files"
        folder.mkdir()
        write_files(folder, options.files, options.words, options.seed)
        settings = Settings(data_dir=Path(temporary) / "data", cache_dir=Settings.load().cache_dir)
        async with await Library.open(folder, settings) as library:
            print(f"| indexing {options.files:,} files | |\n|---|---:|")
            for name, value in await indexed(library):
                print(f"| {name} | {value} |", flush=True)
            print(f"\n| search, {options.files:,} files | median | p95 |\n|---|---:|---:|")
            inside = Filters(within=("folder07",))
            for name, filters in (("warm", Filters()), (f"one folder of {FOLDERS}", inside)):
                middle, p95 = middle_and_p95(await warm(library, questions, filters))
                print(f"| {name} | {middle:.0f} ms | {p95:.0f} ms |", flush=True)
        times = fresh(folder, settings, questions[0], options.fresh)
        print(f"| fresh process | {statistics.median(times):.2f} s | {max(times):.2f} s |")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--words", type=int, default=110, help="of a file, on average")
    parser.add_argument("--queries", type=int, default=150)
    parser.add_argument("--fresh", type=int, default=3, help="processes started")
    parser.add_argument("--seed", type=int, default=1)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
