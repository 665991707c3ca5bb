"""The contents of a file: a `Document`, which consists of `Page`s and is split into `Passage`s.

Positions are kept so that every passage can be opened at its place:

* `page` is 1-based in paged formats (PDF pages, slides, sheets) and `None` in others;
* `start` and `end` are character offsets in that page's text, end exclusive;
* `line_start` and `line_end` are 1-based, inclusive lines of that page's text. For plain-text
  formats the page text *is* the file's text, so these are the file's own lines;
* a recording has a page for each paragraph of its speech; `page` is the second in which it begins,
  counted from 1, and the left and right of a line's box are its start and end as fractions of the
  recording;
* boxes are fractions of the page's width and height (0 to 1), origin at the top left, so they
  can be drawn on a picture of any size.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from math import isfinite


class Status(StrEnum):
    """The outcome of reading a file."""

    INDEXED = "indexed"
    PARTIAL = "partial"  # some of it: pages without text, time or size limits
    SKIPPED = "skipped"  # known, but has no text to read (an image, an unknown binary)
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
        """Return a box from an untrusted process. Raises `ValueError` if a side is not finite."""
        if not all(map(isfinite, (x0, y0, x1, y1))):
            raise ValueError("a box without bounds")
        return cls(x0, y0, x1, y1)

    @classmethod
    def clipped(cls, *sides: float) -> Box:
        """Return the box with these sides, rounded to four places and cut at the page's edges."""
        return cls(*(min(max(round(side, 4), 0.0), 1.0) for side in sides))

    @classmethod
    def around(cls, boxes: Iterable[Box]) -> Box:
        """Return the smallest box that holds all of `boxes`."""
        x0, y0, x1, y1 = zip(*(box.sides for box in boxes), strict=True)
        return cls(min(x0), min(y0), max(x1), max(y1))

    @property
    def sides(self) -> list[float]:
        """Left, top, right, bottom, as `Box(*sides)` takes them."""
        return [self.x0, self.y0, self.x1, self.y1]

    @property
    def area(self) -> float:
        """The fraction of the page that the box covers."""
        return (self.x1 - self.x0) * (self.y1 - self.y0)

    def pixels(self, width: int, height: int) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom on a picture of this size, at least a pixel apart."""
        left, top = self.x0 * width, self.y0 * height
        return left, top, max(self.x1 * width, left + 1), max(self.y1 * height, top + 1)


@dataclass(frozen=True, slots=True)
class Line:
    """One visual line of a page: its character range in the page's text and its box."""

    start: int
    end: int
    box: Box


def joined_lines(
    rows: Iterable[tuple[str, str, Box]], start: int = 0
) -> tuple[str, tuple[Line, ...]]:
    """Return the text that rows of (text, line end, box) make, and its lines from `start` on."""
    parts: list[str] = []
    lines: list[Line] = []
    for text, end, box in rows:
        lines.append(Line(start, start + len(text), box))
        parts += (text, end)
        start += len(text) + len(end)
    return "".join(parts), tuple(lines)


@dataclass(frozen=True, slots=True)
class Page:
    """One page's text. `lines` has boxes only where the format has a layout (PDF).

    `figures` are the pictures on the page whose words are not in the text (yet).
    """

    text: str
    number: int | None = None
    label: str | None = None  # a sheet's or slide's name
    lines: tuple[Line, ...] = ()
    figures: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Member:
    """A file inside another one. `size` is in bytes; `mark` changes whenever its bytes do.

    `unread` says why the file cannot be taken out, "" if it can.
    """

    name: str
    size: int
    mark: str
    unread: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """The contents of one file, before splitting.

    `date` is the document's own date (front matter, file name, metadata, text), not the
    file system's; `date_source` says where it was found. `members` are the files inside it.
    """

    format: str  # short name: "pdf", "docx", "markdown", "text", "email", ...
    pages: tuple[Page, ...]
    title: str | None = None
    date: date | None = None
    date_source: str | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    status: Status = Status.INDEXED
    reason: str | None = None
    members: tuple[Member, ...] = ()

    @classmethod
    def failed(cls, format_: str, reason: str, metadata: Mapping[str, str] = {}) -> Document:
        """Return the document of a file that could not be read, with the reason."""
        return cls(format_, (), metadata=dict(metadata), status=Status.FAILED, reason=reason)

    @classmethod
    def skipped(cls, format_: str, reason: str, metadata: Mapping[str, str] = {}) -> Document:
        """Return the document of a file that holds no text to read, with the reason."""
        return cls(format_, (), metadata=dict(metadata), status=Status.SKIPPED, reason=reason)

    @classmethod
    def finished(
        cls,
        format_: str,
        pages: Iterable[Page],
        metadata: Mapping[str, str],
        *,
        title: str | None = None,
        cut_at: int | None = None,
        reason: str | None = None,
    ) -> Document:
        """Return a document of `pages`, with the status that follows from them.

        `cut_at` is the number of characters it was cut to, if it was; `reason` says what else of
        the file is missing.
        """
        pages = tuple(pages)
        if not any(page.text.strip() for page in pages):
            return replace(cls.skipped(format_, "no text inside", metadata), title=title)
        if cut_at is not None:
            metadata = {**metadata, **limited("max_chars", cut_at)}
            reason = f"only the first {cut_at:,} characters were read"
        status = Status.PARTIAL if reason else Status.INDEXED
        return cls(format_, pages, title, None, None, dict(metadata), status, reason)


