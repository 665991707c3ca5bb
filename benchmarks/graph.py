"""How long the map of files takes, the first time and after a sync, and what its index misses.

    python benchmarks/graph.py [--files 10000] [--passages 5] [--changed 20]

Prints a Markdown table. Files are made up, in a real index: their texts name addresses, companies,
account numbers and one another, and their vectors are mixtures of a few hundred topics, since
random ones would be alike with nothing. Each line is measured in a process of its own, with what
its memory grew by; comparing all with all is measured on the same vectors.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from manole.documents.model import Status
from manole.index.graph import FileMap, similar
from manole.index.graph.cache import FILE, load
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


async def measure(folder: Path, what: str) -> dict[str, float]:
    """One line of the table, in this process: seconds, and megabytes that it took."""
    store = await LanceStore.open(folder)
    files = await store.files()
    with Peak() as peak:
        started = time.perf_counter()
        graph = await FileMap(folder if what != "whole" else None).graph(store, files)
        seconds = time.perf_counter() - started
    await store.close()
    return {"seconds": seconds, "mb": (peak.value - peak.before) / 2**20, "edges": len(graph.edges)}


def compare(folder: Path) -> dict[str, float]:
    """Finding neighbours by cells and by comparing all with all; what the former misses."""
    kept = load(folder / FILE, EMBEDDER)
    assert kept is not None
    given = kept.vectors
    started = time.perf_counter()
    everyone = np.arange(len(given), dtype=np.int32)
    exact = similar._compared(given, everyone)
    all_pairs = time.perf_counter() - started
    started = time.perf_counter()
    found = similar._by_cells(given)
    by_cells = time.perf_counter() - started
    reached = found.products >= exact.products[:, -1:]  # copies of one file may stand in for it
    close = similar.cosines(given, exact) >= 0.6
    hits = np.minimum(reached.sum(axis=1), similar.NEIGHBOURS)
    wanted = close.sum(axis=1)
    return {
        "all pairs": all_pairs,
        "cells": by_cells,
        "recall": float(hits.mean() / similar.NEIGHBOURS),
        "recall of edges": float(np.minimum(hits, wanted).sum() / wanted.sum()),
    }


def apart(folder: Path, what: str) -> dict[str, float]:
    """The same, in a process of its own."""
    command = [sys.executable, __file__, "--inside", what, "--folder", str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)
    told: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return told


async def run(options: argparse.Namespace) -> None:
    """Fill an index, make its map in several ways, print the table."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        store = await LanceStore.open(folder)
        async with store.writing(dimensions=WIDE, embedder=EMBEDDER):
            await fill(store, 0, options.files, options.passages, seed=1)
        total = options.files * options.passages
        print(f"| the map of {options.files:,} files, {total:,} passages | seconds | MB |")
        print("|---|---:|---:|")

        def line(name: str, what: str) -> None:
            told = apart(folder, what)
            edges = f"{told['edges']:,.0f} edges"
            print(f"| {name} ({edges}) | {told['seconds']:.1f} | {told['mb']:.0f} |", flush=True)

        line("the first time", "kept")
        line("nothing has changed, from disk", "kept")
        await change(store, options.files, options.passages, options.changed)
        line(f"after a sync of {options.changed} files", "kept")
        line("the same without what was kept", "whole")
        await store.close()
        told = apart(folder, "compare")
        size = (folder / FILE).stat().st_size / 2**20
        print(f"| neighbours alone, by cells | {told['cells']:.2f} | |")
        print(f"| neighbours alone, all pairs | {told['all pairs']:.2f} | |")
        print(
            f"\nCells find {told['recall']:.1%} of the {similar.NEIGHBOURS} nearest, and "
            f"{told['recall of edges']:.1%} of those with a cosine of 0.6 or more. "
            f"What is kept takes {size:.0f} MB on disk."
        )


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--passages", type=int, default=5, help="of each file")
    parser.add_argument("--changed", type=int, default=20, help="files of the second sync")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside == "compare":
        print(json.dumps(compare(options.folder)))
    elif options.inside:
        print(json.dumps(asyncio.run(measure(options.folder, options.inside))))
    else:
        asyncio.run(run(options))


if __name__ == "__main__":
    main()
