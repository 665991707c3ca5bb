"""The pictures on a page that has text.

The labels in a picture, such as a drawing, a screenshot or a chart, are in no text layer. A PDF
says where its pictures lie; those large enough for words are read later, like scans (`ocr.py`),
and their words are put into the page (`recognized.py`).
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from manole.documents.model import Box, Page

_DEPTH = 4  # of forms within forms that are looked into
_OBJECTS = 20_000  # of a page that are looked at, at most
_PICTURES = 200  # of a page, at most; more are the dots of a drawing
_NEAR = 0.012  # of the page: pictures this close are strips of one figure
_AREA, _SIDE = 0.02, 0.06  # of the page: a smaller picture is an icon
_BACKGROUND = 0.85  # of the page: a picture below the text
_TEXTY = 8  # lines of text on a background that say all there is to read
_EVERYWHERE, _OFTEN = 4, 0.4  # pages, and share of them: a picture on so many is a letterhead


def boxes_of(page: pdfium.PdfPage) -> tuple[Box, ...]:
    """Return the boxes of a page's pictures; those that touch are one, icons are left out."""
    if page.get_rotation():
        return ()  # the places are those of the page before it was turned
    across, down = (max(side, 1.0) for side in page.get_size())
    left, bottom = page.get_bbox()[:2]
    found: list[Box] = []
    for x0, y0, x1, y1 in islice(_pictures(page), _PICTURES):
        box = Box.clipped(
            (x0 - left) / across, 1 - (y1 - bottom) / down,
            (x1 - left) / across, 1 - (y0 - bottom) / down,
        )  # fmt: skip
        if box.x1 > box.x0 and box.y1 > box.y0:
            found.append(box)
    return tuple(box for box in _joined(found) if _is_large(box))


def _pictures(page: pdfium.PdfPage) -> Iterator[tuple[float, float, float, float]]:
    """Yield left, bottom, right and top of each picture on the page, in points."""
    placed = [pdfium.PdfMatrix()]  # of the current form, and of those around it
    for item in islice(page.get_objects(max_depth=_DEPTH), _OBJECTS):
        del placed[item.level + 1 :]
        if item.type == raw.FPDF_PAGEOBJ_FORM:
            placed.append(item.get_matrix().multiply(placed[-1]))
        elif item.type == raw.FPDF_PAGEOBJ_IMAGE:
            with contextlib.suppress(pdfium.PdfiumError):
                yield placed[-1].on_rect(*item.get_bounds())


def chosen(pages: Sequence[Page]) -> list[Page]:
    """Return the pages, each with only those figures that are worth reading.

    Letterheads, which lie at the same place on many pages, and backgrounds of pages full of text
    are left out.
    """
    places = Counter(_place(box) for page in pages for box in page.figures)
    often = max(_EVERYWHERE, _OFTEN * len(pages))

    def keeps(page: Page, box: Box) -> bool:
        return places[_place(box)] < often and not (
            box.area > _BACKGROUND and len(page.lines) >= _TEXTY
        )

    return [
        replace(page, figures=tuple(box for box in page.figures if keeps(page, box)))
        if page.figures
        else page
        for page in pages
    ]


def _joined(boxes: Sequence[Box]) -> list[Box]:
    """Join boxes that touch, or nearly touch."""
    out: list[Box] = []
    for box in boxes:
        while touching := [other for other in out if _touches(box, other)]:
            out = [other for other in out if other not in touching]
            box = Box.around((box, *touching))
        out.append(box)
    return sorted(out, key=lambda box: (box.y0, box.x0))


def _touches(a: Box, b: Box) -> bool:
    return (
        a.x0 - _NEAR <= b.x1 and b.x0 - _NEAR <= a.x1
        and a.y0 - _NEAR <= b.y1 and b.y0 - _NEAR <= a.y1
    )  # fmt: skip


def _is_large(box: Box) -> bool:
    return box.area >= _AREA and min(box.x1 - box.x0, box.y1 - box.y0) >= _SIDE


def _place(box: Box) -> tuple[float, ...]:
    return tuple(round(side, 2) for side in box.sides)
