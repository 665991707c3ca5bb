"""The return of freed memory to the system, so that a sync does not grow with the number of files.

A sync needs little memory at a time; what grew was memory that it had freed. Arrow's default pool
(mimalloc) keeps it, and so does glibc: in an arena for each of LanceDB's threads, in pieces too
scattered for the next, larger commit. So Arrow takes memory from the system, glibc has two arenas
and maps each block of a megabyte or more by itself, and the rest is returned after a commit. A sync
of 10,000 files took 491 MiB at its peak, and 1,064 MiB without this.

It is for writing only. A search allocates and frees the same large buffers at each query; asking
the system for them anew made it take 93 ms instead of 36.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import pyarrow as pa

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # glibc's malloc.h
_LARGE = 2**20  # bytes; set by hand
_LARGEST = 2**25  # up to where glibc lets the threshold rise by itself
_ARENAS = 2


@contextlib.contextmanager
def kept_small() -> Iterator[None]:
    """Have the allocators of this process keep little memory within the context."""
    libc, pool = _glibc(), pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())
    if libc is not None:
        libc.mallopt(_ARENA_MAX, _ARENAS)
    _map_from(libc, _LARGE)
    try:
        yield
    finally:
        pa.set_memory_pool(pool)
        _map_from(libc, _LARGEST)
        give_back()


def _map_from(libc: Any, size: int) -> None:
    """Make malloc map blocks of `size` bytes or more by themselves."""
    if libc is not None:
        libc.mallopt(_MMAP_THRESHOLD, size)
        libc.mallopt(_TRIM_THRESHOLD, size)


def give_back() -> None:
    """Return freed memory to the system, where the C library can (glibc); takes milliseconds."""
    libc = _glibc()
    if libc is not None:
        libc.malloc_trim(ctypes.c_size_t(0))


@cache
def _glibc() -> Any:
    """Return the C library when it is glibc, else `None` (musl, macOS, Windows)."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "malloc_trim") and hasattr(libc, "mallopt") else None
