"""The vocabulary of a library's tables: read at a question, counted while a writer writes."""

from __future__ import annotations

import asyncio

import pyarrow as pa

from manole.index.store import vocabulary
from manole.index.store.lance_tables import LanceTables
from manole.index.store.vocabulary import Vocabulary


class LanceWords:
    """The vocabulary of the tables, in memory and in its file."""

    def __init__(self, tables: LanceTables) -> None:
        self._tables = tables
        self._path = tables.path
        self._known: Vocabulary | None = None  # read at the first question
        self._read: vocabulary.State | None = None  # which state of its file that was
        self._counting = False  # a writer, which knows more than the file

    async def vocabulary(self) -> Vocabulary:
        """Return the vocabulary as it is kept; where it is not, it is counted from the tables."""
        state = await asyncio.to_thread(vocabulary.state, self._path)
        if self._known is None or (state != self._read and not self._counting):
            self._known = await asyncio.to_thread(vocabulary.load, self._path)
            self._read = state
        if self._known is None:
            self._known = await self._counted()
        return self._known

    async def begin(self, *, settled: bool) -> None:
        """Begin to count for a writer; unless `settled`, count what an interrupted one wrote."""
        self._known = await self.vocabulary() if settled else await self._counted()
        self._counting = True

    def end(self) -> None:
        """End the counting for a writer."""
        self._counting = False

    async def learn(self, written: pa.Table) -> None:
        """Count rows that were written; write the file once they are many."""
        known = await self.vocabulary()
        known.add(written["language"].to_pylist(), written["terms"].to_pylist())
        if known.passages > vocabulary.GROWN * known.written:
            await self.keep()

    async def keep(self) -> None:
        """Write the file, if anything has changed."""
        known = self._known
        if known is not None and known.passages != known.written:
            known.written, text = known.passages, known.to_json()
            self._read = await asyncio.to_thread(vocabulary.save, self._path, text)

    async def _counted(self) -> Vocabulary:
        made = Vocabulary()
        query = self._tables["passages"].query().select(["language", "terms"])
        async for batch in await query.to_batches():
            made.add(batch["language"].to_pylist(), batch["terms"].to_pylist())
        return made
