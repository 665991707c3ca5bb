"""Pictures: their size and EXIF data. The words in them are read later (`ocr.py`).

Only the header is parsed here; pixels are not decoded, so that a picture of 60,000 × 60,000 costs
nothing.
"""

from __future__ import annotations

import warnings
from pathlib import Path

from PIL import ExifTags, Image, UnidentifiedImageError

from manole.documents.model import UNREAD, Document, Status

NO_TEXT = "image: its words are not read yet"
NO_READER = "image: no library here opens this format"
_EXIF_IFD = 0x8769


def read_image(path: Path, format_: str) -> Document:
    """A skipped document with `width`, `height`, `created` and `camera` in its metadata."""
    Image.MAX_IMAGE_PIXELS = None  # only the header is read here
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(path) as image:
                metadata = {"width": str(image.width), "height": str(image.height)}
                metadata |= _exif(image)
    except UnidentifiedImageError:
        if format_ in ("heic", "raw", "cr2", "nef", "arw", "dng", "svg"):
            return Document(format_, (), status=Status.SKIPPED, reason=NO_READER)
        return Document(format_, (), status=Status.FAILED, reason="broken or unknown image")
    except Exception as error:  # Pillow's readers raise many kinds on broken files
        detail = str(error).split("\n", 1)[0][:120] or type(error).__name__
        return Document(format_, (), status=Status.FAILED, reason=f"broken image ({detail})")
    metadata[UNREAD] = "1"
    return Document(format_, (), metadata=metadata, status=Status.SKIPPED, reason=NO_TEXT)


def _exif(image: Image.Image) -> dict[str, str]:
    try:
        exif = image.getexif()
        inner = exif.get_ifd(_EXIF_IFD)
        found = {
            "created": inner.get(ExifTags.Base.DateTimeOriginal)
            or exif.get(ExifTags.Base.DateTime),
            "camera": exif.get(ExifTags.Base.Model),
            "description": exif.get(ExifTags.Base.ImageDescription),
        }
    except Exception:  # broken EXIF does not make the picture unreadable
        return {}
    return {
        key: str(value).replace("\x00", "").strip()[:300] for key, value in found.items() if value
    }
