"""Pictures of pages: for a person who checks an answer's source, and for a vision model.

They are made in a worker (`worker.py`): the process that draws a hostile file can be killed.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Callable
from typing import Any

from PIL import Image

from manole.documents.drawing import UnreadablePictureError, draw, open_picture
from manole.documents.opened import OpenFile

_PIXELS = 12_000_000  # a page far higher than wide is drawn narrower
_QUALITY = 88  # of the JPEG that a vision model gets


def picture(file: OpenFile, page: int, width: int) -> dict[str, Any]:
    """Return `{"picture": base64}`, page `page` (from 1) as PNG, or `{"reason"}`.

    It is at most `width` pixels wide.
    """

    def scale(across: float, down: float) -> float:
        return min(width / across, math.sqrt(_PIXELS / (across * down)), _PIXELS / width / down)

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
