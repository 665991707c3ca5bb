"""The tasks in a text: `- [ ] …` and `- [x] …`, the lines of a `todo.txt`, `* TODO …` of Org.

Days are read as they are written by Obsidian's Tasks (`📅 2026-11-21`, `✅ 2026-11-20`), Dataview
(`[due:: 2026-11-21]`), TaskPaper (`@due(2026-11-21)`), todo.txt (`due:2026-11-21`) and people
(`due: 21 Nov 2026`, `bis 21.11.2026`). A day that does not exist is none, and stays in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import zip_longest
from pathlib import PurePosixPath

from manole.documents.code_lines import without_code
from manole.documents.fields.model import TextLine
from manole.documents.notes.tags import hashtags
from manole.text.dates import date_of, find_dates

_BOX = re.compile(
    r"[ \t>]*(?:(?:[-*+•◦‣▪●○–]|\d{1,9}[.)])[ \t]+)?"
    r"(?:\[(?P<sign>[ xX✓✔/-]?)\]|(?P<drawn>[☐☑☒🗹]))(?=[ \t])[ \t]*(?P<text>.*)"
)
_ITEM = re.compile(r"\s*(?:[-*+•◦‣▪●○–>|#]|\d{1,9}[.)]|\[[ xX✓✔/-]?\]|[☐☑☒🗹])")
_HEADING = 60  # characters of a line above tasks that names them
_DONE, _LEFT_OUT = frozenset("xX✓✔☑☒🗹"), "-"  # `- [-]` is a task that was given up
_MAY_BE = re.compile(r"\[[ xX✓✔/]?\]|[☐☑☒🗹]")
# What leads to a day: by signs, by words, and by words that mean it only before a day at the end.
_DUE = "due|deadline|fällig|faellig|échéance|echeance|vence|scadenza|vervalt"
_ON = "done|completed|completion|finished|erledigt|fertig|terminé|fait|hecho|fatto|gedaan"
_OTHER = "created|start|scheduled|cancelled|t"
_UNTIL = "by|until|till|bis|avant|jusqu['’]au|hasta|antes del|entro|entro il|até|voor|uiterlijk"
_LEAD = re.compile(
    rf"[(\[]?(?:(?P<sign>[📅📆🗓✅➕🛫⏳❌])\ufe0f?|@?\b(?:(?P<due>{_DUE})|(?P<on>{_ON})|"
    rf"(?P<other>{_OTHER})(?=[:(]))\b\s?(?:::?|\()?|\b(?P<until>{_UNTIL})\b)\s*"
    r"(?:(?:on|by|am|zum|le|el|il|op)\s+(?:the\s+|dem\s+)?)?",
    re.IGNORECASE,
)
_DUE_SIGNS = frozenset("📅📆🗓")
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?!\d)(?:[T ]\d\d:\d\d(?::\d\d)?)?")
_DAY_LENGTH = 40  # characters of a day in words: more than the longest
_LONGEST = 1000  # characters of a task that are read: more than anybody writes
_BEFORE_MARK = re.compile(r"\s+(?=[.,;!?]+$)")
_NO_WORDS = re.compile(r"🔁[^📅📆🗓✅➕🛫⏳❌]*|[🔺⏫🔼🔽⏬]\ufe0f?|\s\^[\w-]+\s*$")
_LINK = re.compile(r"\[\[(?:[^\]|]*\|)?([^\]|]+)\]\]|\[([^\[\]]+)\]\([^()\s]+\)")
# Of todo.txt: the state and the priority, days, keys such as `pri:A`, projects and places.
_TODO = re.compile(r"(?:[-*] )?([xX] )?\s*(?:\([A-Z]\) )?(.*)")
_CREATED = re.compile(r"(\d{4})-(\d\d)-(\d\d)\s+")
_PAIR = re.compile(r"(?<!\S)(?!due:)[A-Za-z]\w*:(?!//)\S+")
_LABEL = re.compile(r"(?<!\S)[+@]([^\W\d_][^\s,;]*)")
_LAST_LABELS = re.compile(r"(?:\s+[+@]\S+)+\s*$")
_ORG = re.compile(
    r"\*+[ \t]+(?P<state>TODO|NEXT|WAITING|STARTED|DONE)[ \t]+(?:\[#[A-Z]\][ \t]+)?(?P<text>.*)"
)
_ORG_TAGS = re.compile(r"[ \t]+:([\w@:]+):[ \t]*$")
_ORG_DAY = re.compile(r"\b(DEADLINE|CLOSED):[ \t]*[<\[](\d{4})-(\d\d)-(\d\d)")
TODO_FILES = frozenset({"todo.txt", "done.txt"})


@dataclass(frozen=True, slots=True)
class Task:
    """A task and its 1-based line; `done` is the day when it was done, if that is known."""

    line: int
    text: str
    is_done: bool
    due: date | None = None
    done: date | None = None
    tags: tuple[str, ...] = ()


def tasks_in(lines: Sequence[TextLine], format_: str, path: str = "") -> list[Task]:
    """Return the tasks of a text in their order.

    `format_` is the document's short format name. Of a file called `todo.txt` each line is a task,
    unless it has boxes. Nothing raises.
    """
    found: list[Task] = []
    if any(_MAY_BE.search(line.text) for line in lines):
        found = list(_of_boxes(list(without_code(lines, format_))))
    if format_ == "org":
        found = sorted((*found, *_of_org(without_code(lines, format_))), key=lambda t: t.line)
    elif not found and PurePosixPath(path.lower()).name in TODO_FILES:
        found = list(_of_todo_file(lines))
    return found


def has_box(line: str) -> bool:
    """Return whether a line is a task with a box before it."""
    return _BOX.match(line) is not None


def without_tasks(lines: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines that are no tasks with boxes, nor the wrapped rest of one."""
    kept, first = [], ""
    for line in lines:
        goes_on = bool(first) and _goes_on(first, line.text)
        if has_box(line.text) or (not goes_on and first):
            first = line.text if has_box(line.text) else ""
        if not first:
            kept.append(line)
    return kept


