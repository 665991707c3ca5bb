"""The options of a sync."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from manole.documents.model import may_pass, was_raised
from manole.index.store.page_records import PageEmbedder, lacks_pages
from manole.index.store.records import FileRecord

Places = Mapping[Path, Sequence[str]]  # names relative to each root; "" is all of it


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """The options of a sync. None of them changes a file's text.

    `force` reads every file again, `again` those at these paths, as the index names them. With
    `only`, nothing else is looked at and the cost is that of these places, however large the
    library is; work left by an earlier sync is not looked for. If more than `pictures` pages wait
    for their words to be recognized, they go on waiting; `None` is no such limit. `yes` allows
    more than half of all files to go.

    `exclude` are patterns as in `.gitignore`; without `hidden`, files and folders whose names begin
    with a dot are left out. `parallel` files are read at once; those over `max_bytes` are not
    hashed. `limits` are those of the extractor by the names of their settings: a file that one of
    them held back is read again when that one was raised.
    """

    force: bool = False
    again: Collection[str] = ()
    only: Places | None = None
    pictures: int | None = None
    yes: bool = False
    exclude: Sequence[str] = ()
    hidden: bool = False
    parallel: int = 2
    max_bytes: int = 512 * 2**20
    limits: Mapping[str, float] = field(default_factory=dict)

    def wants(self, file: FileRecord, pages: PageEmbedder | None) -> bool:
        """Return whether a known file is read again even if it is unchanged."""
        return (
            self.force
            or file.path in self.again
            or may_pass(file.status, file.reason, file.metadata)
            or was_raised(file.metadata, {**self.limits, "max_pages": inf})
            or (pages is not None and lacks_pages(file, pages))
        )
