"""A calendar of what is due, as every calendar program reads it (RFC 5545)."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from manole.agent.due.model import Due
from manole.agent.due.wording import how, source, what

_LINE = 75  # bytes of a line, at most (3.1)


def calendar(found: Iterable[Due]) -> str:
    """Return a calendar with an event for each: at its time, or a whole day.

    An event has the same UID each time, so that a program that reads it again changes nothing.
    """
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Manole//due//EN"]
    for one in found:
        key = f"{one.day}:{one.file}:{one.page}:{one.line}:{one.kind}:{one.text}"
        lines += [
            "BEGIN:VEVENT",
            f"UID:{uuid.uuid5(uuid.NAMESPACE_URL, key.encode('utf-8', 'replace').decode())}",
            f"DTSTAMP:{datetime.now(UTC):%Y%m%dT%H%M%SZ}",
            *_times(one),
            f"SUMMARY:{_escaped(what(one))}",
            f"DESCRIPTION:{_escaped('; '.join(filter(None, (how(one.how), source(one)))))}",
            "END:VEVENT",
        ]
    lines.append("END:VCALENDAR")
    return "".join(f"{part}\r\n" for line in lines for part in _folded(line))


def _times(one: Due) -> list[str]:
    """Return when it is: local time of wherever the calendar is read, or the whole day."""
    if one.time:
        return [f"DTSTART:{one.day:%Y%m%d}T{one.time.replace(':', '')}00"]
    after = one.day + timedelta(days=1)
    return [f"DTSTART;VALUE=DATE:{one.day:%Y%m%d}", f"DTEND;VALUE=DATE:{after:%Y%m%d}"]


def _escaped(text: str) -> str:
    clean = "".join(letter if letter.isprintable() else " " for letter in text)
    plain = " ".join(clean.split()).replace("\\", "\\\\")
    return plain.replace(",", "\\,").replace(";", "\\;")


def _folded(line: str) -> Iterator[str]:
    part = ""
    for letter in line:
        if len((part + letter).encode()) > _LINE:
            yield part
            part = " "
        part += letter
    yield part
