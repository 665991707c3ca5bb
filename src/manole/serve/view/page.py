"""The view of a page of a file as the index has it, cut around the place wanted.

The files themselves are not opened. Passages are slices of a page's text and are put back at their
places; only blanks and line breaks lay between them, so lines keep their numbers. A quotation is
searched first at its given place, then everywhere in the file. It is marked in the text, and on the
page by the boxes of its lines.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from manole.documents.detect import PICTURES
from manole.documents.formats import DELIMITED, SHEETS, SPOKEN
from manole.documents.model import Box, Status
from manole.errors import UsageError
from manole.index.store.page_records import page_id
from manole.index.store.protocol import PassageReader
from manole.index.store.records import FileRecord, PageRecord, PassageRecord
from manole.index.view.page_text import PageText, joined
from manole.index.view.quotes import Letters, Mark, Quotation, marks_within

Kind = Literal["pdf", "image", "audio", "video", "mail", "sheet", "text"]

# Set by hand:
WINDOW = 60_000  # characters of a view, at most
_STEP = 50_000  # from one stretch that is searched to the next; they overlap by a quotation
SOUGHT = 5_000_000  # characters in which a quotation is looked for, at most
_SKIPPED = 4000  # characters of a page that may lie between two of its lines
_MAIL = frozenset({"email", "msg", "mbox"})


@dataclass(frozen=True, slots=True)
class Spot:
    """The place to show: a quotation, or the lines from `line` to `line_end` of a page.

    The quotation is searched from the character `column` of that line on, counted from 0. Without
    a page it is that of the quotation, else the first.
    """

    page: int | None = None
    quote: str = ""
    line: int | None = None
    line_end: int | None = None
    column: int = 0


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A line of a drawn page and its place on it. `marks` are characters of `text`."""

    text: str
    box: Box
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """A stretch of a page. Marks are characters of `text`; boxes are parts of the page.

    `lines` are those of a page that is drawn. `quoted` is whether the quotation, or a part of it,
    was found there; `None` without a quotation.

    `page` is `None` in files without numbered pages, which count as one. `first_line` is the
    number of the line in which `text` begins.
    """

    page: int | None
    pages: int
    label: str | None = None
    text: str = ""
    first_line: int = 1
    more_before: bool = False
    more_after: bool = False
    marks: tuple[Mark, ...] = ()
    boxes: tuple[Box, ...] = ()
    lines: tuple[MarkedLine, ...] = ()
    quoted: bool | None = None


def kind_of(file: FileRecord) -> Kind:
    """Return the kind of view that shows a file."""
    if file.format == "pdf":
        return "pdf"
    if is_picture(file):
        return "image"
    if is_recording(file):
        return "video" if file.format == "video" else "audio"
    if file.format in _MAIL:
        return "mail"
    return "sheet" if file.format in SHEETS | DELIMITED else "text"


def is_picture(file: FileRecord) -> bool:
    """Return whether a file is a photo, a scan or another picture made of pixels."""
    return file.format in PICTURES


def is_recording(file: FileRecord) -> bool:
    """Return whether a file is sound or a video."""
    return file.format in SPOKEN


def is_read(file: FileRecord) -> bool:
    """Return whether the text of a file is in the index."""
    return file.status in (Status.INDEXED, Status.PARTIAL)


def page_count(file: FileRecord) -> int:
    """Return the number of all pages of a PDF; of another file, of those that were read."""
    counted = file.metadata.get("pages", "") if file.format == "pdf" else ""
    return max(int(counted) if counted.isdecimal() else 0, file.pages)


async def view(store: PassageReader, file: FileRecord, spot: Spot) -> View:
    """Return the page of `spot`, cut around it.

    If the quotation is nowhere, or its parts are too common, the lines count instead.
    Raises `UsageError` for a page that the file does not have.
    """
    found = await find(store, file, spot)
    lines: PageRecord | None = None
    if found.page is not None and (file.format == "pdf" or is_picture(file)):
        key = page_id(file.id, found.page.number)
        lines = (await store.pages.get([key])).get(key)
    return await asyncio.to_thread(_view, file, found, lines)


