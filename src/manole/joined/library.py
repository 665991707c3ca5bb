"""Every library at once: the hits of all, fused; each file's path begins with its library's label.

Nothing is indexed anew. `JoinedLibrary` is a `Library` to all that answers, searches and shows;
its files are called `household/letters/rent.pdf`, after the folders that the libraries are made of.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Self, TypeVar

from manole import private
from manole.errors import LibraryError, NotIndexedError, UsageError
from manole.index.store.libraries import LibraryInfo, folder_of_all, libraries
from manole.index.store.opening import IndexHandle
from manole.index.store.records import Filters, Ranked
from manole.joined.members import JoinedReader, Member
from manole.library import Library
from manole.settings import Settings

if TYPE_CHECKING:
    from manole.documents.journal import Entry
    from manole.index.search.duplicates import Find
    from manole.index.search.hybrid import Hit
    from manole.index.search.pages import PageHit
    from manole.index.store.protocol import PassageReader, Store
    from manole.index.store.records import FileRecord, PassageRecord
    from manole.index.store.vocabulary import Reading
    from manole.models.encode.embedder import Embedder

ALL = "all"  # the name of the joined library
T = TypeVar("T")


class JoinedLibrary(Library):
    """Several open libraries as one, to be read only."""

    follows = False

    def __init__(self, members: Sequence[Library], settings: Settings, *, owned: bool) -> None:
        """Join these open libraries; `owned` ones are closed with it. Raises `NotIndexedError`."""
        handle = IndexHandle(folder_of_all(settings), ALL, settings)
        super().__init__((), settings, index=handle)
        self._owned = owned
        self._all_files: _Once[FileRecord] = _Once()
        self._all_entries: _Once[Entry] = _Once()
        self.take(members)

    def take(self, members: Sequence[Library]) -> None:
        """Replace the members. Raises `NotIndexedError` without any."""
        if not members:
            raise NotIndexedError("There is no library yet.", "`manole index FOLDER` makes one.")
        self._engines = members[0]._engines
        labels = [_label(library) for library in members]
        often = Counter(labels)
        self._members = [
            Member(library, label if often[label] == 1 else library.name)
            for library, label in zip(members, labels, strict=True)
        ]
        self.roots = tuple(dict.fromkeys(root for library in members for root in library.roots))

    @classmethod
    async def all(cls, settings: Settings, say: Callable[[str], None] = lambda _: None) -> Self:
        """Join every library that can be searched; `say` gets a sentence about each other one.

        Raises `SettingsError` for a data or cache folder that others may enter.
        """
        private.check(data_dir=settings.data_dir, cache_dir=settings.cache_dir)
        found: list[Library] = []
        for info in await asyncio.to_thread(libraries, settings):
            try:
                library = await Library.open([Path(root) for root in info.roots], settings)
                await library.store()
            except (LibraryError, UsageError) as error:
                say(f"{info.name} is left out: {error.message}")
                continue
            found.append(library)
        return cls(found, settings, owned=True)

    async def close(self) -> None:
        """Close the members, if it owns them."""
        if self._owned:
            for member in self._members:
                await member.library.close()

    @property
    def name(self) -> str:
        """The name of all libraries together."""
        return ALL

    @property
    def indexed(self) -> bool:
        """Whether it can be searched."""
        return True

    def info(self) -> LibraryInfo:
        """Return the totals of all libraries."""
        infos = [member.library.info() for member in self._members]
        return LibraryInfo(
            name=ALL,
            path=self.path,
            roots=self.places,
            files=sum(info.files for info in infos),
            passages=sum(info.passages for info in infos),
            size=sum(info.size for info in infos),
            created=None,
            updated=max((info.updated for info in infos if info.updated), default=None),
        )

    @property
    def embedder(self) -> Embedder:
        """The embedder of the first library."""
        return self._members[0].library.embedder

    def exclude(self, patterns: Sequence[str]) -> NoReturn:
        """Raise `UsageError`: it is not possible."""
        _cannot("changed")

    def rename(self, title: str | None) -> NoReturn:
        """Raise `UsageError`: it is not possible."""
        _cannot("changed")

    async def sync(self, *_: object, **__: object) -> NoReturn:
        """Raise `UsageError`: it is not possible."""
        _cannot("brought up to date")

    def watch(self, *_: object) -> NoReturn:
        """Raise `UsageError`: it is not possible."""
        _cannot("watched")

    async def store(self) -> NoReturn:
        """Raise `UsageError`: it is not possible. `reader` shows files."""
        _cannot("kept in one store")

    async def reader(self) -> PassageReader:
        """Return the reader of files over the stores of all libraries."""
        await asyncio.to_thread(private.make, self.path)
        first = await self._members[0].library.store()
        return JoinedReader(self._members, first.embedder)

    async def files(self) -> list[FileRecord]:
        """Return every file of every library, in path order."""
        lists = [(member, await member.library.files()) for member in self._members]
        return self._all_files.of(lists, Member.known, lambda file: file.path)

    async def passages(self, file: FileRecord | str) -> list[PassageRecord]:
        """Return the passages of a file (or file id), in order."""
        key = file if isinstance(file, str) else file.id
        return await JoinedReader(self._members, "").passages(key)

    async def entries(self) -> list[Entry]:
        """Return every entry of the journals, oldest first."""
        lists = [(member, await member.library.entries()) for member in self._members]
        return self._all_entries.of(lists, Member.known_entry, lambda entry: entry.date)

    async def search(
        self,
        query: str,
        limit: int = 12,
        filters: Filters | None = None,
        also: Sequence[str] = (),
    ) -> list[Find]:
        """Return the passages of all libraries that fit the query best; see `Library.search`.

        Those of each library are ranked again together, by similarity and by words.
        """
        from manole.index.search.hybrid import search
        from manole.index.search.reranking import best_first

        embedders: set[str] = set()

        async def of(member: Member, count: int) -> list[Hit]:
            narrowed = member.narrowed(filters)
            if narrowed is None:
                return []
            store = await member.library.store()
            name = await store.made_with()
            embedders.add(name)
            embedder = await self._engines.ready(name)
            hits = await search(
                store,
                embedder,
                query,
                limit=count,
                filters=narrowed,
                also=also,
                files=member.library.files,
            )
            return [replace(hit, passage=member.known(hit.passage)) for hit in hits]

        async def found(count: int) -> list[Hit]:
            lists = [await of(member, count) for member in self._members]
            return fused(lists, query, alike=len(embedders) == 1)[:count]

        return await best_first(found, query, limit, self._engines.reranker)

    async def _stores(self) -> list[Store]:
        return [await member.library.store() for member in self._members]

    async def reading(self, query: str) -> list[Reading]:
        """Return how each library reads the query; see `Library.reading`."""
        return [one for member in self._members for one in await member.library.reading(query)]

    async def search_pages(
        self, query: str, limit: int = 10, filters: Filters | None = None
    ) -> list[PageHit]:
        """Return the pages of all libraries that fit the query best.

        Ranks of different libraries are brought together by how similar the lines found are.
        """
        found: list[PageHit] = []
        for member in self._members:
            if (narrowed := member.narrowed(filters)) is not None:
                found += [
                    replace(
                        hit,
                        file=member.known(hit.file),
                        passages=tuple(
                            replace(inner, passage=member.known(inner.passage))
                            for inner in hit.passages
                        ),
                    )
                    for hit in await member.library.search_pages(query, limit, narrowed)
                ]
        return sorted(found, key=lambda hit: -hit.score * _similar(hit))[:limit]

    def file(self, record: FileRecord) -> Path:
        """Return where a known file is, or would be, on this machine."""
        member, inner = self._member(record.path)
        return member.library.file(replace(record, path=inner))

    def resolve(self, path: Path | str) -> Path:
        """Return the absolute path of a library's file or folder; see `Library.resolve`."""
        if not Path(path).is_absolute():
            member, inner = self._member(str(path))
            return member.library.resolve(inner or ".")
        for member in self._members:
            with contextlib.suppress(UsageError):
                return member.library.resolve(path)
        raise UsageError(f"{path} lies outside these libraries.", "Only their files can be read.")

    def names_of(self, path: Path | str) -> list[str]:
        """Return how a path of this machine is written, in each library that it lies in."""
        real = self.resolve(path)
        found = []
        for member in self._members:
            with contextlib.suppress(UsageError):
                names = member.library.names_of(real)
                found += [f"{member.label}/{name}".rstrip("/") for name in names]
        return found

    # Inside ----------------------------------------------------------------------------------

    def _member(self, path: str) -> tuple[Member, str]:
        for member in self._members:
            if (inner := member.inner(path)) is not None:
                return member, inner
        names = ", ".join(member.label for member in self._members)
        raise UsageError(f"{path} is of no library.", f"Paths begin with one of: {names}.")


