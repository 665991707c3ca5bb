"""Reserves standard output for a protocol.

A stray line on standard output ends a conversation of programs, and C libraries print where Python
cannot see it. So the descriptor itself is moved: what prints to standard output, in Python, in C or
in a child process, prints to standard error; the real one is in the caller's hand alone.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

_OUT, _ERR = 1, 2


@contextmanager
def protocol_stdout() -> Iterator[BinaryIO]:
    """The real standard output as a binary stream, while descriptor 1 leads to standard error.

    The caller flushes what it writes. Everything is put back at the end. Whoever reads may have
    gone by then: that is no error.
    """
    _flush()
    real = os.dup(_OUT)  # not inherited by child processes
    try:
        lead_elsewhere()
        stream = open(real, "wb", closefd=False)  # noqa: SIM115  (a descriptor)
        try:
            yield stream
        finally:
            with contextlib.suppress(OSError, ValueError):  # the reader has gone, or it was closed
                stream.flush()
            _flush()  # while it still leads to standard error
            os.dup2(real, _OUT)
    finally:
        os.close(real)


def lead_elsewhere() -> None:
    """Let descriptor 1 lead to standard error, or to nowhere where there is none."""
    try:
        os.dup2(_ERR, _OUT)
    except OSError:  # there is no standard error
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, _OUT)
        os.close(nowhere)


def _flush() -> None:
    """Empty Python's buffer of standard output, and the C library's."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).fflush(None)
