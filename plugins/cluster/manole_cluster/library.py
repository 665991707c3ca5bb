"""`RemoteLibrary`: a `Library` whose index lies on object storage.

Its documents lie there too, or in a folder that every machine mounts. Any number of processes read
it; only `sync` writes. Small files of the index, and documents that are opened, are kept in the
cache folder of this machine.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from manole.documents.limits import Limits
from manole.documents.scan import locate
from manole.errors import NotIndexedError, UsageError
from manole.index.store.libraries import (
    META,
    LibraryInfo,
    described,
    excluded,
    read_meta,
    write_meta,
)
from manole.index.store.opening import IndexHandle
from manole.index.store.quick_import import import_lancedb
from manole.index.sync.plan import Folder, Place
from manole.index.sync.roots import check_roots, resolved
from manole.library import Library
from manole.models.endpoints import chosen_embedder, embedder_name
from manole.settings import Settings
from manole_cluster.address import INDEX, Address, is_address
from manole_cluster.bucket import Bucket
from manole_cluster.documents import Documents
from manole_cluster.listing import Listing
from manole_cluster.notes import Notes

if TYPE_CHECKING:
    from manole.index.store.lance import LanceStore
    from manole.index.store.protocol import Store
    from manole.index.store.records import Embed, FileRecord
    from manole.index.sync.pace import Pace
    from manole.index.sync.report import OnProgress, SyncReport
    from manole.index.watch.watcher import Sync as WatchSync
    from manole.index.watch.watcher import Watch
    from manole.models.weights.files import OnProgress as OnWeights

Root = Address | Path


class RemoteLibrary(Library):
    """The library with its index at `index`. Open it with `open_place` or `library_of`."""

    follows = False

    def __init__(
        self,
        index: Address,
        documents: Sequence[Root],
        settings: Settings,
        *,
        writes: bool = False,
        ray: str | None = None,
        on_weights: OnWeights | None = None,
    ) -> None:
        """`documents` are all addresses, or all absolute folders.

        One that `writes` may be synced: by the machines of the Ray cluster at `ray`, else by this.
        """
        self._writes = writes
        self._ray = ray
        path = settings.cache_dir / "remote" / remote_name(index)
        self.address = index
        self.documents = tuple(documents)
        self.bucket = Bucket(index)
        self.notes = Notes(self.bucket, path)
        self._fetched = {
            str(root): Documents(root, path / "documents" / str(number))
            for number, root in enumerate(documents)
            if isinstance(root, Address)
        }
        roots = [
            root if isinstance(root, Path) else self._fetched[str(root)].folder
            for root in documents
        ]
        handle = IndexHandle(
            path, self._place(), settings, kept_by=BucketStore(self.bucket, self.notes)
        )
        super().__init__(roots, settings, on_weights=on_weights, index=handle)

    @property
    def places(self) -> tuple[str, ...]:
        """Its roots, as people call them."""
        return tuple(map(str, self.documents))

    async def store(self) -> Store:
        """Return the store, opened for reading. Raises `NotIndexedError`, `IndexVersionError`."""
        await self.notes.pull()
        return await super().store()

    def info(self) -> LibraryInfo:
        """Describe the library, without its size on object storage."""
        from dataclasses import replace

        return replace(described(self.path, ()), name=self.name, roots=self.places, size=0)

    def exclude(self, patterns: Sequence[str]) -> None:
        """Leave out the files that match these patterns, from the next sync on."""
        self.notes.pull_all()
        write_meta(self.path, {"roots": list(self.places), "exclude": list(patterns)})
        self.notes.push(META)

    def rename(self, title: str | None) -> None:
        """Not possible: raises `UsageError`. Who only reads an index does not change it."""
        raise UsageError(
            "A library on object storage cannot be renamed.",
            "It is known by its address, to every machine that reads it.",
        )

    def file(self, record: FileRecord) -> Path:
        """Return the place of a known file on this machine, fetched or not."""
        documents = self._fetched.get(record.root)
        if documents is not None:
            return documents.place(record.path)
        return locate(Path(record.root).resolve(), record.path)

    def resolve(self, path: Path | str) -> Path:
        """Return the file or folder here, fetching a document first. See `Library.resolve`.

        Raises `StoreError` where the store does not answer.
        """
        if not self._fetched:
            return resolved(self.roots, path)
        named = [(documents, documents.inside(path)) for documents in self._fetched.values()]
        inside = [(documents, name) for documents, name in named if name is not None]
        for documents, name in inside:
            if (found := documents.fetch(name)) is not None:
                return found
        if inside:
            raise UsageError(f"There is no {path} in this library.", "Check its name.")
        raise UsageError(f"{path} lies outside this library.", "Only its own files are read.")

    def watch(self, sync: WatchSync, say: Callable[[str], None], pace: Pace) -> Watch:
        """Not possible: raises `UsageError`."""
        self._cannot("be watched: object storage does not tell of changes")

    async def sync(
        self,
        force: bool = False,
        progress: OnProgress | None = None,
        *,
        pictures: int | None = None,
        again: Collection[str] = (),
        only: Collection[Path] | None = None,
        yes: bool = False,
        pace: Pace | None = None,
    ) -> SyncReport:
        """Bring the index up to date with the documents, which are all listed.

        `pictures`, `only` and `pace` are ignored. Raises as `Library.sync`, and `UsageError` if
        there is no such bucket or cluster, or this was opened for reading only.
        """
        if not self._writes:
            self._cannot("be brought up to date by programs that answer")
        from manole_cluster.rays import Cluster, check_cluster
        from manole_cluster.sync import Here, sync

        self._changing = True
        try:
            await self._engines.check()
            await asyncio.to_thread(self.bucket.check)
            if self._ray is not None:
                await asyncio.to_thread(check_cluster, self._ray)
            await self.notes.pull(now=True)
            store: LanceStore = await self._index.to_write(  # type: ignore[assignment]
                force, self._ready_to_write
            )
            settings = self._chosen(store.embedder)
            chosen = settings.index.embedder
            embedder = await self._engines.ready(embedder_name(settings))
            pages = await self._engines.pages(embedder)
            reads: Here | Cluster = Here(settings)
            if self._ray is not None:
                reads = Cluster(self._ray, settings, embedder.dimensions)
            async with store.writing(
                dimensions=embedder.dimensions,
                embedder=embedder.name,
                pages=(pages.name, pages.dimensions) if pages else None,
            ):
                await self._describe({"embedder": chosen})
                report = await sync(
                    store,
                    await asyncio.to_thread(self._listed),
                    reads,
                    pages=pages,
                    limits=asdict(Limits.of(self.settings.extract)),
                    force=force,
                    again=again,
                    yes=yes,
                    progress=progress,
                )
                files, passages = await store.counted()
                updated = datetime.now(UTC).isoformat()
                await self._describe({"files": files, "passages": passages, "updated": updated})
            return report
        finally:
            self._changing, self._files_at = False, None

    # Inside ----------------------------------------------------------------------------------

    def _chosen(self, own: str | None = None) -> Settings:
        """Return the settings with the embedder of an index that was made with `own`."""
        chosen = chosen_embedder(self.settings, own)
        index = self.settings.index.model_copy(update={"embedder": chosen})
        return self.settings.model_copy(update={"index": index})

    async def _ready_to_write(self) -> None:
        """Load the models of an index made anew; a `manole.index.store.opening.Ready`."""
        await self._engines.pages(await self._engines.ready(embedder_name(self._chosen())))

    def _listed(self) -> list[Place]:
        exclude = (*self.settings.index.exclude, *excluded(read_meta(self.path)))
        hidden = self.settings.index.hidden
        most = self.settings.extract.max_file_mb * 2**20
        return [
            Listing(root, self.address, exclude=exclude, hidden=hidden, max_bytes=most)
            if isinstance(root, Address)
            else Folder(root, None, only=None, exclude=exclude, hidden=hidden, max_bytes=most)
            for root in self.documents
        ]

    async def _describe(self, changes: dict[str, Any]) -> None:
        write_meta(self.path, {"roots": list(self.places)} | changes)
        await asyncio.to_thread(self.notes.push, META)

    def _place(self) -> str:
        if str(self.address) in [f"{place}/{INDEX}" for place in self.places]:
            return self.places[0]
        return f"{' '.join(self.places) or 'DOCUMENTS'} --library {self.address}"

    def _cannot(self, what: str) -> NoReturn:
        raise UsageError(
            f"A library on object storage cannot {what}.",
            f"`manole index {self._index.place}` brings it up to date.",
        )


def remote_name(index: Address) -> str:
    """Return a readable name, made unique by a hash of the index's address."""
    last = index.prefix.removesuffix(".manole").strip("/").rpartition("/")[2] or index.bucket
    readable = re.sub(r"[^\w-]+", "-", last).strip("-")[:40] or "library"
    return f"{readable}-{hashlib.blake2b(str(index).encode(), digest_size=4).hexdigest()}"


