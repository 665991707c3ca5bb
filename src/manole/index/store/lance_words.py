"""The vocabulary of a library's tables: read at a question, counted while a writer writes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pyarrow as pa

from manole.index.store import vocabulary


class LanceWords:
    """What `LanceTables` knows of the words in its tables."""

    path: Path

    def __init__(self) -> None:
        self._known: vocabulary.Vocabulary | None = None  # read at the first question
        self._read: vocabulary.State | None = None  # which state of its file that was
        self._counting = False  # a writer, which knows more than the file

    def _table(self, name: str) -> Any:
        raise NotImplementedError

    async def _is_settled(self) -> bool:
        raise NotImplementedError

    async def _vocabulary(self) -> vocabulary.Vocabulary:
        """The vocabulary as it is kept; where it is not, it is counted from the tables."""
        state = await asyncio.to_thread(vocabulary.state, self.path)
        if self._known is None or (state != self._read and not self._counting):
            self._known = await asyncio.to_thread(vocabulary.load, self.path)
            self._read = state
        if self._known is None:
            self._known = await self._counted()
        return self._known

    async def _begin_words(self) -> None:
        """A writer begins: what was written by one that did not end is counted, too."""
        settled = await self._is_settled()
        self._known = await self._vocabulary() if settled else await self._counted()
        self._counting = True

    def _end_words(self) -> None:
        self._counting = False

    async def _counted(self) -> vocabulary.Vocabulary:
        made = vocabulary.Vocabulary()
        query = self._table("passages").query().select(["language", "terms"])
        async for batch in await query.to_batches():
            made.add(batch["language"].to_pylist(), batch["terms"].to_pylist())
        return made

    async def _learn(self, written: pa.Table) -> None:
        """Count rows that were written; keep what is known, where they are many."""
        known = await self._vocabulary()
        known.add(written["language"].to_pylist(), written["terms"].to_pylist())
        if known.passages > vocabulary.GROWN * known.written:
            await self._keep_words()

    async def _keep_words(self) -> None:
        known = self._known
        if known is not None and known.passages != known.written:
            known.written, text = known.passages, known.to_json()
            self._read = await asyncio.to_thread(vocabulary.save, self.path, text)
