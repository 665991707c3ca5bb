"""The types that reading a file produces: `Document`, made of `Page`s, split into `Passage`s.

Positions are kept so that every passage opens where it stands:

* `page` is 1-based in paged formats (PDF pages, slides, sheets) and `None` in others;
* `start` and `end` are character offsets in that page's text, end exclusive;
* `line_start` and `line_end` are 1-based, inclusive lines of that page's text. For plain-text
  formats the page text *is* the file's text, so these are the file's own lines;
* a recording has a page for each paragraph of its speech; `page` is the second in which that
  begins, counted from 1, and its lines have boxes whose left and right are the parts of the whole
  recording between which they are said;
* boxes are fractions of the page's width and height (0 to 1), origin at the top left, so they
  can be drawn on a picture of any size.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from math import isfinite


class Status(StrEnum):
    """What became of a file in a sync."""

    INDEXED = "indexed"
    PARTIAL = "partial"  # some of it: pages without text, time or size limits
    SKIPPED = "skipped"  # known, but holds no text we read (an image, an unknown binary)
    FAILED = "failed"  # unreadable: broken, encrypted, over its time or memory limit


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page, as fractions of its width and height from the top left."""

    x0: float
    y0: float
    x1: float
    y1: float

    @classmethod
    def checked(cls, x0: float, y0: float, x1: float, y1: float) -> Box:
        """A box from a process that is not trusted. Raises `ValueError` where it has no bounds."""
        if not all(map(isfinite, (x0, y0, x1, y1))):
            raise ValueError("a box without bounds")
        return cls(x0, y0, x1, y1)

    @property
    def sides(self) -> list[float]:
        """Left, top, right, bottom: what `Box(*sides)` takes."""
        return [self.x0, self.y0, self.x1, self.y1]

    @property
    def area(self) -> float:
        """The part of the page that it covers."""
        return (self.x1 - self.x0) * (self.y1 - self.y0)


@dataclass(frozen=True, slots=True)
class Line:
    """One visual line of a page: its character range in the page's text and its box."""

    start: int
    end: int
    box: Box


@dataclass(frozen=True, slots=True)
class Page:
    """One page's text. `lines` has boxes only where the format has a layout (PDF).

    `figures` are the pictures on it whose words are not in the text (yet).
    """

    text: str
    number: int | None = None
    label: str | None = None  # a sheet's or slide's name
    lines: tuple[Line, ...] = ()
    figures: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """What was read from one file, before splitting.

    `date` is the document's own date (front matter, file name, metadata, text), not the
    file system's; `date_source` says which of these gave it.
    """

    format: str  # short name: "pdf", "docx", "markdown", "text", "email", ...
    pages: tuple[Page, ...]
    title: str | None = None
    date: date | None = None
    date_source: str | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    status: Status = Status.INDEXED
    reason: str | None = None


PASSING = "passing"  # in a document's metadata: why it was not read may pass
GONE = "it disappeared while it was read"
CHANGED = "something else lay in its place when it was to be read"
DENIED = "no permission to read it"
PRIVATE_KEY = "secret: it holds a private key"  # a file of this reason is not shown either
LIMIT = "limit"  # in a document's metadata: the setting of `extract` that cut it short


def limited(name: str, value: float) -> dict[str, str]:
    """Metadata of a document that a limit cut short, or kept from being read."""
    return {LIMIT: f"{name}={value}"}


def may_pass(status: Status, reason: str | None, metadata: Mapping[str, str]) -> bool:
    """Whether a file that was not read may be readable the next time.

    By its reason, too: an index of an earlier version says no more.
    """
    return status is Status.FAILED and (PASSING in metadata or reason in (GONE, DENIED))


def limit_of(metadata: Mapping[str, str]) -> str:
    """The name of the setting that cut a document short; empty where none did."""
    return metadata.get(LIMIT, "").partition("=")[0]


def was_raised(metadata: Mapping[str, str], limits: Mapping[str, float]) -> bool:
    """Whether the limit that held a file back is higher now, so that it is worth another try."""
    name, _, value = metadata.get(LIMIT, "").partition("=")
    try:
        return limits[name] > float(value)
    except (KeyError, ValueError):
        return False


HIDDEN = "[hidden text]"  # begins each line of what is in a file but not seen on its page
_HIDDEN_LINE = 200  # characters: such lines are short, so that splitting never parts one
_MOST_HIDDEN = 20_000  # characters of one page


def as_hidden(text: str) -> str:
    """`text`, which nobody sees on the page, as lines that say so.

    The mark is in the text itself: so passages, the store, screens and the model have it, too.
    """
    lines = textwrap.wrap(" ".join(text[:_MOST_HIDDEN].split()), _HIDDEN_LINE)
    return "\n".join(f"{HIDDEN} {line}" for line in lines)


def is_hidden(line: str) -> bool:
    """Whether a line is marked as text that nobody sees."""
    return line.lstrip().startswith(HIDDEN)


def with_hidden(text: str, hidden: str) -> str:
    """A page's text with what is hidden on it as marked lines at its end."""
    return "\n\n".join(part for part in (text, as_hidden(hidden)) if part)


UNREAD = "unread"  # in a document's metadata: pages with words in a picture, as "1-3,7"
UNHEARD = "unheard"  # of a recording: its speech is not read yet; yes, or who could not read it
UNDESCRIBED = "undescribed"  # of a photo: yes, or the model that could not describe it
_MOST_PAGES = 10**7  # a file says more only to harm
RECOGNIZED = "recognized"  # how many pages were read from pictures


def ranges(numbers: Iterable[int]) -> str:
    """Rising numbers in short: 1, 2, 3, 7 give "1-3,7"."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ",".join("-".join(map(str, part)) for part in parts)


def numbers_in(text: str) -> list[int]:
    """What `ranges` wrote; nothing for anything else."""
    found: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        if not (first.isdecimal() and (last or first).isdecimal()):
            return []
        if int(last or first) - int(first) > _MOST_PAGES:
            return []
        found += range(int(first), int(last or first) + 1)
    return found


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a page small enough for the embedder: what is searched and cited."""

    text: str
    page: int | None
    line_start: int
    line_end: int
    start: int
    end: int
    headings: tuple[str, ...] = ()
    boxes: tuple[Box, ...] = ()
