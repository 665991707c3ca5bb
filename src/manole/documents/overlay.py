"""Draws the boxes of what was read on a page's picture."""

from __future__ import annotations

import io
from collections.abc import Iterable

from PIL import Image, ImageDraw

from manole.documents.model import Box

Colour = tuple[int, int, int]
TEXT: Colour = (38, 110, 180)
PICTURE: Colour = (176, 58, 46)
TABLE: Colour = (30, 132, 73)
FIGURE: Colour = (125, 60, 152)


def drawn(picture: bytes, boxes: Iterable[tuple[Box, Colour]]) -> bytes:
    """Return `picture` as PNG with each box as a frame, filled lightly, in its colour."""
    page = Image.open(io.BytesIO(picture)).convert("RGB")
    layer = Image.new("RGBA", page.size, (0, 0, 0, 0))
    pen = ImageDraw.Draw(layer)
    for box, colour in boxes:
        sides = box.pixels(*page.size)
        pen.rectangle(sides, fill=(*colour, 36), outline=(*colour, 255), width=2)
    out = io.BytesIO()
    Image.alpha_composite(page.convert("RGBA"), layer).convert("RGB").save(out, "png")
    return out.getvalue()
