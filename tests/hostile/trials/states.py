"""What an index holds, without what differs from run to run: ids and times of indexing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from manole.index.store.lance import LanceStore
from manole.library import Library

CLOSE = 2e-3  # of vectors: a batch of other lengths is padded and rounded otherwise
_FILE_VARIES = ("id", "indexed_at")
_PASSAGE_VARIES = ("id", "file_id", "vector")


@dataclass(slots=True)
class State:
    """The rows of all tables, by path."""

    files: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    passages: dict[tuple[str, str, int], dict[str, Any]] = field(default_factory=dict)
    vectors: dict[tuple[str, str, int], np.ndarray | None] = field(default_factory=dict)
    pages: dict[tuple[str, str, int | None], Any] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


async def state_of(library: Library) -> State:
    """Read everything."""
    store: LanceStore = await library.store()
    state = State()
    names: dict[str, tuple[str, str]] = {}
    for row in (await store.tables["files"].query().to_arrow()).to_pylist():
        key = (row["root"], row["path"])
        if key in state.files:
            state.faults.append(f"two rows of {key[1]}")
        names[row["id"]] = key
        state.files[key] = {k: v for k, v in row.items() if k not in _FILE_VARIES}
    for row in (await store.tables["passages"].query().to_arrow()).to_pylist():
        place = (row["root"], row["path"], row["ordinal"])
        if place in state.passages:
            state.faults.append(f"two passages {place[1:]}")
        if names.get(row["file_id"]) != place[:2]:
            state.faults.append(f"a passage of {place[1]} belongs to no row of that file")
        if row["id"] != f"{row['file_id']}:{row['ordinal']}":
            state.faults.append(f"a passage of {place[1]} has the id of another")
        state.passages[place] = {k: v for k, v in row.items() if k not in _PASSAGE_VARIES}
        vector = row["vector"]
        state.vectors[place] = None if vector is None else np.array(vector, np.float32)
    table = store.pages._table
    for row in (await table.query().to_arrow()).to_pylist() if table is not None else []:
        owner = names.get(row["file_id"])
        if owner is None:
            state.faults.append("a page without a file")
            continue
        state.pages[(*owner, row["page"])] = (
            row["texts"], row["content_hash"], row["vectors"] is not None,
        )  # fmt: skip
    return state


def differences(found: State, expected: State) -> list[str]:
    """What is not alike, in words; nothing where all is."""
    said = list(found.faults)
    for what in ("files", "passages", "pages"):
        mine, theirs = getattr(found, what), getattr(expected, what)
        said += [f"{what}: {key[1:]} is missing" for key in theirs.keys() - mine.keys()]
        said += [f"{what}: {key[1:]} is too many" for key in mine.keys() - theirs.keys()]
        for key in mine.keys() & theirs.keys():
            if mine[key] != theirs[key]:
                said.append(f"{what}: {key[1:]} is {mine[key]!r:.300}, not {theirs[key]!r:.300}")
    for key, vector in expected.vectors.items():
        mine = found.vectors.get(key)
        if vector is None or mine is None:
            said.append(f"vectors: {key[1:]} has none")
        elif float(np.abs(mine - vector).max()) > CLOSE:
            said.append(f"vectors: {key[1:]} differs by {float(np.abs(mine - vector).max()):.4f}")
    return said
