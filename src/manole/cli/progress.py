"""Progress on standard error, alike for syncs and downloads."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from manole.cli.output import shortened
from manole.sentences import said

if TYPE_CHECKING:
    from rich.progress import TaskID

    from manole.index.sync.report import Progress
    from manole.models.weights.files import Progress as WeightsProgress

STAGES = {
    "scan": "Looking for changes",
    "read": "Reading files",
    "recognize": "Reading pictures",
    "caption": "Looking at photos",
    "hear": "Listening, minutes",
    "pages": "Embedding lines",
    "embed": "Embedding passages",
    "finish": "Tidying up",
    "wait": "another process is fetching",
    "download": "fetching",
    "join": "copying",
    "verify": "verifying",
}
CURRENT = 40  # characters of the current file's name; set by hand


class ProgressBars(contextlib.AbstractContextManager["ProgressBars"]):
    """One bar for each stage, with rate and time left; nothing is shown before the first step."""

    def __init__(self, *, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("[dim]{task.fields[current]}"),
            console=Console(stderr=True),
            disable=quiet,
        )
        self._tasks: dict[str, TaskID] = {}

    def __exit__(self, *_: object) -> None:
        if self._tasks:
            self._bar.stop()

    def sync(self, progress: Progress) -> None:
        """Show a sync's progress. May be called from any thread."""
        counted = progress.stage in {"read", "recognize", "caption", "hear", "embed", "pages"}
        self._show(
            said(STAGES[progress.stage]),
            progress.done,
            progress.total,
            rate=_rate(progress.rate) if counted and progress.rate else "",
            current=shortened(progress.current, CURRENT) if counted else "",
        )

    def weights(self, progress: WeightsProgress) -> None:
        """Show a download's progress, in MB."""
        name = f"{progress.model} {progress.file}".strip() + f": {STAGES[progress.stage]}"
        total = progress.total_bytes // 10**6 or None
        self._show(name, progress.done_bytes // 10**6, total, rate="MB")

    def compiling(self, done: int, total: int) -> None:
        """Show how many steps of a build are done."""
        self._show("compiling the engine", done, total)

    def _show(
        self, name: str, done: int, total: int | None, *, rate: str = "", current: str = ""
    ) -> None:
        if name not in self._tasks:
            # Started here, so that a command that fails at once leaves no empty line.
            self._bar.start()
            self._tasks[name] = self._bar.add_task(name, total=total, rate=rate, current=current)
        self._bar.update(self._tasks[name], completed=done, total=total, rate=rate, current=current)


def _rate(rate: float) -> str:
    """Return a rate with a decimal where it is low: pictures take seconds each."""
    return f"{rate:.0f}/s" if rate >= 10 else f"{rate:.1f}/s"
