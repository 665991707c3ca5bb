"""Whether a model has room on this machine, and whether it answers soon enough here.

A model **fits** if weights, context and engine leave the rest of the system its share of memory. It
is **quick** if it answers a usual question in `TOLERABLE_S` seconds, as was measured
(`machine/tuning.py`). A model that never ran here is taken to be as quick for its weights as the
quickest of those that did: enough to advise for or against it, too little to tell its seconds.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from manole.models.catalog.table import ModelSpec
from manole.models.machine.tuning import Speed, active, recall_speeds

CONTEXT = 8192  # tokens, the default of `model.context`
# Set by hand.
TOLERABLE_S = 15.0
_SHARE = 0.6  # of the memory, for a model
_ENGINE = 512 * 2**20  # bytes: compute buffers, and copies of sequences that had to make room
# Bits per weight in a file, about, with its parts of higher precision; for files of unknown size.
_BITS = {"Q2_0": 2.3, "Q5_": 5.8, "Q8_0": 8.6, "-f16": 16.0}
_USUAL_BITS = 5.0
_CGROUP = Path("/sys/fs/cgroup/memory.max")


@dataclass(frozen=True, slots=True)
class Machine:
    """A computer: its memory in bytes, and the speed of each model that was measured on it."""

    memory: int
    speeds: Mapping[str, Speed] = field(default_factory=dict)

    @property
    def room(self) -> int:
        """The bytes of memory for a model."""
        return int(self.memory * _SHARE)


@dataclass(frozen=True, slots=True)
class Outlook:
    """A model on a machine: the bytes it needs, and the seconds of its answers, if measured.

    `quick` is `None` for a chat model while none was measured, and for a vision model.
    """

    spec: ModelSpec
    needed: int
    fits: bool
    answer_s: float | None = None
    quick: bool | None = None


def outlook(spec: ModelSpec, machine: Machine, context: int = CONTEXT) -> Outlook:
    """Return what is known of a chat or vision model on `machine`."""
    needed, own = memory(spec, context), machine.speeds.get(spec.name)
    answer_s = own.answer_s if own else None
    return Outlook(spec, needed, needed <= machine.room, answer_s, _quick(spec, machine))


def memory(spec: ModelSpec, context: int = CONTEXT) -> int:
    """Return the bytes a running model takes; without traits, those of its files and engine."""
    kv = spec.traits.kv if spec.traits else 0
    return weights_bytes(spec) + kv * context + _ENGINE


def weights_bytes(spec: ModelSpec) -> int:
    """Return the bytes of the files, estimated from the weights if nobody published a size."""
    if spec.size or spec.traits is None:
        return spec.size
    source: Any = next(iter(spec.files[0].sources), None)
    name = getattr(source, "filename", "")
    bits = next((bits for mark, bits in _BITS.items() if mark in name), _USUAL_BITS)
    return round((spec.traits.weights * bits + spec.traits.eyes * 16) / 8 * 1e9)


def here(cache: Path) -> Machine:
    """Describe this machine, with the speeds that are kept in `cache`."""
    total = psutil.virtual_memory().total
    with contextlib.suppress(OSError, ValueError):  # what a container allows its processes
        total = min(total, int(_CGROUP.read_text("ascii")))
    return Machine(total, recall_speeds(cache))


def _quick(spec: ModelSpec, machine: Machine) -> bool | None:
    if own := machine.speeds.get(spec.name):
        return own.answer_s <= TOLERABLE_S
    if spec.kind != "chat" or spec.traits is None or not machine.speeds:
        return None
    least = min(speed.answer_s / speed.active for speed in machine.speeds.values())
    return least * active(spec.traits) <= TOLERABLE_S
