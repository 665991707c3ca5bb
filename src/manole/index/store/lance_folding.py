"""Folding: LanceDB's `optimize`, done when there is enough to fold.

`optimize` joins small pieces of a table, takes new rows into its indexes and removes old versions.
It rewrites the pieces that it joins, and the whole full-text index. So it runs only after enough
changes: a sync should cost what it changed. A row outside the full-text index costs each search
0.07 ms.
"""

from __future__ import annotations

from datetime import timedelta

from manole.index.store.lance_tables import TABLES, WORDS_INDEX, LanceTables, index_columns
from manole.index.store.local_disk import Storage
from manole.index.store.writer_lock import failures

# A reader holds a version only while a query runs. Ten minutes are set by hand, as far more.
KEEP_VERSIONS = timedelta(minutes=10)
# Set by hand, but for `UNFOLDED`:
SMALL = 2_000  # rows up to which folding is cheap, so that it is done sooner:
SMALL_PIECES = 16  # from so many pieces on, or a quarter of the rows outside the full-text index
UNFOLDED = 300  # rows outside the full-text index that a sync may leave: 20 ms of a search
UNFOLDED_MEANWHILE = 10_000  # the same while a sync runs; or a fiftieth of the table, if more
COMMITS, COMMITS_MEANWHILE = 64, 1000  # pieces, or removable versions, that may be left


class Folding:
    """The folding of a store's tables. Call it inside `LanceStore.writing`."""

    def __init__(self, tables: LanceTables, storage: Storage) -> None:
        self._tables = tables
        self._storage = storage

    async def at_end(self, *, fully: bool) -> None:
        """Fold the tables that a sync has changed enough by its end; with `fully`, all."""
        with failures(self._tables.path):
            for name in TABLES:
                if fully or await self._is_due(name):
                    await self._optimize(name)
        await self._tables.pages.finish(KEEP_VERSIONS, 0 if fully else COMMITS)
        await self.keep_up()

    async def meanwhile(self) -> None:
        """Fold the tables that would slow searches down while a sync goes on."""
        with failures(self._tables.path):
            for name in TABLES:
                if await self._is_due(name, meanwhile=True):
                    await self._optimize(name)
                    if name == "passages":
                        await self.keep_up()

    async def tidy(self) -> None:
        """Remove versions that nobody reads any more, where there is nothing to fold."""
        with failures(self._tables.path):
            for name in TABLES:
                words = await self._tables[name].index_stats(WORDS_INDEX)
                if words and words.num_unindexed_rows:
                    continue
                if await self._storage.removable(name, KEEP_VERSIONS):
                    await self._optimize(name)

    async def keep_up(self) -> None:
        """Make the indexes that pay for tables of this size."""
        with failures(self._tables.path):
            for name in TABLES:
                await index_columns(self._tables[name], name)
            await self._tables.vectors.keep_up(self._tables["passages"])

    async def _optimize(self, name: str) -> None:
        """Fold a table; drop a vector index that cannot take rows in, to be built anew later.

        It cannot if all vectors are equal and the new rows have none (LanceDB 0.40).
        """
        table = self._tables[name]
        try:
            await table.optimize(cleanup_older_than=KEEP_VERSIONS)
        except Exception:
            if name != "passages" or not await self._tables.vectors.drop(table):
                raise
            await table.optimize(cleanup_older_than=KEEP_VERSIONS)

    async def _is_due(self, name: str, *, meanwhile: bool = False) -> bool:
        table = self._tables[name]
        count = int(await table.count_rows())
        words = await table.index_stats(WORDS_INDEX)
        unfolded = words.num_unindexed_rows if words else 0
        old = await self._storage.removable(name, KEEP_VERSIONS)
        pieces = int((await table.stats())["fragment_stats"]["num_fragments"])
        if meanwhile:
            late = unfolded >= max(UNFOLDED_MEANWHILE, count // 50)
            return bool(late or max(old, pieces) >= COMMITS_MEANWHILE)
        small = count <= SMALL and (pieces >= SMALL_PIECES or unfolded * 4 >= count)
        return small or unfolded >= UNFOLDED or max(old, pieces) >= COMMITS