@dataclass(frozen=True, slots=True)
class Found:
    """The page that is shown, and the marks on it. `page` is `None` where it has no words.

    `quoted` as in `View`; `labels` are the names of a workbook's sheets, as far as they have words.
    """

    number: int | None
    pages: int
    page: PageText | None
    marks: Sequence[Mark]
    quoted: bool | None = None
    labels: Mapping[int, str] = field(default_factory=dict)


async def find(store: PassageReader, file: FileRecord, spot: Spot) -> Found:
    """Find the whole page of `spot`, or the page that its quotation has moved to.

    Raises `UsageError` for a page that the file does not have.
    """
    passages: list[PassageRecord] = []
    if file.passages and is_read(file):  # a PDF knows its pages; of others all passages are needed
        passages = await store.passages(file.id, spot.page if file.format == "pdf" else None)
    found = await asyncio.to_thread(_find, file, passages, spot)
    if found.quoted is not False or spot.page is None or not Quotation(spot.quote).is_long:
        return found
    # A file that was read again may have it on another page; a word alone stands anywhere.
    everywhere = await store.passages(file.id)
    other = await asyncio.to_thread(_find, file, everywhere, Spot(quote=spot.quote))
    return other if other.quoted else found


def _find(file: FileRecord, passages: Sequence[PassageRecord], spot: Spot) -> Found:
    page = spot.page
    numbers = [passage.page for passage in passages if passage.page]
    if page is not None and is_recording(file):  # any second, of the paragraph that it is in
        before = [number for number in numbers if number <= page]
        page = max(before, default=min(numbers, default=1))
        spot = replace(spot, page=page)
    paged = file.format == "pdf" or bool(numbers)
    count = max([page_count(file), 1, *numbers])
    if page is not None and page > (count if paged else 1):
        raise UsageError(f"{file.path} has no page {page}.", f"It has {count if paged else 1}.")
    wanted = page if paged else None
    every = joined(passages)
    pages = [page for page in every if wanted is None or page.number == wanted]
    span = None
    if spot.line is not None and pages:
        span = pages[0].span(spot.line, max(spot.line, spot.line_end or 0))
    quotation = Quotation(spot.quote)
    shown, marks, quoted = _marked(pages, quotation, span, spot.column)
    if file.format == "pdf" and not wanted and not marks:  # it may begin with a picture
        shown = next((page for page in pages if page.number == 1), None)
    number = wanted or (shown.number if shown else None) or (1 if paged else None)
    labels = {page.number: _label(file, page) for page in every if page.number}
    named = {number: label for number, label in labels.items() if label}
    return Found(number, count if paged else 1, shown, marks, quoted, named)


def _marked(
    pages: Sequence[PageText], quote: Quotation, span: Mark | None, column: int
) -> tuple[PageText | None, Sequence[Mark], bool | None]:
    """Return the page that holds the quotation, and where; else the first, with the lines `span`.

    The last value is whether the quotation was marked; `None` without a quotation.
    """
    if not pages:
        return None, (), False if quote else None
    lines = (span,) if span else ()
    if not quote:
        return pages[0], lines, None
    near: _Stretch | None = None
    best: _Stretch | None = None
    most = 0
    for stretch in _stretches(pages, span):
        letters = stretch.letters
        marks = quote.whole(letters, max(0, span[0] + column - stretch.start) if span else 0)
        if marks:
            return stretch.page, stretch.moved(marks), True
        near = near or (stretch if span else None)
        if (shared := quote.shared(letters)) > most:
            best, most = stretch, shared
    for part in filter(None, (near, best)):
        if marks := quote.part(part.letters):
            return part.page, part.moved(marks), True
    return pages[0], lines, False


