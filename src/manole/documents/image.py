"""The size and EXIF data of pictures. The words in them are read later (`ocr.py`).

Only the header is parsed here; pixels are not decoded, so a picture of 60,000 × 60,000 pixels costs
nothing. HEIC photos are read if the extra `manole[heic]` is installed.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

from PIL import ExifTags, Image, UnidentifiedImageError

from manole.documents.model import UNDESCRIBED, UNREAD, Document
from manole.documents.opened import OpenFile

NO_TEXT = "image: its words are not read yet"
NO_READER = "image: no library here opens this format"
NO_HEIC_READER = "HEIC photo: the extra manole[heic] opens it"
_EXIF_IFD, _GPS_IFD = 0x8769, 0x8825


@cache
def opens_heic() -> bool:
    """Let Pillow open HEIC files; return whether the library for it is installed."""
    try:
        from pi_heif import register_heif_opener
    except ImportError:
        return False
    register_heif_opener()
    return True


def read_image(file: OpenFile, format_: str) -> Document:
    """Return a skipped document; size, moment, place and camera are in its metadata."""
    Image.MAX_IMAGE_PIXELS = None  # only the header is read here
    if format_ == "heic" and not opens_heic():
        return Document.skipped(format_, NO_HEIC_READER)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(file.file) as image:
                metadata = {"width": str(image.width), "height": str(image.height)}
                metadata |= _exif(image)
    except UnidentifiedImageError:
        if format_ in ("raw", "cr2", "nef", "arw", "dng", "svg"):
            return Document.skipped(format_, NO_READER)
        return Document.failed(format_, "broken or unknown image")
    except Exception as error:  # Pillow's readers raise many kinds on broken files
        detail = str(error).split("\n", 1)[0][:120] or type(error).__name__
        return Document.failed(format_, f"broken image ({detail})")
    return Document.skipped(format_, NO_TEXT, metadata | {UNREAD: "1", UNDESCRIBED: "yes"})


def _exif(image: Image.Image) -> dict[str, str]:
    try:
        exif = image.getexif()
        inner = exif.get_ifd(_EXIF_IFD)
        found = {
            "created": inner.get(ExifTags.Base.DateTimeOriginal)
            or exif.get(ExifTags.Base.DateTime),
            "camera": exif.get(ExifTags.Base.Model),
            "description": exif.get(ExifTags.Base.ImageDescription),
            "place": _place(exif.get_ifd(_GPS_IFD)),
        }
    except Exception:  # broken EXIF does not make the picture unreadable
        return {}
    return {
        key: str(value).replace("\x00", "").strip()[:300] for key, value in found.items() if value
    }


def _place(gps: Mapping[int, Any]) -> str:
    """Return latitude and longitude in degrees, as "48.13743° N, 11.57549° E"; "" without."""
    sides = (
        (ExifTags.GPS.GPSLatitude, ExifTags.GPS.GPSLatitudeRef, "NS", 90),
        (ExifTags.GPS.GPSLongitude, ExifTags.GPS.GPSLongitudeRef, "EW", 180),
    )
    parts = []
    for tag, reference, letters, most in sides:
        degrees, minutes, seconds = (float(part) for part in gps.get(tag) or (0, 0, 0))
        value = degrees + minutes / 60 + seconds / 3600
        letter = str(gps.get(reference, ""))[:1].upper()
        if tag not in gps or letter not in letters or not letter or not 0 <= value <= most:
            return ""
        parts.append(f"{value:.5f}° {letter}")
    return ", ".join(parts)
