"""Entries of a journal: dated texts, however they are kept (seed 002, "RetrievedEntry").

A journal is a folder of one file a day (`2024-03-05.md`, `2024/03/05.txt`, `March 5 2024.md`,
Logseq's `2024_03_05.md`), a long file whose headings are dates, in the languages that `dates`
reads, jrnl's text (`[2024-03-05 09:00] Title`), an export of Day One or jrnl in JSON, or a CSV
whose rows are dated texts. Each entry keeps its file and its lines.

What a folder holds is guessed only where the guess is safe: a text whose *name* is a day, or two
headings that are dates. Of a folder that is declared to be a journal (`index.kind = "journal"`)
every dated text is an entry.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from manole.documents.dates import find_dates
from manole.documents.fields.model import TextLine
from manole.documents.formats import DELIMITED
from manole.documents.tables import Table, read_tables

TEXTS = frozenset({"md", "markdown", "txt", "text", "org", "rst", "adoc", "html"})
_LONGEST_HEADING = 90  # characters
_TITLE = 80
_PATH_DAY = re.compile(
    r"(?:^|/)(?:((?:19|20)\d\d)([/_.-])(0?[1-9]|1[0-2])(?:\2|/)(0?[1-9]|[12]\d|3[01])"
    r"|((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]))(?!\d)(?P<title>[^/]*?)\.\w+$"
)
_MARK = re.compile(r"^\s*(#{1,6}\s+|=+\s*|\*+\s+|-{1,3}\s+)?\**\[{0,2}")
_WEEKDAYS = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|sun|montag|dienstag|"
    r"mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|mo|di|mi|do|fr|sa|so|lundi|mardi|"
    r"mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|"
    r"domingo|luned[iì]|marted[iì]|mercoled[iì]|gioved[iì]|venerd[iì]|sabato|domenica|maandag|"
    r"dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|"
    r"(?:segunda|ter[cç]a|quarta|quinta|sexta)(?:-feira)?)"
)
_WEEKDAY = re.compile(
    rf"^{_WEEKDAYS}\b[.,]?\s*(?:,|den|le|el|the)?\s*|^(?:den|le|el|the|am)\s+(?=\d)",
    re.IGNORECASE,
)
_WEEKDAY_AFTER = re.compile(rf"^[\s,(]*{_WEEKDAYS}\b[.)]*(?=\s*(?:[\]:>*\d–—-]|$))", re.IGNORECASE)
_TIME = re.compile(
    r"^[\s,T@·|-]*(?:at |um )?(\d{1,2})[:.](\d{2})(?::\d{2})?\s*(am|pm|uhr|h)?\b\s*", re.IGNORECASE
)
_JRNL = re.compile(r"^\[\d{4}-\d{2}-\d{2}[ T]?[\d:]*(?: ?[ap]m)?\]\s", re.IGNORECASE)
_HASH_HEADING = re.compile(r"#{1,6}\s+\S")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")  # Day One writes "home\." for "home."
_PLAIN = re.compile(r"[A-Za-z0-9 .,:;!?'()-]{3,60}")
_CLOSE = re.compile(r"^[\s\])*:.,;–—|·-]+")
_FULL_LINE = 50  # characters: a shorter line is not broken, but over
_BEGINS = re.compile(
    r"[#>|*+-]|\d+[.)]\s|\[[ x]\]|\w[\w .'-]{0,30}:\s"
)  # what no sentence goes on with
_ENDS = re.compile(r"[.!?:;…|][\"'”’)\]*_]*$")
_FRONT = re.compile(r"^---\s*$")
_TAGS_LINE = re.compile(r"^\s*(?:tags?|keywords|schlagworte)\s*::?\s*(.+)$", re.IGNORECASE)
_HASHTAG = re.compile(r"(?<![\w#&/])[#@]([^\W\d][\w/-]*)")
_TEXT_COLUMN = re.compile(
    r"\b(entry|entries|text|note|notes|body|content|journal|diary|eintrag|tagebuch|notiz|texte)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One dated text. `id` is the hash of date and title (seed 002), and of the text where two
    entries share both. `lines` are its lines in the file, without the heading.
    """  # noqa: D205

    id: str
    date: date
    title: str
    file: str
    line: int
    lines: tuple[TextLine, ...]
    when: datetime | None = None  # with the time of day, and the zone where one is given
    tags: tuple[str, ...] = ()
    heading: TextLine | None = None  # the title and its line, where `lines` do not hold it

    @property
    def text(self) -> str:
        """The lines, one below the other."""
        return "\n".join(line.text for line in self.lines).strip()

    @property
    def paragraphs(self) -> tuple[TextLine, ...]:
        """The lines, those joined that a hard line break cuts in mid-sentence."""
        joined: list[TextLine] = []
        open_ = False
        for line in self.lines:
            text = line.text.strip()
            if open_ and text and not _BEGINS.match(text):
                joined[-1] = replace(joined[-1], text=f"{joined[-1].text.rstrip()} {text}")
            elif text:
                joined.append(line)
            full = len(text) >= _FULL_LINE and not text.startswith("#")
            open_ = full and not _ENDS.search(text)
        return tuple(joined)

    @property
    def line_end(self) -> int:
        """The last line."""
        return self.lines[-1].line if self.lines else self.line


