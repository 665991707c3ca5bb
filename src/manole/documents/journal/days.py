"""The day that a file's name or a heading gives, in the languages that `dates` reads."""

from __future__ import annotations

import re
from datetime import date

from manole.text.date_words import WEEKDAYS, any_of
from manole.text.dates import find_dates

_LONGEST_HEADING = 90  # characters
TITLE = 80  # characters of a title
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
JRNL = re.compile(r"^\[\d{4}-\d{2}-\d{2}[ T]?[\d:]*(?: ?[ap]m)?\]\s", re.IGNORECASE)
_CLOSE = re.compile(r"^[\s\])*:.,;–—|·-]+")


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
    whole = not title or JRNL.match(line) or (marked and len(title) <= _LONGEST_HEADING)
    return (day, clock, title) if whole else None
