"""What an index holds, row by row, without what cannot be the same on two machines."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from manole.index.store.page_records import page_id
from manole.index.store.records import FileRecord
from manole.library import Library

# Cosine of the vectors of one text in two batches: the embedder rounds by what else is in a batch.
# Of 621 lines, alone and together: .98 at least; of a line and the one most like it: mostly .67.
_ALIKE = 0.97
_OF_ITS_PLACE = ("id", "file_id", "root", "mtime_ns", "indexed_at")


async def rows_of(library: Library) -> dict[str, Any]:
    """Of each path the file's row, its passages, the vectors of these and of its pages."""
    store = await library.store()
    found: dict[str, Any] = {}
    for file in await store.files():
        vectors = [contents.vectors async for contents in store.scan_contents([file.id])]
        texts = [t async for contents in store.scan_contents([file.id]) for t in contents.texts]
        order = np.argsort(np.array(texts)) if texts else []
        pages = await store.pages.vectors(await _page_ids(store, file))
        found[file.path] = {
            "file": _plain(file),
            "passages": [_plain(passage) for passage in await store.passages(file.id)],
            "vectors": np.concatenate(vectors)[order] if vectors else np.zeros((0, 1)),
            "pages": {page.page: (page.texts, page.boxes, lines) for page, lines in pages.values()},
        }
    return found


async def _page_ids(store: Any, file: FileRecord) -> list[str]:
    numbers = [None, *range(1, int(file.metadata.get("pages", "0")) + 1)]
    return [page_id(file.id, number) for number in numbers]


def _plain(record: Any) -> dict[str, Any]:
    return {key: value for key, value in asdict(record).items() if key not in _OF_ITS_PLACE}


def assert_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Fails with the first row that differs. Vectors may point a little aside (`_ALIKE`)."""
    assert one.keys() == other.keys()
    assert any(of_file["pages"] for of_file in one.values())
    for path, mine in one.items():
        theirs = other[path]
        assert mine["file"] == theirs["file"], path
        assert mine["passages"] == theirs["passages"], path
        assert _alike(mine["vectors"], theirs["vectors"]), path
        assert mine["pages"].keys() == theirs["pages"].keys(), path
        for number, (texts, boxes, lines) in mine["pages"].items():
            assert (texts, boxes) == theirs["pages"][number][:2], path
            assert _alike(lines, theirs["pages"][number][2]), path


def _alike(one: Any, other: Any) -> bool:
    """Return whether two lists of unit vectors are of the same texts."""
    return one.shape == other.shape and bool((np.sum(one * other, axis=-1) >= _ALIKE).all())
