"""Beyond one machine: an index on object storage, read by many, made by Ray (README.md).

`library` opens a `Library` whose tables (`store`) and small files (`notes`) lie in a bucket
(`bucket`); `lease` ensures that there is one writer. `sync` brings such an index up to date:
`listing` lists the documents, `reader` reads a file on whichever machine, `work` makes a reader,
`rays` has a cluster read many files, and one process writes the results. This module is what the
core finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from manole.hooks import Extra
from manole.settings import Section, Settings

if TYPE_CHECKING:
    from manole.models.weights.files import OnProgress
    from manole_cluster.library import RemoteLibrary

EXTRA = Extra(("obstore", "ray"), "an index may lie on object storage, and a Ray cluster make it")


class ClusterSettings(Section):
    """The section `cluster`."""

    ray: str = Field("", description="address of a Ray cluster that reads the files; empty: none")


async def open(
    address: str, settings: Settings, *, on_weights: OnProgress | None = None
) -> RemoteLibrary:
    """Open the library at an address. See `manole.cli.library.Addresses`."""
    from manole_cluster.library import open_place

    return await open_place(address, settings, on_weights=on_weights)


def make(
    documents: Sequence[str],
    index: str | None,
    settings: Settings,
    *,
    on_weights: OnProgress | None = None,
) -> RemoteLibrary:
    """Make the library of these documents. See `manole.cli.library.Addresses`."""
    from manole_cluster.library import library_of

    ray = settings.section("cluster", ClusterSettings).ray or None
    return library_of(documents, index, settings, ray=ray, on_weights=on_weights)
