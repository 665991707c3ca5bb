"""Invisible text on a PDF page: white on white, covered, of no size, or off the page.

What a PDF says about its text only raises a suspicion: white letters on a dark bar are visible, and
the invisible text over a scan is what its picture shows. So the page is drawn, and suspect text
counts as invisible if its place in the picture has a single colour. Most pages have no suspect text
and are not drawn.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from itertools import islice

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw
from PIL import Image

from manole.documents.layout import Piece
from manole.documents.model import Box

_OBJECTS = 20_000  # of a page that are looked at, at most
_DEPTH = 5  # of forms within forms that are looked into
_INVISIBLE = frozenset({raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP})
_PALE = 216  # of 255, in each channel: nearly white
_ALIKE = 24  # of 255: two colours that are hard to tell apart
_FAINT = 26  # of 255: almost transparent
_SURFACE = 8.0  # points: a filled shape at least so high and wide may be a background
_TINY = 2.0  # points: letters too small to read; on a small page
_TINY_SHARE = 0.003  # this fraction of its height
_SCALE, _MOST_PIXELS = 2.0, 2000  # pixels a point, and of the longer side, of the drawn page

Colour = tuple[int, int, int]


class Unseen:
    """Decides which characters of a page are suspect, and which pieces of text are invisible."""

    def __init__(self, page: pdfium.PdfPage, place: Callable[[Piece], Box]) -> None:
        """`place` returns a piece's box as fractions of the page as it is shown."""
        self._page = page
        self._place = place
        self._left, self._bottom, self._right, self._top = page.get_bbox()
        self._tiny = min(_TINY, _TINY_SHARE * (self._top - self._bottom))
        self._surfaces: set[Colour] = set()
        texts = set()
        for entry in islice(page.get_objects(max_depth=_DEPTH), _OBJECTS):
            item = entry.raw
            if entry.type == raw.FPDF_PAGEOBJ_TEXT:
                texts.add((raw.FPDFTextObj_GetTextRenderMode(item), _fill(item)))
            elif entry.type == raw.FPDF_PAGEOBJ_PATH and _is_large(item) and (fill := _fill(item)):
                self._surfaces.add(fill[:3])
        self._any = any(self._is_suspect(*text) for text in texts)
        self._picture: Image.Image | None = None

    def suspects(self, textpage: raw.FPDF_TEXTPAGE, index: int) -> bool:
        """Return whether a character's colour or mode leaves a doubt that it is visible."""
        if not self._any:
            return False
        item = raw.FPDFText_GetTextObject(textpage, index)
        return bool(item) and self._is_suspect(raw.FPDFTextObj_GetTextRenderMode(item), _fill(item))

    def hides(self, piece: Piece, suspect: bool) -> bool:
        """Return whether a piece of text is invisible on the page."""
        if piece.x1 < self._left or piece.x0 > self._right:
            return True
        if piece.y1 < self._bottom or piece.y0 > self._top:
            return True
        # In rotated text, a letter's box is as low as the letter is narrow.
        wide = (piece.x1 - piece.x0) / len(piece.text)
        tiny = piece.height < self._tiny and wide < self._tiny
        return tiny or (suspect and self._is_blank(piece))

    def _is_suspect(self, mode: int, fill: tuple[int, int, int, int] | None) -> bool:
        if mode in _INVISIBLE:
            return True
        if fill is None or mode == raw.FPDF_TEXTRENDERMODE_STROKE:
            return False
        *colour, alpha = fill
        return (
            alpha < _FAINT
            or min(colour) >= _PALE
            or any(
                all(abs(a - b) < _ALIKE for a, b in zip(colour, surface, strict=True))
                for surface in self._surfaces
            )
        )

    def _is_blank(self, piece: Piece) -> bool:
        """Return whether the drawn page has a single colour at the piece's place."""
        if self._picture is None:
            longest = max(self._page.get_size()) or 1.0
            drawn = self._page.render(scale=min(_SCALE, _MOST_PIXELS / longest))
            self._picture = drawn.to_pil().convert("RGB")
        left, top, right, bottom = map(int, self._place(piece).pixels(*self._picture.size))
        channels = self._picture.crop((left, top, right, bottom)).split()
        return all(np.ptp(np.asarray(channel)) < _ALIKE for channel in channels)


def _fill(item: raw.FPDF_PAGEOBJECT) -> tuple[int, int, int, int] | None:
    """Return red, green, blue and alpha, 0 to 255; `None` for a pattern."""
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not raw.FPDFPageObj_GetFillColor(item, red, green, blue, alpha):
        return None
    return red.value, green.value, blue.value, alpha.value


def _is_large(item: raw.FPDF_PAGEOBJECT) -> bool:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not raw.FPDFPageObj_GetBounds(item, left, bottom, right, top):
        return False
    return right.value - left.value >= _SURFACE and top.value - bottom.value >= _SURFACE
