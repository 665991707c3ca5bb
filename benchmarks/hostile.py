"""What becomes of hostile input: each is synced by the real program, and the table says all.

    python benchmarks/hostile.py [--quick] [--only PATTERN] [--tiny 1000000] [--huge-gb 20]

Each input gets an index of its own, so that its time and memory can be told; then all of them lie
in one folder beside ordinary files, which must all be found. Every file must end as indexed,
partial, skipped or failed with a reason; the program must end with exit code 0 and without a
traceback, in bounded memory. The last line says whether it was so; the exit code is 1 where not.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from hostile_live import Live
from hostile_set import FULL, QUICK, SECRET, Input, Making, Scale, every
from running import Outcome, manole

SHOWN = 3  # reasons in a line of the table
# Permissions do not bind root; without these two capabilities they do.
AS_OWNER = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")


class Bench:
    """A temporary place with inputs, indexes and what was found wrong."""

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
        self.faults: list[str] = []

    def make(self, item: Input, folder: Path) -> None:
        """Write the files of an input."""
        folder.mkdir(parents=True)
        chance = random.Random(f"{self._seed} {item.name}")
        item.make(Making(folder, self._scale, chance, self.secret))

    def index(self, folder: Path, *more: str) -> Outcome:
        """Sync a folder, and ask what became of its files."""
        prefix = AS_OWNER if os.geteuid() == 0 and shutil.which("setpriv") else ()
        outcome = manole(["index", *more, str(folder)], self.environment, prefix)
        told = manole(["status", "--json", str(folder)], self.environment)
        if told.code == 0:
            outcome.files = json.loads(told.output)["files"]
        else:
            outcome.errors += told.errors
            outcome.code = outcome.code or told.code
        return outcome

    def check(self, item: Input, folder: Path, outcome: Outcome, below: str = "") -> None:
        """Note what is not as it should be."""
        mine = [file for file in outcome.files if file["file"].startswith(below)]
        wrong = [f for f in mine if f["status"] not in item.expect]
        silent = [f for f in mine if f["status"] != "indexed" and not f.get("reason")]
        there = sum(1 for _ in files_below(folder))
        paths = Counter(file["file"] for file in mine)
        for fault in outcome.faults:
            self.faults.append(f"{item.name}: {fault}")
        for file in wrong[:5]:
            said = f"{file['file']!r} is {file['status']} ({file.get('reason')})"
            self.faults.append(f"{item.name}: {said}, not {' or '.join(sorted(item.expect))}")
        for file in silent[:5]:
            said = f"{file['file']!r} is {file['status']} without a reason"
            self.faults.append(f"{item.name}: {said}")
        if not item.left and len(mine) != there:
            self.faults.append(f"{item.name}: {there} files, {len(mine)} in the index")
        for path, count in paths.items():
            if count > 1:
                self.faults.append(f"{item.name}: {path!r} is in the index {count} times")


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


def described(item: Input, folder: Path, outcome: Outcome) -> str:
    """A line of the table."""
    sizes, count = 0, 0
    for entry in files_below(folder):
        count += 1
        sizes += entry.stat(follow_symlinks=False).st_size
    counts = Counter(file["status"] for file in outcome.files)
    reasons = Counter(file["reason"] for file in outcome.files if file.get("reason"))
    said = ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
    why = "; ".join(f"{reason} ({number})" for reason, number in reasons.most_common(SHOWN))
    more = f"; {len(reasons) - SHOWN} more" if len(reasons) > SHOWN else ""
    return (
        f"| {item.name} | {count:,} files, {sizes / 1e6:,.1f} MB | {said or 'left out'} "
        f"| {why.replace('|', ' ')}{more} | {outcome.seconds:.1f} | {outcome.peak / 2**20:,.0f} |"
    )


def ordinary(folder: Path, count: int = 20) -> None:
    """Files like anybody's, which nothing beside them may harm."""
    folder.mkdir(parents=True)
    for number in range(count):
        text = f"An ordinary note about parsnip{number:02d}."
        (folder / f"note{number:02d}.txt").write_text(text)


def together(bench: Bench, items: list[Input]) -> str:
    """All inputs in one folder beside ordinary files."""
    folder = bench.place / "all"
    ordinary(folder / "ordinary")
    for number, item in enumerate(items):
        bench.make(item, folder / f"{number:02d}")
    outcome = bench.index(folder)
    for number, item in enumerate(items):
        bench.check(item, folder / f"{number:02d}", outcome, f"{number:02d}/")
    good = [f for f in outcome.files if f["file"].startswith("ordinary/")]
    if [f["status"] for f in good] != ["indexed"] * 20:
        bench.faults.append(f"together: of 20 ordinary files {len(good)} are there")
    found = manole(["search", "--json", "parsnip13", str(folder)], bench.environment)
    if "ordinary/note13.txt" not in found.output:
        bench.faults.append(f"together: an ordinary note is not found ({found.errors[-200:]})")
    found = manole(["search", "--json", SECRET, str(folder)], bench.environment)
    if SECRET in found.output.replace(f'"query": "{SECRET}"', ""):
        bench.faults.append("together: the secret outside of the folder is in the index")
    again = bench.index(folder)
    if again.code == 0 and len(again.files) != len(outcome.files):
        bench.faults.append(f"again: {len(again.files)} files, before {len(outcome.files)}")
    item = Input("all of it, beside 20 ordinary files", items[0].make, frozenset())
    second = f"| the same again | | | | {again.seconds:.1f} | {again.peak / 2**20:,.0f} |"
    return f"{described(item, folder, outcome)}\n{second}"


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
    parser.add_argument("--no-ocr", action="store_true", help="leave pictures alone")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    scale = QUICK if options.quick else FULL
    changes = {"tiny": options.tiny, "huge_gb": options.huge_gb}
    scale = dataclasses.replace(scale, **{k: v for k, v in changes.items() if v is not None})
    wanted = re.compile(options.only, re.IGNORECASE)
    items = [item for item in every() if wanted.search(item.name)]
    print("| input | size | what it gets | why | seconds | memory, MiB |")
    print("|---|---|---|---|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        bench = Bench(Path(temporary), scale, options.seed, not (options.quick or options.no_ocr))
        if options.folder:
            given = Input(options.folder.name, items[0].make, frozenset(
                {"indexed", "partial", "skipped", "failed"}), left=True)  # fmt: skip
            outcome = bench.index(options.folder)
            bench.check(given, options.folder, outcome)
            print(described(given, options.folder, outcome), flush=True)
            items = []
        elif options.each or not options.quick:
            for number, item in enumerate(items):
                folder = bench.place / f"{number:02d}"
                bench.make(item, folder)
                outcome = bench.index(folder)
                bench.check(item, folder, outcome)
                print(described(item, folder, outcome), flush=True)
                subprocess.run(["rm", "-rf", str(folder)], check=False)
        if items and not (options.only and options.each):
            print(together(bench, items), flush=True)
        live = Live(Path(temporary), bench.environment, options.files, options.seed)
        part = options.quick or options.only or options.folder
        for trial in live.every() if options.live or not part else []:
            found = trial()
            bench.faults += found.faults
            print(found.line, flush=True)
        subprocess.run(["rm", "-rf", str(bench.place / "all")], check=False)
    print()
    for fault in bench.faults:
        print(f"* {fault}")
    print("No crash, no loss." if not bench.faults else f"{len(bench.faults)} faults.")
    return int(bool(bench.faults))


if __name__ == "__main__":
    sys.exit(main())
