"""A document's own date, which is not the file system's.

In order: front matter (`date:`), a day in the file's name, the date when a mail was sent, a date
with a label among the first lines of the text ("Invoice date", "Datum"), any date in the very first
lines (but not in tables of data), a month in the file's name (which may be a number:
`FA-2023-01.pdf`), the date when a PDF or Office file was created or a picture taken.
Written dates go before the date of creation, because files are created again: of 51 invoices and
receipts the text gives the right date for 45, the PDF's creation date for 4.

Dates are read as in `text/dates.py`; in ambiguous ones the day comes first, unless the text has
amounts in dollars.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from os import PathLike, fspath
from pathlib import PurePath

from manole.documents.fields.days import labelled_dates
from manole.documents.fields.lines import page_lines
from manole.documents.model import Document
from manole.documents.text import front_matter
from manole.text.date_words import WEEKDAYS, any_of
from manole.text.dates import counts_in_dollars, date_of, find_dates, named_days, named_months

_MOMENT = re.compile(
    r"(?:D:(?=\d)|(?=\d{4}:))(\d{4}):?(\d\d):?(\d\d)[ T]?(?:(\d\d):?(\d\d)?:?(\d\d)?)?([zZ+-].*)?$"
)
_BIRTH = re.compile(  # a date of birth is not the date of a letter
    r"\b(?:date[ \t]+of[ \t]+birth|birth[ \t]*da(?:te|y)|born|dob|geb(?:oren|urts(?:datum|tag))?|"
    r"née?|naissance|nacid[oa]|nacimiento|nat[oa]|nascita|geboorte\w*)\b.{0,40}",
    re.IGNORECASE,
)
_EXPIRY = re.compile(  # nor is the day until which something holds
    r"\b(?:(?:is|are)[ \t]+due|expir(?:y|es|ed|ing|ation)|best[ \t]+before|use[ \t]+by|"
    r"läuft[ \t]+ab|valid[ \t]+(?:until|till|to|through)|(?:gültig|haltbar)[ \t]+bis|"
    r"valable[ \t]+jusqu|v[aá]lid[oa][ \t]+(?:hasta|até|fino)|geldig[ \t]+tot)\b.{0,40}",
    re.IGNORECASE,
)
_FRONT_DATES = ("date", "created", "day")  # fields of a front matter
_DATE_CHARS = 5000  # of the first page that are looked at: a page and a half
_HEAD_LINES = 60  # that may have a labelled date: a page
_FIRST_LINES = 10  # that may have a date in a sentence
_LETTERHEAD = 25  # lines of which one may be a date alone
_PLACE = re.compile(  # before a date that is all of a line: a place, a weekday, an article
    rf"\s*(?:[^\W\d][^\d,:;]{{1,30}},\s*)?(?:{any_of(WEEKDAYS)})?[.,]?\s*"
    r"(?:the|den|le|el|il|lì|a|de)?\s*",
    re.IGNORECASE,
)
_DATA = frozenset(  # rows, of which none dates the file
    (".csv", ".tsv", ".json", ".jsonl", ".log", ".xlsx", ".xls", ".ods", ".ics", ".vcf")
)


def dated(document: Document, path: str | PathLike[str]) -> Document:
    """Return `document` with its own date, if its name, text or metadata have one."""
    text = document.pages[0].text[:_DATE_CHARS] if document.pages else ""
    found = document_date(path, text, document.metadata)
    return replace(document, date=found[0], date_source=found[1]) if found else document


def document_date(
    path: str | PathLike[str], text: str, metadata: Mapping[str, str]
) -> tuple[date, str] | None:
    """Return the date and its source: "front matter", "file name", "metadata" or "text".

    Only the first lines of `text` are read. `None` if there is no date.
    """
    us = counts_in_dollars(text)
    name, latest = PurePath(fspath(path)), _latest()
    front = next((v for key, v in front_matter(text).items() if key in _FRONT_DATES), "")
    if found := _first_date(front, us):
        return found, "front matter"
    if found := next((day for day in named_days(name.name) if day <= latest), None):
        return found, "file name"
    if found := _in_metadata(metadata.get("date", "")):
        return found, "metadata"
    is_data = name.suffix.lower() in _DATA
    lines = page_lines([(None, _EXPIRY.sub("", _BIRTH.sub("", text)))])[:_HEAD_LINES]
    labelled = (field.value for field in labelled_dates(lines, us, columns=not is_data))
    if found := next((day for day in labelled if day <= latest), None):
        return found, "text"
    first = [line.text for line in lines if line.text.strip()][:_LETTERHEAD]
    if not is_data and (
        found := _alone(first, us) or _first_date("\n".join(first[:_FIRST_LINES]), us)
    ):
        return found, "text"
    if found := next((day for day in named_months(name.name) if day <= latest), None):
        return found, "file name"
    found = _in_metadata(metadata.get("created", ""))
    return (found, "metadata") if found else None


def _in_metadata(value: str) -> date | None:
    """Read ISO 8601, PDF (`D:20240131120000Z`) and EXIF (`2024:01:31 12:00:00`) dates."""
    value = value.strip()
    match = re.match(r"(?:D:)?((?:19|20)\d\d)[-:]?(\d\d)[-:]?(\d\d)(?!\d{1,3}$)", value)
    if match:
        made = date_of(int(match[1]), int(match[2]), int(match[3]))
        return made if made and made <= _latest() else None
    return _first_date(value, us=False)


def timestamp(value: str) -> str:
    """Return a PDF's (`D:20240131120000+01'00'`) or EXIF's moment as ISO 8601, others unchanged."""
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


def _alone(lines: Sequence[str], us: bool) -> date | None:
    """Return the first date that is all of its line, but for a place: "Lyon, le 3 mai 2026"."""
    for line in lines:
        for start, end, value in find_dates(line, us)[:1]:
            if value <= _latest() and _PLACE.fullmatch(line[:start]) and not line[end:].strip(" ."):
                return value
    return None


def _first_date(text: str, us: bool) -> date | None:
    """Return the first date in `text` that a paper may have."""
    return next((value for _, _, value in find_dates(text, us) if value <= _latest()), None)


def _latest() -> date:
    """Return the latest date that a paper may have: about a year ahead."""
    return datetime.now().astimezone().date() + timedelta(days=366)
