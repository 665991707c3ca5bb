"""How search, writing, memory and disk grow with a library: 10 thousand, 100 thousand, a million.

    python benchmarks/scale.py --texts FOLDER … [--questions FILE.jsonl …] [--cache FOLDER]
                               [--sizes 10000,100000,1000000] [--only manole,numpy,faiss,leann]

Prints Markdown tables. What is measured is kept in the cache folder, so a run that was stopped goes
on where it was; `--again` measures anew. Vectors and texts are made by `scale_data.py`, the same
for all. Every program runs in a process of its own, with the machine's cores, one after the other:

* Manole: its store, filled at once (a sync's commits are timed by replacing one file), ten passages
  a file, a hundred folders of twenty. A table's old versions, which the next sync would remove, are
  removed at once. Queries go through `manole.index.search.hybrid` without the time in
  which the question is embedded, since every other program is given the vector, too;
* numpy: `vectors @ question`, which reads every vector once: as fast as memory can be read;
* faiss: all vectors (`IndexFlatIP`), one bit a number with the 200 best compared exactly
  (`IndexBinaryFlat`), RaBitQ in lists (`IndexIVFRaBitQ`) with the same, if this faiss has it;
* LEANN (HNSW), without recomputing.

The peers are optional (`benchmarks/scale_requirements.in`); what is missing is named. Recall@10 is
the share of the ten best by comparing all vectors (float32) that a program finds.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import scale_data
from scale_data import Floats
from scale_manole import manole

HERE = Path(__file__).parent
TOP = 10
QUERIES = 200
PROGRAMS = ("manole", "numpy", "faiss", "leann")
KEPT = ("manole", "leann")  # whose indexes take minutes to build; they are built once


def timed(ask: Callable[[int], Any], count: int) -> tuple[list[Any], dict[str, float]]:
    """The answers of `count` questions, and the milliseconds they took (p50, p95)."""
    for i in range(min(count, 5)):
        ask(i)
    answers, times = [], []
    for i in range(count):
        started = time.perf_counter()
        answers.append(ask(i))
        times.append(1000 * (time.perf_counter() - started))
    return answers, {
        "p50": statistics.median(times),
        "p95": statistics.quantiles(times, n=20)[-1],
    }


def bandwidth() -> float:
    """Bytes a second that all cores together read from memory."""
    cores = os.cpu_count() or 1
    block = np.ones(2**27, np.float32)  # half a gigabyte for all
    parts = np.array_split(block, cores)
    best = 0.0
    for _ in range(5):
        threads = [threading.Thread(target=np.sum, args=(part,)) for part in parts]
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        best = max(best, block.nbytes / (time.perf_counter() - started))
    return best


def recall(found: list[Any], true: np.ndarray) -> float:
    """Share of the true ten that were found."""
    hits = sum(len(set(map(int, f)) & set(t.tolist())) for f, t in zip(found, true, strict=True))
    return hits / true.size


def true_best(made: Floats, asked: Floats) -> np.ndarray:
    """Numbers of the ten vectors nearest to each question, by comparing all."""
    scores = np.zeros((len(asked), 0), np.float32)
    places = np.zeros((len(asked), 0), np.int64)
    for at in range(0, len(made), 50_000):
        part = made[at : at + 50_000]
        scores = np.hstack([scores, asked @ part.T])
        here = np.arange(at, at + len(part))
        places = np.hstack([places, np.broadcast_to(here, (len(asked), len(part)))])
        kept = np.argpartition(-scores, TOP, axis=1)[:, :TOP]
        scores = np.take_along_axis(scores, kept, axis=1)
        places = np.take_along_axis(places, kept, axis=1)
    return places


def resident() -> int:
    """Bytes that this process holds now."""
    import psutil

    return int(psutil.Process().memory_info().rss)


def folder_size(path: Path) -> int:
    """Bytes of all files below."""
    return sum(item.stat().st_size for item in path.rglob("*") if item.is_file())


# Programs ----------------------------------------------------------------------------------------


def numpy_(work: Path, made: Floats, asked: Floats, true: np.ndarray) -> list[dict[str, Any]]:
    """A scan of all vectors."""

    def ask(i: int) -> np.ndarray:
        scores = made @ asked[i]
        return np.argpartition(-scores, TOP)[:TOP]

    found, times = timed(ask, len(asked))
    return [
        {"name": "numpy, all vectors", **times, "recall": recall(found, true),
         "disk": made.nbytes, "memory": resident(), "build": 0.0}
    ]  # fmt: skip


def faiss_(work: Path, made: Floats, asked: Floats, true: np.ndarray) -> list[dict[str, Any]]:
    """Flat, binary with rescoring, RaBitQ with rescoring."""
    import faiss

    results: list[dict[str, Any]] = []

    def note(
        name: str, build: float, index: Any, write: Any, ask: Any, extra: int, before: int
    ) -> None:
        path = work / "faiss.index"
        write(index, str(path))
        found, times = timed(ask, len(asked))
        results.append(
            {"name": name, **times, "recall": recall(found, true), "build": build,
             "disk": path.stat().st_size + extra, "memory": resident() - before}
        )  # fmt: skip
        path.unlink()

    before = resident() - made.nbytes
    started = time.perf_counter()
    flat = faiss.IndexFlatIP(made.shape[1])
    flat.add(made)
    note(
        "faiss, all vectors", time.perf_counter() - started, flat, faiss.write_index,
        lambda i, flat=flat: flat.search(asked[i : i + 1], TOP)[1][0], 0, before + made.nbytes,
    )  # fmt: skip
    del flat

    def rescored(i: int, candidates: np.ndarray) -> np.ndarray:
        kept = candidates[candidates >= 0]
        return kept[np.argsort(-(made[kept] @ asked[i]))[:TOP]]

    started = time.perf_counter()
    bits = np.packbits(made > 0, axis=1)
    asked_bits = np.packbits(asked > 0, axis=1)
    binary = faiss.IndexBinaryFlat(made.shape[1])
    binary.add(bits)
    note(
        "faiss, one bit, 200 rescored", time.perf_counter() - started, binary,
        faiss.write_index_binary,
        lambda i, binary=binary: rescored(i, binary.search(asked_bits[i : i + 1], 200)[1][0]),
        made.nbytes, before,
    )  # fmt: skip
    del binary
    if hasattr(faiss, "IndexIVFRaBitQ"):
        started = time.perf_counter()
        lists = max(16, int(len(made) ** 0.5) // 2)
        coarse = faiss.IndexFlatIP(made.shape[1])
        quantised = faiss.IndexIVFRaBitQ(coarse, made.shape[1], lists, faiss.METRIC_INNER_PRODUCT)
        quantised.train(made[:: max(1, len(made) // 100_000)])
        quantised.add(made)
        quantised.nprobe = max(4, lists // 16)
        note(
            "faiss, IVF-RaBitQ, 200 rescored", time.perf_counter() - started, quantised,
            faiss.write_index,
            lambda i: rescored(i, quantised.search(asked[i : i + 1], 200)[1][0]),
            made.nbytes, before,
        )  # fmt: skip
    return results


def leann_(work: Path, made: Floats, asked: Floats, true: np.ndarray) -> list[dict[str, Any]]:
    """LEANN's HNSW over the same vectors, which it keeps (no recomputing)."""
    from leann import LeannBuilder, LeannSearcher

    logging.disable(logging.INFO)
    path, note = work / "leann" / "index.leann", work / "built.json"
    if not note.exists():
        shutil.rmtree(path.parent, ignore_errors=True)
        path.parent.mkdir()
        started = time.perf_counter()
        builder = LeannBuilder(
            backend_name="hnsw", is_compact=False, is_recompute=False, distance_metric="cosine"
        )
        builder.build_index_from_arrays(str(path), [str(i) for i in range(len(made))], made)
        note.write_text(json.dumps(time.perf_counter() - started))
    build = json.loads(note.read_text())
    before = resident()
    searcher = LeannSearcher(
        str(path), enable_warmup=False, recompute_embeddings=False, use_daemon=False
    )
    backend = searcher.backend_impl

    def ask(i: int) -> list[int]:
        got = backend.search(asked[i : i + 1], TOP, complexity=64, recompute_embeddings=False)
        return [int(key) for key in got["labels"][0]]

    found, times = timed(ask, len(asked))
    return [
        {"name": "LEANN, HNSW, no recomputing", **times, "recall": recall(found, true),
         "build": build, "disk": folder_size(path.parent), "memory": resident() - before}
    ]  # fmt: skip