MEMBERS = "members"  # in the metadata of a container: how many files inside it are known
PASSING = "passing"  # in a document's metadata: why it was not read may pass
LOCKED = "protected by a password"
GONE = "it disappeared while it was read"
CHANGED = "something else lay in its place when it was to be read"
DENIED = "no permission to read it"
PRIVATE_KEY = "secret: it holds a private key"  # a file of this reason is not shown either
LIMIT = "limit"  # in a document's metadata: the setting of `extract` that cut it short


def limited(name: str, value: float) -> dict[str, str]:
    """Return the metadata of a document that a limit cut short, or kept from being read."""
    return {LIMIT: f"{name}={value}"}


def may_pass(status: Status, metadata: Mapping[str, str]) -> bool:
    """Return whether a file that was not read may be readable the next time."""
    return status is Status.FAILED and PASSING in metadata


def limit_of(metadata: Mapping[str, str]) -> str:
    """Return the name of the setting that cut a document short, "" if none did."""
    return metadata.get(LIMIT, "").partition("=")[0]


def was_raised(metadata: Mapping[str, str], limits: Mapping[str, float]) -> bool:
    """Return whether the limit that stopped a file is higher now, so that it is worth a try."""
    name, _, value = metadata.get(LIMIT, "").partition("=")
    try:
        return limits[name] > float(value)
    except (KeyError, ValueError):
        return False


HIDDEN = "[hidden text]"  # begins each line that is in a file but not visible on its page
_HIDDEN_LINE = 200  # characters: such lines are short, so that splitting never parts one
_MOST_HIDDEN = 20_000  # characters of one page


def as_hidden(text: str) -> str:
    """Return invisible `text` as lines that begin with the mark for it.

    The mark is in the text itself, so passages, the store, screens and the model have it too.
    """
    lines = textwrap.wrap(" ".join(text[:_MOST_HIDDEN].split()), _HIDDEN_LINE)
    return "\n".join(f"{HIDDEN} {line}" for line in lines)


def is_hidden(line: str) -> bool:
    """Return whether a line is marked as invisible."""
    return line.lstrip().startswith(HIDDEN)


def with_hidden(text: str, hidden: str) -> str:
    """Return a page's text with its invisible text as marked lines at the end."""
    return "\n\n".join(part for part in (text, as_hidden(hidden)) if part)


UNREAD = "unread"  # in a document's metadata: pages with words in a picture, as "1-3,7"
UNHEARD = "unheard"  # of a recording: its speech is not read yet; yes, or who could not read it
UNDESCRIBED = "undescribed"  # of a photo: yes, or the model that could not describe it
_MOST_PAGES = 10**7  # a range of more pages is an attack
RECOGNIZED = "recognized"  # how many pages were read from pictures


def storable(text: str) -> str:
    """Return `text` with lone surrogates, which no store can keep, as question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def ranges(numbers: Iterable[int]) -> str:
    """Shorten rising numbers: 1, 2, 3, 7 give "1-3,7"."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ",".join("-".join(map(str, part)) for part in parts)


def numbers_in(text: str) -> list[int]:
    """Return the numbers that `ranges` wrote as `text`; none if it is anything else."""
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
    """A part of a page small enough for the embedder: the unit that is searched and cited."""

    text: str
    page: int | None
    line_start: int
    line_end: int
    start: int
    end: int
    headings: tuple[str, ...] = ()
    boxes: tuple[Box, ...] = ()
