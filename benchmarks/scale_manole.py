"""Manole's own part of `scale.py`: a store of any size, searched and changed."""

from __future__ import annotations

import asyncio
import json
import shutil
import statistics
import tempfile
import time
import warnings
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa

from manole.documents.model import Status
from manole.index.search.hybrid import fuse
from manole.index.store import rows
from manole.index.store.lance import LanceStore
from manole.index.store.records import FileRecord, Filters, PassageRecord
from scale_data import Floats, Words

EACH = 10  # passages of a file
BATCH = 50_000  # passages
ANY = Filters()
POOL, LIMIT = 50, 15  # passages that a ranking gives, and that a search for twelve reads
SAMPLE = 20_000  # passages by which the size of a column is told


def a_file(number: int, count: int = EACH) -> FileRecord:
    """File `number`: a hundred folders of twenty each, so that one of them is 0.05 %."""
    return FileRecord(
        id=f"{number:032x}",
        root="/library",
        path=f"folder{number % 100:02d}/part{number // 100 % 20:02d}/note{number:06d}.txt",
        size=1000,
        mtime_ns=1_500_000_000_000_000_000 + number * 10**12,
        content_hash=f"{number * 2654435761:064x}",
        status=Status.INDEXED,
        passages=count,
        indexed_at=datetime(2024, 1, 1, tzinfo=UTC),
    )


def day(number: int) -> date | None:
    """The day that date filters see of it."""
    return rows.day_of(None, a_file(number).mtime_ns)


def its_passages(file: FileRecord, texts: list[str]) -> list[PassageRecord]:
    """Its passages with these texts."""
    return [
        PassageRecord(
            id=f"{file.id}:{i}", file_id=file.id, root=file.root, path=file.path, ordinal=i,
            page=None, line_start=1 + i, line_end=1 + i, start=1000 * i,
            end=1000 * i + len(text), text=text, mtime_ns=file.mtime_ns,
        )
        for i, text in enumerate(texts)
    ]  # fmt: skip


