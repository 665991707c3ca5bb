"""How long the map of files takes, the first time and after a sync.

    python benchmarks/graph.py [--files 10000] [--passages 5] [--changed 20]

Prints a Markdown table. Files are made up, in a real index: their texts name addresses, companies,
account numbers and one another, and their vectors are mixtures of a few hundred topics, since
random ones would be alike with nothing. Memory is what the process grew by meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from manole.documents.model import Status
from manole.index.graph import FileMap
from manole.index.store.lance import LanceStore
from manole.index.store.records import FileRecord, PassageRecord
from measuring import Peak, prose

BATCH = 500  # files
WIDE = 384
EMBEDDER = "made-up"
TOPICS = 400
HOLDERS = 6  # files that name the same address, company or account, about


def vectors(files: int, passages: int, seed: int) -> np.ndarray:
    """Unit vectors (files x passages x wide): some topics a file, each passage near its file."""
    numbers = np.random.default_rng(seed)
    topics = np.random.default_rng(0).normal(size=(TOPICS, WIDE)) * np.arange(1, WIDE + 1) ** -0.35
    mixed = np.zeros((files, WIDE))
    for _ in range(3):
        share = numbers.exponential(size=(files, 1)) ** 2
        mixed += share * topics[(TOPICS * numbers.random(files) ** 2).astype(int)]
    mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
    own = numbers.normal(size=(files, WIDE)) / WIDE**0.5 * numbers.uniform(0.4, 1, (files, 1))
    apart = numbers.normal(size=(files, passages, WIDE)) / WIDE**0.5 * 0.7
    made = (mixed + own)[:, None] + apart
    return (made / np.linalg.norm(made, axis=2, keepdims=True)).astype(np.float32)


def iban(number: int) -> str:
    """An account number that is right."""
    bank = f"{37040044:08d}{number:010d}"
    rest = int(f"{bank}131400") % 97
    return f"DE{98 - rest:02d}{bank}"


def named(numbers: random.Random, files: int) -> str:
    """What a passage may name."""
    some = numbers.randrange(max(1, files // HOLDERS))
    return numbers.choice(
        (f"write to person{some}@example.org", f"IBAN {iban(some)}", f"Firma Haus W{some:x} GmbH",
         f"see note{numbers.randrange(files):05d}.md", "", "", "")
    )  # fmt: skip


async def fill(store: LanceStore, first: int, files: int, passages: int, seed: int) -> None:
    """Put files from number `first` on in place, each with as many passages."""
    numbers = random.Random(seed)
    made = vectors(files, passages, seed)
    for at in range(0, files, BATCH):
        pairs = []
        for i in range(first + at, first + min(at + BATCH, files)):
            file = FileRecord(
                id=f"{i:06d}", root="/made-up", path=f"folder{i % 200:03d}/note{i:05d}.md", size=1,
                mtime_ns=10**18, content_hash=f"{seed}-{i}", status=Status.INDEXED,
                passages=passages, indexed_at=datetime.now(UTC),
            )  # fmt: skip
            texts = [
                f"{prose(numbers, numbers.randint(60, 160))} {named(numbers, files)}"
                for _ in range(passages)
            ]
            records = [
                PassageRecord(
                    id=f"{file.id}:{k}", file_id=file.id, root=file.root, path=file.path, ordinal=k,
                    page=None, line_start=1, line_end=1, start=0, end=len(text), text=text,
                )
                for k, text in enumerate(texts)
            ]  # fmt: skip
            pairs.append((file, records))
        await store.replace(pairs)
        ids = [record.id for _, records in pairs for record in records]
        await store.put_vectors(ids, made[at : at + len(pairs)].reshape(-1, WIDE))
    await store.finish()


async def change(store: LanceStore, files: int, passages: int, changed: int) -> None:
    """What a sync does that finds some files changed, new, gone and renamed."""
    quarter = changed // 4
    async with store.writing(dimensions=WIDE, embedder=EMBEDDER):
        await fill(store, 0, quarter, passages, seed=2)
        await fill(store, files, quarter, passages, seed=3)
        known = await store.files()
        await store.delete([file.id for file in known[-quarter:]])
        for file in known[quarter : 2 * quarter]:
            await store.touch([replace(file, path=f"renamed/{file.id}.md")])


async def run(options: argparse.Namespace) -> None:
    """Fill an index, make its map in several ways, print the table."""
    with tempfile.TemporaryDirectory() as temporary:
        store = await LanceStore.open(Path(temporary))
        async with store.writing(dimensions=WIDE, embedder=EMBEDDER):
            await fill(store, 0, options.files, options.passages, seed=1)
        total = options.files * options.passages
        print(f"| the map of {options.files:,} files, {total:,} passages | seconds | MB |")
        print("|---|---:|---:|")
        files = FileMap()

        async def line(name: str) -> None:
            known = await store.files()
            with Peak() as peak:
                started = time.perf_counter()
                graph = await files.graph(store, known)
                seconds = time.perf_counter() - started
            edges, grown = f"{len(graph.edges):,} edges", (peak.value - peak.before) / 2**20
            print(f"| {name} ({edges}) | {seconds:.1f} | {grown:.0f} |", flush=True)

        await line("the first time")
        await line("nothing has changed")
        await change(store, options.files, options.passages, options.changed)
        await line(f"after a sync of {options.changed} files")
        await store.close()


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--passages", type=int, default=5, help="of each file")
    parser.add_argument("--changed", type=int, default=20, help="files of the second sync")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
