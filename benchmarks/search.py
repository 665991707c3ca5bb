"""How long a search takes, warm and from a fresh process.

    python benchmarks/search.py [--passages 10000] [--queries 300]

Prints a Markdown table. The passages' vectors are random (a search takes as long whatever they
are); questions are embedded by the real embedder. A fresh process is timed from its start to its
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

import numpy as np

from manole.documents.model import Status
from manole.index.store.records import FileRecord, Filters, PassageRecord
from manole.library import Library
from manole.settings import Settings
from words import prose

BATCH = 2000

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


async def fill(library: Library, passages: int, seed: int) -> None:
    """An index of made-up files with one passage each, and random vectors."""
    random_, numbers = random.Random(seed), np.random.default_rng(seed)
    store = await library._index.to_write(force=False)
    embedder = library.embedder
    async with store.writing(dimensions=embedder.dimensions, embedder=embedder.name):
        for at in range(0, passages, BATCH):
            pairs = []
            for i in range(at, min(at + BATCH, passages)):
                path = f"folder{i % 20:02d}/note{i:05d}.{'md' if i % 3 else 'txt'}"
                file = FileRecord(
                    id=str(i), root=str(library.roots[0]), path=path, size=1,
                    mtime_ns=random_.randint(10**18, 17 * 10**17), content_hash=str(i),
                    status=Status.INDEXED, passages=1,
                )  # fmt: skip
                text = prose(random_, random_.randint(60, 160))
                passage = PassageRecord(
                    id=f"{i}:0", file_id=file.id, root=file.root, path=path, ordinal=0, page=None,
                    line_start=1, line_end=1, start=0, end=len(text), text=text,
                )  # fmt: skip
                pairs.append((file, [passage]))
            vectors = numbers.normal(size=(len(pairs), embedder.dimensions)).astype(np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            await store.replace(pairs)
            await store.put_vectors([passage.id for _, (passage,) in pairs], vectors)
        await store.finish()
    library._write_meta({"files": passages, "passages": passages})


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
        subprocess.run(
            [sys.executable, "-c", FRESH, folder, settings.data_dir, settings.cache_dir, question],
            check=True,
        )
        times.append(time.perf_counter() - started)
    return times


async def run(options: argparse.Namespace) -> None:
    """Fill an index, search it warm and from fresh processes; print the table."""
    random_ = random.Random(options.seed + 1)
    questions = [prose(random_, random_.randint(4, 14)) for _ in range(options.queries)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "files"
        folder.mkdir()
        settings = Settings(data_dir=Path(temporary) / "data", cache_dir=Settings.load().cache_dir)
        print(f"| search, {options.passages:,} passages | median | p95 |\n|---|---:|---:|")
        async with await Library.open(folder, settings) as library:
            await fill(library, options.passages, options.seed)
            for name, filters in (
                ("warm", Filters()),
                ("warm, in one folder of 20", Filters(within=("folder07",))),
            ):
                times = await warm(library, questions, filters)
                p95 = statistics.quantiles(times, n=20)[-1]
                print(f"| {name} | {statistics.median(times):.0f} ms | {p95:.0f} ms |")
        times = fresh(folder, settings, questions[0], options.fresh)
        print(f"| fresh process | {statistics.median(times):.2f} s | {max(times):.2f} s |")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--fresh", type=int, default=5, help="processes started")
    parser.add_argument("--seed", type=int, default=1)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
