"""A picture of a PDF's page, for a person who wants to see where an answer stands.

It runs in a worker (`worker.py`): what draws a hostile file can be killed.
"""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium

_PIXELS = 12_000_000  # a page far higher than wide is drawn narrower


def picture(path: Path, page: int, width: int) -> dict[str, Any]:
    """`{"png": base64}` of page `page` (from 1), `width` pixels wide at most, or `{"reason"}`."""
    try:
        pdf = pdfium.PdfDocument(path)
        try:
            if not 1 <= page <= len(pdf):
                return {"reason": f"it has no page {page}"}
            pdf.init_forms()
            png = _png(pdf[page - 1], width)
        finally:
            pdf.close()
    except (pdfium.PdfiumError, OSError):
        return {"reason": "the page cannot be drawn"}
    return {"png": base64.b64encode(png).decode("ascii")}


def _png(page: pdfium.PdfPage, width: int) -> bytes:
    across, down = page.get_size()
    across, down = max(across, 1.0), max(down, 1.0)
    scale = min(width / across, (_PIXELS / (across * down)) ** 0.5, _PIXELS / width / down)
    out = io.BytesIO()
    page.render(scale=scale).to_pil().save(out, "png")
    return out.getvalue()
