"""The JSON exports of Day One and jrnl: titles, texts, moments with time zones, tags."""

from __future__ import annotations

import contextlib
import json
import re
from datetime import date, datetime
from itertools import chain
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from manole.documents.fields.model import TextLine
from manole.documents.journal.entry import TITLE, Entry, make_entry, unique

HASH_HEADING = re.compile(r"#{1,6}\s+\S")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")  # Day One writes "home\." for "home."
_PLAIN = re.compile(r"[A-Za-z0-9 .,:;!?'()-]{3,60}")


def exported(path: str, text: str) -> list[Entry]:
    """Return the entries of a Day One or jrnl export; none if the text is no such JSON."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return []
    items = data.get("entries") if isinstance(data, dict) else None
    if not isinstance(items, list):
        return []
    entries: list[Entry] = []
    at = -1
    source = text.split("\n")
    for item in items:
        if not isinstance(item, dict):
            continue
        moment = _moment(item)
        if moment is None:
            continue
        titled = _line_of(source, {"title": item.get("title")}, at)
        at = _line_of(source, item, at)
        title, body = _titled(item)
        made = tuple(TextLine(part, None, at + 1) for part in body.split("\n")) if body else ()
        named = item.get("tags")
        tags = tuple(
            tag.lstrip("@#")
            for tag in (named if isinstance(named, list) else ())
            if isinstance(tag, str)
        )
        day, when = moment
        line = (titled if item.get("title") else at) + 1
        heading = None if body.startswith(title) else TextLine(title, None, line)
        title = title or day.isoformat()
        entries.append(
            make_entry(path, day, title, made, at + 1, when=when, tags=tags, heading=heading)
        )
    return unique(entries)


def _moment(item: dict[str, Any]) -> tuple[date, datetime | None] | None:
    """Read `creationDate` in UTC and `timeZone` of Day One, or `date` and `time` of jrnl."""
    stamp = item.get("creationDate") or item.get("date")
    if not isinstance(stamp, str):
        return None
    if len(stamp) == 10 and isinstance(item.get("time"), str):
        stamp = f"{stamp}T{item['time']}"
    try:
        when = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    zone = item.get("timeZone")
    if when.tzinfo is not None and isinstance(zone, str):
        with contextlib.suppress(ZoneInfoNotFoundError, ValueError, OverflowError, OSError):
            when = when.astimezone(ZoneInfo(zone.replace("\\/", "/")))
    return when.date(), (when if "T" in stamp or " " in stamp else None)


def _titled(item: dict[str, Any]) -> tuple[str, str]:
    title, body = item.get("title"), item.get("text") or item.get("body") or ""
    body = _ESCAPED.sub(r"\1", body) if isinstance(body, str) else ""
    if isinstance(title, str) and title.strip():
        return title.strip(), body
    first, _, rest = body.strip().partition("\n")
    heading = first.lstrip("# ").strip()
    return (heading, rest.strip()) if HASH_HEADING.match(first) else (heading[:TITLE], body)


def _line_of(source: list[str], item: dict[str, Any], before: int) -> int:
    """Return the line of the JSON (from 0) with an entry's text, else its title or date.

    It is looked for behind the line of the entry `before`; all may be on one line.
    """
    at = max(before, 0)
    for name in ("text", "body", "title", "uuid", "creationDate", "date"):
        value = item.get(name)
        plain = _PLAIN.search(value) if isinstance(value, str) else None
        if plain is None:  # only text without escapes can be found
            continue
        key = f'"{name}"'
        for number in chain(range(before + 1, len(source)), (at,)):
            place = source[number].find(key)
            if place >= 0 and plain[0] in source[number][place + len(key) :]:
                return number
    return at
