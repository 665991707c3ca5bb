"""Days that a text speaks of before they come: appointments, deadlines, ends of terms.

A day counts that lies behind the day on which the text was written. "On Friday 17 January" is the
next one, as is "on Friday"; "by the end of March" is the last day of March. What such a day is for,
if it matters at all, tells a network by the words around it (`models/encode/days.py`).
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from manole.documents.fields.model import TextLine
from manole.documents.notes.calendar import Event
from manole.documents.notes.said import (
    BY,
    EXAMPLE,
    Sentence,
    one_line,
    plain,
    sentences_of,
)
from manole.text.date_words import WEEKDAYS, any_of
from manole.text.dates import Day, Mention, date_of, mentions
from manole.text.relative import Named, relative_days
from manole.text.words import fold, words

YEARS = 15  # that a letter looks ahead: longer leases and guarantees are rare
_NEXT = 200  # days until the next day of a date without a year, at most
_LONG = 300  # characters of a sentence, which is cut around its day
_TIME = re.compile(  # 9:15, 9 h 15, at 10.40, 7.30 Uhr, 14 bis 18 Uhr, 6 pm, 16 heures
    r"(?P<at>\b(?:at|um|om|gegen|alle|around) )?(?<![\d.:,])(?P<hour>[01]?\d|2[0-3])"
    r"(?:(?P<sign>[:.]| ?h ?)(?P<minute>[0-5]\d)(?!\d|[.,:]\d))?"
    r"(?: ?(?:bis|tot|to|until|-|–|à|a) ?\d\d?(?:[:.]\d\d)?(?= ?(?:Uhr|uur|h|[ap]\.?m)\b))?"
    r"(?P<unit> ?(?:Uhr|uur|h|heures|horas|(?P<half>[ap])\.? ?m)\b)?"
)
_BEHIND = 100  # characters between a day and its time, at most
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
# Characters between a date and its own weekday at most; between it and another one at least.
_NEAR, _TOUCHING = 20, 3
_AROUND = 120  # characters on each side of a day that say what it is for: about what was taught
_WEEKDAYS = {fold(name): number for name, number in WEEKDAYS.items()}
_BEFORE = re.compile(rf"\b({any_of(_WEEKDAYS)})\b\.?,? ?(?:den|dem|the|le|el|il)? ?$")


def days_ahead(
    lines: Sequence[TextLine], written: date, sentences: Sequence[Sentence] | None = None
) -> Iterator[Event]:
    """Yield the days after `written` that a text speaks of, each with its sentence as the title.

    `sentences` are those of the lines, if they are known.
    """
    yield from _steps(lines, written)
    for said in sentences if sentences is not None else sentences_of(lines):
        if _ROW.search(said.text) or EXAMPLE.search(said.plain):
            continue
        for named in days_named(said, written):
            around = f"{said.plain[: named.start]} {said.plain[named.end :]}"
            if is_ahead(named.day, written) and any(map(str.isalpha, words(around))):
                yield said_of(said, named, _time(said.text.replace("\n", " "), named))


def days_named(said: Sentence, written: date) -> list[Named]:
    """Return the days that a sentence of that day names, in order: written out, or "tomorrow".

    A weekday before a date is part of it.
    """
    found: list[Named] = []
    taken: list[Named] = []
    for mention in mentions(said.text):
        start, weekday = _with_weekday(said.plain, mention)
        day = day_in(said.plain, mention, written)
        sure = mention.readings[0].year is not None or bool(day and weekday == day.isoweekday())
        taken.append(Named(start, mention.end, day or date.min, sure))
        found += taken[-1:] if day else ()
    found += (
        one
        for one in relative_days(said.plain, written)
        if not any(_is_of(one, other) for other in taken)
    )
    return sorted(found, key=lambda one: one.start)


def _is_of(one: Named, written_out: Named) -> bool:
    """Return whether a relative day says the weekday of one that is written out beside it."""
    apart = max(written_out.start - one.end, one.start - written_out.end)
    return apart < (_NEAR if one.day.weekday() == written_out.day.weekday() else _TOUCHING)


def is_ahead(day: date, written: date) -> bool:
    """Return whether a text that was written on a day may speak of another one to come."""
    return written < day <= written + timedelta(days=365 * YEARS)


def said_of(said: Sentence, at: Named, time: str = "") -> Event:
    """Return what is said of a day."""
    line, title = said.line(at.start), one_line(said.text, at.start, at.end, _LONG)
    before = said.text[max(0, at.start - _AROUND) : at.start]
    asked = f"{before}DAY{said.text[at.end : at.end + _AROUND]}"
    for other in mentions(asked)[::-1]:
        asked = f"{asked[: other.start]}OTHER{asked[other.end :]}"
    asked = " ".join(asked.split())
    return Event(line.line, title, at.day, None, time, "", "", "", line.page, asked, at.sure)


def _with_weekday(said: str, mention: Mention) -> tuple[int, int]:
    """Return where a day begins, with the weekday before it, and that weekday or 0."""
    found = _BEFORE.search(said, max(0, mention.start - 20), mention.start)
    return (found.start(), _WEEKDAYS[found[1]]) if found else (mention.start, 0)


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
        found, day = day_in(said, mention, written), mention.readings[0]
        if by and day.year is None and day.day is not None:
            near = (date_of(written.year + n, day.month, day.day) for n in (-1, 0, 1))
            found = min(filter(None, near), key=lambda d: abs(d - written), default=None)
        if found is not None:
            return found, day.year is not None
    return None


def day_of_list(cell: str, written: date) -> tuple[date, bool] | None:
    """Return the day in a cell of a list of this day, and whether the cell has its year."""
    for mention in mentions(cell):
        if (day := day_in(plain(cell), mention, written)) is not None:
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
            day = day_in(line.text, found[0], written)
            if day is not None and day > written:
                title = " ".join(f"{name} {cell}" for name, cell in zip(head, cells, strict=True))
                begin, end = found[0].start, found[0].end
                asked = f"{' '.join(head)}: {line.text[:begin]}DAY{line.text[end:]}"
                yield Event(line.line, title, day, None, "", "", "", "", line.page, asked)
        elif line.text.strip():
            head = cells


def day_in(said: str, mention: Mention, written: date) -> date | None:
    """Return the day that is mentioned in a plain text of that day; `None` for none or a month."""
    day = mention.readings[0]
    if day.day is None:
        if not _END_OF.search(said, max(0, mention.start - 25), mention.start):
            return None
        year = day.year or written.year + (day.month < written.month)
        return date(year, day.month, monthrange(year, day.month)[1])
    if day.year is not None:
        return date_of(day.year, day.month, day.day)
    return _next(day, written, _NEXT)


def _next(day: Day, written: date, most: int) -> date | None:
    """Return the next day of that date, if it lies at most so many days ahead."""
    for year in (written.year, written.year + 1):
        found = date_of(year, day.month, day.day or 1)
        if found and timedelta(0) < found - written <= timedelta(days=most):
            return found
    return None


def _time(sentence: str, at: Named) -> str:
    """Return the first time of day behind a day, else the one before it; "" if there is none."""
    before = [_hour(m) for m in _TIME.finditer(sentence, 0, at.start)]
    behind = [_hour(m) for m in _TIME.finditer(sentence, at.end, at.end + _BEHIND)]
    return next(filter(None, (*behind, *before[::-1])), "")


def _hour(found: re.Match[str]) -> str:
    """Return a time of day as `HH:MM`, "" where the figures are no time."""
    sure = found["unit"] or (found["minute"] and (found["at"] or found["sign"] != "."))
    if not sure:
        return ""
    hour = int(found["hour"]) + (12 if found["half"] == "p" and int(found["hour"]) < 12 else 0)
    return f"{hour:02}:{found['minute'] or '00'}"