def read_entries(
    path: str,
    lines: Sequence[TextLine],
    format_: str,
    *,
    own_date: date | None = None,
    declared: bool = False,
) -> list[Entry]:
    """The entries of a file, in its order; none where it is no journal.

    `own_date` is the document's date, which counts where the file is `declared` to be a journal.
    """
    if format_ == "json":
        return exported(path, "\n".join(line.text for line in lines))
    if format_ in DELIMITED:
        tables = read_tables(lines, format_)
        return _unique([e for table in tables for e in _rows(path, table, declared)])
    if format_ not in TEXTS:
        return []
    headings = list(_date_headings(lines))
    if len(headings) >= 2 or (headings and declared):
        return _unique(_sections(path, lines, headings))
    day = day_of_path(path) or (own_date if declared else None)
    return [_whole(path, lines, day)] if day else []


def may_hold_entries(path: str, format_: str) -> bool:
    """Whether a file can be (part of) a journal, by its kind alone."""
    return format_ in TEXTS or format_ in DELIMITED or format_ == "json"


def day_of_path(path: str) -> date | None:
    """The day that a path names: the whole of the name, or folders of year and month."""
    if (match := _PATH_DAY.search(path)) and len(match["title"]) <= _TITLE:
        try:
            year, month, day = (match[i] or match[j] for i, j in ((1, 5), (3, 6), (4, 7)))
            return date(int(year), int(month), int(day))
        except ValueError:
            return None
    name = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    found = heading_date(name.replace("_", " "))
    return found[0] if found and len(found[2]) <= _TITLE else None


