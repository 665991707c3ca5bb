"""The day on which a file was created, where the file system knows it.

macOS and Windows tell it in `os.stat`. Linux tells it by the system call `statx` (man 2 statx),
which Python's `os` does not wrap yet; the C library does (glibc 2.28, musl 1.2.3).
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

_BELOW_WORKING_DIRECTORY = -100  # AT_FDCWD
_CREATED = 0x800  # STATX_BTIME
_SIZE = 256  # bytes of `struct statx`
_MASK_AT, _CREATED_AT = 0, 80  # of `stx_mask` and `stx_btime` in it


def created(path: Path) -> datetime | None:
    """Return when a file was created on its disk, local time; `None` where nobody knows.

    A copy is created when it is made. Links are followed.
    """
    try:
        stat = path.stat()
        known = getattr(stat, "st_birthtime", None)
        if known is None and sys.platform == "win32":
            known = stat.st_ctime
        seconds = known if known is not None else _by_statx(path)
        return datetime.fromtimestamp(seconds).astimezone() if seconds else None
    except (OSError, ValueError, OverflowError):
        return None


def _by_statx(path: Path) -> float | None:
    call = _statx()
    if call is None:
        return None
    filled = ctypes.create_string_buffer(_SIZE)
    if call(_BELOW_WORKING_DIRECTORY, os.fsencode(path), 0, _CREATED, filled):
        return None
    (mask,) = struct.unpack_from("=I", filled, _MASK_AT)
    seconds, nanoseconds = struct.unpack_from("=qI", filled, _CREATED_AT)
    return seconds + nanoseconds / 1e9 if mask & _CREATED else None


@cache
def _statx() -> Any:
    """Return the C library's `statx`, `None` where it has none."""
    try:
        call = ctypes.CDLL(None).statx
    except (OSError, AttributeError, TypeError):
        return None
    call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p)
    return call
