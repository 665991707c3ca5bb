"""How fast a folder of text files is indexed, and how much of that is the embedder's own time.

    python benchmarks/indexing.py [--files 10000] [--words 110]

Prints a Markdown table. The embedder's share is what it alone needs for the same passages, run
after the sync in the same process, over the sync's wall time. Memory is that of this process and
its extraction workers together, at its highest. What processes share (libraries, and everything
while one of them is being started) is counted once where the system tells (PSS, on Linux); else
it is the sum of their resident sizes.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import threading
import time
from pathlib import Path

import psutil

from manole.index.store.rows import embedding_text
from manole.library import Library
from manole.settings import Settings
from words import prose


class Peak(threading.Thread):
    """The highest memory of this process and its children, in bytes; looks ten times a second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.value = 0
        self.stopped = threading.Event()

    def run(self) -> None:
        """Look until `stopped` is set."""
        me = psutil.Process()
        while not self.stopped.wait(0.1):
            total = 0
            for process in (me, *me.children(recursive=True)):
                try:
                    total += memory_of(process)
                except psutil.Error:
                    continue
            self.value = max(self.value, total)


def memory_of(process: psutil.Process) -> int:
    """Bytes a process holds: its proportional share of what is shared (PSS), or else RSS."""
    try:
        return int(process.memory_full_info().pss)
    except (AttributeError, psutil.AccessDenied):
        return int(process.memory_info().rss)


def write_files(folder: Path, files: int, words: int, seed: int) -> None:
    """Text files of `words` words on average, fifty a folder."""
    random_ = random.Random(seed)
    for i in range(files):
        place = folder / f"folder{i // 50:04d}"
        place.mkdir(exist_ok=True)
        text = prose(random_, random_.randint(words // 2, words * 3 // 2))
        (place / f"note{i:05d}.txt").write_text(text)


async def run(options: argparse.Namespace) -> None:
    """Index, index again, embed alone; print the table."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "files"
        folder.mkdir()
        write_files(folder, options.files, options.words, options.seed)
        settings = Settings(data_dir=Path(temporary) / "data", cache_dir=Settings.load().cache_dir)
        async with await Library.open(folder, settings) as library:
            _ = library.embedder  # loaded, and fetched, outside of what is measured
            peak = Peak()
            peak.start()
            started = time.perf_counter()
            report = await library.sync()
            wall = time.perf_counter() - started
            peak.stopped.set()
            started = time.perf_counter()
            again = await library.sync()
            second = time.perf_counter() - started
            assert again.unchanged == options.files
            store = await library.store()
            texts = [embedding_text(passage) async for passage in store.scan_texts()]
            started = time.perf_counter()
            for at in range(0, len(texts), 512):
                library.embedder.embed(texts[at : at + 512])
            alone = time.perf_counter() - started
    rows = [
        ("files", f"{options.files:,}"),
        ("passages", f"{report.passages:,}"),
        ("tokens", f"{report.tokens:,}"),
        ("first sync, wall", f"{wall:.1f} s"),
        ("inside the embedder's inference", f"{report.embed_seconds:.1f} s"),
        ("the embedder alone, same passages", f"{alone:.1f} s"),
        ("embedder alone / wall", f"{alone / wall:.0%}"),
        ("inside inference / wall", f"{report.embed_seconds / wall:.0%}"),
        ("tokens a second, over all", f"{report.tokens / wall:,.0f}"),
        ("second sync, nothing changed", f"{second:.2f} s"),
        ("memory, at its highest", f"{peak.value / 2**20:,.0f} MiB"),
    ]
    print("| indexing | |\n|---|---:|")
    for name, value in rows:
        print(f"| {name} | {value} |")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--words", type=int, default=110, help="of a file, on average")
    parser.add_argument("--seed", type=int, default=1)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
