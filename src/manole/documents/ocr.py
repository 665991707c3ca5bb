"""Words in pictures and scans, by the PP-OCR models that `rapidocr` carries, on ONNX Runtime.

What works was measured on receipts, drawings and scanned pages: the longest side that the detector
sees is 960 pixels, 3.5 times faster than its default without losing a label; its classifier of
angles stays off, for it turns clean lines upside down. A picture that reads badly is tried again
turned by 90, 180 and 270 degrees, and the way that reads best is kept.

It runs in a worker (`worker.py`): what decodes a hostile picture can be killed.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from manole.documents.drawing import WHOLE, UnreadablePictureError, draw, open_picture
from manole.documents.model import Box
from manole.documents.opened import OpenFile

DPI = 150  # at which a PDF's page is drawn
_LONGEST = 2400  # pixels of a picture's longer side; larger ones are shrunk
_SMALLEST = 24  # pixels; no word fits into less
_DETECTOR_SIDE = 960
_SURE = 0.5  # score of a line that is kept
_WELL = 0.8  # mean score of a picture that is not turned
_TURNED = (1, 3, 2)  # quarter turns, the likeliest first

Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Seen:
    """A line of words in a picture: its text, how sure it is (0 to 1), its box in pixels."""

    text: str
    score: float
    x0: float
    y0: float
    x1: float
    y1: float


def recognize(file: OpenFile, page: int | None, part: Box | None = None) -> dict[str, Any]:
    """The lines on page `page` (from 1) of a PDF, or in a picture, as plain JSON values.

    With `part`, only that part of the page is seen, and it is the measure of what is returned.

    `{"width", "height", "lines": [[text, score, x0, y0, x1, y1], ...]}`, or `{"reason"}`;
    `recognized.to_page` makes a page of it.
    """
    try:
        pixels = _pixels(file, page, part or WHOLE)
    except UnreadablePictureError as error:
        return {"reason": str(error)}
    seen = _read(pixels) if min(pixels.shape[:2]) >= _SMALLEST else []
    height, width = pixels.shape[:2]
    return {
        "width": width,
        "height": height,
        "lines": [[s.text, s.score, s.x0, s.y0, s.x1, s.y1] for s in seen],
    }


def _pixels(file: OpenFile, page: int | None, part: Box) -> Pixels:
    def scale(across: float, down: float) -> float:
        return min(DPI / 72, _LONGEST / max(across, down))

    if page is None:
        return np.asarray(open_picture(file, _LONGEST))
    return np.asarray(draw(file, page, scale, part))


def _read(pixels: Pixels) -> list[Seen]:
    """The lines of a picture, the way it reads best."""
    best = _lines(pixels)
    if not best or _mean(best) >= _WELL:
        return best
    height, width = pixels.shape[:2]
    for turns in _TURNED:
        turned = _lines(np.ascontiguousarray(np.rot90(pixels, turns)))
        if _weight(turned) > _weight(best):
            back = _turning_back(turns, width, height)
            best = [Seen(s.text, s.score, *back(s.x0, s.y0, s.x1, s.y1)) for s in turned]
    return best


def _mean(lines: Iterable[Seen]) -> float:
    scores = [line.score for line in lines]
    return sum(scores) / len(scores) if scores else 0.0


def _weight(lines: Iterable[Seen]) -> float:
    """How many letters are read, sure ones counting more."""
    return sum(len(line.text) * line.score**4 for line in lines)


def _turning_back(
    turns: int, width: int, height: int
) -> Callable[[float, float, float, float], tuple[float, float, float, float]]:
    """From a box in a picture turned `turns` times to the left, to that in the picture itself."""

    def back(x0: float, y0: float, x1: float, y1: float) -> tuple[float, float, float, float]:
        match turns:
            case 1:
                return width - y1, x0, width - y0, x1
            case 2:
                return width - x1, height - y1, width - x0, height - y0
            case _:
                return y0, height - x1, y1, height - x0

    return back


def _lines(pixels: Pixels) -> list[Seen]:
    found = _engine()(pixels[:, :, ::-1].copy())  # it takes blue first
    if found.boxes is None or not found.txts:
        return []
    return [
        Seen(
            " ".join(text.split()),
            round(float(score), 3),
            *(round(float(side), 1) for side in (*box.min(axis=0), *box.max(axis=0))),
        )
        for box, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
        if score >= _SURE and text.strip()
    ]


@cache
def _engine() -> Any:
    """The engine, loaded with the first picture."""
    from rapidocr import RapidOCR

    logging.getLogger("RapidOCR").setLevel(logging.CRITICAL)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return RapidOCR(
        params={
            "Global.use_cls": False,
            "Global.log_level": "critical",
            "Det.limit_type": "max",
            "Det.limit_side_len": _DETECTOR_SIDE,
            "EngineConfig.onnxruntime.intra_op_num_threads": cores or 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
