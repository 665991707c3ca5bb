"""The pace of a sync: it waits while a question is answered, and ends on battery power.

A sync awaits `Pace.step` between files and between calls of the embedder. Priorities are set where
the work is done: `documents/worker.py` lowers its own, `cli/watch.py` that of what runs beside.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from manole.errors import PausedError
from manole.settings import Settings

SUPPLIES = Path("/sys/class/power_supply")
# All set by hand:
LOOK = 0.1  # seconds between two looks at whether a question is still being answered
MOST_WAIT = 60.0  # seconds that questions may hold up one step, so that a busy server gets on
BATTERY_EVERY = 10.0  # seconds between two looks at the battery during a sync
BATTERY_LOOK = 1.0  # the same while one waits for mains power


class Pace:
    """The pace of a sync. `Pace()` does not slow it.

    The sync waits while `busy` returns that a question is being answered. It ends when `battery`
    returns that the machine runs on battery, and is tried again on mains power.
    """

    def __init__(
        self,
        *,
        busy: Callable[[], bool] | None = None,
        battery: Callable[[], bool] | None = None,
    ) -> None:
        self._busy = busy
        self._battery = battery
        self._looked = -BATTERY_EVERY

    async def step(self) -> None:
        """Wait until the sync may go on. Raises `PausedError` on battery.

        Waiting for mains power inside a sync would keep the index locked for hours.
        """
        if self._battery is not None and time.monotonic() - self._looked > BATTERY_EVERY:
            self._looked = time.monotonic()
            if self._battery():
                raise PausedError("Indexing waits until the machine is on mains power.")
        if self._busy is not None:
            until = time.monotonic() + MOST_WAIT
            while self._busy() and time.monotonic() < until:  # noqa: ASYNC110  (another thread's)
                await asyncio.sleep(LOOK)

    async def powered(self) -> None:
        """Wait until the machine is on mains power, if that matters."""
        while self._battery is not None and self._battery():  # noqa: ASYNC110  (a file says it)
            await asyncio.sleep(BATTERY_LOOK)


AT_ONCE = Pace()


def background(settings: Settings, busy: Callable[[], bool] | None = None) -> Pace:
    """Return the pace of a sync that nobody waits for."""
    pauses = settings.watch.on_battery == "pause"
    return Pace(busy=busy, battery=on_battery if pauses else None)


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


def _read(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace").strip()
    except OSError:
        return ""
