"""Files of several libraries, shown and mapped."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from manole.index.store.records import Contents, PageRecord, PassageRecord

from manole.joined.members import Member


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
