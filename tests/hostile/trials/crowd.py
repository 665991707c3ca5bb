"""One process syncs, four others ask: none may fail, wait, or see half a file.

    python tests/hostile/trials/crowd.py [--seconds 60] [--files 40]

Two of the askers keep the library open and search without a pause; two run `manole search` again
and again. Meanwhile the folder is indexed for the first time, then files are changed, renamed and
deleted, and `manole index` runs again. Every sentence of a file says in which generation it was
written, so an asker can tell when passages of two generations of one file stand side by side.

What an asker looks at, each time anew:

* what a search gives: passages of one generation a file;
* the passages table in one query: the ordinals of each file are 0 … n-1, of one content hash;
* the files table before and after that: how often it was not yet in step (`behind`), as the two
  tables are two commits. This is counted, and is no fault: what a file says is in one table.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from pathlib import Path

from folders import prose
from manole.errors import NotIndexedError
from manole.index.store.row_changes import of_someone
from manole.library import Library
from manole.settings import Settings

GENERATION = re.compile(r"generation(\d+)")


@dataclass(slots=True)
class Seen:
    """What one asker saw."""

    asked: int = 0
    early: int = 0  # "no index yet", before there was one
    longest: float = 0.0  # seconds
    behind: int = 0
    faults: list[str] = field(default_factory=list)

    def fault(self, said: str) -> None:
        """Note a fault, the first few only."""
        if len(self.faults) < 5:
            self.faults.append(said[:500])


async def ask(folder: Path, settings: Settings, stop: Path) -> Seen:
    """Ask until there is a file `stop`, in this process."""
    seen = Seen()
    async with await Library.open(folder, settings) as library:
        while _goes_on(stop, seen):
            started = time.perf_counter()
            try:
                await _look(library, seen)
                seen.asked += 1
            except NotIndexedError as error:
                if seen.asked:
                    seen.fault(str(error))
                seen.early += 1
                await asyncio.sleep(0.05)
            except Exception as error:
                seen.fault(f"{type(error).__name__}: {error}")
            seen.longest = max(seen.longest, time.perf_counter() - started)
    return seen


def _goes_on(stop: Path, seen: Seen) -> bool:
    """Until it is stopped, and has seen something."""
    return not (stop.exists() and (seen.asked or seen.faults))


async def _look(library: Library, seen: Seen) -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for hit in await library.search("generation of the kitchen garden", limit=50):
        found[hit.passage.file_id].update(GENERATION.findall(hit.passage.text))
    for generations in found.values():
        if len(generations) > 1:
            seen.fault(f"a search gave one file in the generations {sorted(generations)}")
    store = await library.store()
    before = {file.id: file for file in await store.files()}
    columns = ["file_id", "ordinal", "content_hash", "words"]
    query = store.tables["passages"].query().where(of_someone()).select(columns)
    rows = (await query.to_arrow()).to_pylist()
    after = {file.id: file for file in await store.files()}
    files = defaultdict(list)
    for row in rows:
        files[row["file_id"]].append(row)
    for file_id, mine in files.items():
        if sorted(row["ordinal"] for row in mine) != list(range(len(mine))):
            seen.fault(f"half a file: ordinals {sorted(row['ordinal'] for row in mine)}")
        if len({row["content_hash"] for row in mine}) > 1:
            seen.fault("passages of one file with two content hashes")
        if len({g for row in mine for g in GENERATION.findall(row["words"])}) > 1:
            seen.fault("passages of one file of two generations")
        known = before.get(file_id)
        if known != after.get(file_id) or known is None or known.passages != len(mine):
            seen.behind += 1


def ask_program(folder: Path, environment: dict[str, str], stop: Path) -> Seen:
    """Run `manole search` until there is a file `stop`."""
    seen = Seen()
    while _goes_on(stop, seen):
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-P", "-m", "manole.cli.app", "search", "--json", "kitchen",
             str(folder)],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        seen.longest = max(seen.longest, time.perf_counter() - started)
        if done.returncode == 0:
            seen.asked += 1
        elif "no index yet" in done.stderr and not seen.asked:
            seen.early += 1
        else:
            seen.fault(f"exit code {done.returncode}: {done.stderr[-300:]}")
    return seen


def write(folder: Path, name: str, generation: int, chance: random.Random) -> None:
    """A file whose sentences all say their generation; put in place at once."""
    text = prose(chance, chance.randint(60, 700)).replace(". ", f" generation{generation}. ")
    fresh = folder / f".{name}.new"
    fresh.write_text(f"{text} generation{generation}.")
    fresh.replace(folder / name)


def disturb(folder: Path, generation: int, chance: random.Random) -> None:
    """Change a third of the files, rename some, delete some, add some."""
    names = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    chance.shuffle(names)
    third = len(names) // 3
    for name in names[:third]:
        write(folder, name, generation, chance)
    for name in names[third : third + 3]:
        (folder / name).rename(folder / f"g{generation}-{name[-14:]}")
    for number, name in enumerate(names[third + 3 : third + 6]):
        (folder / name).unlink()
        write(folder, f"new{generation}-{number}.txt", generation, chance)


def run(seconds: float, files: int, seed: int = 1) -> tuple[dict[str, Seen], int]:
    """Sync and ask for about so long. What each asker saw, and how many syncs ended."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "folder")
        stop = Path(temporary, "stop")
        folder.mkdir()
        for number in range(files):
            write(folder, f"note{number:04d}.txt", 0, chance)
        environment = os.environ | {
            "MANOLE_DATA_DIR": str(Path(temporary, "data")),
            "MANOLE_INDEX__OCR": "false",
            "MANOLE_INDEX__PAGES": "off",
            "MANOLE_VISION__NAME": "off",
        }
        askers = {
            f"asker {number}": subprocess.Popen(
                [sys.executable, __file__, "--asker", kind, "--folder", str(folder),
                 "--stop", str(stop)],
                env=environment, stdout=subprocess.PIPE, text=True,
            )
            for number, kind in enumerate(("library", "library", "program", "program"), 1)
        }  # fmt: skip
        until = time.monotonic() + seconds
        syncs = 0
        faults = Seen()
        while time.monotonic() < until or syncs < 2:
            done = subprocess.run(
                [sys.executable, "-P", "-m", "manole.cli.app", "index", "--json", str(folder)],
                env=environment, capture_output=True, text=True, check=False,
            )  # fmt: skip
            syncs += 1
            if done.returncode:
                faults.fault(f"exit code {done.returncode}: {done.stderr[-300:]}")
            disturb(folder, syncs, chance)
        stop.touch()
        found = {name: Seen(**json.loads(asker.communicate()[0])) for name, asker in askers.items()}
        return found | {"the sync": faults}, syncs


def main() -> int:
    """Read the command line, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--asker", choices=("library", "program"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--stop", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.asker:
        if options.asker == "library":
            seen = asyncio.run(ask(options.folder, Settings.load(), options.stop))
        else:
            seen = ask_program(options.folder, dict(os.environ), options.stop)
        print(json.dumps(asdict(seen)))
        return 0
    found, syncs = run(options.seconds, options.files)
    print("| who | answers | too early | longest, s | files behind | faults |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, seen in found.items():
        print(f"| {name} | {seen.asked} | {seen.early} | {seen.longest:.1f} | {seen.behind} "
              f"| {len(seen.faults)} |")  # fmt: skip
    print(f"\n{syncs} syncs.")
    faults = [f"* {name}: {said}" for name, seen in found.items() for said in seen.faults]
    print("\n".join(faults))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
