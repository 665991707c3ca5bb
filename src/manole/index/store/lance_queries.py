"""Queries of the embedded store: rankings, passages, files, and what has no vector yet.

A ranking returns ids and row numbers only; `take` then reads what is shown, because reading the
texts of fifty passages takes as long as finding them. A writer may renumber rows in between, so
`take` compares the rows it reads with the ids that were found.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from lancedb.expr import Expr, col, lit

from manole.errors import StoreError
from manole.index.store import row_changes, rows
from manole.index.store.expressions import expression, slips_query, terms_query, within
from manole.index.store.lance_tables import WORDS, LanceTables
from manole.index.store.protocol import Listing
from manole.index.store.records import (
    Contents,
    Described,
    FileRecord,
    Filters,
    PassageRecord,
    Ranked,
    Vectors,
)
from manole.index.store.vector_index import MISSING, count_embedded
from manole.index.store.vocabulary import KeptVocabulary, Reading
from manole.index.store.writer_lock import failures

CHANGED = 10_000  # files up to which a list is mended, not read anew; set by hand


class LanceQueries:
    """The reading half of `LanceStore`, on `tables`."""

    def __init__(self, tables: LanceTables) -> None:
        self.tables = tables
        self.path = tables.path
        self.pages = tables.pages
        self._words = KeptVocabulary(tables)

    @property
    def embedder(self) -> str:
        """The name of the embedder that made the vectors."""
        return self.tables.embedder

    @property
    def dimensions(self) -> int:
        """The dimensions of a passage's vector."""
        return self.tables.dimensions

    @property
    def exists(self) -> bool:
        """Whether there is anything to read."""
        return self.tables.exist

    async def refresh(self) -> None:
        """Open the tables again, which another process may have made since."""
        await self.tables.load()

    async def made_with(self) -> str:
        """Return the current embedder: another process may have changed it."""
        return await self.tables.made_with()

    async def close(self) -> None:
        """Release the store."""
        await self.tables.close()

    async def files(self) -> list[FileRecord]:
        """Return every file known, in path order."""
        records: list[FileRecord] = []
        with failures(self.path):
            async for batch in await self.tables["files"].query().to_batches():
                records += rows.file_records(batch)
        return rows.in_order(records)

    async def file_list(self, before: Listing | None = None) -> rows.FileList:
        """List every file, taking the records of unchanged rows from `before`."""
        table = self.tables["files"]
        with failures(self.path):
            if isinstance(before, rows.FileList):
                marks = await table.query().select(rows.LIST_MARKS).to_arrow()
                changed = before.changed(marks)
                if len(changed) <= CHANGED:
                    fresh: list[pa.RecordBatch] = []
                    for part in rows.chunks(changed):
                        some = table.query().where(col("id").isin(part))
                        fresh += (await some.to_arrow()).to_batches()
                    return before.mended(marks, changed, fresh)
            return rows.FileList.of([batch async for batch in await table.query().to_batches()])

    async def files_with(self, key: str) -> list[FileRecord]:
        """Return the files whose metadata has this key, in path order."""
        condition = col("metadata").contains(json.dumps(key))
        with failures(self.path):
            table = await self.tables["files"].query().where(condition).to_arrow()
        return rows.in_order([file for file in rows.file_records(table) if key in file.metadata])

    async def files_at(self, places: Mapping[str, Sequence[str]]) -> list[FileRecord]:
        """Return the files at or below these paths of each root; "" is all of a root."""
        found: dict[str, FileRecord] = {}
        with failures(self.path):
            for condition in within(places):
                table = await self.tables["files"].query().where(condition).to_arrow()
                found |= {file.id: file for file in rows.file_records(table)}
        return rows.in_order(list(found.values()))

    async def statuses(self) -> dict[str, int]:
        """Return the number of files of each status."""
        with failures(self.path):
            found = await self.tables["files"].query().select(["status"]).to_arrow()
        counted = found["status"].value_counts().to_pylist()
        return {item["values"]: item["counts"] for item in counted}

    async def counted(self) -> tuple[int, int]:
        """Return the number of files and of passages from the tables' metadata."""
        with failures(self.path):
            files = await self.tables["files"].count_rows()
            return files, await self.tables["passages"].count_rows()

    async def missing_vectors(self, limit: int) -> list[PassageRecord]:
        """Return the passages that have no vector yet, in file order."""
        table = self.tables["passages"]
        with failures(self.path):
            if not await table.count_rows(MISSING):  # much faster than to look for none
                return []
        return await self._records(table.query().where(MISSING).limit(limit))

    async def nearest(self, vector: Vectors, limit: int, filters: Filters) -> list[Ranked]:
        """Return the passages with the highest cosine similarity to `vector`, best first."""
        table = self.tables["passages"]
        with failures(self.path):
            found = await self.tables.vectors.nearest(table, vector, limit, expression(filters))
        return _ranked(found, [1.0 - d for d in found["_distance"].to_pylist()])

    async def match(self, query: str, limit: int, filters: Filters) -> list[Ranked]:
        """Return the passages with the highest BM25 score for the words of `query`, best first.

        The query is words only: no operator, quote or field name in it means anything.
        """
        read = await self.reading(query)
        wanted = terms_query(read.exact, read.related, WORDS)
        return await self._match(wanted, limit, expression(filters))

    async def misspelt(self, word: str, limit: int) -> list[Ranked]:
        """Return passages with words that are one letter, or an exchange of two, from `word`.

        Their first letter is the same.
        """
        return await self._match(slips_query((await self.reading(word)).exact, WORDS), limit)

    async def _match(
        self, wanted: Any | None, limit: int, condition: Expr | None = None
    ) -> list[Ranked]:
        if wanted is None:
            return []
        with failures(self.path):
            search = await self.tables["passages"].search(wanted)
            if condition is not None:
                search = search.where(condition)
            search = search.select(["id", "_score"]).with_row_id().limit(limit)
            found = await search.to_arrow()
        return _ranked(found, found["_score"].to_pylist())

    async def reading(self, query: str) -> Reading:
        """Return how full-text search reads the words of `query`."""
        with failures(self.path):
            return (await self._words.vocabulary()).read(rows.pack(query))

    async def take(self, found: Sequence[Ranked]) -> list[PassageRecord]:
        """Read the passages found, in this order, but for those deleted meanwhile."""
        if not found:
            return []
        known = {item.id: item for item in await self._at([item.place for item in found])}
        # A writer may have moved rows since: those are looked up, whatever is still there.
        known |= await self.named([item.id for item in found if item.id not in known])
        return [known[item.id] for item in found if item.id in known]

    async def named(self, ids: Sequence[str]) -> dict[str, PassageRecord]:
        """Return the passages that exist, by their ids."""
        found = []
        for part in rows.chunks(ids):
            wanted = row_changes.with_ids(part)
            found += await self._records(self.tables["passages"].query().where(wanted))
        return {passage.id: passage for passage in found}

    async def vector_index(self) -> Described | None:
        """Describe the index over vectors; return `None` where every search is exact."""
        with failures(self.path):
            return await self.tables.vectors.describe(self.tables["passages"])

    async def passages(self, file_id: str, page: int | None = None) -> list[PassageRecord]:
        """Return a file's passages in order, or those of one page."""
        wanted = col("file_id") == lit(file_id)
        if page is not None:
            wanted &= col("page") == lit(page)
        found = await self._records(self.tables["passages"].query().where(wanted))
        return sorted(found, key=lambda passage: passage.ordinal)

    async def passages_of(self, file_ids: Sequence[str]) -> dict[str, list[PassageRecord]]:
        """Return the passages of several files, each in order."""
        found: dict[str, list[PassageRecord]] = {file_id: [] for file_id in file_ids}
        for part in rows.chunks(file_ids):
            query = self.tables["passages"].query().where(col("file_id").isin(part))
            for passage in await self._records(query):
                found[passage.file_id].append(passage)
        for passages in found.values():
            passages.sort(key=lambda passage: passage.ordinal)
        return found

    async def count(self) -> tuple[int, int]:
        """Return the number of passages, and of those that have vectors."""
        with failures(self.path):
            table = self.tables["passages"]
            return int(await table.count_rows()), await count_embedded(table)

    async def version(self) -> int:
        """Return the number of the passages' newest commit."""
        with failures(self.path):
            return int(await self.tables["passages"].version())

    async def scan_texts(self) -> AsyncIterator[PassageRecord]:
        """Yield every passage."""
        async for batch in self._batches(rows.PASSAGE_COLUMNS):
            for row in batch.to_pylist():
                yield rows.passage_record(row)

    async def scan_contents(self, file_ids: Sequence[str] | None = None) -> AsyncIterator[Contents]:
        """Yield the texts and vectors of these files' passages, or of all, in batches."""
        columns = ["file_id", "words", "text_at", *self.tables.vectors.columns]
        async for batch in self._batches(columns, file_ids):
            cut = zip(batch["words"].to_pylist(), batch["text_at"].to_pylist(), strict=True)
            embedded, vectors = await self.tables.vectors.held(batch)
            yield Contents(
                file_ids=batch["file_id"].to_pylist(),
                texts=[words[at:] for words, at in cut],
                embedded=embedded,
                vectors=vectors,
            )

    async def vectors_of_copies(
        self, file_ids: Sequence[str]
    ) -> list[tuple[PassageRecord, Vectors]]:
        """Return passages and vectors of other files with the same bytes as these."""
        table, copies = self.tables["files"], set()
        with failures(self.path):
            for part in rows.chunks(file_ids):
                own = table.query().where(col("id").isin(part))
                hashes = set((await own.select(["content_hash"]).to_arrow())[0].to_pylist())
                same = table.query().where(col("content_hash").isin(list(hashes - {""})))
                others = await same.select(["id", "content_hash", "indexed_at"]).to_arrow()
                others = others.filter(pc.invert(pc.is_in(others["id"], pa.array(file_ids))))
                others = others.sort_by([("indexed_at", "ascending"), ("id", "ascending")])
                first = others.group_by("content_hash", use_threads=False)
                copies |= set(first.aggregate([("id", "first")])["id_first"].to_pylist())
        found: list[tuple[PassageRecord, Vectors]] = []
        columns = list({*rows.PASSAGE_COLUMNS, *self.tables.vectors.columns})
        async for batch in self._batches(columns, list(copies)):
            embedded, vectors = await self.tables.vectors.held(batch)
            there = batch.select(rows.PASSAGE_COLUMNS).filter(pa.array(embedded)).to_pylist()
            found += zip(map(rows.passage_record, there), vectors, strict=True)
        return found

    async def sampled_texts(self, count: int) -> list[str]:
        """Return the texts of up to `count` passages, spread over the table."""
        table = self.tables["passages"]
        with failures(self.path):
            total = await table.count_rows()
            places = sorted({at * total // count for at in range(count)}) if total else []
            found = await table.take_offsets(places).select(["words", "text_at"]).to_arrow()
        return [row["words"][row["text_at"] :] for row in found.to_pylist()]

    # Inside ----------------------------------------------------------------------------------

    async def _batches(
        self, columns: Sequence[str], file_ids: Sequence[str] | None = None
    ) -> AsyncIterator[pa.RecordBatch]:
        table = self.tables["passages"]
        if file_ids is None:
            conditions = [row_changes.of_someone()]
        else:
            conditions = [col("file_id").isin(part) for part in rows.chunks(file_ids)]
        with failures(self.path):
            for condition in conditions:
                query = table.query().where(condition)
                async for batch in await query.select(list(columns)).to_batches():
                    yield batch

    async def _at(self, row_ids: list[int]) -> list[PassageRecord]:
        """Return the passages that are now in these rows; none if a piece of the table is gone."""
        try:
            return await self._records(self.tables["passages"].take_row_ids(row_ids))
        except StoreError:  # rows of a piece that is no more
            return []

    async def _records(self, query: Any) -> list[PassageRecord]:
        with failures(self.path):
            table = await query.select(rows.PASSAGE_COLUMNS).to_arrow()
        return [rows.passage_record(row) for row in table.to_pylist()]


def _ranked(found: pa.Table, scores: Iterable[float]) -> list[Ranked]:
    """Join the rows found (`id`, `_rowid`) with their scores."""
    ids, places = found["id"].to_pylist(), found["_rowid"].to_pylist()
    return [Ranked(*item) for item in zip(ids, places, scores, strict=True)]
