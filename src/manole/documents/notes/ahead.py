"""Days that a text speaks of before they come: appointments, deadlines, ends of terms.

A day counts that lies behind the day on which the text was written. "On Friday 17 January" is the
next one; "by the end of March" is the last day of March. Days of birth, of examples, and of the
time that a bill covers do not count.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise

from manole.documents.fields.model import TextLine
from manole.documents.notes.calendar import Event
from manole.documents.notes.said import (
    BY,
    COMING,
    EXAMPLE,
    Sentence,
    one_line,
    plain,
    sentences_of,
)
from manole.text.dates import Day, Mention, date_of, mentions
from manole.text.statuses import PAID
from manole.text.words import words

YEARS = 15  # that a letter looks ahead: longer leases and guarantees are rare
_NEXT, _SOON = 300, 150  # days until the next day of a date without a year; without words for it
_HEAD = 20  # lines in which a bill or policy says that it is one
_LONG = 300  # characters of a sentence, which is cut around its day
_TIME = re.compile(  # 9:15, 9 h 15, at 10.40, 7.30 Uhr, 14 bis 18 Uhr, 6 pm, 16 heures
    r"(?P<at>\b(?:at|um|om|gegen|alle|around) )?(?<![\d.:,])(?P<hour>[01]?\d|2[0-3])"
    r"(?:(?P<sign>[:.]| ?h ?)(?P<minute>[0-5]\d)(?!\d|[.,:]\d))?"
    r"(?: ?(?:bis|tot|to|until|-|–|à|a) ?\d\d?(?:[:.]\d\d)?(?= ?(?:Uhr|uur|h|[ap]\.?m)\b))?"
    r"(?P<unit> ?(?:Uhr|uur|h|heures|horas|(?P<half>[ap])\.? ?m)\b)?"
)
_BEHIND = 100  # characters between a day and its time, at most
_PAID = re.compile(rf"\b(?:{PAID}|received|erhalten|recu|recibid[oa])\b")  # needs nothing more
_STILL = re.compile(r"\b(?:please|bitte\w*|fallig\w*|veuillez|merci de|debe\w*|vence\w*)\b")
_BORN = re.compile(
    r"\b(?:born|birth\w*|geb\.|geboren\w*|geburts\w+|nee? le|naissance|nacid[oa]|nacimiento|"
    r"geboorte\w*|"
    r"nat[oa] il)(?:\W+\w+){0,2}\W*$"
)
_PERIOD = re.compile(
    r"\b(?:periodo?|\w*zeitraum|periode|ejercicio|bill(?:ed|ing)? for|first bill for|rechnung fur|"
    r"facturad[oa]|for the period)\b.{0,30}$"
)
_BILL = re.compile(r"^\W*(?:\w+ ){0,3}\w*(?:invoice|rechnung|facture|factura|receipt|bill)\b")
_COVER = re.compile(
    r"\b(?:insur\w+|polic\w+|\w*versicherung\w*|assur\w+|seguros?|poliza|verzeker\w+)"
)
_RANGE = re.compile(
    r"\s*(?:to|until|till|through|bis|zum|au|al|a|hasta|tot|[-–—]|\s)+(?:den|dem|the|el)?\s*"
)
_END_OF = re.compile(
    r"\b(?:(?:the )?end of|ende|(?:la )?fin(?: de| du mois de)?|finales de|final de|eind(?:e)?|"
    r"fine)\s+$"
)
_TASK_BY = re.compile(rf"(?:{BY}|\bdue(?: on)?|\bfallig(?: am)?)\s+(?:\S+\s+){{0,3}}$")
_TASK_ON = re.compile(r"\b(?:on|am|le|el|op)\s+(?:\S+\s+)?$")
# A table, a heading, or a task.
_ROW = re.compile(r"\|| {8,}|(?:\d[\d.,]*\s+){3}|^#|^[-*+]? ?\[[ xX]\]")
_STEP = re.compile(r"\s*(?:\D{0,6}\s)?\S*\d\S*\s{2,}[\d.,]+\s*(?:€|EUR|CHF|\$|£)?\s*$")
_ROW_LONG = 200  # characters of a row with steps, at most
_WORDS = 2  # beside the day, at least, for it to be said of something


def days_ahead(
    lines: Sequence[TextLine], written: date, sentences: Sequence[Sentence] | None = None
) -> Iterator[Event]:
    """Yield the days after `written` that a text speaks of, each with its sentence as the title.

    `sentences` are those of the lines, if they are known.
    """
    head = [plain(line.text) for line in lines[:_HEAD]]
    cover = any(map(_COVER.search, head))
    bill = any(map(_BILL.search, head))
    yield from _steps(lines, written)
    for said in sentences if sentences is not None else sentences_of(lines):
        if _ROW.search(said.text) or EXAMPLE.search(said.plain):
            continue
        found = mentions(said.text)
        left_out = set() if cover else _covered(said.plain, found, bill)
        for mention in found:
            day = _day(said.plain, mention, written)
            if mention in left_out or day is None:
                continue
            if not written < day <= written + timedelta(days=365 * YEARS):
                continue
            around = f"{said.plain[: mention.start]} {said.plain[mention.end :]}"
            done = _PAID.search(around) and not _STILL.search(around)
            if len(words(around)) < _WORDS or done or _BORN.search(said.plain, 0, mention.start):
                continue
            line = said.line(mention.start)
            time = _time(said.text.replace("\n", " "), mention)
            title = one_line(said.text, mention.start, mention.end, _LONG)
            yield Event(line.line, title, day, None, time, "", "", "", line.page)


def day_of_task(text: str, written: date) -> tuple[date, bool] | None:
    """Return the day that a task's own words set, and whether they have its year.

    `written` is the day of the list: "before 15 January" is the next one, and "was due on 12
    December" the last one, if that is nearer.
    """
    said = plain(text)
    for mention in mentions(text):
        before = said[max(0, mention.start - 30) : mention.start]
        by, on = _TASK_BY.search(before), _TASK_ON.search(before)
        if not (by or on):
            continue
        found, day = _day(said, mention, written), mention.readings[0]
        if by and day.year is None and day.day is not None:
            near = (date_of(written.year + n, day.month, day.day) for n in (-1, 0, 1))
            found = min(filter(None, near), key=lambda d: abs(d - written), default=None)
        if found is not None:
            return found, day.year is not None
    return None


def day_of_list(cell: str, written: date) -> tuple[date, bool] | None:
    """Return the day in a cell of a list of this day, and whether the cell has its year."""
    for mention in mentions(cell):
        if (day := _day(plain(cell), mention, written)) is not None:
            return day, mention.readings[0].year is not None
    return None


def _steps(lines: Sequence[TextLine], written: date) -> Iterator[Event]:
    """Yield the rows of a table that say what is due, or to be had, from a day on."""
    head: list[str] = []
    for line in lines:
        if len(line.text) > _ROW_LONG:
            continue
        cells = re.split(r"\s{2,}|\t", line.text.strip())
        found = mentions(line.text) if _STEP.fullmatch(line.text) else ()
        if len(found) == 1 and len(cells) == len(head):
            day = _day(line.text, found[0], written)
            if day is not None and day > written:
                title = " ".join(f"{name} {cell}" for name, cell in zip(head, cells, strict=True))
                yield Event(line.line, title, day, None, "", "", "", "", line.page)
        elif line.text.strip():
            head = cells


def _covered(said: str, found: Sequence[Mention], bill: bool) -> set[Mention]:
    """Return the days of the time that a bill covers, or that a text is about."""
    out = set()
    for one, other in pairwise(found):
        spanned = _RANGE.fullmatch(said[one.end : other.start])
        if spanned and (bill or _PERIOD.search(said, 0, one.start)):
            out |= {one, other}
    return out


def _day(said: str, mention: Mention, written: date) -> date | None:
    day = mention.readings[0]
    if day.day is None:
        if not _END_OF.search(said, max(0, mention.start - 25), mention.start):
            return None
        year = day.year or written.year + (day.month < written.month)
        return date(year, day.month, monthrange(year, day.month)[1])
    if day.year is not None:
        return date_of(day.year, day.month, day.day)
    return _next(day, written, _NEXT if COMING.search(said) else _SOON)


def _next(day: Day, written: date, most: int) -> date | None:
    """Return the next day of that date, if it lies at most so many days ahead."""
    for year in (written.year, written.year + 1):
        found = date_of(year, day.month, day.day or 1)
        if found and timedelta(0) < found - written <= timedelta(days=most):
            return found
    return None


def _time(sentence: str, mention: Mention) -> str:
    """Return the first time of day behind a day, else the one before it; "" if there is none."""
    before = [_hour(m) for m in _TIME.finditer(sentence, 0, mention.start)]
    behind = [_hour(m) for m in _TIME.finditer(sentence, mention.end, mention.end + _BEHIND)]
    return next(filter(None, (*behind, *before[::-1])), "")


def _hour(found: re.Match[str]) -> str:
    """Return a time of day as `HH:MM`, "" where the figures are no time."""
    sure = found["unit"] or (found["minute"] and (found["at"] or found["sign"] != "."))
    if not sure:
        return ""
    hour = int(found["hour"]) + (12 if found["half"] == "p" and int(found["hour"]) < 12 else 0)
    return f"{hour:02}:{found['minute'] or '00'}"
