"""What becomes of hostile input: each is synced by the real program, and the table says all.

    python tests/hostile/trials/hostile.py [--quick] [--only PATTERN] [--live] [--keep FILE]

Each input gets an index of its own, so that its time and memory can be told; then all of them lie
in one folder beside ordinary files, which must all be found. Every file must end as indexed,
partial, skipped or failed with a reason; the program must end with exit code 0 and without a
traceback, in bounded memory. The last line says whether it was so; the exit code is 1 where not.

With `--keep` each result is written to a file of JSON once it is there, and a run goes on where the
one before was stopped; the table is then of all that the file holds. `--again` measures anew.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from hostile_live import Live
from hostile_rows import HEAD, Kept, Row
from hostile_set import FULL, QUICK, SECRET, Input, Making, Scale, every
from running import Outcome, manole

SEPARATOR = " › "  # before what lies inside a file
ANY = frozenset({"indexed", "partial", "skipped", "failed"})
SHOWN = 3  # reasons in a line of the table
ALL = "all of it, beside 20 ordinary files"
# Permissions do not bind root; without these two capabilities they do.
AS_OWNER = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")


class Bench:
    """A temporary place with inputs and indexes."""

    def __init__(self, place: Path, scale: Scale, seed: int, ocr: bool) -> None:
        self.place = place
        self._scale = scale
        self._seed = seed
        self.secret = place / "secret.txt"
        self.secret.write_text(f"{SECRET} is written here, outside of every library.\n")
        self.environment = os.environ | {
            "MANOLE_DATA_DIR": str(place / "data"),
            "MANOLE_INDEX__OCR": str(ocr).lower(),
            "MANOLE_VISION__NAME": "off",
        }

    def make(self, item: Input, folder: Path) -> None:
        """Write the files of an input."""
        folder.mkdir(parents=True)
        chance = random.Random(f"{self._seed} {item.name}")
        item.make(Making(folder, self._scale, chance, self.secret))

    def index(self, folder: Path, settings: Mapping[str, str] | None = None) -> Outcome:
        """Sync a folder, and ask what became of its files."""
        prefix = AS_OWNER if os.geteuid() == 0 and shutil.which("setpriv") else ()
        environment = self.environment | dict(settings or {})
        outcome = manole(["index", str(folder)], environment, prefix)
        told = manole(["status", "--json", str(folder)], environment)
        if told.code == 0:
            outcome.files = json.loads(told.output)["files"]
        else:
            outcome.errors += told.errors
            outcome.code = outcome.code or told.code
        return outcome

    def alone(self, item: Input) -> Row:
        """An input with an index of its own."""
        folder = self.place / "alone"
        self.make(item, folder)
        outcome = self.index(folder, item.settings)
        row = self.check(item, folder, outcome)
        self.clear()
        return row

    def given(self, name: str, folder: Path) -> Row:
        """A folder as it is."""
        return self.check(Input(name, _nothing, ANY, left=True), folder, self.index(folder))

    def clear(self) -> None:
        """Remove the inputs and indexes that lie here (`rmtree` recurses; folders lie deep)."""
        for name in ("alone", "all", "data"):
            subprocess.run(["chmod", "-R", "u+rwx", str(self.place / name)], capture_output=True)
            subprocess.run(["rm", "-rf", str(self.place / name)], check=True)

    def check(self, item: Input, folder: Path, outcome: Outcome, below: str = "") -> Row:
        """What an input got, with what is not as it should be."""
        mine = [file for file in outcome.files if file["file"].startswith(below)]
        wrong = [f for f in mine if f["status"] not in item.expect]
        silent = [f for f in mine if f["status"] != "indexed" and not f.get("reason")]
        there = sum(1 for _ in files_below(folder))
        faults = list(outcome.faults)
        for file in wrong[:5]:
            said = f"{file['file']!r} is {file['status']} ({file.get('reason')})"
            faults.append(f"{said}, not {' or '.join(sorted(item.expect))}")
        faults += [f"{f['file']!r} is {f['status']} without a reason" for f in silent[:5]]
        own = [file for file in mine if SEPARATOR not in file["file"]]
        if not item.left and len(own) != there:
            faults.append(f"{there} files, {len(own)} in the index")
        for path, count in Counter(file["file"] for file in mine).items():
            if count > 1:
                faults.append(f"{path!r} is in the index {count} times")
        row = described(item.name, folder, outcome)
        row.faults = [f"{item.name}: {fault}" for fault in faults]
        return row


def _nothing(_making: Making) -> None:
    """Of a folder that is there already."""


def files_below(folder: Path) -> Iterator[os.DirEntry[str]]:
    """What is no folder, however deep (`os.walk` recurses)."""
    stack = [str(folder)]
    while stack:
        with contextlib.suppress(OSError), os.scandir(stack.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    stack.append(entry.path)
                else:
                    yield entry


def described(name: str, folder: Path, outcome: Outcome) -> Row:
    """What the files in `folder` got."""
    sizes, count = 0, 0
    for entry in files_below(folder):
        count += 1
        sizes += entry.stat(follow_symlinks=False).st_size
    counts = Counter(file["status"] for file in outcome.files)
    reasons = Counter(file["reason"] for file in outcome.files if file.get("reason"))
    said = ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
    why = "; ".join(f"{reason} ({number})" for reason, number in reasons.most_common(SHOWN))
    more = f"; {len(reasons) - SHOWN} more" if len(reasons) > SHOWN else ""
    return Row(
        name, f"{count:,} files, {sizes / 1e6:,.1f} MB", said or "left out", why + more,
        outcome.seconds, outcome.peak,
    )  # fmt: skip


def ordinary(folder: Path, count: int = 20) -> None:
    """Files like anybody's, which nothing beside them may harm."""
    folder.mkdir(parents=True)
    for number in range(count):
        text = f"An ordinary note about parsnip{number:02d}."
        (folder / f"note{number:02d}.txt").write_text(text)


