"""The watch over a library's folders, so that a sync reads only what changed.

Changes are gathered until they settle: no new one for a moment, and no file that still grows. A
file that is written to all the time is taken after some seconds all the same, and waits longer the
next time. (`watchfiles` can only hold back events, whatever becomes of the files.) Then one sync
looks at these paths and at nothing else. Once an hour everything is looked at, since no system
promises to report every change.

Nothing is lost when a sync is not possible. While another process writes the index, it is tried
again with growing pauses; on battery it waits. After an interrupted sync, the next one covers
everything, because only that finds what was left without vectors.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from manole.errors import (
    IndexBusyError,
    IndexVersionError,
    ManoleError,
    PausedError,
    SettingsError,
    UsageError,
    WouldDropError,
)
from manole.index.sync.pace import AT_ONCE, Pace
from manole.index.sync.report import SyncReport
from manole.index.watch.change_sources import Say, Source, WatchRules

# All set by hand:
QUIET = 0.4  # seconds without a change after which changes have settled
MOST_WAIT = 5.0  # seconds that changes wait for that
FIRST_REST, LONGEST_REST = 1.0, 60.0  # seconds between two readings of a file
FORGOTTEN = 120.0  # seconds after which a file counts as calm again
EVERYTHING_EVERY = 3600.0  # seconds
FIRST_PAUSE, MOST_PAUSE = 0.5, 30.0  # seconds until a sync that failed is tried again

# A sync of these paths, or of everything; `None` when somebody stopped it.
Sync = Callable[[frozenset[Path] | None], Awaitable[SyncReport | None]]


@dataclass(frozen=True, slots=True)
class _Rest:
    """A pause in which a file is not read again, unless it is gone: its end and its length."""

    until: float
    seconds: float


_NO_REST = _Rest(0.0, 0.0)
_NEW = object()


class Watch:
    """The watch over `roots`, which calls `sync` with what changed.

    `say` gets each message for a person once.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        sync: Sync,
        say: Say,
        rules: WatchRules,
        pace: Pace = AT_ONCE,
    ) -> None:
        self._sync = sync
        self._say = say
        self._said = ""
        self._pace = pace
        self._sources = [Source(root, self._note, say, rules) for root in roots]
        self._changes: dict[Path, float] = {}  # since when each waits
        self._rests: dict[Path, _Rest] = {}  # of files that were taken lately
        self._everything = False
        self._woken = asyncio.Event()
        self.ready = asyncio.Event()  # no change is missed from now on

    async def run(self, *, first: bool = True) -> None:
        """Follow changes until cancelled; with `first`, first bring everything up to date.

        Raises `SettingsError`, `IndexVersionError`, after which trying again is of no use.
        """
        try:
            async with asyncio.TaskGroup() as tasks:
                for source in self._sources:
                    tasks.create_task(source.run())
                tasks.create_task(self._now_and_then())
                for source in self._sources:
                    await source.ready.wait()
                self.ready.set()
                if first:
                    self._look_at_everything()
                while True:
                    await self._woken.wait()
                    await self._carry_out(await self._settled())
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from group

    # Gathering -------------------------------------------------------------------------------

    def _note(self, paths: Iterable[Path]) -> None:
        now = time.monotonic()
        for path in paths:
            self._changes.setdefault(path, now)
        self._woken.set()

    def _look_at_everything(self) -> None:
        self._everything = True
        self._woken.set()

    async def _now_and_then(self) -> None:
        while True:
            await asyncio.sleep(EVERYTHING_EVERY)
            self._look_at_everything()

    async def _settled(self) -> frozenset[Path] | None:
        """Return the changes that have settled; `None` for everything."""
        seen = await asyncio.to_thread(_states, list(self._changes))
        while not self._everything:
            self._woken.clear()
            if not self._changes:
                await self._woken.wait()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), QUIET)
            quiet = not self._woken.is_set()
            if not quiet:  # events come in batches; what came is looked at a moment later
                await asyncio.sleep(QUIET / 2)
            now = await asyncio.to_thread(_states, list(self._changes))
            ready = self._ready(seen, now, quiet)
            if ready:
                break
            seen = now
        self._woken.clear()
        if self._everything:
            self._everything = False
            self._changes.clear()
            return None
        self._rest(ready)
        for path in ready:
            del self._changes[path]
        if self._changes:
            self._woken.set()
        return frozenset(ready)

    def _ready(self, seen: dict[Path, object], now: dict[Path, object], quiet: bool) -> list[Path]:
        """Return the paths to take now: those unchanged for a moment, and those that waited enough.

        While more changes come, the former wait for them, some seconds at most.
        """
        at = time.monotonic()
        still = [
            path
            for path in now
            if seen.get(path, _NEW) == now[path]
            and (now[path] is None or at >= self._rests.get(path, _NO_REST).until)
        ]
        late = [
            path
            for path in now
            if seen.get(path, _NEW) != now[path]
            and at - self._changes[path] > max(MOST_WAIT, self._rests.get(path, _NO_REST).seconds)
        ]
        waited = max((at - self._changes[path] for path in still), default=0.0)
        return [*still, *late] if quiet or late or waited >= MOST_WAIT else []

    def _rest(self, taken: Iterable[Path]) -> None:
        """Let each path rest, longer each time: a file that keeps changing is read seldom."""
        at = time.monotonic()
        self._rests = {p: rest for p, rest in self._rests.items() if at < rest.until + FORGOTTEN}
        for path in taken:
            before = self._rests.get(path, _NO_REST).seconds
            seconds = min(2 * before, LONGEST_REST) if before else FIRST_REST
            self._rests[path] = _Rest(at + seconds, seconds)

    # Carrying out ----------------------------------------------------------------------------

    async def _carry_out(self, paths: frozenset[Path] | None) -> None:
        """Run one sync, again and again until it is done or proves impossible."""
        pause = FIRST_PAUSE
        while True:
            try:
                await self._pace.powered()
                if await self._sync(paths) is None:
                    self._everything = True  # from the next change on, for this was cut off
                self._said = ""
                return
            except IndexBusyError:
                pass
            except PausedError:
                paths = None
                continue
            except WouldDropError as error:
                self._say_once(error)
                there = await asyncio.to_thread(_files, paths or ())
                if not there or there == paths:
                    return
                paths = there
                continue
            except (SettingsError, IndexVersionError):
                raise
            except UsageError as error:  # a root is away; its source waits for it
                self._say_once(error)
                return
            except ManoleError as error:
                self._say_once(error)
                paths = None
            await asyncio.sleep(pause)
            pause = min(2 * pause, MOST_PAUSE)
            if paths is not None:
                paths |= frozenset(self._changes)
                self._changes.clear()

    def _say_once(self, error: ManoleError) -> None:
        if str(error) != self._said:
            self._said = str(error)
            self._say(str(error))


def _states(paths: Iterable[Path]) -> dict[Path, object]:
    """Return size and modified time of each path; `None` for what is gone."""
    found: dict[Path, object] = {}
    for path in paths:
        try:
            info = path.lstat()
            found[path] = (info.st_size, info.st_mtime_ns)
        except OSError:
            found[path] = None
    return found


def _files(paths: Iterable[Path]) -> frozenset[Path]:
    """Return the paths that are files now."""
    return frozenset(path for path in paths if os.path.isfile(path))  # noqa: PTH113
