"""Cut the power in the middle of a sync, in simulation, and see that nothing is lost.

    python tests/hostile/trials/powercuts.py [100] [--files 40] [--seed 1]

What a sync writes is recorded: the index's folder as it is before and after each time that it was
synced to disk. A cut then falls just before such a moment. What was synced before is there. Of
each file that was written since, chance decides: it is whole, gone, empty, cut short, all zeros, or
has zeros in its middle; files that were deleted since may be back. Then the index must open, a
search must answer, and the next sync must leave what an undisturbed one leaves (`states.py`).

A search first, then a sync: half of the cases; the others sync at once.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import folders
from manole.errors import ManoleError, NotIndexedError
from manole.index.store import durability
from manole.library import Library
from manole.settings import Settings
from states import State, differences, state_of

FATES = ("whole", "gone", "empty", "cut", "zeros", "hole")


@dataclass(slots=True)
class Moment:
    """Just before a flush: a copy of the folder, and what was safe already (path to inode)."""

    copy: Path
    safe: dict[str, tuple[int, int]]
    deleted: dict[str, Path]  # safe files that were deleted since, and a copy of each


@contextmanager
def recorded(index: Path, into: Path, moments: list[Moment]) -> Iterator[None]:
    """Record what is written to the folder `index`, as long as the context lasts."""
    real = durability.Durable.flush
    safe = _look(index)  # what a sync before left was synced
    last: dict[str, Path] = {}

    def flush(self: durability.Durable) -> None:
        here = into / f"{len(moments):04d}"
        _copy(index, here)
        now = _look(index)
        gone = {name: last[name] for name in safe if name not in now and name in last}
        moments.append(Moment(here, dict(safe), gone))
        real(self)
        safe.clear()
        safe.update(_look(index))
        last.update({name: here / name for name in now})

    setattr(durability.Durable, "flush", flush)  # noqa: B010  (the type checker forbids the other)
    try:
        yield
    finally:
        setattr(durability.Durable, "flush", real)  # noqa: B010


def _look(folder: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = Path(base, name)
            info = path.stat()
            found[str(path.relative_to(folder))] = (info.st_ino, info.st_mtime_ns)
    return found


def _copy(folder: Path, to: Path) -> None:
    """Hard links of what never changes once it is written, copies of the rest."""
    for name in _look(folder):
        target = to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith((".lance", ".manifest", ".arrow", ".txn")):
            os.link(folder / name, target)
        else:
            shutil.copyfile(folder / name, target)


def cut(moment: Moment, index: Path, chance: random.Random) -> dict[str, str]:
    """Put the folder `index` into a state that a power cut at `moment` may leave."""
    shutil.rmtree(index, ignore_errors=True)
    fates: dict[str, str] = {}
    now = _look(moment.copy)
    for name, stamp in now.items():
        target = index / name
        target.parent.mkdir(parents=True, exist_ok=True)
        data = (moment.copy / name).read_bytes()
        same = name in moment.safe and (
            stamp == moment.safe[name] or name.endswith((".lance", ".manifest", ".arrow", ".txn"))
        )
        marks = name in ("dirty", "meta.json", "write.lock")  # written so that they last
        fate = "whole" if same or marks else chance.choice(FATES)
        if name == "dirty":
            data = b"another run of the machine"
        if fate != "gone":
            target.write_bytes(_harmed(data, fate, chance))
        if not same:
            fates[name] = fate
    for name, copy in moment.deleted.items():
        if chance.random() < 0.5 and not (index / name).exists():
            (index / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(copy, index / name)
            fates[name] = "back"
    return fates


def _harmed(data: bytes, fate: str, chance: random.Random) -> bytes:
    at = chance.randrange(len(data)) if data else 0
    match fate:
        case "empty":
            return b""
        case "cut":
            return data[:at]
        case "zeros":
            return bytes(len(data))
        case "hole":
            return data[:at] + bytes(min(4096, len(data) - at)) + data[at + 4096 :]
        case _:
            return data


class Cuts:
    """The moments of a first sync and of a later one, and the states these must lead to."""

    def __init__(self, place: Path, files: int, seed: int) -> None:
        self._place = place
        self._seed = seed
        self._settings = Settings.load({
            "data_dir": place / "data", "index.ocr": False, "index.pages": "off",
            "vision.name": "off",
        })  # fmt: skip
        self._folder = place / "folder"
        folders.make(self._folder, files, seed)
        self._untouched: list[str] = []

    async def cases(self) -> list[tuple[Path, list[Moment], State, list[str]]]:
        """Two: the folder as it was first (a copy), and changed."""
        out = []
        for name in ("first", "later"):
            folder = self._place / name
            shutil.copytree(self._folder, folder)
            moments: list[Moment] = []
            async with await Library.open(folder, self._settings) as library:
                safe: list[str] = []
                if name == "later":
                    await library.sync()
                    left = await asyncio.to_thread(folders.change, folder, self._seed)
                    safe = [path.stem for path in left]
                with recorded(library.path, self._place / f"moments-{name}", moments):
                    await library.sync()
                out.append((folder, moments, await state_of(library), safe))
        return out

    async def one(
        self, case: tuple[Path, list[Moment], State, list[str]], number: int
    ) -> tuple[str, dict[str, str], list[str]]:
        """A cut: which moment it was, what became of the files, and what was wrong after it."""
        folder, moments, expected, untouched = case
        chance = random.Random(f"{self._seed} {number}")
        at = chance.randrange(len(moments))
        faults: list[str] = []
        fates: dict[str, str] = {}
        try:
            async with await Library.open(folder, self._settings) as library:
                fates = await asyncio.to_thread(cut, moments[at], library.path, chance)
                if number // 2 % 2:
                    try:
                        hits = await library.search(chance.choice(untouched or ["kitchen"]))
                        if untouched and not hits:
                            faults.append("nothing is found after the cut")
                    except NotIndexedError:
                        if untouched:
                            faults.append("the index of before is gone")
                await library.sync()
                faults += differences(await state_of(library), expected)
                some = chance.choice(sorted(expected.files))[1]
                hits = await library.search(Path(some).stem, limit=20)
                if some not in {hit.passage.path for hit in hits}:
                    faults.append(f"{some} is not found after the sync")
        except (ManoleError, OSError, ValueError, RuntimeError) as error:
            faults.append(f"{type(error).__name__}: {error}")
        return f"{folder.name} {at + 1}/{len(moments)}", fates, faults


async def run(cases: int, files: int, seed: int, tell: Callable[[str], None]) -> int:
    """Simulate so many cuts. Gives how many went wrong."""
    failed = 0
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        cuts = Cuts(Path(temporary), files, seed)
        both = await cuts.cases()
        for number in range(cases):
            where, fates, faults = await cuts.one(both[number % 2], number)
            seen.update(fates.values())
            if faults:
                failed += 1
                tell(f"cut {number} at {where}: {fates}: {'; '.join(faults)[:1500]}")
    tell("| cuts | moments | " + " | ".join(seen) + " | failed |")
    tell("|---:|---:|" + "---:|" * len(seen) + "---:|")
    counts = " | ".join(str(count) for count in seen.values())
    tell(f"| {cases} | {sum(len(case[1]) for case in both)} | {counts} | {failed} |")
    return failed


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cuts", type=int, nargs="?", default=100)
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    failed = asyncio.run(
        run(options.cuts, options.files, options.seed, lambda s: print(s, flush=True))
    )
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
