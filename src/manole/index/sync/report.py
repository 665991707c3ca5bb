"""The reports of a sync: its progress while it runs, and its result."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from manole.index.store.records import FileRecord


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a stage: scan, read, recognize, caption, hear, embed, pages or finish.

    `done` and `total` count files; but passages in embed, pages in recognize and pages, minutes in
    hear. `rate` is per second, `eta_s` is `None` while unknown, `current` is the current file.
    """

    stage: str
    done: int
    total: int
    rate: float = 0.0
    eta_s: float | None = None
    current: str = ""


@dataclass(slots=True)
class SyncReport:
    """The result of a sync. `problems` are the files that this sync could not read in full.

    `statuses` counts all files of the library; it is empty after a sync of a few paths only.
    """

    added: int = 0
    changed: int = 0
    renamed: int = 0
    deleted: int = 0
    unchanged: int = 0
    passages: int = 0  # read in this sync
    embedded: int = 0  # passages that got a vector
    tokens: int = 0  # read by the embedder
    seconds: float = 0.0
    embed_seconds: float = 0.0  # inside the embedder's inference
    statuses: dict[str, int] = field(default_factory=dict)
    problems: list[FileRecord] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)  # folders, and why
    waiting: int = 0  # pictures that this sync left to another one
    unheard: int = 0  # recordings that no speech model is at hand for
    voice_failed: str = ""  # why the speech model gave up
    notice: str | None = None  # what had to be mended first
    wrote: bool = False  # whether anything in the index changed

    def then(self, other: SyncReport) -> SyncReport:
        """Join this report with `other`, of a later sync."""
        sums = "added changed renamed deleted passages embedded tokens seconds embed_seconds"
        both = {name: getattr(self, name) + getattr(other, name) for name in sums.split()}
        return replace(
            other,
            **both,
            problems=self.problems + other.problems,
            notice=" ".join(filter(None, (self.notice, other.notice))) or None,
            wrote=self.wrote or other.wrote,
        )


OnProgress = Callable[[Progress], None]
Tell = Callable[[str, int, int, str], None]  # stage, done, total, file


class ProgressReporter:
    """A reporter of progress, with the rate since each stage began and the time left."""

    def __init__(self, progress: OnProgress | None) -> None:
        self._progress = progress
        self._began: dict[str, float] = {}

    def tell(self, stage: str, done: int, total: int, current: str = "") -> None:
        """Report how far a stage is, with its rate and the time left."""
        if self._progress is None:
            return
        now = time.perf_counter()
        spent = now - self._began.setdefault(stage, now)
        rate = done / spent if spent > 0 else 0.0
        eta = (total - done) / rate if rate > 0 else None
        self._progress(Progress(stage, done, total, rate, eta, current))
