"""Sources of change notifications for a root: the operating system, or comparing scans.

The system's events come through `watchfiles`. A folder on a network or cloud file system, and any
folder once the system has no watches left, is scanned at intervals and compared with the scan
before. (`watchfiles` can poll as well, but it would also walk through all that a library leaves
out.) Changes that a scan of the library would pass over are ignored.

A root may go away: its disk is unmounted, or somebody moved it. Then it is looked for every second,
and synced as a whole when it is back. The same happens after events may have been lost: the
system's queue holds a limited number, and `watchfiles` does not report when it was full, so a batch
near that number counts as incomplete.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from manole.documents.scan import IGNORE_FILES, left_out, readable, scan, scan_parts
from manole.errors import UsageError
from manole.index.sync.roots import remote_folders

# Set by hand:
STEP_MS = 200  # between two looks at the queue of events
ROOT_SECONDS = 1.0  # between two looks for a root that is away
MOST_PAUSE = 60.0  # seconds until a watcher that fails again and again is begun anew
QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")
USUAL_QUEUE = 16_384  # Linux's default of that file

Changed = Callable[[Iterable[Path]], None]
Say = Callable[[str], None]
Snapshot = dict[str, tuple[int, int]]


class _LostError(Exception):
    """The root is gone, or replaced by another folder."""


class _RefusedError(Exception):
    """The system does not report this root's changes; the message says why."""


@dataclass(frozen=True, slots=True)
class WatchRules:
    """The rules of watching. `patterns` returns the patterns left out at the moment.

    Where the system does not report changes, folders are compared every `scan_seconds`; `remote`
    returns those folders below a root, with the types of their file systems.
    """

    patterns: Callable[[], Sequence[str]]
    hidden: bool = False
    scan_seconds: float = 60.0
    remote: Callable[[Path], dict[Path, str]] = remote_folders


