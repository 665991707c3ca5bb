"""The library of an address on object storage: to be asked, or to be made."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from manole.errors import UsageError
from manole.settings import Settings
from manole_cluster.address import INDEX, Address, is_address

if TYPE_CHECKING:
    from manole.models.weights.files import OnProgress as OnWeights
    from manole_cluster.library import RemoteLibrary


async def open_place(
    place: str, settings: Settings, *, on_weights: OnWeights | None = None
) -> RemoteLibrary:
    """Open the library whose index lies at an address, or below it at its usual place.

    Raises `UsageError` for a bucket that is missing, `NotIndexedError` for an address without an
    index, `StoreError` where the store does not answer.
    """
    from manole.errors import NotIndexedError
    from manole.index.store.libraries import META, read_meta
    from manole_cluster.bucket import Bucket
    from manole_cluster.library import RemoteLibrary, roots_of

    given = Address.parse(place)

    def find() -> Address | None:
        for address in (given, given / INDEX):
            if Bucket(address).head(META) is not None:
                return address
        Bucket(given).check()
        return None

    index = await asyncio.to_thread(find)
    if index is None:
        raise NotIndexedError(f"{given} has no index yet.", f"Run `manole index {given}`.")
    library = RemoteLibrary(index, (), settings, on_weights=on_weights)
    await library.notes.pull(now=True)
    names = [str(name) for name in read_meta(library.path).get("roots") or []]
    return RemoteLibrary(index, roots_of(names), settings, on_weights=on_weights)


def library_of(
    documents: Sequence[str],
    index: str | None,
    settings: Settings,
    *,
    ray: str | None = None,
    on_weights: OnWeights | None = None,
) -> RemoteLibrary:
    """Make a library of documents, all at addresses or all in folders.

    Without `index` it lies below the documents; with `ray` that cluster reads them. Raises
    `UsageError`.
    """
    from manole.index.sync.roots import check_roots
    from manole_cluster.library import RemoteLibrary, Root

    if settings.index.store != "lancedb":
        raise UsageError(
            f"An index on object storage cannot be kept by {settings.index.store}.",
            "Leave --store and index.store out.",
        )
    remote = [Address.parse(name) for name in documents if is_address(name)]
    roots: list[Root] = list(remote)
    if not remote:
        roots = list(check_roots([Path(name) for name in documents], settings))
    elif len(remote) != len(documents):
        raise UsageError(
            "Folders and addresses cannot be mixed in one library.", "Make one of each."
        )
    if index is None and len(remote) != 1:
        raise UsageError("Where is the index to lie?", "Say so, as in --library s3://bucket/index.")
    place = Address.parse(index) if index is not None else remote[0] / INDEX
    if any(place == root for root in remote):
        place = place / INDEX
    return RemoteLibrary(place, roots, settings, writes=True, ray=ray, on_weights=on_weights)
