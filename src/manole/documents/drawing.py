"""Decoded pictures and drawn pages of PDFs, for OCR, for a vision model and for a person.

It runs in a worker (`worker.py`): the process that draws a hostile file can be killed.
"""

from __future__ import annotations

import base64
import io
import math
import warnings
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pypdfium2 as pdfium
from PIL import Image, ImageOps, UnidentifiedImageError

from manole.documents.image import opens_heic
from manole.documents.model import Box
from manole.documents.opened import OpenFile

WHOLE = Box(0.0, 0.0, 1.0, 1.0)
_PIXELS = 200_000_000  # of a picture, at most: more than any camera makes
_STRIP = 64  # rows that are converted at once
_DRAWN = 12_000_000  # pixels of a drawn page: one far higher than wide is drawn narrower
_QUALITY = 88  # of the JPEG that a vision model gets: set by hand


class UnreadablePictureError(Exception):
    """A picture cannot be decoded or drawn; the message is the reason shown to the user."""


def draw(
    file: OpenFile, number: int, scale: Callable[[float, float], float], part: Box = WHOLE
) -> Image.Image:
    """Return page `number` (from 1) of a PDF, or a part of it, as an RGB picture.

    `scale` takes the width and height of the drawn part in points (1/72 inch) and returns the
    pixels per point. Raises `UnreadablePictureError`.
    """
    try:
        with closing(pdfium.PdfDocument(file.file)) as pdf:
            if not 1 <= number <= len(pdf):
                raise UnreadablePictureError(f"it has no page {number}")
            pdf.init_forms()
            page = pdf[number - 1]
            across, down = (max(side, 1.0) for side in page.get_size())
            width, height = across * (part.x1 - part.x0), down * (part.y1 - part.y0)
            left, right = across * part.x0, across * (1 - part.x1)
            bottom, top = down * (1 - part.y1), down * part.y0
            drawn = page.render(
                scale=scale(max(width, 1.0), max(height, 1.0)), crop=(left, bottom, right, top)
            )
            image: Image.Image = drawn.to_pil().convert("RGB")
            return image
    except (pdfium.PdfiumError, OSError, ValueError):
        raise UnreadablePictureError("the page cannot be drawn") from None


def open_picture(file: OpenFile, longest: int) -> Image.Image:
    """Return a picture's first frame as RGB, its longer side at most `longest` pixels.

    It is turned upright by its EXIF data, and white where it is transparent. Raises
    `UnreadablePictureError` and `MemoryError`.
    """
    Image.MAX_IMAGE_PIXELS = None  # the limit here is our own
    opens_heic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(file.file) as opened:
                if opened.width * opened.height > _PIXELS:
                    raise UnreadablePictureError("more pixels than a photo has")
                opened.draft("RGB", (longest, longest))
                image = _eight_bits(opened)
                image.thumbnail((longest, longest))  # before it is turned: that makes a copy
                upright = ImageOps.exif_transpose(image)
                if upright.mode in ("RGBA", "LA", "PA", "P"):
                    clear = upright.convert("RGBA")
                    upright = Image.new("RGB", clear.size, "white")
                    upright.paste(clear, mask=clear.getchannel("A"))
                return upright.convert("RGB")
    except UnidentifiedImageError:
        raise UnreadablePictureError("a format that no library here opens") from None
    except (UnreadablePictureError, MemoryError):
        raise
    except Exception as error:  # Pillow's readers raise many kinds on broken files
        raise UnreadablePictureError(f"broken image ({type(error).__name__})") from None


def _eight_bits(image: Image.Image) -> Image.Image:
    """Reduce a grey picture of more than eight bits a pixel to eight, which Pillow would clip.

    Sixteen bits, as scanners write them, keep their range; in others the darkest pixel becomes
    black and the brightest white.
    """
    if image.mode not in ("I", "F") and not image.mode.startswith("I;16"):
        return image
    import numpy as np

    values = np.asarray(image)
    low, high = 0.0, 65535.0
    if image.mode in ("I", "F"):
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
    grey = np.empty(values.shape, np.uint8)
    for at in range(0, len(values), _STRIP):  # in strips: the floats take eight times the memory
        strip = np.nan_to_num(values[at : at + _STRIP], posinf=high, neginf=low)
        grey[at : at + _STRIP] = (strip - low) * (255 / max(high - low, 1e-9))
    shown = Image.fromarray(grey)
    shown.info = image.info  # with the EXIF data, which say which side is up
    return shown


def picture(file: OpenFile, page: int, width: int) -> dict[str, Any]:
    """Return `{"picture": base64}`, page `page` (from 1) as PNG, or `{"reason"}`.

    It is at most `width` pixels wide.
    """

    def scale(across: float, down: float) -> float:
        return min(width / across, math.sqrt(_DRAWN / (across * down)), _DRAWN / width / down)

    return _encoded(lambda: draw(file, page, scale), "png")


def shrunk(file: OpenFile, page: int | None, side: int) -> dict[str, Any]:
    """Return `{"picture": base64}`, a picture or a PDF's page as JPEG, or `{"reason"}`.

    Its longer side has at most `side` pixels; metadata such as a place is left out.
    """

    def drawn() -> Image.Image:
        if page is None:
            image = open_picture(file, side)
        else:
            image = draw(file, page, lambda across, down: side / max(across, down))
        image.thumbnail((side, side))
        return image

    return _encoded(drawn, "jpeg", quality=_QUALITY)


def _encoded(drawn: Callable[[], Image.Image], format_: str, **options: int) -> dict[str, Any]:
    out = io.BytesIO()
    try:
        drawn().save(out, format_, **options)
    except UnreadablePictureError as error:
        return {"reason": str(error)}
    return {"picture": base64.b64encode(out.getvalue()).decode("ascii")}
