"""Pictures of pages: for a person who wants to see where an answer stands, and for a vision model.

They are made in a worker (`worker.py`): what draws a hostile file can be killed.
"""

from __future__ import annotations

import base64
import io
import math
from typing import Any

from manole.documents.drawing import UnreadablePictureError, draw, open_picture
from manole.documents.opened import OpenFile

_PIXELS = 12_000_000  # a page far higher than wide is drawn narrower
_QUALITY = 88  # of the JPEG that a vision model gets


def picture(file: OpenFile, page: int, width: int) -> dict[str, Any]:
    """`{"png": base64}` of page `page` (from 1), `width` pixels wide at most, or `{"reason"}`."""

    def scale(across: float, down: float) -> float:
        return min(width / across, math.sqrt(_PIXELS / (across * down)), _PIXELS / width / down)

    try:
        drawn = draw(file, page, scale)
    except UnreadablePictureError as error:
        return {"reason": str(error)}
    out = io.BytesIO()
    drawn.save(out, "png")
    return {"png": base64.b64encode(out.getvalue()).decode("ascii")}


def shrunk(file: OpenFile, page: int | None, side: int) -> dict[str, Any]:
    """`{"jpeg": base64}` of a picture, or of a PDF's page, or `{"reason"}`.

    Its longer side has at most `side` pixels; metadata such as a place is not in it.
    """
    try:
        if page is None:
            image = open_picture(file, side)
        else:
            image = draw(file, page, lambda across, down: side / max(across, down))
    except UnreadablePictureError as error:
        return {"reason": str(error)}
    image.thumbnail((side, side))
    out = io.BytesIO()
    image.save(out, "jpeg", quality=_QUALITY)
    return {"jpeg": base64.b64encode(out.getvalue()).decode("ascii")}