def heading_date(line: str) -> tuple[date, str, str] | None:
    """Day, time ("" without one) and title of a line that begins with a date and is a heading.

    A heading is marked as one (`#`, `[...]`), or holds nothing but the date. Behind a date in
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


def exported(path: str, text: str) -> list[Entry]:
    """The entries of a Day One or jrnl export; none where the text is no such JSON."""
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
            _entry(path, day, title, made, at + 1, when=when, tags=tags, heading=heading)
        )
    return _unique(entries)


def _moment(item: dict[str, Any]) -> tuple[date, datetime | None] | None:
    """Day One: `creationDate` in UTC and `timeZone`; jrnl: `date` and `time`."""
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
    return (heading, rest.strip()) if _HASH_HEADING.match(first) else (heading[:_TITLE], body)


def _line_of(source: list[str], item: dict[str, Any], before: int) -> int:
    """The line of the JSON (from 0) in which an entry's text stands, else its title or its date.

    It is looked for behind the line of the entry `before`; all may stand on one line.
    """
    at = max(before, 0)
    behind: list[int] = [*range(before + 1, len(source)), at]
    for name in ("text", "body", "title", "uuid", "creationDate", "date"):
        value = item.get(name)
        plain = _PLAIN.search(value) if isinstance(value, str) else None
        if plain is None:  # what is written without an escape can be found
            continue
        key = f'"{name}"'
        for number in behind:
            place = source[number].find(key)
            if place >= 0 and plain[0] in source[number][place + len(key) :]:
                return number
    return at


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
            title = _first_sentence(title)
        title, line = title or _first_words(body, day), lines[at].line
        entries.append(_entry(path, day, title, body, line, clock=clock, heading=heading))
    return entries


def _whole(path: str, lines: Sequence[TextLine], day: date) -> Entry:
    """A file of one day."""
    tags, body = _front_matter(_trimmed(lines))
    line = lines[0].line if lines else 1
    title, clock, first = "", "", body
    if body and (found := heading_date(body[0].text)):
        _, clock, title = found
        body = _trimmed(body[1:])
    if not title and body and _HASH_HEADING.match(body[0].text):
        title, first, body = body[0].text.lstrip("# ").strip(), body, _trimmed(body[1:])
    heading = replace(first[0], text=title) if title else None
    title = title or _first_words(body, day)
    return _entry(path, day, title, body, line, clock=clock, tags=tags, heading=heading)


def _front_matter(lines: tuple[TextLine, ...]) -> tuple[tuple[str, ...], tuple[TextLine, ...]]:
    """Tags of the front matter (`tags: [a, b]`, or a list below it), and the lines after it."""
    if not lines or not _FRONT.match(lines[0].text):
        return (), lines
    end = next((i for i, line in enumerate(lines[1:], 1) if _FRONT.match(line.text)), None)
    if end is None:
        return (), lines
    tags: list[str] = []
    listing = False
    for line in lines[1:end]:
        if match := _TAGS_LINE.match(line.text):
            tags += _split_tags(match[1])
        elif re.match(r"^tags?\s*:\s*$", line.text, re.IGNORECASE):
            listing = True
            continue
        elif listing and (item := re.match(r"^\s*-\s+(.+)$", line.text)):
            tags += _split_tags(item[1])
            continue
        listing = False
    return tuple(tags), _trimmed(lines[end + 1 :])


def _split_tags(text: str) -> list[str]:
    parts = re.split(r"[,;\s]+", text.strip().strip("[]"))
    return [part.strip("\"'#@[]") for part in parts if part.strip("\"'#@[]")]


def _rows(path: str, table: Table, declared: bool) -> Iterator[Entry]:
    """The rows of a table with a column of days and one of texts."""
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
        title = titles[0] if titles else _first_words(line, day)
        heading = TextLine(title, None, row.line) if title not in text else None
        tags = [t for n, c in cells if re.search(r"\btags?\b", n, re.I) for t in _split_tags(c)]
        yield _entry(path, day, title, line, row.line, tags=tuple(tags), heading=heading)


def _day_column(table: Table, at: int) -> list[date | None] | None:
    """The days of a column, if nearly all of its cells begin with one."""
    found = []
    for row in table.rows:
        dates = find_dates(row.cells[at][:40])
        found.append(dates[0][2] if dates and dates[0][0] <= 5 else None)
    return found if found and sum(d is not None for d in found) >= 0.8 * len(found) else None


def _entry(
    path: str,
    day: date,
    title: str,
    lines: Sequence[TextLine],
    line: int,
    *,
    clock: str = "",
    when: datetime | None = None,
    tags: tuple[str, ...] = (),
    heading: TextLine | None = None,
) -> Entry:
    if clock and when is None:
        when = datetime.fromisoformat(f"{day.isoformat()}T{clock}")  # as written: no zone
    written = [match for item in lines if (match := _TAGS_LINE.match(item.text))]
    named = [tag for match in written for tag in _split_tags(match[1])]
    hashed = _HASHTAG.findall("\n".join(item.text for item in lines))
    every = tuple(dict.fromkeys((*tags, *named, *hashed)))
    id_ = _hash(day.isoformat(), title)
    return Entry(id_, day, title, path, line, tuple(lines), when, every, heading)


def _unique(entries: Sequence[Entry]) -> list[Entry]:
    """Entries whose date and title are those of another get ids by their text and place too."""
    count = Counter(e.id for e in entries)
    return [
        replace(e, id=_hash(e.date.isoformat(), e.title, e.text, str(n))) if count[e.id] > 1 else e
        for n, e in enumerate(entries)
    ]


def _hash(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _trimmed(lines: Sequence[TextLine]) -> tuple[TextLine, ...]:
    """Without blank lines at both ends."""
    kept = list(lines)
    while kept and not kept[0].text.strip():
        kept.pop(0)
    while kept and not kept[-1].text.strip():
        kept.pop()
    return tuple(kept)


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s+", text, maxsplit=1)[0]


def _first_words(lines: Sequence[TextLine], day: date) -> str:
    """The beginning of a text, as the title of an entry that has none."""
    texts = (line.text.strip(" #*-") for line in lines if not _TAGS_LINE.match(line.text))
    text = next((text for text in texts if text), "")
    if not text:
        return day.isoformat()
    return text if len(text) <= _TITLE else text[:_TITLE].rsplit(" ", 1)[0] + " …"
