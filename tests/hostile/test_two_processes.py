"""Askers beside a sync: they answer, and see each file in one state."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np

import crowd
from manole.documents.model import Status
from manole.index.search.hybrid import search
from manole.index.store.lance import LanceStore
from manole.index.store.records import FileRecord, PassageRecord


def test_four_processes_ask_while_another_one_syncs():
    found, syncs = crowd.run(seconds=1, files=6)
    assert {name: seen.faults for name, seen in found.items() if seen.faults} == {}
    assert syncs > 1
    assert all(found[f"asker {number}"].asked for number in (1, 2, 3, 4))


class FakeEmbedderDuringWhichASyncCommits:
    """Commits a change of the file while a query is embedded, as a sync beside it may."""

    def __init__(self, commit) -> None:
        self._commit = commit
        self.calls = 0

    def embed_query(self, _: str) -> np.ndarray:
        self.calls += 1
        if self.calls == 1:
            self._commit()
        return np.array([1, 0, 0, 0], np.float32)


def generation(number: int, passages: int):
    file = FileRecord(
        id="a", root="/r", path="a.txt", size=1, mtime_ns=10**18, content_hash=f"h{number}",
        status=Status.INDEXED, passages=passages,
    )  # fmt: skip
    one = PassageRecord(
        id="", file_id="a", root="/r", path="a.txt", ordinal=0, page=None, line_start=1,
        line_end=1, start=0, end=9, text="",
    )  # fmt: skip
    return file, [
        replace(one, id=f"a:{n}", ordinal=n, text=f"kitchen in generation {number}")
        for n in range(passages)
    ]


async def test_one_search_never_mixes_two_generations_of_a_file(tmp_path):
    writer = await LanceStore.open(tmp_path)
    loop = asyncio.get_running_loop()
    async with writer.writing(dimensions=4, embedder="e"):

        async def put(number: int, passages: int) -> None:
            await writer.replace([generation(number, passages)])
            vectors = np.tile(np.array([[1, 0, 0, 0]], np.float32), (passages, 1))
            await writer.put_vectors([f"a:{n}" for n in range(passages)], vectors)

        def commit() -> None:  # called in the thread that embeds
            asyncio.run_coroutine_threadsafe(put(2, 2), loop).result()

        await put(1, 4)
        reader = await LanceStore.open(tmp_path)
        embedder = FakeEmbedderDuringWhichASyncCommits(commit)
        hits = await search(reader, embedder, "kitchen")
        assert {hit.passage.text for hit in hits} == {"kitchen in generation 2"}
        assert len(hits) == 2
        await reader.close()
    await writer.close()
