"""A library as a part of several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

from manole.index.store.records import Filters
from manole.library import Library

if TYPE_CHECKING:
    from manole.documents.journal import Entry
    from manole.index.store.records import FileRecord, PassageRecord

R = TypeVar("R", "FileRecord", "PassageRecord")


@dataclass(frozen=True, slots=True)
class Member:
    """A library, and the label before the paths of its files."""

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
