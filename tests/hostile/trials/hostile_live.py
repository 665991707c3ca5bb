"""What goes wrong while a sync runs: a full disk, files that change under it, an index that goes.

Each trial gives a line of the table of `hostile.py`, and what was wrong in it. A full disk is a
small tmpfs in a mount namespace of its own; where that is not permitted, the trial says so.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import folders
from hostile_rows import Row
from running import Outcome, manole

_READ_ONLY = ("unshare", "-rm", "sh", "-c", 'mount --bind "$0" "$0" && '
              'mount -o remount,bind,ro "$0" && exec "$@"')  # fmt: skip
_SMALL = ("unshare", "-rm", "sh", "-c",
          'mount -t tmpfs -o mode=700,size="$1" none "$0" && shift && exec "$@"')  # fmt: skip
FULL = "full disk"
READ_ONLY = "read-only index folder"
GONE = "index folder removed during a sync"
CHANGING = "files that vanish, grow, shrink, close during a sync"
CLOCK = "wall clock that jumps by hours and years, twice a second"


class Live:
    """Trials in a temporary place."""

    def __init__(self, place: Path, environment: dict[str, str], files: int, seed: int) -> None:
        self._place = place
        self._files = files
        self._seed = seed
        self._environment = environment

    def _folder(self, name: str) -> tuple[Path, dict[str, str]]:
        """A folder of ordinary files, and an environment whose indexes lie elsewhere."""
        folder = self._place / name
        folders.make(folder, self._files, self._seed)
        data = self._place / f"{name}-data"
        data.mkdir(0o700)
        return folder, self._environment | {"MANOLE_DATA_DIR": str(data)}

    def _mounted(self, how: tuple[str, ...]) -> bool:
        probe = self._place / "probe"
        probe.mkdir(exist_ok=True)
        size = ["1m"] if how is _SMALL else []
        done = subprocess.run([*how, str(probe), *size, "true"], capture_output=True, check=False)
        return done.returncode == 0

    def full_disk(self) -> Row:
        """The index lies on a disk that is full after some commits; then it has room."""
        if not self._mounted(_SMALL):
            return Row(FULL, "", "not tried: no mount is permitted here")
        folder, environment = self._folder("full")
        data = Path(environment["MANOLE_DATA_DIR"])
        python = [sys.executable, "-P", "-m", "manole.cli.app"]
        # First on the small disk, then its content on the large one, all in one namespace.
        script = (
            'd="$MANOLE_DATA_DIR"; "$@"; code=$?; mkdir -p "$d-kept"; cp -a "$d/." "$d-kept/"; '
            "exit $code"
        )
        outcome = manole(
            ["index", str(folder)], environment,
            (*_SMALL, str(data), f"{4 * self._files}k", "sh", "-c", script, "-"), python,
        )  # fmt: skip
        trial = self._failed_well(FULL, outcome, "No space is left")
        shutil.rmtree(data)
        shutil.copytree(f"{data}-kept", data)
        self._as_new(trial, folder, environment)
        return trial

    def read_only(self) -> Row:
        """The index may be read and not written: a search answers, a sync says why it cannot."""
        if not self._mounted(_READ_ONLY):
            return Row(READ_ONLY, "", "not tried: no mount is permitted here")
        folder, environment = self._folder("readonly")
        manole(["index", str(folder)], environment)
        (folder / "later.txt").write_text("changed since")
        data = environment["MANOLE_DATA_DIR"]
        outcome = manole(["index", str(folder)], environment, (*_READ_ONLY, data))
        trial = self._failed_well(READ_ONLY, outcome, "cannot be written")
        search = ["search", "--json", "kitchen", str(folder)]
        found = manole(search, environment, (*_READ_ONLY, data))
        if found.code or '"file"' not in found.output:
            trial.faults.append(f"read-only: a search fails: {found.errors[-300:]}")
        return trial

    def disappearing(self) -> Row:
        """The index folder is removed in the middle of a sync."""
        folder, environment = self._folder("going")
        data = Path(environment["MANOLE_DATA_DIR"])

        def remove() -> None:
            while not list(data.glob("libraries/*/tables/passages.lance/data/*")):
                time.sleep(0.01)
            time.sleep(0.3)
            shutil.rmtree(data, ignore_errors=True)

        outcome = _beside(remove, ["index", str(folder)], environment)
        trial = self._row(GONE, outcome)
        if outcome.code not in (0, 1) or "Traceback" in outcome.errors:
            trial.faults.append(f"index removed: exit code {outcome.code}: {outcome.errors[-400:]}")
        self._as_new(trial, folder, environment)
        return trial

    def mutating(self) -> Row:
        """Files vanish, grow, shrink, are renamed and closed while they are read."""
        folder, environment = self._folder("mutating")
        stop = threading.Event()
        chance = random.Random(self._seed)

        def mutate() -> None:
            while not stop.is_set():
                names = [path for path in folder.rglob("*.*") if path.is_file()]
                path = chance.choice(names)
                try:
                    match chance.randrange(6) if len(names) > self._files // 2 else 5:
                        case 0:
                            path.unlink()
                        case 1:
                            with path.open("ab") as stream:
                                stream.write(chance.randbytes(500))
                        case 2:
                            os.truncate(path, path.stat().st_size // 2)
                        case 3:
                            path.rename(
                                path.with_name(f"r{chance.randrange(999)}-{path.name[-30:]}")
                            )
                        case 4:
                            path.chmod(chance.choice([0, 0o644]))
                        case _:
                            path.write_text("written anew")
                except OSError:
                    continue
                time.sleep(0.02)

        outcome = _beside(mutate, ["index", str(folder)], environment, stop)
        trial = self._row(CHANGING, outcome)
        if outcome.code or "Traceback" in outcome.errors:
            trial.faults.append(f"mutating: exit code {outcome.code}: {outcome.errors[-400:]}")
        for path in folder.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        self._as_new(trial, folder, environment)
        return trial

    def clock(self) -> Row:
        """The wall clock jumps by hours, days and years, twice a second."""
        compiler = shutil.which("cc")
        if not compiler or not sys.platform.startswith("linux"):
            return Row(CLOCK, "", "not tried: it takes Linux and a C compiler")
        folder, environment = self._folder("clock")
        library = self._place / "clock.so"
        source = Path(__file__).with_name("hostile_clock.c")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
        jumping = environment | {"LD_PRELOAD": str(library)}
        outcome = manole(["index", str(folder)], jumping)
        trial = self._row(CLOCK, outcome)
        for path in sorted(folder.rglob("*.*"))[:10]:
            path.write_text("written anew")
        for arguments in (["index"], ["search", "--json", "anew"], ["status"], ["doctor"]):
            done = manole([*arguments, str(folder)] if arguments != ["doctor"] else arguments,
                          jumping)  # fmt: skip
            outcome.code, outcome.errors = outcome.code or done.code, outcome.errors + done.errors
        if outcome.code or "Traceback" in outcome.errors:
            trial.faults.append(f"clock: exit code {outcome.code}: {outcome.errors[-400:]}")
        self._as_new(trial, folder, environment)
        return trial

    def _as_new(self, trial: Row, folder: Path, environment: dict[str, str]) -> None:
        """The next sync must end as one into an empty index does."""
        counts = []
        for data in (environment["MANOLE_DATA_DIR"], f"{environment['MANOLE_DATA_DIR']}-new"):
            here = environment | {"MANOLE_DATA_DIR": data}
            done = manole(["index", str(folder)], here)
            if done.code:
                trial.faults.append(f"{trial.name}: the next sync fails: {done.errors[-400:]}")
            counts.append(re.findall(r": \d+ files .*", done.output))
        if counts[0] != counts[1]:
            trial.faults.append(f"{trial.name}: then {counts[0]}, and anew {counts[1]}")

    def every(self) -> dict[str, Callable[[], Row]]:
        """All trials, by the names of their rows."""
        return {
            FULL: self.full_disk, READ_ONLY: self.read_only, GONE: self.disappearing,
            CHANGING: self.mutating, CLOCK: self.clock,
        }  # fmt: skip

    def _row(self, name: str, outcome: Outcome) -> Row:
        text = outcome.output
        if outcome.code:  # behind what it told of its progress
            text = outcome.errors[max(0, outcome.errors.find("manole: ")) :]
        lines = [line for line in text.replace(f"{self._place}/", "").splitlines() if line.strip()]
        said = f"exit code {outcome.code}: {' '.join(' '.join(lines[:2]).split())}"
        size = f"{self._files:,} ordinary files"
        return Row(name, size, said, seconds=outcome.seconds, peak=outcome.peak)

    def _failed_well(self, name: str, outcome: Outcome, wanted: str) -> Row:
        trial = self._row(name, outcome)
        if outcome.code != 1 or "Traceback" in outcome.errors or wanted not in outcome.errors:
            trial.faults.append(f"{name}: exit code {outcome.code}: {outcome.errors[-600:]}")
        return trial


def _beside(
    work: Callable[[], None], arguments: list[str], environment: dict[str, str],
    stop: threading.Event | None = None,
) -> Outcome:  # fmt: skip
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    outcome = manole(arguments, environment)
    if stop:
        stop.set()
    thread.join(timeout=60)
    return outcome
