"""A document's own date, which is not the file system's.

In order: front matter (`date:`), the file's name, the date a mail was sent, a date with a label
among the first lines of the text ("Invoice date", "Datum"), any date in the very first lines (but
not in tables of data), when a PDF or an Office file was made or a picture taken. What is written
goes before the time of making, because files are made again: of 23 invoices (on which the labels
were chosen) the text gave the right date for all, the creation date of the PDF for 7.

Dates are read as `text/dates.py` does; what is ambiguous is the day first, unless the text counts
in dollars.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from os import PathLike, fspath
from pathlib import PurePath

from manole.documents.model import Document
from manole.text.dates import counts_in_dollars, date_of, find_dates, named_dates

_LABELS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # What this paper is dated, before other dates that stand on it.
        r"\b(?:(?:invoice|issue|bill(?:ing)?|statement|letter)[ \t]*date|date[ \t]*of[ \t]*"
        r"(?:issue|invoice)|(?:rechnungs|beleg|ausstellungs|factuur)-?[ \t]?datum|date[ \t]*de"
        r"[ \t]*(?:la[ \t]*)?facture|date[ \t]*d['’]émission|fecha[ \t]*de[ \t]*(?:la[ \t]*)?"
        r"(?:factura|emisi[oó]n)|data[ \t]*(?:fattura|da[ \t]*fatura|emissione))\b",
        r"\b(?:\w*rechnung|rechnungskorrektur|gutschrift|bescheid|vertrag|facture|invoice)\b.{0,60}?"
        r"(?:\bvom\b|\bdu\b|\bdated\b|\bof\b)",
        r"\b(?:dated?|datum|fecha|data)\b[ \t]*:?(?=.{0,30}\d)",
        r"\b(?:order|bestell)-?[ \t]?(?:date|datum)\b",
    )
)
_MOMENT = re.compile(
    r"(?:D:(?=\d)|(?=\d{4}:))(\d{4}):?(\d\d):?(\d\d)[ T]?(?:(\d\d):?(\d\d)?:?(\d\d)?)?([zZ+-].*)?$"
)
_BIRTH = re.compile(  # when a person was born dates no letter
    r"\b(?:date[ \t]+of[ \t]+birth|birth[ \t]*da(?:te|y)|born|dob|geb(?:oren|urts(?:datum|tag))?|"
    r"née?|naissance|nacid[oa]|nacimiento|nat[oa]|nascita|geboorte\w*)\b.{0,40}",
    re.IGNORECASE,
)
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n---", re.DOTALL)
_FRONT_DATE = re.compile(r"^(?:date|created|day)[ \t]*:[ \t]*(.+)$", re.IGNORECASE | re.MULTILINE)
_DATE_CHARS = 5000
_HEAD_LINES = 60
_FIRST_LINES = 10
_DATA = frozenset((".csv", ".tsv", ".json", ".jsonl", ".log", ".xlsx", ".xls", ".ods"))  # rows


def dated(document: Document, path: str | PathLike[str]) -> Document:
    """`document` with its own date, where name, text or metadata tell it."""
    text = document.pages[0].text[:_DATE_CHARS] if document.pages else ""
    found = document_date(path, text, document.metadata)
    return replace(document, date=found[0], date_source=found[1]) if found else document


def document_date(
    path: str | PathLike[str], text: str, metadata: Mapping[str, str]
) -> tuple[date, str] | None:
    """The document's date and where it stands: "front matter", "file name", "metadata", "text".

    Only the first lines of `text` are read. `None` where nothing tells.
    """
    us = counts_in_dollars(text)
    front = _FRONT_MATTER.match(text)
    if front and (line := _FRONT_DATE.search(front.group(1))):
        found = next(_dates(line.group(1), us), None)
        if found:
            return found, "front matter"
    in_name = named_dates(PurePath(fspath(path)).name)
    named = next((value for value in in_name if value <= _latest()), None)
    if named:
        return named, "file name"
    sent = _in_metadata(metadata.get("date", ""))
    if sent:
        return sent, "metadata"
    lines = [_BIRTH.sub("", line) for line in text.splitlines()[:_HEAD_LINES]]
    labelled = _labelled(lines, us)
    if labelled:
        return labelled, "text"
    if PurePath(fspath(path)).suffix.lower() not in _DATA:
        first = [line for line in lines if line.strip()][:_FIRST_LINES]
        written = next(_dates("\n".join(first), us), None)
        if written:
            return written, "text"
    made = _in_metadata(metadata.get("created", ""))
    return (made, "metadata") if made else None


def _in_metadata(value: str) -> date | None:
    """ISO 8601, PDF (`D:20240131120000Z`) and EXIF (`2024:01:31 12:00:00`) dates."""
    value = value.strip()
    match = re.match(r"(?:D:)?((?:19|20)\d\d)[-:]?(\d\d)[-:]?(\d\d)(?!\d{1,3}$)", value)
    if match:
        made = date_of(int(match[1]), int(match[2]), int(match[3]))
        return made if made and made <= _latest() else None
    return next(_dates(value, us=False), None)


def timestamp(value: str) -> str:
    """A PDF's (`D:20240131120000+01'00'`) or EXIF's moment as ISO 8601; anything else unchanged."""
    match = _MOMENT.match(value.strip())
    if not match:
        return value
    year, month, day, hour, minute, second, zone = match.groups()
    offset = re.sub(r"[^\d+-]", "", zone or "")[:5]
    if len(offset) == 5:
        offset = f"{offset[:3]}:{offset[3:]}"
    elif zone and zone[0] in "zZ":
        offset = "Z"
    else:
        offset = ""
    clock = f"T{hour}:{minute or '00'}:{second or '00'}{offset}" if hour else ""
    return f"{year}-{month}-{day}{clock}"


def _labelled(lines: list[str], us: bool) -> date | None:
    for pattern in _LABELS:
        for number, line in enumerate(lines):
            label = pattern.search(line)
            if not label:
                continue
            # The value follows its label, or stands below it.
            for place in (line[label.end() :][:60], *lines[number + 1 : number + 2]):
                found = next(_dates(place, us), None)
                if found:
                    return found
    return None


def _dates(text: str, us: bool) -> Iterator[date]:
    """Dates written in `text`, in order of place, that a paper may be dated."""
    yield from (value for _, _, value in find_dates(text, us) if value <= _latest())


def _latest() -> date:
    """A paper may be dated ahead, but hardly by more than a year."""
    return datetime.now().astimezone().date() + timedelta(days=366)
