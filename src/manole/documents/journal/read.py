"""The entries in a file: below date headings, a file of one day, or the rows of a table.

Days in headings and file names are read in the languages of `text/dates.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from manole.documents.fields.model import TextLine
from manole.documents.formats import DELIMITED, STATEMENTS
from manole.documents.journal.entry import (
    TAGS_LINE,
    TITLE,
    Entry,
    first_words,
    make_entry,
    split_tags,
    unique,
)
from manole.documents.journal.exports import HASH_HEADING, exported
from manole.documents.tables import Table, read_tables
from manole.documents.text import front_matter_end
from manole.text.date_words import WEEKDAYS, any_of
from manole.text.dates import find_dates
from manole.text.sentences import sentences

TEXTS = frozenset({"md", "markdown", "txt", "text", "org", "rst", "adoc", "html"})
_ROWED = DELIMITED - STATEMENTS  # no booking is an entry
_TEXT_COLUMN = re.compile(
    r"\b(entry|entries|text|note|notes|body|content|journal|diary|eintrag|tagebuch|notiz|texte)\b",
    re.IGNORECASE,
)
_LONGEST_HEADING = 90  # characters
_PATH_DAY = re.compile(
    r"(?:^|/)(?:((?:19|20)\d\d)([/_.-])(0?[1-9]|1[0-2])(?:\2|/)(0?[1-9]|[12]\d|3[01])"
    r"|((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]))(?!\d)(?P<title>[^/]*?)\.\w+$"
)
_MARK = re.compile(r"^\s*(#{1,6}\s+|=+\s*|\*+\s+|-{1,3}\s+)?\**\[{0,2}")
# A heading may also have abbreviations, no accents, and words that mean other things elsewhere.
_MORE_WORDS = """
wed thu sat sun mo di mi do fr sa so miercoles lunedi martedi mercoledi giovedi venerdi sabado
segunda terça terca quarta quinta sexta
"""
_WEEKDAYS = rf"(?:{any_of((*WEEKDAYS, *_MORE_WORDS.split()))})(?:-feira)?"
_WEEKDAY = re.compile(
    rf"^{_WEEKDAYS}\b[.,]?\s*(?:,|den|le|el|the)?\s*|^(?:den|le|el|the|am)\s+(?=\d)",
    re.IGNORECASE,
)
_WEEKDAY_AFTER = re.compile(rf"^[\s,(]*{_WEEKDAYS}\b[.)]*(?=\s*(?:[\]:>*\d–—-]|$))", re.IGNORECASE)
_TIME = re.compile(
    r"^[\s,T@·|-]*(?:at |um )?(\d{1,2})[:.](\d{2})(?::\d{2})?\s*(am|pm|uhr|h)?\b\s*", re.IGNORECASE
)
_JRNL = re.compile(r"^\[\d{4}-\d{2}-\d{2}[ T]?[\d:]*(?: ?[ap]m)?\]\s", re.IGNORECASE)
_CLOSE = re.compile(r"^[\s\])*:.,;–—|·-]+")


def read_entries(
    path: str,
    lines: Sequence[TextLine],
    format_: str,
    *,
    own_date: date | None = None,
    declared: bool = False,
) -> list[Entry]:
    """Return the entries of a file, in its order; none if it is no journal.

    `own_date` is the document's date, which counts if the file is `declared` to be a journal.
    """
    if format_ == "json":
        return exported(path, "\n".join(line.text for line in lines))
    if format_ in _ROWED:
        tables = read_tables(lines, format_)
        return unique([e for table in tables for e in _rows(path, table, declared)])
    if format_ not in TEXTS:
        return []
    headings = list(_date_headings(lines))
    if len(headings) >= 2 or (headings and declared):
        return unique(_sections(path, lines, headings))
    day = day_of_path(path) or (own_date if declared else None)
    return [_whole(path, lines, day)] if day else []


def may_hold_entries(path: str, format_: str) -> bool:
    """Return whether a file can be (part of) a journal, by its kind alone."""
    return format_ in TEXTS or format_ in _ROWED or format_ == "json"


def _date_headings(lines: Sequence[TextLine]) -> Iterator[tuple[int, date, str, str]]:
    fenced = False
    for at, line in enumerate(lines):
        if line.text.lstrip().startswith("```"):
            fenced = not fenced
        found = None if fenced else heading_date(line.text)
        if found:
            yield at, *found


def _sections(
    path: str, lines: Sequence[TextLine], headings: Sequence[tuple[int, date, str, str]]
) -> list[Entry]:
    ends = [at for at, *_ in headings[1:]] + [len(lines)]
    entries = []
    for (at, day, clock, title), end in zip(headings, ends, strict=True):
        body = _trimmed(lines[at + 1 : end])
        heading = replace(lines[at], text=title) if title else None
        if title and _JRNL.match(lines[at].text):  # title and text on one line
            body, heading = (replace(lines[at], text=title), *body), None
            title = sentences(title, small=True)[0]
        title, line = title or first_words(body, day), lines[at].line
        entries.append(make_entry(path, day, title, body, line, clock=clock, heading=heading))
    return entries


def _whole(path: str, lines: Sequence[TextLine], day: date) -> Entry:
    """Return the entry of a file of one day."""
    tags, body = _front_matter(_trimmed(lines))
    line = lines[0].line if lines else 1
    title, clock, first = "", "", body
    if body and (found := heading_date(body[0].text)):
        _, clock, title = found
        body = _trimmed(body[1:])
    if not title and body and HASH_HEADING.match(body[0].text):
        title, first, body = body[0].text.lstrip("# ").strip(), body, _trimmed(body[1:])
    heading = replace(first[0], text=title) if title else None
    title = title or first_words(body, day)
    return make_entry(path, day, title, body, line, clock=clock, tags=tags, heading=heading)


def _front_matter(lines: tuple[TextLine, ...]) -> tuple[tuple[str, ...], tuple[TextLine, ...]]:
    """Return the tags of the front matter (`tags: [a, b]`, or a list) and the lines after it."""
    end = front_matter_end([line.text for line in lines])
    tags: list[str] = []
    listing = False
    for line in lines[1 : max(1, end - 1)]:
        if match := TAGS_LINE.match(line.text):
            tags += split_tags(match[1])
        elif re.match(r"^tags?\s*:\s*$", line.text, re.IGNORECASE):
            listing = True
            continue
        elif listing and (item := re.match(r"^\s*-\s+(.+)$", line.text)):
            tags += split_tags(item[1])
            continue
        listing = False
    return tuple(tags), _trimmed(lines[end:])


def _rows(path: str, table: Table, declared: bool) -> Iterator[Entry]:
    """Yield the rows of a table with a column of days and one of texts."""
    days = [_day_column(table, i) for i in range(len(table.columns))]
    at = next((i for i, column in enumerate(days) if column is not None), None)
    texts = [i for i, name in enumerate(table.columns) if i != at and _TEXT_COLUMN.search(name)]
    if at is None or not (texts or declared):
        return
    found = days[at] or []
    for row, day in zip(table.rows, found, strict=True):
        if day is None:
            continue
        cells = [(table.columns[i], cell) for i, cell in enumerate(row.cells) if i != at and cell]
        titles = [cell for name, cell in cells if re.search(r"\b(title|titel|titre)\b", name, re.I)]
        body = [cell for i, cell in enumerate(row.cells) if i in texts and cell]
        text = " ".join(body) if body else ", ".join(f"{name}: {cell}" for name, cell in cells)
        line = (TextLine(text, None, row.line),)
        title = titles[0] if titles else first_words(line, day)
        heading = TextLine(title, None, row.line) if title not in text else None
        tags = [t for n, c in cells if re.search(r"\btags?\b", n, re.I) for t in split_tags(c)]
        yield make_entry(path, day, title, line, row.line, tags=tuple(tags), heading=heading)


def _day_column(table: Table, at: int) -> list[date | None] | None:
    """Return the days of a column, if at least 80 % of its cells begin with one."""
    found = []
    for row in table.rows:
        dates = find_dates(row.cells[at][:40])
        found.append(dates[0][2] if dates and dates[0][0] <= 5 else None)
    return found if found and sum(d is not None for d in found) >= 0.8 * len(found) else None


def _trimmed(lines: Sequence[TextLine]) -> tuple[TextLine, ...]:
    """Return the lines without blank ones at both ends."""
    full = [at for at, line in enumerate(lines) if line.text.strip()]
    return tuple(lines[full[0] : full[-1] + 1]) if full else ()


def day_of_path(path: str) -> date | None:
    """Return the day that a path names: by the whole file name, or folders of year and month."""
    if (match := _PATH_DAY.search(path)) and len(match["title"]) <= TITLE:
        try:
            year, month, day = (match[i] or match[j] for i, j in ((1, 5), (3, 6), (4, 7)))
            return date(int(year), int(month), int(day))
        except ValueError:
            return None
    name = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    found = heading_date(name.replace("_", " "))
    return found[0] if found and len(found[2]) <= TITLE else None


def heading_date(line: str) -> tuple[date, str, str] | None:
    """Return day, time ("" without one) and title of a heading that begins with a date.

    A heading is marked as one (`#`, `[...]`), or has nothing but the date. Behind a date in
    brackets (jrnl) the entry itself may follow.
    """
    if not re.search(r"\d", line[:_LONGEST_HEADING]):
        return None
    mark = _MARK.match(line)
    begin = mark.end() if mark else 0
    marked = bool(mark and mark[0].strip())
    rest = line[begin:]
    rest = rest[weekday.end() :] if (weekday := _WEEKDAY.match(rest)) else rest
    found = find_dates(rest[:60])
    if not found or found[0][0] > 0:
        return None
    _, end, day = found[0]
    rest = _WEEKDAY_AFTER.sub("", rest[end:])
    clock = ""
    if time := _TIME.match(rest):
        hour = int(time[1]) % 24
        if time[3] and time[3].lower() in {"am", "pm"}:
            hour = hour % 12 + (12 if time[3].lower() == "pm" else 0)
        clock = f"{hour:02}:{int(time[2]):02}" if int(time[2]) < 60 else ""
        rest = rest[time.end() :]
    title = _CLOSE.sub("", rest).strip(" *#]=")
    whole = not title or _JRNL.match(line) or (marked and len(title) <= _LONGEST_HEADING)
    return (day, clock, title) if whole else None
