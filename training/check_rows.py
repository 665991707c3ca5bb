"""Reads rows of questions, says which are malformed, and counts them (`README.md` has the form).

python training/check_rows.py training/rows/*.tsv
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LANGUAGES = frozenset("en de fr es it nl".split())
READ = frozenset("lookup list explain compare summary".split())
FIELDS = {  # of a question that can be computed, in the order of a row
    "relation": frozenset(
        "files folders papers messages entries people events tasks sheet records".split()
    ),
    "op": frozenset(
        "rows count sum avg max min first last exists distinct share diff beyond".split()
    ),
    "column": frozenset(
        "size pages words lines modified created date weekday title total net tax due ends notice "
        "number issuer currency sender recipient subject amount name text status copies -".split()
    ),
    "group": frozenset(
        "year month week weekday day kind type ext folder issuer person sender category currency "
        "status -".split()
    ),
}
TAGS = frozenset(
    "kind ext type folder file scope party recipient period age number cmp topic value column "
    "empty copies status currency unit language tag".split()
)
ORDER = re.compile(r"-|(?:asc|desc)\d*")
MARK = re.compile(r"\[-?\|?([a-z]+):([^\[\]]+)\]")


def problem(row: str) -> str:
    """Return what is wrong with a row, "" for nothing."""
    language, route, *rest = row.split("\t") if row.count("\t") in (2, 7) else ("", "")
    if not rest:
        return f"{row.count(chr(9)) + 1} fields"
    *fields, order, asked = rest if len(rest) > 1 else ("-", *rest)
    checks = [("language", language.removeprefix("+"), LANGUAGES)]
    checks += [("route", route, READ if len(rest) == 1 else frozenset({"query"}))]
    checks += [(name, given, FIELDS[name]) for name, given in zip(FIELDS, fields, strict=False)]
    checks += [("tag", tag, TAGS) for tag, _ in MARK.findall(asked)]
    for name, given, known in checks:
        if given not in known:
            return f"{name} {given}"
    if not ORDER.fullmatch(order):
        return f"order {order}"
    return "a bracket that is no mark" if re.search(r"[\[\]]", MARK.sub("", asked)) else ""


def rows(files: list[Path]) -> Iterator[tuple[str, str]]:
    """Yield each row, and its place."""
    for file in files:
        for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
            if line.strip() and not line.startswith("#"):
                yield line, f"{file}:{number}"


def main() -> int:
    """Print what is malformed and how many rows there are; return 1 if any is malformed."""
    counts: Counter[str] = Counter()
    bad = 0
    for row, place in rows([Path(name) for name in sys.argv[1:]]):
        if wrong := problem(row):
            bad += 1
            print(f"{place}: {wrong}")
            continue
        language, route, *rest = row.split("\t")
        counts.update(("questions", language.removeprefix("+"), route, *rest[:2][: len(rest) - 1]))
        counts["follow-up"] += language.startswith("+")
    for name, count in counts.most_common():
        print(f"{count:6} {name}")
    return 1 if bad or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
