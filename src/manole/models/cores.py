"""Counts of cores: those this process may use, and those that no other program keeps busy."""

from __future__ import annotations

import contextlib
import os

import psutil

# Seconds for which other programs' use of the cores is watched. Set by hand: every start waits for
# it, and shorter samples are noise (the kernel counts CPU time in ticks of 10 ms).
_WATCH_S = 0.2
_SPARE = 0.15  # of a core that a busy program leaves unused; set by hand


def allowed_cores() -> int:
    """Return the number of cores this process may run on, fewer in a container."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)


def physical_cores() -> int:
    """Return the same without hyper-threads, which slow llama.cpp down badly."""
    allowed = allowed_cores()
    return max(1, min(allowed, psutil.cpu_count(logical=False) or allowed))


def free_cores() -> int:
    """Return how many cores no other program keeps busy, at least one. Blocks for `_WATCH_S`.

    A core counts as taken when other programs use nearly all of it: one thread too few costs time
    for as long as the engine lives, one too many only while the other program runs. Time used by
    this process and its children does not count.
    """
    cores = physical_cores()
    if cores == 1:
        return 1
    before = _own_seconds()
    used = psutil.cpu_percent(interval=_WATCH_S) / 100 * (psutil.cpu_count() or cores)
    others = used - (_own_seconds() - before) / _WATCH_S
    return max(1, min(cores, cores - int(others + _SPARE)))


def _own_seconds() -> float:
    """Return the CPU seconds that this process and its running children have used."""
    me = psutil.Process()
    total = 0.0
    for process in (me, *me.children(recursive=True)):
        with contextlib.suppress(psutil.Error):
            times = process.cpu_times()
            total += times.user + times.system
    return total
