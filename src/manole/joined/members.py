"""The libraries that make up the joined one, and the reader of their files."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, TypeGuard, TypeVar

from manole.index.store.records import Filters
from manole.library import Library

if TYPE_CHECKING:
    from manole.documents.journal import Entry
    from manole.index.store.records import Contents, FileRecord, PageRecord, PassageRecord

R = TypeVar("R", "FileRecord", "PassageRecord")


@dataclass(frozen=True, slots=True)
class Member:
    """A library as a part of several, and the label before the paths of its files."""

    library: Library
    label: str

    def known(self, record: R) -> R:
        """Return a file or passage with the id and path that it has in the joined library."""
        ids = {"id": record.id} | ({"file_id": record.file_id} if _is_passage(record) else {})
        named = {key: f"{self.library.name}/{value}" for key, value in ids.items()}
        changes: dict[str, Any] = {"path": f"{self.label}/{record.path}", **named}
        return replace(record, **changes)

    def known_entry(self, entry: Entry) -> Entry:
        """Return a diary entry with the id and path that it has in the joined library."""
        key = f"{self.library.name}/{entry.id}"
        return replace(entry, id=key, file=f"{self.label}/{entry.file}")

    def inner(self, path: str) -> str | None:
        """Return the path within it; "" for all of it, `None` for one of another library."""
        label, _, inner = path.partition("/")
        return inner if label == self.label else None

    def narrowed(self, filters: Filters | None) -> Filters | None:
        """Return the filters for this library; `None` if they leave nothing of it."""
        filters = filters or Filters()
        within = [self.inner(place) for place in filters.places]
        paths = [self.inner(path) for path in filters.paths]
        outside = all(place is None for place in within)
        if (within and outside) or (paths and not any(paths)):
            return None
        return replace(
            filters,
            within=() if "" in within else tuple(filter(None, within)),
            paths=tuple(filter(None, paths)),
        )


def _is_passage(record: FileRecord | PassageRecord) -> TypeGuard[PassageRecord]:
    return hasattr(record, "file_id")


class JoinedReader:
    """A `PassageReader` over several stores."""

    def __init__(self, members: Sequence[Member], embedder: str) -> None:
        self._members = {member.library.name: member for member in members}
        self.embedder = embedder

    @property
    def pages(self) -> Self:
        """The pages beside the passages: `get`."""
        return self

    async def get(self, ids: Sequence[str]) -> dict[str, PageRecord]:
        """Return the pages with their lines, as far as they exist."""
        found: dict[str, PageRecord] = {}
        for member, inner in self._by_member(ids):
            pages = (await member.library.store()).pages
            found |= {
                f"{member.library.name}/{key}": page
                for key, page in (await pages.get(inner)).items()
            }
        return found

    async def passages(self, file_id: str, page: int | None = None) -> list[PassageRecord]:
        """Return a file's passages in order, or those of one page."""
        for member, (inner,) in self._by_member([file_id]):
            passages = await (await member.library.store()).passages(inner, page)
            return [member.known(passage) for passage in passages]
        return []

    async def passages_of(self, file_ids: Sequence[str]) -> dict[str, list[PassageRecord]]:
        """Return the passages of several files, each in order."""
        return {key: await self.passages(key) for key in file_ids}

    async def scan_contents(self, file_ids: Sequence[str] | None = None) -> AsyncIterator[Contents]:
        """Yield the texts and vectors of these files' passages, or of all, in batches."""
        chosen: Iterable[tuple[Member, list[str] | None]] = (
            ((member, None) for member in self._members.values())
            if file_ids is None
            else self._by_member(file_ids)
        )
        for member, inner in chosen:
            store = await member.library.store()
            async for contents in store.scan_contents(inner):
                ids = [f"{member.library.name}/{key}" for key in contents.file_ids]
                yield replace(contents, file_ids=ids)

    def _by_member(self, ids: Iterable[str]) -> Iterator[tuple[Member, list[str]]]:
        inner: dict[str, list[str]] = {}
        for key in ids:
            name, _, own = key.partition("/")
            inner.setdefault(name, []).append(own)
        for name, keys in inner.items():
            if name in self._members:  # else its library was removed meanwhile
                yield self._members[name], keys
