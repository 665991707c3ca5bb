"""Giving memory that was freed back to the system, so that a sync's does not grow with its files.

What is alive during a sync is small and stays so; what grew was freed memory, kept. Arrow's default
pool (mimalloc) keeps it, and so does glibc, in an arena for each of LanceDB's threads, in pieces
too scattered for the next, larger commit. So Arrow takes the system's memory, glibc has two arenas
and maps blocks of a megabyte or more each by themselves, and the rest is given back after a commit.
The store alone, private memory from 500 to 6,000 files: 74 to 79 MiB with all three; 80 to 133
without the two settings of glibc.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

import pyarrow as pa

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # glibc's malloc.h
_LARGE = 2**20  # bytes; set, it no longer rises to 32 MiB by itself
_ARENAS = 2


@cache
def keep_small() -> None:
    """Have the allocators of this process keep little; the first call counts."""
    pa.set_memory_pool(pa.system_memory_pool())
    libc = _glibc()
    if libc is not None:
        libc.mallopt(_MMAP_THRESHOLD, _LARGE)
        libc.mallopt(_TRIM_THRESHOLD, _LARGE)
        libc.mallopt(_ARENA_MAX, _ARENAS)


def give_back() -> None:
    """Return freed memory to the system, where the C library can (glibc); takes milliseconds."""
    libc = _glibc()
    if libc is not None:
        libc.malloc_trim(ctypes.c_size_t(0))


@cache
def _glibc() -> Any:
    """The C library when it is glibc, else `None` (musl, macOS, Windows)."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "malloc_trim") and hasattr(libc, "mallopt") else None
