"""The lines of a statement as rows: days, texts and figures, before it is known what these are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from manole.documents.fields.model import TextLine
from manole.documents.layout import CELL_GAP
from manole.documents.tables.bookings.days import Written, day_at
from manole.documents.tables.model import collapsed
from manole.text.amounts import currency_of
from manole.text.lists import lines, listed
from manole.text.numbers import value
from manole.text.words import fold

_WRAPPED = 12  # lines of a booking
_LONGEST = 300  # characters of a line; a longer one is prose
_TAIL, _FIGURES = 60, 5  # characters of a figure with all around it, and figures of a row
_GAP = re.compile(r"\s{2,}|\t")
_BALANCES = tuple(sorted(listed("balances")))
_CARDS = tuple(sorted(listed("card_words")))
_MARKS = {mark: kind for kind, *marks in lines("booking_marks") for mark in marks}
_LETTERS = "|".join(sorted((m for m in _MARKS if m.isalpha()), key=len, reverse=True))
_CURRENCY = rf"(?:[€$£]|{'|'.join(code for code, *_ in lines('currencies'))}|Fr\.)"
_GROUPS = r"\d{1,3}(?:[.,'’\u00a0\u202f]\d{3})*[.,]\d{2}|\d+[.,]\d{2}"
_SPACED = r"\d{1,3}(?: \d{3})+[.,]\d{2}|" + _GROUPS
_BALANCE = re.compile(rf"\b(?:{'|'.join(_BALANCES)})\b")
_CARD = re.compile(rf"\b(?:{'|'.join(_CARDS)})\b")


def _figure(digits: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:(?<=\s)|^)(?:(?P<before>{_LETTERS})\s{{1,3}})?(?P<pre>[-+−–(]\s?)?"
        rf"(?:(?P<cur>{_CURRENCY})\s{{0,2}})?(?P<pre2>[-+−–]\s?)?(?P<digits>{digits})\)?"
        rf"(?:\s{{0,3}}(?P<cur2>{_CURRENCY}))?(?:\s{{0,3}}(?P<mark>[-+−–]|(?:{_LETTERS})))?\s*$"
    )


_FIGURE = {False: _figure(_GROUPS), True: _figure(_SPACED)}


_CELL = re.compile(r"(\s*)(\S(?:\s?\S){0,40})(?=\s\s|\s*$)")
_Found = list[tuple[re.Match[str], int]]  # figures, and how many blanks are before each


@dataclass(frozen=True, slots=True)
class Figure:
    """An amount: `sign` is -1 if it is marked as gone out, 1 as come in, else 0.

    `slot` counts the columns of figures from the left.
    """

    value: Decimal
    sign: int
    slot: int
    currency: str | None

    @property
    def signed(self) -> Decimal:
        """The value with its sign, which is a plus where none is."""
        return self.value * (self.sign or 1)


@dataclass(slots=True)
class Row:
    """A line, with those that go on with it: the parts of its text, and its figures."""

    line: TextLine
    day: Written | None
    parts: list[str]
    figures: tuple[Figure, ...]
    tells_balance: bool = False
    texts: list[str] = field(default_factory=list)
    last: int = 0  # line

    def goes_on(self, other: Row) -> bool:
        """Return whether another row is right below this one."""
        return self.line.page == other.line.page and other.line.line == self.last + 1

    def begin(self, others: Sequence[Row]) -> None:
        """Take the day and the text of rows right above, of which the first has the day."""
        self.parts[:0] = [part for row in others for part in row.parts]
        self.texts[:0] = [text for row in others for text in row.texts]
        self.line = others[0].line

    def add_all(self, others: Sequence[Row]) -> None:
        """Add the text of rows that go on with this one."""
        for other in others:
            if self.goes_on(other) and len(self.texts) < _WRAPPED:
                self.parts.append(collapsed(other.line.text))
                self.texts += other.texts
                self.last = other.last


def begun_by_days(rows: Sequence[Row]) -> list[int]:
    """Return the indices of rows with figures that begin with a day, or below a line that does."""
    found, above = [], None
    for n, row in enumerate(rows):
        if row.figures and (row.day or above):
            found.append(n)
        goes_on = row.day or (above and above.goes_on(row))
        above = row if goes_on and not row.figures else None
    return found


def says_card(text: str) -> bool:
    """Return whether a line is of a statement of a credit card."""
    return _CARD.search(fold(text)) is not None


def rows_of(shown: Sequence[TextLine], spaced: bool) -> Iterator[Row]:
    """Yield the lines of a text as rows; `spaced` if blanks may group digits."""
    for line in shown:
        text = line.text.rstrip()
        if not text or len(text) > _LONGEST:
            continue
        found = day_at(text)
        day, start = found or (None, 0)
        while day and (further := day_at(text[start:])):  # of its value
            start += further[1]
        rest, found_figures = _trailing(text[start:], spaced)
        if not found_figures:
            rest, found_figures = _leading(text[start:], spaced)
        parts = [part for cell in _GAP.split(rest) if (part := collapsed(cell))]
        told = bool(found_figures) and _BALANCE.search(fold(rest)) is not None
        yield Row(line, day, parts, _slotted(found_figures), told, [text], line.line)


def _trailing(text: str, spaced: bool) -> tuple[str, _Found]:
    """Return a line without the figures at its end, and these; a day beside them is left out."""
    found: _Found = []
    figure = _FIGURE[spaced]
    while len(found) < _FIGURES:
        text = text.rstrip()
        for end in (text, *_without_day(text)):
            tail = end[-_TAIL:]
            if match := figure.search(tail):
                break
        else:
            break
        text = end[: len(end) - len(tail) + match.start()]
        found.insert(0, (match, len(text) - len(text.rstrip())))
    return next(iter(_without_day(text.rstrip())), text) if found else text, found


def _without_day(text: str) -> Iterator[str]:
    """Yield a text without a day that is its last cell."""
    tail = text[-_TAIL:]
    for cell in (_GAP.split(tail)[-1], tail.rpartition(" ")[2]):
        day = day_at(cell)
        if day and day[1] == len(cell) < len(text):
            yield text[: -len(cell)].rstrip()


def _leading(text: str, spaced: bool) -> tuple[str, _Found]:
    """Return a line without the figures at its begin, and these."""
    found: _Found = []
    while len(found) < _FIGURES and (cell := _CELL.match(text)):
        match = _FIGURE[spaced].fullmatch(cell[2])
        if match is None:
            break
        found.append((match, len(cell[1])))
        text = text[cell.end() :]
    return text, found


def _slotted(found: _Found) -> tuple[Figure, ...]:
    """Return figures with their columns: a gap twice as wide has an empty one."""
    figures, slot = [], 0
    for match, gap in found:
        slot += max(0, gap // len(CELL_GAP) - 1)
        figures.append(_read(match, slot))
        slot += 1
    return tuple(figures)


def _read(match: re.Match[str], slot: int) -> Figure:
    minus = (match["pre"] or "").strip() in {"-", "−", "–", "("} or bool(
        match["pre2"] and match["pre2"].strip() != "+"
    )
    told = _MARKS.get(match["mark"] or "") or _MARKS.get(match["before"] or "")
    plus = "+" in ((match["pre"] or "") + (match["pre2"] or ""))
    sign = -1 if minus or told == "out" else 1 if plus or told == "in" else 0
    code = match["cur"] or match["cur2"]
    return Figure(value(match["digits"]), sign, slot, currency_of(code) if code else None)