RUN: dict[str, Callable[..., list[dict[str, Any]]]] = {
    "manole": manole,
    "numpy": numpy_,
    "faiss": faiss_,
    "leann": leann_,
}


# Running -----------------------------------------------------------------------------------------


def prepared(cache: Path, size: int) -> tuple[Floats, Floats, np.ndarray]:
    """Vectors, questions and the true ten best of each, from the cache or made."""
    kept = np.load(cache / "base.npz")
    path = cache / f"vectors{size}.npy"
    if not path.exists():
        np.save(path, scale_data.vectors(kept["stored"], size))
    made = np.load(path)
    asked = kept["asked"][:: max(1, len(kept["asked"]) // QUERIES)][:QUERIES]
    true = cache / f"true{size}.npy"
    if not true.exists():
        np.save(true, true_best(made, asked))
    return made, asked, np.load(true)


def one(cache: Path, size: int, program: str) -> None:
    """Measure one program in this process; the result goes into the cache."""
    made, asked, true = prepared(cache, size)
    work = cache / f"work-{program}-{size}"
    if program not in KEPT:
        shutil.rmtree(work, ignore_errors=True)
    work.mkdir(exist_ok=True)
    try:
        results = RUN[program](work, made, asked, true)
    except ImportError as error:
        print(f"{program} is not measured: {error}", file=sys.stderr)
        return
    (cache / f"{program}-{size}.json").write_text(json.dumps(results, indent=1))


def show(cache: Path, sizes: list[int], programs: list[str], width: int) -> None:
    """Print the tables."""
    speed = bandwidth()
    real = len(np.load(cache / "base.npz")["stored"])
    print(
        f"Vectors are derived from {real:,} of real passages: between one and one of its "
        f"{scale_data.NEIGHBOURS} nearest, moved aside by {scale_data.ASIDE} of its length. "
        "Texts are made-up words by Zipf's law."
    )
    for size in sizes:
        limit = 1000 * size * width * 4 / speed
        print(
            f"\n**{size:,} passages** of {width} numbers. Memory is read at {speed / 1e9:.0f} GB/s"
        )
        print(f"here, so reading all vectors once (float32) takes {limit:.1f} ms.\n")
        print("| vectors | build | disk | memory | p50 | p95 | recall@10 |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        rest: list[tuple[str, str]] = []
        for program in programs:
            path = cache / f"{program}-{size}.json"
            if not path.exists():
                print(f"| {program} | not measured | | | | | |")
                continue
            for row in json.loads(path.read_text()):
                rest += [(key, value) for key, value in row.get("rest", {}).items()]
                print(
                    f"| {row['name']} | {row['build']:.1f} s | {row['disk'] / 2**20:,.0f} MiB "
                    f"| {row['memory'] / 2**20:,.0f} MiB | {row['p50']:.1f} ms "
                    f"| {row['p95']:.1f} ms | {row['recall']:.3f} |"
                )
        if rest:
            print(f"\n| Manole, {size:,} passages | |\n|---|---:|")
            for key, value in rest:
                print(f"| {key} | {value} |")


def main() -> None:
    """Read the command line; run each program in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, nargs="*", default=[], help="folders to embed")
    parser.add_argument("--questions", type=Path, nargs="*", default=[], help="JSONL files")
    parser.add_argument("--cache", type=Path, default=Path("scale-cache"))
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--only", default=",".join(PROGRAMS))
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--one", nargs=2, metavar=("SIZE", "PROGRAM"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    cache = options.cache.absolute()
    cache.mkdir(parents=True, exist_ok=True)
    if options.one:
        one(cache, int(options.one[0]), options.one[1])
        return
    stored, _ = scale_data.base(cache, options.texts, options.questions)
    sizes = [int(size) for size in options.sizes.split(",")]
    programs = options.only.split(",")
    for size in sizes:
        prepared(cache, size)
        for program in programs:
            if options.again or not (cache / f"{program}-{size}.json").exists():
                command = [sys.executable, __file__, "--cache", cache, "--one", str(size), program]
                subprocess.run(command, check=True)
    show(cache, sizes, programs, stored.shape[1])


if __name__ == "__main__":
    main()
