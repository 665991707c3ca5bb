"""`manole watch`: keeps the index of your folders up to date until it is stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manole.cli.library import open_library
from manole.cli.library_print import what_was_done
from manole.cli.options import MaxCpu, run
from manole.cli.options import settings as load_settings
from manole.cli.output import printable

if TYPE_CHECKING:
    from manole.index.sync.report import SyncReport
    from manole.library import Library
    from manole.settings import Settings

NICENESS = 10  # this program never hurries


def watch(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FOLDER]...",
            help="Folders of one library, or its name; else that of the working directory.",
        ),
    ] = None,
    max_cpu: MaxCpu = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a line of JSON for each sync, for programs.")
    ] = False,
) -> None:
    """Keep an index up to date: what changes in your folders is read at once.

    A line is printed for each sync. Ctrl-C stops it. `serve`, `chat`, `stdio` and `mcp` do the same
    while they run.

    Example: manole watch ~/Documents
    """
    import os

    os.nice(NICENESS)
    run(_watch(folders or [], load_settings(index__max_cpu=max_cpu), as_json))


async def _watch(folders: list[Path], settings: Settings, as_json: bool) -> None:
    import asyncio
    import signal

    from manole.care.tidy import tidy
    from manole.index.sync.pace import background
    from manole.library import Library

    if len(folders) > 1:
        library = await Library.open(folders, settings)
    else:
        library = await open_library(str(folders[0]) if folders else None, settings)
    async with library:
        teller = _Teller(library, as_json)
        pace = background(settings)

        async def sync(paths: frozenset[Path] | None) -> SyncReport:
            report = await library.sync(only=paths, pace=pace)
            if report.statuses:  # of the whole library
                await tidy(settings)
            teller.synced(report, whole=paths is None)
            return report

        following = asyncio.ensure_future(library.watch(sync, teller.say, pace).run())
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, following.cancel)
        teller.begin()
        await asyncio.wait([following])
        if not following.cancelled():
            following.result()
    teller.end()


class _Teller:
    """Prints what happens: a line each, for people or as JSON."""

    def __init__(self, library: Library, as_json: bool) -> None:
        self._library = library
        self._json = as_json
        self._first = True
        self._noticed = ""

    def begin(self) -> None:
        roots = [str(root) for root in self._library.roots]
        if self._json:
            self._line("watching", {"library": self._library.name, "folders": roots})
        else:
            shown = printable(", ".join(roots))
            typer.echo(f"Watching {shown} (Ctrl-C stops it).", err=True)

    def synced(self, report: SyncReport, *, whole: bool) -> None:
        """A sync has ended. One that found nothing to do is told of once only."""
        from manole.serve.shapes import report_json

        if not (report.wrote or self._first or (report.unreadable and whole)):
            return
        self._first = False
        if report.notice and report.notice != self._noticed:
            self._noticed = report.notice
            self.say(report.notice)
        if self._json:
            self._line("sync", report_json(report) | {"whole": whole})
            return
        typer.echo(f"{_clock()}  {what_was_done(report)}")
        for folder, why in report.unreadable:
            self.say(f"Cannot be looked into: {folder} ({why}).")
        for file in report.problems[:3]:
            self.say(f"{file.status.value}: {file.path} ({file.reason}).")

    def say(self, message: str) -> None:
        """Something a person should know."""
        if self._json:
            self._line("notice", {"message": message})
        else:
            typer.echo(f"{_clock()}  {printable(message)}", err=True)

    def end(self) -> None:
        if not self._json:
            typer.echo("Stopped.", err=True)

    def _line(self, kind: str, data: dict[str, Any]) -> None:
        from datetime import datetime

        at = datetime.now().astimezone().isoformat(timespec="seconds")
        typer.echo(json.dumps({"type": kind, "at": at, **data}))


def _clock() -> str:
    from datetime import datetime

    return datetime.now().astimezone().strftime("%H:%M:%S")
