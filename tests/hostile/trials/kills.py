"""Kill a sync again and again, and see that nothing is lost.

    python tests/hostile/trials/kills.py [200] [--files 150] [--log FILE] [--seed 1] [--seconds 540]

A real `manole index` in a process group of its own is killed (SIGKILL, the whole group) at a random
moment. Then the index must open, a search must answer, the next sync must end, and what it leaves
must be exactly what an undisturbed sync leaves: every row of files, passages and pages but for ids
and times, vectors within rounding. Every other round starts from an index that is there already,
of a folder in which files were changed, renamed, deleted and added since.

With `--log`, rounds are noted in a file, and the same command goes on where it was; `--seconds`
ends a piece of the work in time. Prints a Markdown table; the exit code is 1 where a round failed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

import folders
from manole.errors import ManoleError, NotIndexedError
from manole.library import Library
from manole.settings import Settings
from states import State, differences, state_of

ATTEMPTS = 5  # to hit a run before it ends


@dataclass(slots=True)
class Round:
    """What one round showed. `held`: what stood in the index when the sync was killed."""

    number: int
    changed: bool
    after_s: float
    held: str
    mended: bool
    faults: list[str]


@dataclass(slots=True)
class Case:
    """A folder, the index to begin with (if any), and the state an undisturbed sync leaves."""

    folder: Path
    base: Path | None
    expected: State
    untouched: list[Path]
    begin: float  # seconds until the index is written to
    whole: float  # seconds of the whole run


class Kills:
    """All rounds of one run of this program."""

    def __init__(self, place: Path, files: int, seed: int, pages: str) -> None:
        self._place = place
        self._files = files
        self._seed = seed
        self._data = place / "data"
        self._environment = os.environ | {
            "MANOLE_DATA_DIR": str(self._data),
            "MANOLE_INDEX__OCR": "false",
            "MANOLE_INDEX__PAGES": pages,
            "MANOLE_VISION__NAME": "off",
        }
        self.settings = Settings.load(
            {"data_dir": self._data, "index.ocr": False, "index.pages": pages, "vision.name": "off"}
        )

    def case(self, changed: bool) -> Case:
        """Make a folder, and learn what an undisturbed sync does."""
        folder = self._place / ("changed" if changed else "new")
        folders.make(folder, self._files, self._seed)
        base, untouched = None, []
        shutil.rmtree(self._data, ignore_errors=True)
        if changed:
            asyncio.run(self._sync(folder))
            base = self._place / "base"
            shutil.copytree(self._data, base)
            untouched = folders.change(folder, self._seed)
        started = time.perf_counter()
        process = self._start(folder)
        while not self._writing() and process.poll() is None:
            time.sleep(0.005)
        begin = time.perf_counter() - started
        self._end(process)
        whole = time.perf_counter() - started
        expected = asyncio.run(self._state(folder))
        return Case(folder, base, expected, untouched, begin, whole)

    async def _sync(self, folder: Path) -> None:
        async with await Library.open(folder, self.settings) as library:
            await library.sync()

    async def _state(self, folder: Path) -> State:
        async with await Library.open(folder, self.settings) as library:
            return await state_of(library)

    def round(self, number: int, case: Case) -> Round:
        """Kill a run, and look at what it left."""
        chance = random.Random(f"{self._seed} {number}")
        for _ in range(ATTEMPTS):
            shutil.rmtree(self._data, ignore_errors=True)
            if case.base:
                shutil.copytree(case.base, self._data)
            process = self._start(case.folder)
            started = time.perf_counter()
            if chance.random() < 0.1:  # while it still starts
                wait = chance.uniform(0, case.begin)
            else:
                while not self._writing() and process.poll() is None:
                    time.sleep(0.002)
                wait = chance.uniform(0, 1.02 * (case.whole - case.begin))
            time.sleep(wait)
            after = time.perf_counter() - started
            killed = process.poll() is None
            if killed:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if killed:
                break
        held, mended, faults = asyncio.run(self._look(case, chance))
        return Round(number, case.base is not None, round(after, 3), held, mended, faults)

    async def _look(self, case: Case, chance: random.Random) -> tuple[str, bool, list[str]]:
        faults: list[str] = []
        held, mended = "no index yet", False
        marked = self._writing()  # opening takes the mark away
        try:
            async with await Library.open(case.folder, self.settings) as library:
                words = chance.choice(case.untouched).stem if case.untouched else "kitchen"
                try:
                    hits = await library.search(words, limit=10)
                    if case.untouched and not any(words in hit.passage.path for hit in hits):
                        faults.append(f"{words} is not found after the kill")
                    store = await library.store()
                    held = await _held(store) if marked else "before or after writing"
                    mended = store.notice is not None
                except NotIndexedError:
                    if case.base:
                        faults.append("the index of before is gone")
                await library.sync()
                faults += differences(await state_of(library), case.expected)
                (some, *_) = chance.sample(sorted(case.expected.files), 1)
                hits = await library.search(Path(some[1]).stem, limit=20)
                if some[1] not in {hit.passage.path for hit in hits}:
                    faults.append(f"{some[1]} is not found after the sync")
        except (ManoleError, OSError, ValueError, AssertionError) as error:
            faults.append(f"{type(error).__name__}: {error}")
        return held, mended, faults[:20]

    def _start(self, folder: Path) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "manole.cli.app", "index", "--json", str(folder)],
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        if process.wait() != 0:
            raise SystemExit("The undisturbed sync failed.")

    def _writing(self) -> bool:
        return any(True for _ in (self._data / "libraries").glob("*/dirty"))


async def _held(store: object) -> str:
    """In which part of a sync it was killed, by what the store has."""
    from manole.index.store.lance import LanceStore

    assert isinstance(store, LanceStore)
    wrong, orphans = await store.stale()
    passages, embedded = await store.count()
    if wrong or orphans:
        return "between the commits of two tables"
    if not passages:
        return "empty tables"
    return "texts, not all vectors" if embedded < passages else "all vectors"


def run(options: argparse.Namespace) -> int:
    """Make the cases, do the rounds that are left, print."""
    log: Path | None = options.log
    done = [Round(**json.loads(line)) for line in log.read_text().splitlines()] if (
        log and log.exists()
    ) else []  # fmt: skip
    until = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as temporary:
        kills = Kills(Path(temporary), options.files, options.seed, options.pages)
        cases = [kills.case(changed) for changed in (False, True)]
        while len(done) < options.rounds and time.monotonic() < until:
            done.append(kills.round(len(done), cases[len(done) % 2]))
            if log:
                with log.open("a") as stream:
                    stream.write(json.dumps(asdict(done[-1])) + "\n")
            if done[-1].faults:
                print(f"round {done[-1].number}: {'; '.join(done[-1].faults)[:2000]}", flush=True)
    print("| killed while there was | first sync | later sync | mended | failed |")
    print("|---|---:|---:|---:|---:|")
    for held, _ in Counter(item.held for item in done).most_common():
        mine = [item for item in done if item.held == held]
        later = sum(item.changed for item in mine)
        mended, failed = sum(i.mended for i in mine), sum(bool(i.faults) for i in mine)
        print(f"| {held} | {len(mine) - later} | {later} | {mended} | {failed} |")
    failed = sum(bool(item.faults) for item in done)
    print(f"\n{len(done)} of {options.rounds} kills, {failed} failed.")
    return int(bool(failed))


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", type=int, nargs="?", default=200)
    parser.add_argument("--files", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pages", default="lines", help="the setting index.pages")
    parser.add_argument("--log", type=Path, help="note rounds here, and go on from it")
    parser.add_argument("--seconds", type=float, default=86_400.0, help="begin no round after")
    return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
