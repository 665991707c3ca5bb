"""Counts of the cores that this process may use, with and without hyper-threads."""

from __future__ import annotations

import os

import psutil


def allowed_cores() -> int:
    """Cores this process may run on, which in a container are fewer than the machine's."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)


def physical_cores() -> int:
    """The same without hyper-threads, with which llama.cpp slows down badly."""
    allowed = allowed_cores()
    return max(1, min(allowed, psutil.cpu_count(logical=False) or allowed))