async def fill(store: LanceStore, made: Floats) -> dict[str, float]:
    """Put all passages in at once, whole, then let the store make its indexes; seconds of each."""
    words = Words()
    table, files = store.tables["passages"], store.tables["files"]
    schema = await table.schema()
    seconds = {"rows": 0.0}
    for at in range(0, len(made), BATCH):
        part = made[at : at + BATCH]
        texts = words.texts(len(part))
        pairs = []
        for i in range(0, len(part), EACH):
            file = a_file((at + i) // EACH, min(EACH, len(part) - i))
            pairs.append((file, its_passages(file, texts[i : i + EACH])))
        data = rows.passage_table(pairs, schema).drop_columns(["vector", "embedded"])
        column = rows.vector_table(["x"] * len(part), part, schema)["vector"]
        data = data.append_column(schema.field("vector"), column)
        data = data.append_column(schema.field("embedded"), pa.array([True] * len(part)))
        started = time.perf_counter()
        await table.add(data)
        await files.add(rows.file_table([file for file, _ in pairs]))
        seconds["rows"] += time.perf_counter() - started
    started = time.perf_counter()
    await table.optimize()
    seconds["words' index"] = time.perf_counter() - started
    started = time.perf_counter()
    await store.finish()
    seconds["vectors' index"] = time.perf_counter() - started
    for one in (table, files):  # what a later sync removes
        with warnings.catch_warnings(action="ignore"):
            await one.optimize(cleanup_older_than=timedelta(0))
    return seconds


async def timed(
    ask: Callable[[int], Awaitable[Any]], count: int, warm: int = 10
) -> tuple[list[Any], str]:
    """The answers, and the times as text."""
    for i in range(min(warm, count)):
        await ask(i)
    answers, times = [], []
    for i in range(count):
        started = time.perf_counter()
        answers.append(await ask(i))
        times.append(1000 * (time.perf_counter() - started))
    p95 = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    return answers, f"{statistics.median(times):.1f} / {p95:.1f} ms"


def numbers(found: list[Any]) -> list[int]:
    """Which vectors were found."""
    return [
        int(file, 16) * EACH + int(ordinal)
        for file, _, ordinal in (item.id.rpartition(":") for item in found)
    ]


def recall(found: list[list[Any]], true: list[set[int]]) -> float:
    """Share of the true ones that were found."""
    hits = sum(len(set(numbers(f)) & t) for f, t in zip(found, true, strict=True))
    return hits / sum(map(len, true))


def data_size(path: Path) -> int:
    """Bytes of a table's data files."""
    return sum(item.stat().st_size for item in path.rglob("data/*"))


async def columns(store: LanceStore, work: Path) -> str:
    """Bytes a passage of each column, by writing each alone."""
    import lancedb

    table = store.tables["passages"]
    sample = await table.query().limit(SAMPLE).to_arrow()
    sizes = {}
    for name in sample.schema.names:
        with tempfile.TemporaryDirectory(dir=work) as alone:
            connection = await lancedb.connect_async(alone)
            await connection.create_table("t", sample.select([name]), on_bad_vectors="null")
            sizes[name] = data_size(Path(alone)) / sample.num_rows
    large = {name: size for name, size in sizes.items() if size >= 2}
    parts = [f"{name} {size:.0f}" for name, size in sorted(large.items(), key=lambda x: -x[1])]
    return ", ".join(
        [
            *parts,
            f"{len(sizes) - len(large)} others {sum(sizes.values()) - sum(large.values()):.0f}",
        ]
    )


async def changed(path: Path, store: LanceStore, made: Floats, count: int) -> dict[str, str]:
    """What it takes to replace one file, as a sync does, and to ask what a sync asks."""
    words = Words(seed=9)
    spent: dict[str, list[float]] = {"replace": [], "vectors": [], "finish": [], "whole": []}
    for n in range(count):
        begun = time.perf_counter()
        async with store.writing(dimensions=made.shape[1], embedder="derived"):
            file = a_file(n * 7, EACH - n % 2)
            fresh = its_passages(file, words.texts(file.passages))
            started = time.perf_counter()
            await store.replace([(file, fresh)])
            spent["replace"].append(time.perf_counter() - started)
            started = time.perf_counter()
            await store.put_vectors([p.id for p in fresh], made[: len(fresh)])
            spent["vectors"].append(time.perf_counter() - started)
            started = time.perf_counter()
            await store.finish()
            spent["finish"].append(time.perf_counter() - started)
        spent["whole"].append(time.perf_counter() - begun)
    result = {
        f"one file replaced: {name} (median, worst of {count})":
        f"{1000 * statistics.median(times):.0f} / {1000 * max(times):.0f} ms"
        for name, times in spent.items()
    }  # fmt: skip
    for name, ask in (
        ("count", store.count), ("stale", store.stale), ("files", store.files),
        ("missing_vectors", lambda: store.missing_vectors(2048)),
    ):  # fmt: skip
        started = time.perf_counter()
        await ask()
        result[f"`{name}`"] = f"{1000 * (time.perf_counter() - started):.0f} ms"
    return result


async def _measure(work: Path, made: Floats, asked: Floats, true: np.ndarray) -> dict[str, Any]:
    path = work / "index"
    note = work / "built.json"
    if not note.exists():
        shutil.rmtree(path, ignore_errors=True)
        store = await LanceStore.open(path)
        async with store.writing(dimensions=made.shape[1], embedder="derived"):
            seconds = await fill(store, made)
        await store.close()
        note.write_text(json.dumps(seconds))
    seconds = json.loads(note.read_text())
    process = psutil.Process()
    before = process.memory_info().rss
    store = await LanceStore.open(path)
    words = Words(seed=2).questions(len(asked))

    async def nearest(i: int, filters: Filters = ANY) -> Any:
        return await store.nearest(asked[i], 10, filters)

    async def hybrid(i: int, filters: Filters = ANY) -> Any:
        found = fuse(*await asyncio.gather(
            store.nearest(asked[i], POOL, filters), store.match(words[i], POOL, filters)
        ))  # fmt: skip
        return await store.take([item.ranked for item in found[:LIMIT]])

    count = len(asked)
    first = time.perf_counter()
    await hybrid(0)
    first = time.perf_counter() - first
    found, vector_times = await timed(nearest, count)
    best = [set(row.tolist()) for row in true]
    rest = {
        "built": ", ".join(f"{name} {value:.0f} s" for name, value in seconds.items()),
        "hybrid, the first after opening": f"{1000 * first:.0f} ms",
        f"vectors alone, {POOL} ranked (p50 / p95)": (await timed(
            lambda i: store.nearest(asked[i], POOL, ANY), count))[1],
        f"words alone, {POOL} ranked": (await timed(
            lambda i: store.match(words[i], POOL, ANY), count))[1],
        f"hybrid, {LIMIT} passages read": (await timed(hybrid, count))[1],
    }  # fmt: skip
    memory = process.memory_info().rss - before
    everything = np.arange(len(made))
    cut = len(made) // EACH // 2
    half = day(cut)
    while day(cut) == half:  # the whole day
        cut += 1
    file = everything // EACH
    folder = file % 100 == 7
    for share, filters, mine in (
        ("1 %", Filters(within=("folder07",)), folder),
        (
            "0.05 %",
            Filters(within=("folder07/part03",)),
            folder & (file // 100 % 20 == 3),
        ),
        ("half", Filters(date_to=half), file < cut),
    ):
        places = everything[mine]
        some = min(count, 50)
        inside = made[places]
        exact = [set(places[np.argsort(-(inside @ asked[i]))[:10]].tolist()) for i in range(some)]
        got, times = await timed(lambda i, f=filters: nearest(i, f), some)
        _, both = await timed(lambda i, f=filters: hybrid(i, f), some)
        rest[f"vectors, a filter that leaves {share}"] = f"{times}, recall {recall(got, exact):.3f}"
        rest[f"hybrid, a filter that leaves {share}"] = both
    described = await store.vector_index()
    if described and described.tuned:
        tuned = described.tuned
        rest["the index, as it tuned itself"] = (
            f"{tuned.nprobes} partitions, {tuned.refine} candidates a result, "
            f"recall {tuned.recall:.3f} on {tuned.samples} made-up questions; "
            f"{described.bytes / len(made):.0f} bytes a passage"
        )
    disk = sum(item.stat().st_size for item in path.rglob("*") if item.is_file())
    rest["bytes a passage"] = f"{disk / len(made):,.0f}"
    rest["of these, by column"] = await columns(store, work)
    await store.close()
    shutil.rmtree(work / "changed", ignore_errors=True)
    shutil.copytree(path, work / "changed")
    store = await LanceStore.open(work / "changed")
    rest |= await changed(work / "changed", store, made, 7)
    await store.close()
    shutil.rmtree(work / "changed")
    middle, end = vector_times.removesuffix(" ms").split(" / ")
    return {
        "name": "Manole", "p50": float(middle), "p95": float(end), "recall": recall(found, best),
        "build": sum(seconds.values()), "disk": disk, "memory": memory, "rest": rest,
    }  # fmt: skip


def manole(work: Path, made: Floats, asked: Floats, true: np.ndarray) -> list[dict[str, Any]]:
    """Build the store once, then measure it."""
    return [asyncio.run(_measure(work, made, asked, true))]
