"""What surrounds every use of the store's files: the writer's lock, and readable errors."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from manole.errors import IndexBusyError, ManoleError, StoreError


@contextlib.asynccontextmanager
async def writer_lock(path: Path) -> AsyncIterator[None]:
    """Hold the lock of the index in `path`; raises `IndexBusyError` where another does."""
    lock = FileLock(path / "write.lock", thread_local=False)
    try:
        with failures(path):
            lock.acquire(timeout=0)
    except Timeout:
        raise IndexBusyError(
            f"Another process is writing the index {path.name}.",
            "Wait until it has finished, or stop it; nothing is lost.",
        ) from None
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def failures(path: Path) -> Iterator[None]:
    """Turn what the engine raises (it has no hierarchy of its own) into `StoreError`."""
    try:
        yield
    except (ManoleError, Timeout):
        raise
    except Exception as error:
        text = str(error)
        full = "No space left" in text or "os error 28" in text
        if full or getattr(error, "errno", None) == errno.ENOSPC:
            raise StoreError(
                f"No space is left on the disk that holds {path}.",
                "Free some, then run `manole index` again: what was complete before is kept.",
            ) from error
        said = text.splitlines()[0][:300] if text else repr(error)
        raise StoreError(
            f"The index {path.name} failed: {said}.",
            "Run `manole index` again; `--force` builds the index anew.",
        ) from error
