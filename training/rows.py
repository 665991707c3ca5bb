"""Reads rows (`README.md` has their form), and says which are malformed.

python training/rows.py training/rows/*.tsv
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from labels import HEADS, LANGUAGES, TAGS

UNSURE = "?"  # a tool that two people would not agree on
_ORDER = re.compile(r"-|(asc|desc)(\d*)")
_COMPARED = {
    words: tag
    for tag, _, said in (
        line.partition("\t")
        for line in Path(__file__).with_name("comparisons.tsv").read_text().splitlines()
    )
    for words in said.split(",")
}  # words of comparison, and their direction
_MARK = re.compile(r"\[(-?)(\|?)([a-z]+):([^\[\]]+)\]")


@dataclass(frozen=True, slots=True)
class Mark:
    """A piece of a question: characters `start` to `end`, its tag, whether denied or in an *or*."""

    start: int
    end: int
    tag: str
    denied: bool = False
    either: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A question with what it means. `before` is the row that a follow-up leans on."""

    language: str
    question: str
    marks: tuple[Mark, ...]
    frame: dict[str, str] = field(default_factory=dict)  # labels by head
    before: Row | None = None

    @property
    def told(self) -> str:
        """The row as the context of a follow-up: its frame, and its words."""
        names = ("relation", "op", "column", "group", "order")
        frame = " ".join(self.frame[n] for n in names if self.frame.get(n, "-") != "-")
        return f"{self.frame['route']} {frame}: {self.question}"


def read(files: Sequence[Path]) -> list[Row]:
    """Return the rows of some files. Raises `ValueError` for a malformed one."""
    found: list[Row] = []
    for file in files:
        last: Row | None = None
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if not line or line.startswith("#"):
                continue
            try:
                last = _row(line, last)
            except ValueError as error:
                raise ValueError(f"{file}:{number}: {error}: {line}") from error
            found.append(last)
    return found


def _row(line: str, last: Row | None) -> Row:
    parts = line.split("\t")
    if len(parts) not in {3, 8}:
        raise ValueError(f"{len(parts)} fields")
    said, route, *told, asked = parts
    language, _, tool = said.removeprefix("+").partition("@")
    frame = {"route": route, "leans": "yes" if said.startswith("+") else "no"}
    if tool != UNSURE:
        frame["tool"] = tool or "-"
    if told:
        relation, op, column, group, order = told
        match = _ORDER.fullmatch(order)
        if match is None or route != "query":
            raise ValueError(f"order {order}, route {route}")
        limit = match[2] or "-"
        limit = limit if limit in HEADS["limit"] else "more"
        frame |= {"relation": relation, "op": op, "column": column, "group": group}
        frame |= {"order": match[1] or "-", "limit": limit}
    elif route == "query":
        raise ValueError("a query without its frame")
    for head, label in frame.items():
        if label not in HEADS[head]:
            raise ValueError(f"{head} {label}")
    if language not in LANGUAGES:
        raise ValueError(f"language {language}")
    question, marks = _unmarked(asked)
    leans = frame["leans"] == "yes"
    if leans and last is None:
        raise ValueError("a follow-up of nothing")
    return Row(language, question, marks, frame, last if leans else None)


def _unmarked(asked: str) -> tuple[str, tuple[Mark, ...]]:
    """Return a question without its marks, and where they were."""
    text, marks, at = "", [], 0
    for match in _MARK.finditer(asked):
        text += asked[at : match.start()]
        denied, either, tag, words = match.groups()
        tag = _COMPARED.get(words.lower(), tag) if tag == "cmp" else tag
        if tag not in TAGS:
            raise ValueError(f"tag {tag}")
        marks.append(Mark(len(text), len(text) + len(words), tag, bool(denied), bool(either)))
        text += words
        at = match.end()
    text += asked[at:]
    if re.search(r"[\[\]]", text):
        raise ValueError("a bracket that is no mark")
    return text, tuple(marks)


def _problems(files: Sequence[Path]) -> Iterator[str]:
    for file in files:
        last: Row | None = None
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if line and not line.startswith("#"):
                try:
                    last = _row(line, last)
                except ValueError as error:
                    yield f"{file}:{number}: {error}: {line}"


def main(names: Sequence[str]) -> int:
    """Print what is malformed, and counts. Return the exit code."""
    files = [Path(name) for name in names]
    if not files:
        print(__doc__, file=sys.stderr)
        return 2
    if problems := list(_problems(files)):
        print(*problems, sep="\n")
        return 1
    rows = read(files)
    print(f"{len(rows)} rows, {sum(row.before is not None for row in rows)} follow-ups")
    print(dict(Counter(row.language for row in rows)))
    for head in ("route", "relation", "op", "group"):
        print(dict(Counter(row.frame[head] for row in rows if head in row.frame)))
    print(dict(Counter(mark.tag for row in rows for mark in row.marks)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