def _of_boxes(lines: Sequence[TextLine]) -> Iterator[Task]:
    """Yield the lines with boxes, each with its wrapped lines; the heading above is a tag."""
    heading, before, at = "", -1, 0
    while at < len(lines):
        line, at = lines[at], at + 1
        box = _BOX.match(line.text)
        below = lines[at] if at < len(lines) and lines[at].line == line.line + 1 else None
        if box is None:
            text = line.text.strip()
            leads = below is not None and has_box(below.text)
            if text.startswith("#") or (leads and text and line.line != before + 1):
                heading = text.strip("#:* ") if len(text) <= _HEADING else ""
        else:
            written = box["text"]
            while below is not None and _goes_on(line.text, below.text):
                written, at = f"{written} {below.text.strip()}", at + 1
                more = lines[at] if at < len(lines) else None
                below = more if more and more.line == below.line + 1 else None
            if task := _of_box(line, box["sign"] or box["drawn"] or " ", written, heading):
                yield task
        if lines[at - 1].text.strip():
            before = lines[at - 1].line


def _goes_on(first: str, below: str) -> bool:
    """Return whether a line is the wrapped rest of a task: it stands further in, and is no item."""
    further = len(below) - len(below.lstrip()) > len(first) - len(first.lstrip())
    return further and bool(below.strip()) and not _ITEM.match(below)


def _of_box(line: TextLine, sign: str, written: str, heading: str) -> Task | None:
    if sign == _LEFT_OUT:
        return None
    written = written[:_LONGEST]
    due, done, text = _days_of(_NO_WORDS.sub("", written))
    tags = tuple(hashtags(written))
    if tags:
        either = "|".join(map(re.escape, tags))
        text = re.sub(rf"(?<!\S)#(?:{either})(?![\w/-])", "", text)
    about = tuple(dict.fromkeys((*tags, heading))) if heading else tags
    return _task(line, text, sign in _DONE, due, done, about)


def _of_todo_file(lines: Sequence[TextLine]) -> Iterator[Task]:
    """Yield the tasks of a todo.txt: `x 2026-11-20 2026-11-01 text +project @place due:…`."""
    for line in lines:
        written = line.text[:_LONGEST].strip()
        if not re.search(r"\w", written) or written.endswith(":") or written.startswith("#"):
            continue
        is_done, text = _TODO.findall(written)[0]
        days = []
        while made := _CREATED.match(text):
            days.append(date_of(*map(int, made.groups())))
            text = text[made.end() :]
        due, on, text = _days_of(text)
        labels = tuple(dict.fromkeys(_LABEL.findall(text)))
        text = _LABEL.sub(r"\1", _LAST_LABELS.sub("", _PAIR.sub("", text)))
        on = on or (days[0] if days else None)
        if task := _task(line, text, bool(is_done), due, on, labels):
            yield task


def _of_org(lines: Sequence[TextLine]) -> Iterator[Task]:
    """Yield the headings of Org that are tasks; their days are in the line below."""
    for line, below in zip_longest(lines, lines[1:]):
        if (found := _ORG.match(line.text[:_LONGEST])) is None:
            continue
        dated = _ORG_DAY.finditer(below.text[:_LONGEST] if below else "")
        days = {day[1]: date_of(*map(int, day.groups()[1:])) for day in dated}
        marked = _ORG_TAGS.search(found["text"])
        tags = tuple(filter(None, marked[1].split(":"))) if marked else ()
        text = found["text"][: marked.start() if marked else None]
        is_done = found["state"] == "DONE"
        if task := _task(line, text, is_done, days.get("DEADLINE"), days.get("CLOSED"), tags):
            yield task


def _task(
    line: TextLine,
    text: str,
    is_done: bool,
    due: date | None,
    done: date | None,
    tags: tuple[str, ...],
) -> Task | None:
    """Return the task with a text without its marks; `None` if it has no words."""
    words = _LINK.sub(lambda link: link[1] or link[2], text).replace("**", "")
    words = _BEFORE_MARK.sub("", " ".join(words.split()).strip(" ,;"))
    return Task(line.line, words, is_done, due, done if is_done else None, tags) if words else None


def _days_of(text: str) -> tuple[date | None, date | None, str]:
    """Return when a task is due and was done, and its text without these days."""
    due = on = None
    kept, at = [], 0
    for lead in _LEAD.finditer(text):
        if lead.start() < at or (found := _day_behind(text, lead.end())) is None:
            continue
        day, end = found
        bracket = re.match(r"\s*[)\]]", text[end:]) if re.search(r"[(\[]", lead[0]) else None
        end += bracket.end() if bracket else 0
        if lead["until"] and text[end:].strip(" .!)"):
            continue
        if lead["due"] or lead["until"] or lead["sign"] in _DUE_SIGNS:
            due = due or day
        elif lead["on"] or lead["sign"] == "✅":
            on = on or day
        kept.append(text[at : lead.start()])
        at = end
    return due, on, " ".join((*kept, text[at:]))


def _day_behind(text: str, at: int) -> tuple[date, int] | None:
    """Return the day that stands at this place of a text, and its end."""
    if iso := _ISO.match(text, at):
        day = date_of(int(iso[1]), int(iso[2]), int(iso[3]))
        return (day, iso.end()) if day else None
    found = next(iter(find_dates(text[at : at + _DAY_LENGTH])), None)
    return (found[2], at + found[1]) if found and found[0] == 0 else None
