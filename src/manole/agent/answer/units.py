"""The units of a passage: what is marked, quoted and chosen as a whole.

A unit is a short paragraph, a sentence of prose, or a line of a list, a table or a form. A record
of a few lines ("JONAS ... Allergies: penicillin") means nothing in parts, and a piece too short to
stand alone is joined to the next one, but never across a blank line.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass

from manole.agent.answer.injection_filter import dictates, inert, is_marked
from manole.agent.answer.rows import rows_of
from manole.documents.notes.tasks import has_box
from manole.text.dates import find_dates
from manole.text.periods import Period
from manole.text.question import Question
from manole.text.sentences import ends, sentences
from manole.text.words import has_digit
from manole.tools.objects import FoundPassage

_ITEM = re.compile(r"\s*(?:[-*+•–>#|]|\d{1,3}[.)])(?:\s|$)")
_GOES_NO_FURTHER = ":;|"  # a line that ends with one of these is complete
_WORDS = re.compile(r"[^\W\d_]{2,}")
_MARKUP = re.compile(r"!\[[^\]]*\]\([^)]*\)|\{%.*?%\}|<[^>]*>|\]\([^)]*\)")
_PARAGRAPH = 320  # characters up to which a paragraph is one unit: half of a small budget
_CALENDAR = ".ics"
_SHORT = 24  # characters below which a unit is joined to the next one: three or four words
_LONG = 420  # characters above which a unit is cut: the budget of the smallest extract
_WRAPPED = 60  # characters from which a line without an end was wrapped: most of a page's width
SAYS = 4  # words from which a unit can be a sentence


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of a passage: pieces of text, each with its line; `wrapped` are the full lines.

    `row` is a row of a table with the names of its columns.
    """

    passage: int
    parts: tuple[tuple[str, int], ...]
    wrapped: frozenset[int] = frozenset()
    row: str = ""

    @property
    def text(self) -> str:
        """The pieces, with line breaks as in the file."""
        text, last = "", None
        for piece, line in self.parts:
            text += ("" if last is None else " " if line == last else "\n") + piece
            last = line
        return text

    @property
    def sentences(self) -> tuple[tuple[str, int, int], ...]:
        """The sentences, joined over line breaks, with their first and last lines."""
        found: list[tuple[str, int, int]] = []
        for before, (text, line) in zip((None, *self.parts), self.parts, strict=False):
            if before and found and goes_on(before, (text, line), self.wrapped):
                joined, first, _ = found.pop()
                found.append((f"{joined}\n{text}", first, line))
            else:
                found.append((text, line, line))
        return tuple(found)

    @property
    def says(self) -> bool:
        """Whether the unit is more than a heading, a picture or a few words."""
        bare = _MARKUP.sub(" ", self.row or self.text)
        heading = self.text.startswith("#") and "\n" not in self.text
        return not heading and len(_WORDS.findall(bare)) >= SAYS

    @property
    def line(self) -> int:
        """The first line."""
        return self.parts[0][1]

    @property
    def line_end(self) -> int:
        """The last line."""
        return self.parts[-1][1]


def units_of(index: int, passage: FoundPassage, question: Question) -> list[Unit]:
    """Return the units of a passage, in order; `index` is its number among the passages."""
    groups: list[list[tuple[str, int]]] = []
    rows = rows_of(passage)
    lines = enumerate(passage.text.split("\n"), passage.line)
    wrapped = frozenset(at for at, line in lines if _is_full(line))
    for block in _blocks(passage, question, rows):
        short = sum(len(text) for text, _ in block) <= _PARAGRAPH
        groups += [block] if short or block[0][1] in rows else _joined(block, wrapped)
    units = [Unit(index, tuple(group), wrapped, rows.get(group[0][1], "")) for group in groups]
    period = question.period
    # "On Tuesday" may be the last one or the next.
    if period is None or not has_digit(period.text) or not passage.file.endswith(_CALENDAR):
        return units
    return [unit for unit in units if _overlaps(unit, period)]


def _overlaps(event: Unit, period: Period) -> bool:
    """Return whether an event of a calendar, if it has a day, lies in a period at least partly."""
    days = [day for _, _, day in find_dates(event.text)]
    if not days:
        return True
    after = period.start is not None and max(days) < period.start
    return not after and (period.end is None or min(days) <= period.end)


def _blocks(
    passage: FoundPassage, question: Question, rows: Mapping[int, str]
) -> list[list[tuple[str, int]]]:
    """Return the pieces of each paragraph with their lines, without orders and hidden text.

    `rows` are the rows of a table by their lines: each of them is one, too, and so is each line
    between them, and each task.
    """
    blocks: list[list[tuple[str, int]]] = [[]]
    for at, line in enumerate(inert(passage.text, question.words).split("\n"), passage.line):
        apart = bool(rows) and (at not in rows or rows.get(at) != rows.get(at - 1))
        if not line.strip() or apart or has_box(line):
            blocks.append([])
        if rows.get(at) != "":  # which names columns
            blocks[-1] += [(text, at) for text in dictations(line) or pieces(line)]
    return [block for block in blocks if block]


def _joined(block: list[tuple[str, int]], wrapped: frozenset[int]) -> list[list[tuple[str, int]]]:
    """Return the sentences of a long paragraph, joined over line breaks, short ones with the next.

    An item of a list does not continue the one before.
    """
    groups: list[list[tuple[str, int]]] = []
    for piece in block:
        length = sum(len(text) for text, _ in groups[-1]) if groups else _LONG
        whole = goes_on(groups[-1][-1], piece, wrapped) if groups else False
        if (whole and length < _LONG) or (length < _SHORT and not _ITEM.match(piece[0])):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return groups


def goes_on(before: tuple[str, int], after: tuple[str, int], wrapped: Container[int] = ()) -> bool:
    """Return whether a piece continues the sentence of the piece above; each with its line.

    A sentence that begins in a line is shorter than the line, which may be one of those `wrapped`.
    """
    (text, line), (more, below) = before, after
    if below != line + 1 or ends(text, also=_GOES_NO_FURTHER) or _ITEM.match(more):
        return False
    return more[:1].islower() or line in wrapped or _is_full(text)


def _is_full(line: str) -> bool:
    """Return whether a line is as long as those that were wrapped, and no row of columns."""
    return len(line) >= _WRAPPED and "  " not in line.strip()


def dictations(line: str) -> list[str]:
    """Return the sentences of a line that dictates something, uncut: their figures stay in them."""
    if dictates(line) and not is_marked(line):
        return sentences(line)
    return []


def pieces(line: str) -> list[str]:
    """Return the sentences of a line, without rulers and empty table rows."""
    if is_marked(line):
        return [line.strip()]
    kept = (p for p in sentences(line) if p and not re.fullmatch(r"[\s|:\-=_*#.]+", p))
    return [part for piece in kept for part in _cut(piece)]


def _cut(text: str) -> list[str]:
    parts = []
    while len(text) > _LONG:
        at = text.rfind(" ", 0, _LONG)
        at = at if at > 0 else _LONG
        parts.append(text[:at])
        text = text[at:].strip()
    return [*parts, text]