def together(bench: Bench, items: list[Input]) -> Row:
    """All inputs in one folder beside ordinary files, and the same once more."""
    folder = bench.place / "all"
    ordinary(folder / "ordinary")
    for number, item in enumerate(items):
        bench.make(item, folder / f"{number:02d}")
    outcome = bench.index(folder)
    row = described(ALL, folder, outcome)
    for number, item in enumerate(items):
        if not item.settings:
            row.faults += bench.check(
                item, folder / f"{number:02d}", outcome, f"{number:02d}/"
            ).faults
    good = [f for f in outcome.files if f["file"].startswith("ordinary/")]
    if [f["status"] for f in good] != ["indexed"] * 20:
        row.faults.append(f"together: of 20 ordinary files {len(good)} are there")
    found = manole(["search", "--json", "parsnip13", str(folder)], bench.environment)
    if "ordinary/note13.txt" not in found.output:
        row.faults.append(f"together: an ordinary note is not found ({found.errors[-200:]})")
    found = manole(["search", "--json", SECRET, str(folder)], bench.environment)
    if SECRET in found.output.replace(f'"query": "{SECRET}"', ""):
        row.faults.append("together: the secret outside of the folder is in the index")
    again = bench.index(folder)
    if again.code == 0 and len(again.files) != len(outcome.files):
        row.faults.append(f"again: {len(again.files)} files, before {len(outcome.files)}")
    row.gets += f"; the same again in {again.seconds:,.1f} s, {again.peak / 2**20:,.0f} MiB"
    bench.clear()
    return row


def jobs(
    bench: Bench, live: Live, items: list[Input], options: argparse.Namespace
) -> dict[str, Callable[[], Row]]:
    """What is to be measured, by the name of its row."""
    if options.folder:
        name = f"the folder `{options.folder.name}`"
        return {name: functools.partial(bench.given, name, options.folder)}
    todo: dict[str, Callable[[], Row]] = {}
    if options.each or not options.quick:
        todo = {item.name: functools.partial(bench.alone, item) for item in items}
    if items and not (options.only and (options.each or options.keep)):
        todo[ALL] = functools.partial(together, bench, items)
    if options.live or not (options.quick or options.only):
        todo |= live.every()
    return todo


def main() -> int:
    """Read the command line, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small inputs, all in one sync")
    parser.add_argument("--each", action="store_true", help="with --quick: each by itself, too")
    parser.add_argument("--only", default="", help="inputs whose name matches this")
    parser.add_argument("--tiny", type=int, help="how many tiny files")
    parser.add_argument("--huge-gb", type=float, help="size of the one large text")
    parser.add_argument("--folder", type=Path, help="sync this folder instead, as it is")
    parser.add_argument("--live", action="store_true", help="the trials of hostile_live.py, too")
    parser.add_argument("--files", type=int, default=100, help="ordinary files of these trials")
    parser.add_argument("--keep", type=Path, help="keep each result in this file, and go on")
    parser.add_argument("--again", action="store_true", help="measure what is kept anew, too")
    parser.add_argument("--no-ocr", action="store_true", help="leave pictures alone")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    scale = QUICK if options.quick else FULL
    changes = {"tiny": options.tiny, "huge_gb": options.huge_gb}
    scale = dataclasses.replace(scale, **{k: v for k, v in changes.items() if v is not None})
    try:
        kept = Kept(options.keep, "quick" if options.quick else "full")
    except ValueError as error:
        parser.error(str(error))
    wanted = re.compile(options.only, re.IGNORECASE)
    items = [item for item in every() if wanted.search(item.name)]
    with tempfile.TemporaryDirectory() as temporary:
        bench = Bench(Path(temporary), scale, options.seed, not (options.quick or options.no_ocr))
        live = Live(Path(temporary), bench.environment, options.files, options.seed)
        todo = jobs(bench, live, items, options)
        order = [*(item.name for item in every()), *todo, *kept.rows]
        print(HEAD, flush=True)
        for name in dict.fromkeys(order):
            if name in todo and (options.again or name not in kept.rows):
                kept.put(todo[name]())
            if name in kept.rows:
                print(kept.rows[name].line, flush=True)
    print()
    faults = [fault for row in kept.rows.values() for fault in row.faults]
    for fault in faults:
        print(f"* {fault}")
    print("No crash, no loss." if not faults else f"{len(faults)} faults.")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
