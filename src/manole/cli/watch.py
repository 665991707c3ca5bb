"""`manole index --watch`: an index kept up to date until Ctrl-C; and the same beside a talk."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from manole.cli.library import open_library
from manole.cli.library_print import what_was_done
from manole.cli.output import printable

if TYPE_CHECKING:
    from manole.index.sync.pace import Pace
    from manole.index.sync.report import SyncReport
    from manole.library import Library
    from manole.settings import Settings

NICENESS = 10  # set by hand: every other program comes first
PATIENCE = 10.0  # seconds, set by hand, that the end of a talk waits for the thread beside it


async def followed(folders: list[str], settings: Settings, as_json: bool) -> None:
    """Keep the index of folders, or of a library by its name, up to date; a line for each sync."""
    import asyncio
    import os
    import signal

    from manole.index.sync.pace import background
    from manole.library import Library

    os.nice(NICENESS)
    if len(folders) > 1:
        library = await Library.open([Path(folder) for folder in folders], settings)
    else:
        library = await open_library(folders[0], settings)
    async with library:
        teller = _Teller(library, as_json)
        pace = background(settings)

        async def sync(paths: frozenset[Path] | None) -> SyncReport:
            report = await _synced(library, paths, pace)
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


async def _synced(library: Library, paths: frozenset[Path] | None, pace: Pace) -> SyncReport:
    """Sync these places, or the whole library; after the latter, tidy up."""
    from manole.care.tidy import tidy

    report = await library.sync(only=paths, pace=pace)
    if report.statuses:  # of the whole library
        await tidy(library.settings)
    return report


@contextlib.contextmanager
def following(
    roots: Sequence[Path],
    settings: Settings,
    *,
    busy: Callable[[], bool],
    say: Callable[[str], None],
) -> Iterator[None]:
    """Keep the index of `roots` up to date beside a talk; `busy` says whether it answers now.

    The talk's event loop stands still while it waits for a question, so this has a thread, a loop,
    a library and a store of its own, as another process would. `say` is called from that thread.
    """
    import asyncio
    import os
    import sys
    import threading

    from manole.errors import ManoleError
    from manole.index.sync.pace import background
    from manole.library import Library

    loops: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[None]]] = []
    begun = threading.Event()

    async def follow() -> None:
        loops.append((asyncio.get_running_loop(), asyncio.current_task()))  # type: ignore[arg-type]
        begun.set()
        pace = background(settings, busy)
        async with await Library.open(list(roots), settings) as library:

            async def sync(paths: frozenset[Path] | None) -> SyncReport:
                return await _synced(library, paths, pace)

            await library.watch(sync, say, pace).run(first=False)

    def work() -> None:
        if sys.platform == "linux":  # elsewhere the whole process has one niceness
            os.nice(NICENESS)
        try:
            with contextlib.suppress(asyncio.CancelledError):
                asyncio.run(follow())
        except ManoleError as error:
            say(str(error))
        finally:
            begun.set()

    thread = threading.Thread(target=work, name="following", daemon=True)
    thread.start()
    begun.wait()
    try:
        yield
    finally:
        for loop, task in loops:
            with contextlib.suppress(RuntimeError):  # it has ended by itself
                loop.call_soon_threadsafe(task.cancel)
        thread.join(PATIENCE)


class _Teller:
    """The printer of what happens: a line each, for people or as JSON."""

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
        """Print the end of a sync; of syncs with nothing to do, only the first one."""
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
        """Print something that a person should know."""
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
