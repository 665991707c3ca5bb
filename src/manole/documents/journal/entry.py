"""An entry of a journal, with its id and tags."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from manole.documents.fields.model import TextLine
from manole.text.sentences import ends

TITLE = 80  # characters of a title
# A line of a conversation: `Ann: ...`, `**Ann:** ...`.
SPEAKER = re.compile(r"^\**([^\W\d_][\w .'-]{0,30}?)\**:\**\s")
_FULL_LINE = 50  # characters: a shorter line ends by itself, not at the margin
# A sentence does not go on with one of these.
_BEGINS = re.compile(r"[#>|*+-]|\d+[.)]\s|\[[ x]\]|\w[\w .'-]{0,30}:\s")
TAGS_LINE = re.compile(r"^\s*(?:tags?|keywords|schlagworte)\s*::?\s*(.+)$", re.IGNORECASE)
_HASHTAG = re.compile(r"(?<![\w#&/])[#@]([^\W\d][\w/-]*)")


@dataclass(frozen=True, slots=True)
class Entry:
    """A dated text.

    `id` is the hash of date and title, and also of the text if two entries share both. `lines` are
    its lines in the file, without the heading.
    """

    id: str
    date: date
    title: str
    file: str
    line: int
    lines: tuple[TextLine, ...]
    when: datetime | None = None  # with the time of day, and the zone where one is given
    tags: tuple[str, ...] = ()
    heading: TextLine | None = None  # the title and its line, if `lines` do not have it

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(line.text for line in self.lines).strip()

    @property
    def paragraphs(self) -> tuple[TextLine, ...]:
        """The lines, joined where a hard line break cuts a sentence."""
        joined: list[TextLine] = []
        open_ = False
        for line in self.lines:
            text = line.text.strip()
            if open_ and text and not _BEGINS.match(text):
                joined[-1] = replace(joined[-1], text=f"{joined[-1].text.rstrip()} {text}")
            elif text:
                joined.append(line)
            full = len(text) >= _FULL_LINE and not text.startswith("#")
            open_ = full and not ends(text, also=":;|")
        return tuple(joined)

    @property
    def line_end(self) -> int:
        """The number of the last line."""
        return self.lines[-1].line if self.lines else self.line


def make_entry(
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
    """Return an entry with its id, and with the tags in its lines besides `tags`."""
    if clock and when is None:
        when = datetime.fromisoformat(f"{day.isoformat()}T{clock}")  # as written: no zone
    written = [match for item in lines if (match := TAGS_LINE.match(item.text))]
    named = [tag for match in written for tag in split_tags(match[1])]
    hashed = _HASHTAG.findall("\n".join(item.text for item in lines))
    every = tuple(dict.fromkeys((*tags, *named, *hashed)))
    id_ = _hash(day.isoformat(), title)
    return Entry(id_, day, title, path, line, tuple(lines), when, every, heading)


def unique(entries: Sequence[Entry]) -> list[Entry]:
    """Give entries with the date and title of another one ids by their text and place too."""
    count = Counter(e.id for e in entries)
    return [
        replace(e, id=_hash(e.date.isoformat(), e.title, e.text, str(n))) if count[e.id] > 1 else e
        for n, e in enumerate(entries)
    ]


def _hash(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def split_tags(text: str) -> list[str]:
    """Return the tags of a list such as `[a, b]` or `#a #b`."""
    return [tag for part in re.split(r"[,;\s]+", text) if (tag := part.strip("\"'#@[]"))]


def first_words(lines: Sequence[TextLine], day: date) -> str:
    """Return the beginning of a text, as the title of an entry that has none."""
    texts = (line.text.strip(" #*-") for line in lines if not TAGS_LINE.match(line.text))
    text = next((text for text in texts if text), "")
    if not text:
        return day.isoformat()
    return text if len(text) <= TITLE else text[:TITLE].rsplit(" ", 1)[0] + " …"
