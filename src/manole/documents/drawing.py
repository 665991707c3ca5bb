"""Pixels: of a picture, or of a PDF's page. It runs in a worker (`worker.py`)."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pypdfium2 as pdfium
from PIL import Image, ImageOps, UnidentifiedImageError

from manole.documents.heic import can_open
from manole.documents.model import Box
from manole.documents.opened import OpenFile

WHOLE = Box(0.0, 0.0, 1.0, 1.0)
_PIXELS = 200_000_000  # of a picture that is decoded at all
STRIP = 64  # rows


class UnreadablePictureError(Exception):
    """Why there are no pixels; the message is what a person sees."""


def draw(
    file: OpenFile, number: int, scale: Callable[[float, float], float], part: Box = WHOLE
) -> Image.Image:
    """Page `number` (from 1) of a PDF, or a part of it, as an RGB picture.

    `scale` says how many pixels a point gets (1/72 inch), by the width and height of what is drawn
    in points. Raises `UnreadablePictureError`.
    """
    try:
        pdf = pdfium.PdfDocument(file.file)
        try:
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
        finally:
            pdf.close()
    except (pdfium.PdfiumError, OSError, ValueError):
        raise UnreadablePictureError("the page cannot be drawn") from None


def open_picture(file: OpenFile, longest: int) -> Image.Image:
    """A picture's first frame as RGB, its longer side at most `longest` pixels.

    It stands upright as its EXIF data says, on white where it is transparent. Raises
    `UnreadablePictureError`, and `MemoryError`.
    """
    Image.MAX_IMAGE_PIXELS = None  # the limit here is our own
    can_open()
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
    except UnreadablePictureError:
        raise
    except MemoryError:
        raise
    except Exception as error:  # Pillow's readers raise many kinds on broken files
        raise UnreadablePictureError(f"broken image ({type(error).__name__})") from None


def _eight_bits(image: Image.Image) -> Image.Image:
    """A grey picture of more than eight bits a pixel with eight, which Pillow would cut off.

    Sixteen bits, as scanners write them, keep their range; of others the darkest becomes black
    and the brightest white.
    """
    if image.mode not in ("I", "F") and not image.mode.startswith("I;16"):
        return image
    import numpy as np

    values = np.asarray(image)
    low, high = 0.0, 65535.0
    if image.mode in ("I", "F"):
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
    grey = np.empty(values.shape, np.uint8)
    for at in range(0, len(values), STRIP):  # the numbers in between are large
        strip = np.nan_to_num(values[at : at + STRIP], posinf=high, neginf=low)
        grey[at : at + STRIP] = (strip - low) * (255 / max(high - low, 1e-9))
    shown = Image.fromarray(grey)
    shown.info = image.info  # the EXIF data says how it stands
    return shown