class Source:
    """The changes below one root: paths are reported to `changed`, and trouble to `say`.

    `ready` is set once no further change is missed.
    """

    def __init__(
        self,
        root: Path,
        changed: Changed,
        say: Say,
        rules: WatchRules,
    ) -> None:
        self.root = root
        self.ready = asyncio.Event()
        self._changed = changed
        self._say = say
        self._patterns = rules.patterns
        self._hidden = rules.hidden
        self._seconds = rules.scan_seconds
        self._remote = rules.remote
        self._queue = _queue_size()
        self._pause = ROOT_SECONDS

    async def run(self) -> None:
        """Report changes until cancelled."""
        first = True
        while True:
            waited = await self._arrival()
            if waited or not first:
                self._changed([self.root])
            first = False
            with contextlib.suppress(_LostError):
                remote = await asyncio.to_thread(self._remote, self.root)
                if why := remote.get(self.root):
                    self._say(self._scanned(self.root, f"a folder of type {why} does not tell"))
                    await self._compare(self.root)
                else:
                    await self._watch(remote)

    async def _arrival(self) -> bool:
        """Wait until the root can be read; return whether that took any time."""
        if await asyncio.to_thread(_can_be_listed, self.root):
            return False
        name = readable(str(self.root))
        self._say(f"{name} is not there; its files stay in the index until it is back.")
        self.ready.set()
        while not await asyncio.to_thread(_can_be_listed, self.root):  # noqa: ASYNC110  (a folder)
            await asyncio.sleep(ROOT_SECONDS)
        self._say(f"{name} is back.")
        return True

    async def _watch(self, remote: dict[Path, str]) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                for folder, kind in remote.items():
                    self._say(self._scanned(folder, f"a folder of type {kind} does not tell"))
                    tasks.create_task(self._compare(folder))
                tasks.create_task(self._listen())
        except ExceptionGroup as group:
            error = group.exceptions[0]
            if isinstance(error, _RefusedError):
                self._say(self._scanned(self.root, str(error)))
                await self._compare(self.root)
            raise error from None

    async def _listen(self) -> None:
        """Report the system's events."""
        import watchfiles  # a compiled library that only watching needs

        known = await asyncio.to_thread(_identity, self.root)
        heard = False
        try:
            events = watchfiles.awatch(
                self.root,
                watch_filter=None,
                step=STEP_MS,
                debounce=2 * STEP_MS,
                rust_timeout=2 * STEP_MS,
                yield_on_timeout=True,
                force_polling=False,
                ignore_permission_denied=False,  # it would end at such a folder without a word
            )
            async with contextlib.aclosing(events) as batches:
                async for batch in batches:
                    heard = True
                    self.ready.set()
                    if await asyncio.to_thread(_identity, self.root) != known:
                        raise _LostError
                    if len(batch) > self._queue // 4:
                        self._changed([self.root])
                    elif batch:
                        self._pause = ROOT_SECONDS
                        await self._tell(Path(path) for _, path in batch)
        except _LostError:
            raise
        except Exception as error:  # of whatever kind: the library's own, the system's, a group
            if not heard and (why := _refused(error)):
                raise _RefusedError(why) from error
            # A name that is no text ends the watcher, for one. It is begun anew, and all looked at.
            self.ready.set()  # whatever is missed now is seen then
            await asyncio.sleep(self._pause)
            self._pause = min(2 * self._pause, MOST_PAUSE)
            raise _LostError from error

    async def _compare(self, folder: Path) -> None:
        """Report what differs between two scans of a folder."""
        before: Snapshot | None = None
        while True:
            now = await asyncio.to_thread(self._snapshot, folder)
            if before is not None:
                names = before.keys() | now.keys()
                if differ := [name for name in names if before.get(name) != now.get(name)]:
                    self._changed(map(Path, differ))
            before = now
            self.ready.set()
            await asyncio.sleep(self._seconds)
            if not await asyncio.to_thread(_can_be_listed, self.root):
                raise _LostError

    async def _tell(self, paths: Iterable[Path]) -> None:
        kept = await asyncio.to_thread(self._kept, list(paths))
        if kept:
            self._changed(kept)

    def _kept(self, paths: Sequence[Path]) -> list[Path]:
        """Return the paths that a scan would look at; for an ignore file, its folder."""
        real = Path(os.path.realpath(self.root))  # some systems name files by that
        named = [
            self.root / path.relative_to(real) if path.is_relative_to(real) else path
            for path in paths
        ]
        meant = {path.parent if path.name in IGNORE_FILES else path for path in named}
        inner = {
            path.relative_to(self.root).as_posix(): path
            for path in meant
            if path.is_relative_to(self.root)
        }
        out = left_out(
            self.root,
            [name for name in inner if name != "."],
            exclude=self._patterns(),
            hidden=self._hidden,
        )
        return [path for name, path in inner.items() if name not in out]

    def _snapshot(self, folder: Path) -> Snapshot:
        """Return size and modified time of every file; a folder that cannot be read has none."""

        def ignore(_path: str, _error: OSError) -> None:
            """Do nothing: a sync reports it."""

        rules = {"exclude": self._patterns(), "hidden": self._hidden}
        try:
            if folder == self.root:
                found = scan(self.root, on_error=ignore, **rules)  # type: ignore[arg-type]
            else:
                inner = [folder.relative_to(self.root).as_posix()]
                found = scan_parts(self.root, inner, on_error=ignore, **rules)  # type: ignore[arg-type]
            return {file.name: (file.size, file.mtime_ns) for file in found}
        except UsageError:
            raise _LostError from None

    def _scanned(self, folder: Path, why: str) -> str:
        return f"{readable(str(folder))} is scanned every {self._seconds:g} s: {why}."


def _can_be_listed(root: Path) -> bool:
    try:
        os.scandir(root).close()
    except OSError:
        return False
    return True


def _identity(root: Path) -> tuple[int, int] | None:
    """Return device and inode of a folder; `None` if it is none."""
    try:
        info = root.stat()
    except OSError:
        return None
    return (info.st_dev, info.st_ino) if stat.S_ISDIR(info.st_mode) else None


def _refused(error: Exception) -> str | None:
    """Return why the system cannot report changes; `None` for an error that may pass."""
    text = str(error)
    if any(part in text for part in ("limit reached", "os error 24", "os error 28")):
        return "the system has no watches left (fs.inotify.max_user_watches)"
    if "ermission denied" in text:
        return "a folder in it may not be looked into"
    return None


def _queue_size() -> int:
    try:
        return int(QUEUE.read_text("ascii"))
    except (OSError, ValueError):
        return USUAL_QUEUE
