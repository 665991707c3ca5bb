"""Calendars (RFC 5545) and contacts (RFC 6350) as people read them.

Each event, task, note and contact becomes a few lines, where it begins in the file: what it is with
its name, then `Starts: 2027-03-05 07:30`. Lines keep their numbers: those that a person does not
read (stamps, alarms, `END:VEVENT`) are empty. Times are those that are written, without their zone;
an event that is repeated has its first day. The end of a whole day is written in the file as the
day after it, and here as its own last day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, timedelta

# The components that are read, and what they are called.
THINGS = {"VEVENT": "Event", "VTODO": "Task", "VJOURNAL": "Note", "VCARD": "Contact"}
_WORDS = {  # properties in words; the first two name the component
    "summary": "title", "fn": "name", "dtstart": "starts", "dtend": "ends", "rrule": "repeats",
    "tel": "phone", "adr": "address", "org": "organisation", "bday": "birthday",
    "description": "notes", "note": "notes", "attendee": "people", "organizer": "people",
    "x-wr-calname": "calendar",
}  # fmt: skip
_NAMES = ("title", "name")
_TECHNICAL = frozenset({"uid", "dtstamp", "sequence", "n", "rev", "prodid", "version", "photo"})
_PROPERTY = re.compile(r"(?:[\w-]+\.)?([\w-]+)((?:;[^:;\"]*(?:\"[^\"]*\")?)*):(.*)", re.DOTALL)
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d*Z?)?")
_DURATION = re.compile(r"P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?.*)?")
_RULE = re.compile(r"(?:^|;)\w+=")
_NAMED = re.compile(r";CN=(?:\"([^\"]*)\"|([^;:]*))", re.IGNORECASE)
_DAY = len("2027-03-05")


def readable(text: str) -> str:
    """Return the text of a calendar or of contacts in such lines; other text is as it was."""
    lines = text.split("\n")
    said = [""] * len(lines)
    found = False
    for at, thing, cells in _components(lines):
        found = True
        for offset, line in enumerate(_written(thing, cells)):
            said[at + offset] = line
    return "\n".join(said) if found else text


def _components(lines: list[str]) -> Iterator[tuple[int, str, dict[str, str]]]:
    """Yield components, also one that is cut off: their first lines, what they are, properties.

    The name of a calendar is one, too.
    """
    start, inner, thing = -1, 0, ""
    cells: dict[str, str] = {}
    for at, text in _unfolded(lines):
        mark, _, name = text.strip().upper().partition(":")
        if mark == "BEGIN" and name in THINGS:
            if thing:
                yield start, thing, cells
            start, inner, thing, cells = at, 0, THINGS[name], {}
        elif mark == "BEGIN":
            inner += 1  # an alarm has a description of its own
        elif mark == "END" and name in THINGS and thing:
            yield start, thing, cells
            thing = ""
        elif mark == "END":
            inner -= 1
        elif match := _PROPERTY.fullmatch(text):
            key = match[1].lower()
            named = _WORDS.get(key, key)
            if not thing and named == "calendar":
                yield at, "Calendar", {"name": _plain(match[3])}
            elif thing and inner <= 0 and key not in _TECHNICAL and not key.startswith("x-"):
                value = _person(match) if named == "people" else _plain(match[3])
                before = cells.get(named, "")
                if value and value not in before:
                    cells[named] = f"{before}, {value}" if before else value
    if thing:
        yield start, thing, cells


def _unfolded(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield lines joined with their continuations, which begin with a blank."""
    number, text = 0, ""
    for at, line in enumerate(lines):
        if text and line[:1] in {" ", "\t"}:
            text += line[1:]
            continue
        if text:
            yield number, text
        number, text = at, line
    if text:
        yield number, text


def _written(thing: str, cells: dict[str, str]) -> Iterator[str]:
    """Yield the lines of a component; of its days the last one only where there are several."""
    starts = cells.get("starts", "")
    if starts:
        ends = cells.pop("ends", "") or _after(starts, cells.pop("duration", ""))
        whole = len(starts) == _DAY
        if whole and ends > starts:
            ends = _moved(ends, timedelta(days=-1))
        if ends and ends != starts:
            cells = {"starts": starts, "ends": ends} | cells
    if "repeats" in cells:
        cells["repeats"] = _RULE.sub(" ", cells["repeats"]).strip().lower()
    names = [cells.pop(name) for name in _NAMES if name in cells]
    yield f"{thing}: {', '.join(names)}".strip()
    for key, value in cells.items():
        yield f"{key.capitalize()}: {value}"


def _plain(value: str) -> str:
    """Write a property's value as people do: days, escaped marks, parts of an address."""
    value = value.strip()
    if moment := _MOMENT.fullmatch(value):
        year, month, day, hour, minute = moment.groups()
        return f"{year}-{month}-{day}" + (f" {hour}:{minute}" if hour else "")
    if not _RULE.match(value):
        value = re.sub(r"(?<!\\);+", ", ", value).strip(", ")
    return " ".join(re.sub(r"\\([nN])", " ", value).replace("\\", "").split())


def _person(found: re.Match[str]) -> str:
    """Return the name of somebody who takes part in an event, else the address."""
    named = _NAMED.search(found[2])
    return " ".join((named[1] or named[2] or "").split() if named else ()) or _plain(
        re.sub(r"(?i)^mailto:", "", found[3].strip())
    )


def _after(starts: str, duration: str) -> str:
    """Return the end of what lasts so long, such as `P3D` or `PT1H30M`; "" if that is unknown."""
    match = _DURATION.fullmatch(duration)
    if not match or not duration[1:]:
        return ""
    weeks, days, hours, minutes = (int(part or 0) for part in match.groups())
    return _moved(starts, timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes))


def _moved(moment: str, by: timedelta) -> str:
    """Return a day, or a day with a time, moved; "" if there is no such day."""
    with suppress(ValueError, OverflowError):
        if len(moment) == _DAY:
            return (date.fromisoformat(moment) + by).isoformat()
        return (datetime.fromisoformat(moment) + by).strftime("%Y-%m-%d %H:%M")
    return ""