def roots_of(names: Sequence[str]) -> list[Root]:
    """Return the roots from their names in an index."""
    return [Address.parse(name) if is_address(name) else Path(name) for name in names]


class BucketStore:
    """The `StoreKind` of a bucket, with its small files in the folder of `notes`."""

    def __init__(self, bucket: Bucket, notes: Notes) -> None:
        self._bucket = bucket
        self._notes = notes

    def check(self) -> None:
        """Nothing to look for: there is a client, since the bucket was asked with it."""

    async def open(self, path: Path, settings: Settings, embed: Embed | None) -> Store:
        """Return the index whose small files lie in `path`. Raises `StoreError`."""
        await asyncio.to_thread(import_lancedb)
        from manole_cluster.store import open_store

        return await open_store(self._bucket, self._notes, path)

    async def discard(self, path: Path) -> None:
        """Remove its tables. Raises `IndexBusyError`."""
        await asyncio.to_thread(import_lancedb)
        from manole_cluster.store import discard

        await discard(self._bucket)


async def open_place(
    place: str, settings: Settings, *, on_weights: OnWeights | None = None
) -> RemoteLibrary:
    """Open the library whose index lies at an address, or below it at its usual place.

    Raises `UsageError` for a missing bucket, `NotIndexedError` for an address without an index,
    `StoreError` if the store does not answer.
    """
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
