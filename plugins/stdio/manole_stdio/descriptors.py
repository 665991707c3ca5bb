"""Standard output for the protocol alone.

C libraries (llama.cpp, ggml) and child processes print to descriptor 1 as they like. So the
protocol gets a private copy of it, and descriptor 1 becomes standard error. Standard input is moved
too, so that no child reads a request.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from manole.errors import UsageError


@dataclass(frozen=True, slots=True)
class Descriptors:
    """The descriptors that requests come from and answers go to."""

    requests: int
    answers: int


def claim(command: str) -> Descriptors:
    """Take standard input and output for the protocol; to be called before anything is printed.

    `command` is the one that runs (`stdio`). Raises `UsageError` when one of them is closed.
    """
    if sys.stdout is not None:
        sys.stdout.flush()
    try:
        requests, answers = os.dup(0), os.dup(1)  # not inherited by children
    except OSError:
        raise UsageError(
            "Standard input or output is closed.",
            f"`manole {command}` is started by another program, which talks to it over both.",
        ) from None
    os.set_blocking(requests, True)
    os.set_blocking(answers, True)
    _point(0, os.open(os.devnull, os.O_RDONLY))
    try:
        os.dup2(2, 1)
    except OSError:  # there is no standard error
        _point(1, os.open(os.devnull, os.O_WRONLY))
    sys.stdout = sys.stderr
    return Descriptors(requests, answers)


def _point(descriptor: int, target: int) -> None:
    os.dup2(target, descriptor)
    if target != descriptor:
        os.close(target)