class _Once(Generic[T]):
    """One list of the items of several lists, made anew when a list is replaced."""

    def __init__(self) -> None:
        self._lists: list[list[T]] = []
        self._made: list[T] = []

    def of(
        self,
        lists: Sequence[tuple[Member, list[T]]],
        known: Callable[[Member, T], T],
        order: Callable[[T], Any],
    ) -> list[T]:
        """Return all items, made `known` for their member, sorted by `order`."""
        given = [items for _, items in lists]
        if list(map(id, given)) != list(map(id, self._lists)):
            every = (known(member, item) for member, items in lists for item in items)
            self._made, self._lists = sorted(every, key=order), given
        return self._made


def _similar(hit: PageHit) -> float:
    found = [line.similarity for line in hit.lines]
    found += [inner.similarity for inner in hit.passages if inner.similarity is not None]
    return max(found, default=0.0)


def _label(library: Library) -> str:
    """Return the label of a library: the name of its first folder, which no title changes."""
    return library.places[0].rstrip("/").rpartition("/")[2] or library.name


def _cannot(what: str) -> NoReturn:
    raise UsageError(
        f"All libraries together cannot be {what}.", "Name one of `manole library list`."
    )


def fused(lists: Sequence[list[Hit]], query: str, *, alike: bool) -> list[Hit]:
    """Return the hits of several libraries, best first.

    Similarities of one embedder compare; with several, the ranks in each library count. BM25 scores
    do not compare, because a word's weight depends on its rarity in the library. So words are
    weighed by their rarity in all hits.
    """
    from manole.index.search.hybrid import fuse
    from manole.text.analysis import asked, terms
    from manole.text.language import LANGUAGES, language_of

    hits = [(rank, hit) for own in lists for rank, hit in enumerate(own)]
    near = sorted(
        (item for item in hits if item[1].similarity is not None),
        key=lambda item: -(item[1].similarity or 0.0) if alike else item[0],
    )
    words = [set(each) for each in asked(query, LANGUAGES)]

    def of(text: str) -> list[int]:
        there = set(terms(text, language_of(text)))
        return [at for at, each in enumerate(words) if each & there]

    held = {hit.passage.id: of(hit.passage.text) for _, hit in hits}
    often = Counter(at for found in held.values() for at in found)
    weights = {
        key: sum(log(1 + len(held) / often[at]) for at in found) for key, found in held.items()
    }
    worded = sorted(
        (hit for _, hit in hits if hit.bm25 is not None),
        key=lambda hit: (-weights[hit.passage.id], -(hit.bm25 or 0.0)),
    )
    known = {hit.passage.id: hit for _, hit in hits}
    ranked = fuse(
        [Ranked(hit.passage.id, 0, hit.similarity or 0.0) for _, hit in near],
        [Ranked(hit.passage.id, 0, hit.bm25 or 0.0) for hit in worded],
        query,
    )
    named = [hit for _, hit in hits if hit.similarity is None and hit.bm25 is None]
    return [
        *(replace(known[item.ranked.id], score=item.score) for item in ranked),
        *sorted(named, key=lambda hit: -hit.score),
    ]