class _Stretch:
    """A part of a page, in which a quotation is searched for."""

    def __init__(self, page: PageText, start: int) -> None:
        self.page = page
        self.start = start
        self.letters = Letters(page.text[start : start + WINDOW])

    def moved(self, marks: Iterable[Mark]) -> list[Mark]:
        """Return marks in this stretch as marks in its page."""
        return [(first + self.start, last + self.start) for first, last in marks]


def _stretches(pages: Sequence[PageText], span: Mark | None) -> Iterator[_Stretch]:
    """Yield stretches to search for a quotation: around the given lines, then all."""
    if span:
        yield _Stretch(pages[0], max(0, span[0] - WINDOW // 2))
    left = SOUGHT
    for page in pages:
        for start in range(0, max(1, len(page.text) - (WINDOW - _STEP)), _STEP):
            yield _Stretch(page, start)
            left -= min(_STEP, len(page.text))
            if left <= 0:
                return


def _view(file: FileRecord, found: Found, lines: PageRecord | None) -> View:
    page = found.page
    if page is None:
        return View(found.number, found.pages, quoted=found.quoted)
    start, end = _window(page.text, found.marks[0] if found.marks else (0, 0))
    return View(
        page=found.number,
        pages=found.pages,
        label=_label(file, page),
        text=page.text[start:end],
        first_line=page.first_line + page.text.count("\n", 0, start),
        more_before=start > 0,
        more_after=end < len(page.text),
        marks=marks_within(found.marks, start, end),
        boxes=_marked_boxes(page, found.marks, lines),
        lines=_marked_lines(page.text, found.marks, lines) if lines else (),
        quoted=found.quoted,
    )


def _marked_lines(text: str, marks: Sequence[Mark], lines: PageRecord) -> tuple[MarkedLine, ...]:
    """Return the lines of a drawn page, each with its share of the marks of its text."""
    starts = {box: (start, end) for start, end, box in _placed(text, lines)}
    both = zip(lines.texts, lines.boxes, strict=True)
    return tuple(
        MarkedLine(line, box, marks_within(marks, *starts.get(box, (0, 0)))) for line, box in both
    )


def _marked_boxes(
    page: PageText, marks: Sequence[Mark], lines: PageRecord | None
) -> tuple[Box, ...]:
    """Return the boxes of the marked lines; without lines, of the marked passages."""
    if lines is not None:
        placed = _placed(page.text, lines)
    else:
        placed = [
            (start, start + len(passage.text), box)
            for start, passage in page.places
            for box in passage.boxes
        ]
    boxes = (box for start, end, box in placed if marks_within(marks, start, end))
    return tuple(dict.fromkeys(boxes))


def _placed(text: str, lines: PageRecord) -> list[tuple[int, int, Box]]:
    """Return start, end and box of the lines found in the text, which has them in this order."""
    placed = []
    at = 0
    for line, box in zip(lines.texts, lines.boxes, strict=True):
        start = text.find(line, at, at + _SKIPPED + len(line))
        if start >= 0:
            at = start + len(line)
            placed.append((start, at, box))
    return placed


def _label(file: FileRecord, page: PageText) -> str | None:
    """Return the first heading on a page: a sheet's name, or a PDF's label of the page."""
    if page.number is None or not (file.format == "pdf" or file.format in SHEETS):
        return None
    return next((place[1].headings[0] for place in page.places if place[1].headings), None)


def _window(text: str, mark: Mark) -> Mark:
    """Return the stretch to show around a mark, in whole lines unless these are too long."""
    if len(text) <= WINDOW:
        return 0, len(text)
    start = max(0, min(mark[0] - WINDOW // 2, len(text) - WINDOW))
    end = start + WINDOW
    if start:
        start = text.find("\n", start, mark[0]) + 1 or start
    if end < len(text):
        cut = text.rfind("\n", max(start + 1, mark[1]), end)
        end = cut if cut > 0 else end
    return start, end
