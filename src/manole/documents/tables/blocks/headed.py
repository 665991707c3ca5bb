"""Blocks below headings of one level: a hundred of `## Application 17: Firm`, each with pairs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from manole.documents.fields.model import TextLine
from manole.documents.tables.blocks.pairs import LEAST, Block, led_by, pairs_of, table_of
from manole.documents.tables.model import Table
from manole.text.counted import plural
from manole.text.words import fold

_MARKED = re.compile(r"(#{1,6}|\*{1,6}(?=[ \t])|={1,6})[ \t]+(.*\S?)")
_STRONG = re.compile(r"(?:\*\*|__)([^*_]{1,120})(?:\*\*|__):?[ \t]*")
_UNDERLINE = re.compile(r"([=\-~^\"])\1{2,}[ \t]*")
_MARKS = {"org": "*", "asciidoc": "="}
_UNDERLINED = '=-~^"'
_LOWEST = 9  # the level of a line in bold type


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at the index `at` of its lines; level 1 is the highest."""

    at: int
    level: int
    text: str


def headings_of(lines: Sequence[TextLine], format_: str) -> list[Heading]:
    """Return the headings of a text without code, in their order."""
    return list(_headings(lines, format_))


def _headings(lines: Sequence[TextLine], format_: str) -> Iterator[Heading]:
    mark = _MARKS.get(format_, "#")
    for at, line in enumerate(lines):
        text = line.text
        if text.startswith(mark) and (found := _MARKED.fullmatch(text)):
            yield Heading(at, len(found[1]), found[2].rstrip(" \t#=") or found[2])
        elif text.startswith(("**", "__")) and (found := _STRONG.fullmatch(text)):
            yield Heading(at, _LOWEST, found[1].strip(" :"))
        elif text.strip() and at + 1 < len(lines) and lines[at + 1].line == line.line + 1:
            below = _UNDERLINE.fullmatch(lines[at + 1].text)
            begins = not at or _is_gap(lines, at)
            if below and begins and not pairs_of(text):
                yield Heading(at, 1 + _UNDERLINED.index(below[1]), text.strip())


def _is_gap(lines: Sequence[TextLine], at: int) -> bool:
    """Return whether a blank line is above this one."""
    return lines[at].line != lines[at - 1].line + 1 or not lines[at - 1].text.strip()


def headed_tables(
    lines: Sequence[TextLine], headings: Sequence[Heading], used: set[int]
) -> list[Table]:
    """Return the tables of blocks below headings, and add the indices of their lines to `used`.

    The deepest headings come first, so that those above them do not have their pairs.
    """
    found = []
    for level in sorted({heading.level for heading in headings}, reverse=True):
        same = [heading for heading in headings if heading.level == level]
        if len(same) < LEAST:
            continue
        ends = _ends(headings, level, len(lines))
        for name, group in _groups(same):
            blocks = [_block(lines, heading, ends[heading.at], used) for heading in group]
            table = table_of(blocks, lines[0].page, name)
            if table is not None:
                found.append(table)
                for heading in group:
                    used.update(range(heading.at, ends[heading.at]))
    return sorted(found, key=lambda table: table.line)


def _ends(headings: Sequence[Heading], level: int, end: int) -> dict[int, int]:
    """Return where the part below each heading of a level ends, by the heading's index."""
    ends = {}
    for heading in reversed(headings):
        if heading.level <= level:
            ends[heading.at] = end
            end = heading.at
    return ends


def _block(lines: Sequence[TextLine], heading: Heading, end: int, used: set[int]) -> Block:
    block = Block(lines[heading.at].line, heading.text, texts=[lines[heading.at].text])
    for at in range(heading.at + 1, end):
        if at not in used:
            block.add(lines[at])
    return block


def _groups(headings: Sequence[Heading]) -> Iterator[tuple[str | None, list[Heading]]]:
    """Yield headings of one level by the word that they begin with, with the name of these.

    `None` is the name of headings without such a word.
    """
    by_word: dict[str, list[Heading]] = defaultdict(list)
    written: dict[str, str] = {}
    for heading in headings:
        word = led_by(heading.text)[0]
        by_word[fold(word)].append(heading)
        written.setdefault(fold(word), word)
    others: list[Heading] = []
    for folded, group in by_word.items():
        if folded and len(group) >= LEAST:
            yield several(written[folded]), group
        else:
            others += group
    if len(others) >= LEAST:
        yield None, sorted(others, key=lambda heading: heading.at)


def several(word: str) -> str:
    """Return the name of a table of many such things, in lower case."""
    low = word.lower()
    return low if low.endswith("s") else plural(low)
