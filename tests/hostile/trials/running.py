"""Running the program to its end, with its time and the memory of all its processes."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import psutil

# Bytes that the program and its worker may hold together: the worker is ended at 1,500 MiB.
MEMORY = (1500 + 512) * 2**20


@dataclass(slots=True)
class Outcome:
    """What a run of the program gave."""

    code: int
    output: str
    errors: str
    seconds: float
    peak: int  # bytes
    files: list[dict[str, str]] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        """What went wrong with the program itself."""
        found = []
        if self.code:
            found.append(f"exit code {self.code}: {self.errors.strip()[-300:]}")
        if "Traceback" in self.output + self.errors:
            found.append("a traceback")
        if self.peak > MEMORY:
            found.append(f"{self.peak / 2**20:,.0f} MiB")
        return found


def memory_of(process: psutil.Process) -> int:
    """Bytes a process holds: its share of what is shared (PSS), or else RSS."""
    try:
        return int(process.memory_full_info().pss)
    except (AttributeError, psutil.AccessDenied):
        return int(process.memory_info().rss)


def peak_of(pid: int, stopped: threading.Event) -> int:
    """The highest memory of a process and its children until `stopped` is set.

    It is looked at ten times a second, or for a tenth of the time where looking takes long.
    """
    highest, took = 0, 0.0
    root = psutil.Process(pid)
    while not stopped.wait(max(0.1, 9 * took)):
        total, started = 0, time.perf_counter()
        try:
            for process in (root, *root.children(recursive=True)):
                total += memory_of(process)
        except psutil.Error:
            continue
        finally:
            took = time.perf_counter() - started
        highest = max(highest, total)
    return highest


def manole(
    arguments: Sequence[str],
    environment: dict[str, str],
    prefix: Sequence[str] = (),
    python: Sequence[str] = (sys.executable, "-P", "-m", "manole.cli.app"),
) -> Outcome:
    """Run the program to its end; `prefix` is what runs it."""
    stopped, found = threading.Event(), [0]
    command = [*prefix, *python, *arguments]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err, env=environment)
        watch = threading.Thread(target=lambda: found.append(peak_of(process.pid, stopped)))
        watch.start()
        try:
            code = process.wait()
            seconds = time.perf_counter() - started
        finally:
            stopped.set()
            watch.join()
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read())
    return Outcome(code, *texts, seconds, max(found))
