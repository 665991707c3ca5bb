"""Files of records as tables: calendars, contacts, and lists of JSON objects.

A record is a row, and each name in any of them is a column. Values nested deeper than a list of
words are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from manole.documents.fields.model import TextLine
from manole.documents.tables.model import Table, TableRow, collapsed

# The components of RFC 5545 and RFC 6350 that are records, and their properties in words.
_THINGS = frozenset({"VEVENT", "VTODO", "VJOURNAL", "VCARD"})
_WORDS = {
    "dtstart": "starts", "dtend": "ends", "summary": "title", "rrule": "repeats", "fn": "name",
    "tel": "phone", "adr": "address", "org": "organisation", "bday": "birthday",
    "description": "notes", "note": "notes",
}  # fmt: skip
_TECHNICAL = frozenset({"uid", "dtstamp", "sequence", "n", "rev", "prodid", "version", "photo"})
_PROPERTY = re.compile(r"(?:[\w-]+\.)?([\w-]+)((?:;[^:;\"]*(?:\"[^\"]*\")?)*):(.*)", re.DOTALL)
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d*Z?)?")
_MAX_COLUMNS = 40  # a table that is wider is not read by a person either; set by hand
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str)  # as they are written
_PERSON = frozenset({"attendee", "organizer"})
_NAME = re.compile(r";CN=(?:\"([^\"]*)\"|([^;:]*))", re.IGNORECASE)
Record = tuple[int, str, dict[str, str]]  # its first line, its text, its cells


def record_table(lines: Sequence[TextLine], format_: str) -> Table | None:
    """Return the table of a file's records; `None` if they have fewer than two names."""
    if format_ in {"ics", "vcf"}:
        records = list(components(lines))
    else:
        records = list(_objects(lines, every_line=format_ == "jsonl"))
    names = list(dict.fromkeys(name for _, _, cells in records for name in cells))[:_MAX_COLUMNS]
    if len(names) < 2:
        return None
    rows = tuple(
        TableRow(tuple(cells.get(name, "") for name in names), line, text)
        for line, text, cells in records
    )
    return Table(tuple(names), rows, lines[0].page, None, rows[0].line)


def components(lines: Sequence[TextLine], things: Collection[str] = _THINGS) -> Iterator[Record]:
    """Yield the components of a calendar, or of a list of contacts, that are such `things`."""
    start, inner = 0, 0
    texts: list[str] = []
    cells: dict[str, str] = {}
    for line, text in _unfolded(lines):
        mark, _, name = text.strip().partition(":")
        mark = mark.upper()
        if mark == "BEGIN" and name.upper() in things:
            start, inner, texts, cells = line, 0, [], {}
        elif mark == "BEGIN":
            inner += 1  # an alarm has a description of its own
        elif mark == "END" and name.upper() in things and start:
            yield start, collapsed(" ".join(texts)), cells
            start = 0
        elif mark == "END":
            inner -= 1
        elif start and inner <= 0 and (match := _PROPERTY.fullmatch(text)):
            key = match[1].lower()
            value = _person(match) if key in _PERSON else _plain(match[3])
            known = key not in _TECHNICAL and not key.startswith("x-")
            if texts or known:  # a quotation begins with the first property of interest
                texts.append(text)
            if value and known:
                before = cells.get(name := _WORDS.get(key, key))
                cells[name] = f"{before}, {value}" if before else value


def _unfolded(lines: Sequence[TextLine]) -> Iterator[tuple[int, str]]:
    """Yield lines joined with their continuations, which begin with a blank."""
    number, text = 0, ""
    for line in lines:
        if text and line.text[:1] in {" ", "\t"}:
            text += line.text[1:]
            continue
        if text:
            yield number, text
        number, text = line.line, line.text
    if text:
        yield number, text


def _plain(value: str) -> str:
    """Write a property's value as people do: days, escaped marks, parts of an address."""
    value = value.strip()
    if moment := _MOMENT.fullmatch(value):
        year, month, day, hour, minute = moment.groups()
        return f"{year}-{month}-{day}" + (f" {hour}:{minute}" if hour else "")
    value = re.sub(r"(?<!\\);+", ", ", value).strip(", ")
    return collapsed(re.sub(r"\\([nN])", " ", value).replace("\\", ""))


def _person(found: re.Match[str]) -> str:
    """Return the name of somebody who takes part in an event, else the address."""
    named = _NAME.search(found[2])
    return collapsed((named[1] or named[2] or "") if named else "") or _plain(
        re.sub(r"(?i)^mailto:", "", found[3].strip())
    )


def _objects(lines: Sequence[TextLine], *, every_line: bool) -> Iterator[Record]:
    """Yield the objects of the first list of objects in a file, or the one on every line."""
    text = "\n".join(line.text for line in lines)
    opened = re.search(r"\{" if every_line else r"\[\s*\{", text)
    at = opened.end() - 1 if opened else -1
    while 0 <= at < len(text) and text[at] == "{":
        try:
            found, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        number = lines[text.count("\n", 0, at)].line
        yield number, collapsed(text[at:end]), _cells(found)
        at = end + len(re.match(r"[\s,]*", text[end:])[0])  # type: ignore[index]


def _cells(found: Mapping[str, Any]) -> dict[str, str]:
    texts = ((name, _text(value)) for name, value in found.items())
    return {collapsed(name): text for name, text in texts if text}


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, map(_text, value)))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return collapsed(str(value)) if isinstance(value, (str, int, float)) else ""
