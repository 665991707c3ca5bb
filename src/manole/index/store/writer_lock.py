"""The writer's lock of an index, and readable errors of the engine."""

from __future__ import annotations

import contextlib
import errno
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from manole.errors import IndexBusyError, ManoleError, StoreError

_CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)
_CLOSED_TEXT = re.compile("Read-only file system|Permission denied|os error (?:30|13)\\b")
_AWAY = re.compile(r"Error performing|error sending request|Generic S3 error")


@contextlib.asynccontextmanager
async def writer_lock(path: Path) -> AsyncIterator[None]:
    """Hold the writer's lock of the index in `path`. Raises `IndexBusyError` if it is taken."""
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
    """Turn the engine's errors, which have no classes of their own, into `StoreError`."""
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
        closed = getattr(error, "errno", None) in _CLOSED or _CLOSED_TEXT.search(text)
        if closed:
            raise StoreError(
                f"The index in {path} cannot be written: its disk or its permissions forbid it.",
                "Make that folder writable, or choose another with the setting `data_dir`.",
            ) from error
        why = text.splitlines()[0][:300] if text else repr(error)
        if _AWAY.search(text):
            raise StoreError(
                f"The object store of the index {path.name} does not answer as it should: {why}.",
                "Are its servers up, and are AWS_ENDPOINT_URL and the keys right? Nothing is lost.",
            ) from error
        raise StoreError(
            f"The index {path.name} failed: {why}.",
            "Run `manole index` again; `--force` builds the index anew.",
        ) from error
