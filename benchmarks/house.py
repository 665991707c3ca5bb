"""The size of the house, and what a command passes on its way: lines by room, modules in order.

    python benchmarks/house.py                                     lines by room
    python benchmarks/house.py ask "How old is Ida?" FOLDER        modules in order of first use
    python benchmarks/house.py index FOLDER

A room is a folder below `src/manole`; lines are all lines of its Python files, blank ones and
docstrings too. A module is passed where a function of it is called, in any thread of the command's
own process. The command runs twice, and the second time counts, so that what is called only while
modules are imported is left out.
"""

from __future__ import annotations

import inspect
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import manole

HOUSE = Path(manole.__file__).parent


def rooms() -> list[tuple[str, int, int, str, int]]:
    """Each room: its name, files, lines, its longest file, and the lines of that."""
    found: dict[str, list[tuple[int, str]]] = {}
    for path in sorted(HOUSE.rglob("*.py")):
        parts = path.relative_to(HOUSE).parts
        room = "/".join(parts[:-1][:2]) or "(ground)"
        found.setdefault(room, []).append((len(path.read_text("utf-8").splitlines()), path.name))
    return [
        (room, len(files), sum(lines for lines, _ in files), max(files)[1], max(files)[0])
        for room, files in found.items()
    ]


def passed(arguments: list[str]) -> list[str]:
    """The modules that a command of `manole` passes, in the order of their first call."""
    seen: dict[str, None] = {}
    inside = f"{HOUSE}/"

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        function = code.co_flags & inspect.CO_OPTIMIZED
        if event == "call" and function and code.co_filename.startswith(inside):
            seen.setdefault(code.co_filename.removeprefix(inside))

    from manole.cli.app import main

    sys.argv[1:] = arguments
    for watch in (None, note):
        threading.setprofile(watch)  # type: ignore[arg-type]
        sys.setprofile(watch)
        try:
            main()
        except SystemExit:
            pass
        finally:
            sys.setprofile(None)
    return list(seen)


def run() -> None:
    """Print one of the two."""
    if sys.argv[1:]:
        way = passed(sys.argv[1:])
        print(*way, f"\n{len(way)} modules", sep="\n", file=sys.stderr)
        return
    table = rooms()
    print("| room | files | lines | longest file |\n| --- | ---: | ---: | --- |")
    for room, files, lines, longest, most in table:
        print(f"| `{room}` | {files} | {lines:,} | `{longest}` ({most}) |")
    print(f"| in all | {sum(row[1] for row in table)} | {sum(row[2] for row in table):,} | |")


if __name__ == "__main__":
    run()
