"""The indexes of the tables: full text and scalar columns."""

from __future__ import annotations

from typing import Any

from lancedb.index import FTS, Bitmap, BTree

from manole.index.store import vector_index
from manole.index.store.vector_index import VectorIndex
from manole.text import analysis

LOOKED_UP = 10_000  # rows from which on filters and changes have indexes; set by hand
WORDS = "terms"  # the column of the full-text index
WORDS_INDEX = f"{WORDS}_idx"
OLD_WORDS = "words"  # that column in tables of an older format
OLD_WORDS_INDEX = f"{OLD_WORDS}_idx"
SCALARS: dict[str, dict[str, Any]] = {
    "files": {
        "id_idx": BTree(),  # changes
        "path_idx": BTree(),  # those of some folders only
        "content_hash_idx": BTree(),  # copies
    },
    "passages": {
        "id_idx": BTree(),  # changes
        "file_id_idx": BTree(),  # changes, and the passages of a file
        "path_idx": BTree(),  # filters
        "day_idx": BTree(),
        "extension_idx": Bitmap(),
    },
}
FULL_TEXT = FTS(  # the terms as they are: `text/analysis.py` has made them
    base_tokenizer="whitespace",
    max_token_length=4 * analysis.MOST,  # bytes
    lower_case=False,
    stem=False,
    remove_stop_words=False,  # "to be or not to be" is a question as well
    ascii_folding=False,
)
OLD_FULL_TEXT = FTS(  # of tables of an older format, until a sync brings them up
    base_tokenizer="icu/split",
    language="English",
    stem=True,
    remove_stop_words=False,
    ascii_folding=True,
)


async def index_words(table: Any, *, anew: bool = False) -> None:
    """Make the full-text index where a kill prevented it, or `anew`."""
    if anew or WORDS_INDEX not in {index.name for index in await table.list_indices()}:
        await table.create_index(WORDS, config=FULL_TEXT, replace=True)


async def index_columns(table: Any, name: str) -> None:
    """Make the scalar indexes of the table `name` if it is large; a small one is read faster."""
    if await table.count_rows() >= LOOKED_UP:
        there = {index.name for index in await table.list_indices()}
        for index in SCALARS[name].keys() - there:
            await _index_column(table, name, index)


async def rebuild(table: Any, name: str, vectors: VectorIndex, broken: set[str] | None) -> None:
    """Rebuild the indexes of a table: all, or those whose folders are named in `broken`."""
    for index in await table.list_indices():
        whole = broken is not None and str(index.index_uuid) not in broken
        if whole and index.num_segments == 1:
            continue
        if index.name == WORDS_INDEX:
            await index_words(table, anew=True)
        elif index.name == OLD_WORDS_INDEX:
            await table.create_index(OLD_WORDS, config=OLD_FULL_TEXT, replace=True)
        elif index.name == vector_index.NAME:
            await vectors.build(table)
        elif index.name in SCALARS.get(name, {}):
            await _index_column(table, name, index.name)


async def _index_column(table: Any, name: str, index: str) -> None:
    """Make one of `SCALARS` of the table `name`: a second for a million passages."""
    column, config = index.removesuffix("_idx"), SCALARS[name][index]
    await table.create_index(column, config=config, name=index, replace=True)
