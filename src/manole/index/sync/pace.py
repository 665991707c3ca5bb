"""The pace of a sync: slowed for questions, on battery power, and to its share of the cores.

A sync awaits `Pace.step` between files and between calls of the embedder. The share is a duty
cycle: the processor time of this process and its children since the last step must fit into it, or
the sync sleeps for the difference. That time is measured, so it does not matter which process
worked.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from manole.errors import PausedError
from manole.models.cores import allowed_cores
from manole.settings import Settings

SUPPLIES = Path("/sys/class/power_supply")
# All set by hand:
LOOK = 0.1  # seconds between two looks at whether a question is still being answered
MOST_WAIT = 60.0  # seconds that questions may hold up one step, so that a busy server gets on
NAP = 5.0  # seconds slept at once, at most
BATTERY_EVERY = 10.0  # seconds between two looks at the battery during a sync
BATTERY_LOOK = 1.0  # the same while one waits for mains power
NICER = 10  # added to the niceness of a background sync
_QUIET_THREADS = ("embed", "split")


class Pace:
    """The pace of a sync. `Pace()` does not slow it.

    The sync waits while `busy` returns that a question is being answered. It ends when `battery`
    returns that the machine runs on battery, and is tried again on mains power. `max_cpu` is a
    percentage of the cores at hand. `low` gives the threads that only syncs use a low priority
    (Linux).
    """

    def __init__(
        self,
        *,
        busy: Callable[[], bool] | None = None,
        battery: Callable[[], bool] | None = None,
        max_cpu: int = 100,
        low: bool = False,
    ) -> None:
        self._busy = busy
        self._battery = battery
        self._share = allowed_cores() * max_cpu / 100 if max_cpu < 100 else None
        self._low = low
        self._lowered: set[int] = set()
        self._seen: tuple[float, float] | None = None  # wall and processor seconds
        self._looked = -BATTERY_EVERY

    async def step(self) -> None:
        """Wait until the sync may go on. Raises `PausedError` on battery.

        Waiting for mains power inside a sync would keep the index locked for hours.
        """
        if self._low:
            self._lower()
        if self._battery is not None and time.monotonic() - self._looked > BATTERY_EVERY:
            self._looked = time.monotonic()
            if self._battery():
                raise PausedError("Indexing waits until the machine is on mains power.")
        if self._busy is not None:
            until = time.monotonic() + MOST_WAIT
            while self._busy() and time.monotonic() < until:  # noqa: ASYNC110  (another thread's)
                await asyncio.sleep(LOOK)
        if self._share is not None:
            await self._rest(self._share)

    async def powered(self) -> None:
        """Wait until the machine is on mains power, if that matters."""
        while self._battery is not None and self._battery():  # noqa: ASYNC110  (a file says it)
            await asyncio.sleep(BATTERY_LOOK)

    async def _rest(self, cores: float) -> None:
        """Sleep until the processor time since the last step is within the share."""
        now, used = time.monotonic(), await asyncio.to_thread(processor_seconds)
        if self._seen is not None:
            before, used_before = self._seen
            left = (used - used_before) / cores - (now - before)
            while left > 0:
                await asyncio.sleep(min(left, NAP))
                left -= NAP
        self._seen = time.monotonic(), used

    def _lower(self) -> None:
        """Lower the priority of the threads that only syncs use."""
        if sys.platform != "linux":
            return
        for thread in threading.enumerate():
            name, number = thread.name, thread.native_id
            if number and number not in self._lowered and name.startswith(_QUIET_THREADS):
                self._lowered.add(number)
                with contextlib.suppress(OSError):  # it has ended meanwhile
                    if os.getpriority(os.PRIO_PROCESS, number) < NICER:
                        os.setpriority(os.PRIO_PROCESS, number, NICER)


AT_ONCE = Pace()


def background(settings: Settings, busy: Callable[[], bool] | None = None) -> Pace:
    """Return the pace of a sync that nobody waits for."""
    return Pace(
        busy=busy,
        battery=on_battery if settings.watch.on_battery == "pause" else None,
        max_cpu=settings.index.max_cpu,
        low=True,
    )


def on_battery(supplies: Path = SUPPLIES) -> bool:
    """Return whether the machine runs on battery; without information, it runs on mains.

    A laptop has a battery that discharges and a mains supply that is off. The batteries of mice and
    keyboards (`scope` is `Device`) do not count.
    """
    discharging = mains = False
    try:
        found = sorted(supplies.iterdir())
    except OSError:
        return False
    for supply in found:
        kind = _read(supply / "type")
        if kind in {"Mains", "USB"} and _read(supply / "online") == "1":
            mains = True
        if kind == "Battery" and _read(supply / "scope") != "Device":
            discharging |= _read(supply / "status") == "Discharging"
    return discharging and not mains


def processor_seconds() -> float:
    """Return the processor seconds of this process and its children, ended ones included."""
    own = psutil.Process()
    times = own.cpu_times()
    total = times.user + times.system + times.children_user + times.children_system
    for child in own.children(recursive=True):
        with contextlib.suppress(psutil.Error):  # it has ended: counted above from the next time on
            of_child = child.cpu_times()
            total += of_child.user + of_child.system
    return float(total)


def _read(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace").strip()
    except OSError:
        return ""
