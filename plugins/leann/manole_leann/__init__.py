"""The store `leann`: LanceDB's tables, and the vectors in graphs of LEANN (README.md).

`store` is LanceDB's with the vectors taken out, `graphs` decides when they go into a graph and
which graphs count, `graph` is one of them. This module is what the core finds: the store and its
settings.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from manole.hooks import Extra
from manole.settings import Section, Settings

if TYPE_CHECKING:
    from manole.index.store.protocol import Store
    from manole.index.store.records import Embed


EXTRA = Extra(
    ("leann", "leann_backend_hnsw", "msgpack", "zmq"),
    "an index may be kept by LEANN (`--store leann`)",
)


class LeannSettings(Section):
    """The section `leann`."""

    recompute: bool = Field(
        False, description="keep no vectors; a search embeds again what it visits (slow)"
    )


def check() -> None:
    """Import LEANN. Raises `StoreError` where a package of the extra is missing."""
    from manole_leann.graph import backend, refused

    if missing := [name for name in EXTRA.modules if find_spec(name) is None]:
        raise refused(f"{missing[0]} is missing")
    backend()


async def open(path: Path, settings: Settings, embed: Embed | None) -> Store:
    """Open the index in `path`; see `manole.index.store.opening.StoreKind`.

    Raises `StoreError` without the extra.
    """
    check()
    from manole_leann.store import open_index

    recompute = settings.section("leann", LeannSettings).recompute
    return await open_index(path, recompute=recompute, embed=embed)


async def discard(path: Path) -> None:
    """Remove tables and graphs in `path`. Raises `IndexBusyError`."""
    from manole_leann import store

    await store.discard(path)
