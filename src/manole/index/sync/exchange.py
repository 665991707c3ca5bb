"""Exchanges the embedder: all vectors are made anew, and the old ones are in use meanwhile.

The new ones gather beside them, each with a mark of the text it was made of, so that a killed sync
goes on where it was and a passage that changed since is embedded again. When none is missing, they
replace the old ones at once.
"""

from __future__ import annotations

import asyncio

import numpy as np

from manole.index.store.protocol import Store
from manole.index.store.records import PassageRecord, Vectors
from manole.index.store.rows import embedding_text
from manole.index.sync.embedding import CALL
from manole.index.sync.embedding_dedup import text_key
from manole.index.sync.pace import Pace
from manole.index.sync.report import Tell
from manole.models.encode.embedder import Embedder

CHUNK = 1024  # passages looked at together, long texts with long ones


async def exchange(store: Store, embedder: Embedder, pace: Pace, tell: Tell) -> int:
    """Give every passage a vector of `embedder`, and the store that embedder.

    Call it inside `store.writing`. Returns how many were embedded in this run. Raises `StoreError`
    and the embedder's errors.
    """
    aside = await store.new_vectors(embedder.name, embedder.dimensions)
    kept = await aside.marks()
    total, _ = await store.count()
    done = embedded = 0
    part: list[PassageRecord] = []

    async def settle() -> None:
        nonlocal done, embedded
        made = {p.id: (p, text, text_key(text)) for p in part if (text := embedding_text(p))}
        late = [each for each in made.values() if kept.get(each[0].id) != each[2]]
        late.sort(key=lambda each: -len(each[1]))
        done += len(part) - len(late)
        vectors: list[Vectors] = []
        for at in range(0, len(late), CALL):
            await pace.step()
            call = late[at : at + CALL]
            vectors.append(await asyncio.to_thread(embedder.embed, [text for _, text, _ in call]))
            done += len(call)
            tell("embed", done, max(total, done), call[0][0].path)
        if late:
            ids, marks = [p.id for p, _, _ in late], [mark for _, _, mark in late]
            await aside.put(ids, marks, np.concatenate(vectors))
        embedded += len(late)
        part.clear()

    async for passage in store.scan_texts():
        part.append(passage)
        if len(part) == CHUNK:
            await settle()
    await settle()
    await aside.take_over()
    return embedded
