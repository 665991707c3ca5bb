"""Files and passages for tests of stores, and what is asked of one again and again."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from manole.documents.model import Status
from manole.index.store.protocol import Store
from manole.index.store.records import FileRecord, Filters, PassageRecord

ANY = Filters()
DIMENSIONS = 4

Opener = Callable[[Path], Awaitable[Store]]


def opening(name: str) -> Opener:
    """The function that `module:function` names."""
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)


def a_file(key: str, path: str, **changes) -> FileRecord:
    record = FileRecord(
        id=key, root="/r", path=path, size=1, mtime_ns=10**18, content_hash="h" + key,
        status=Status.INDEXED, passages=1,
    )  # fmt: skip
    return replace(record, **changes)


def passages(file: FileRecord, *texts: str, **changes) -> list[PassageRecord]:
    return [
        replace(
            PassageRecord(
                id=f"{file.id}:{i}", file_id=file.id, root=file.root, path=file.path, ordinal=i,
                page=None, line_start=i + 1, line_end=i + 1, start=0, end=len(text), text=text,
                title=file.title, date=file.date, mtime_ns=file.mtime_ns,
            ),
            **changes,
        )
        for i, text in enumerate(texts)
    ]  # fmt: skip


def a_pair(key: str, path: str, *texts: str, **changes):
    file = a_file(key, path, passages=len(texts), **changes)
    return file, passages(file, *texts)


def unit(*numbers: float) -> np.ndarray:
    vector = np.array(numbers, np.float32)
    return vector / np.linalg.norm(vector)


def units(count: int, dimensions: int, seed: int = 0) -> np.ndarray:
    """Random vectors of length 1."""
    made = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def writing(store: Store, embedder: str = "e", dimensions: int = DIMENSIONS):
    return store.writing(dimensions=dimensions, embedder=embedder)


async def matched(store: Store, query: str, filters: Filters = ANY) -> set[str]:
    found = await store.match(query, 50, filters)
    return {passage.path for passage in await store.take(found)}


async def near(store: Store, vector: np.ndarray, filters: Filters = ANY) -> list[str]:
    """The paths of the nearest passages, nearest first."""
    found = await store.nearest(vector, 50, filters)
    return [passage.path for passage in await store.take(found)]
