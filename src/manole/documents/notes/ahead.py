"""Days that a text speaks of before they come: appointments, deadlines, ends of terms.

A day counts that lies behind the day on which the text was written. "On Friday 17 January" is the
next one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from manole.documents.fields.model import TextLine
from manole.documents.notes.calendar import Event
from manole.text.dates import Day, date_of, mentions
from manole.text.sentences import spans
from manole.text.statuses import PAID
from manole.text.words import fold, words

YEARS = 15  # that a letter looks ahead: longer leases and guarantees are rare
_NEXT = 300  # days until the next day of a date without a year
_LONG = 300  # characters of a sentence, which is cut around its day
_TIME = re.compile(
    r"(?<![\d.:])([01]?\d|2[0-3])(?:[:.h]| ?h ?)([0-5]\d)(?!\d|\.\d)|\b(\d\d?) (?:Uhr|h)\b"
)
_PAID = re.compile(rf"\b(?:{PAID}|received|erhalten)\b")  # what was done needs nothing more
# A line of a table, a heading, or a task.
_ROW = re.compile(r"[|\t]| {3,}|(?:\d[\d.,]*\s+){3}|^#|^[-*+]? ?\[[ xX]\]")
_WORDS = 2  # beside the day, at least, for it to be said of something


def days_ahead(lines: Sequence[TextLine], written: date) -> Iterator[Event]:
    """Yield the days after `written` that a text speaks of, each with its sentence as the title."""
    for page in dict.fromkeys(line.page for line in lines):
        own = [line for line in lines if line.page == page and not _ROW.search(line.text.strip())]
        starts, text = [], ""
        for line in own:
            starts.append(len(text))
            text += line.text.strip() + "\n"
        for start, end in spans(text):
            for mention in mentions(text[start:end]):
                day = _day(mention.readings[0], written)
                if day is None or not written < day <= written + timedelta(days=365 * YEARS):
                    continue
                around = text[start : start + mention.start] + text[start + mention.end : end]
                if len(words(around)) < _WORDS or _PAID.search(fold(around)):
                    continue
                at = start + mention.start
                row = max(n for n, first in enumerate(starts) if first <= at)
                sentence = _cut(text[start:end], mention.start, mention.end)
                yield Event(own[row].line, sentence, day, None, _time(sentence), "", "", "", page)


def _day(day: Day, written: date) -> date | None:
    if day.day is None:
        return None
    if day.year is not None:
        return date_of(day.year, day.month, day.day)
    for year in (written.year, written.year + 1):
        found = date_of(year, day.month, day.day)
        if found and timedelta(0) < found - written <= timedelta(days=_NEXT):
            return found
    return None


def _time(sentence: str) -> str:
    """Return the one time of day of a sentence, "" for none or several."""
    found = {f"{int(m[1] or m[3]):02}:{m[2] or '00'}" for m in _TIME.finditer(sentence)}
    return found.pop() if len(found) == 1 else ""


def _cut(sentence: str, start: int, end: int) -> str:
    """Return a sentence as one line; of a long one, whole words around the day."""
    if len(sentence) > _LONG:
        first = max(0, min(start, (start + end - _LONG) // 2))
        last = min(len(sentence), first + _LONG)
        first = sentence.find(" ", first, start) + 1 if first else 0
        last = sentence.rfind(" ", end, last) if last < len(sentence) else last
        sentence = sentence[max(0, first) : last if last > end else end]
    return " ".join(sentence.split())
