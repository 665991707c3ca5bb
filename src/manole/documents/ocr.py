"""Text in pictures and scans, recognized by the PP-OCR models of `rapidocr` on ONNX Runtime.

The settings were measured on receipts, drawings and scanned pages: the detector sees at most 960
pixels a side, 3.5 times faster than its default without losing a label; its classifier of angles
stays off, because it turns clean lines upside down. A picture with poor scores is tried again
rotated by 90, 180 and 270 degrees, and the best result is kept.

It runs in a worker (`worker.py`): the process that decodes a hostile picture can be killed.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from functools import cache
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt

from manole.documents.drawing import WHOLE, UnreadablePictureError, draw, open_picture
from manole.documents.model import Box
from manole.documents.opened import OpenFile

_DPI = 150  # at which a PDF's page is drawn
_LONGEST = 2400  # pixels of a picture's longer side; larger ones are shrunk
_SMALLEST = 24  # pixels; no word fits into less
_DETECTOR_SIDE = 960  # pixels
_SURE = 0.5  # score of a line that is kept
_WELL = 0.8  # mean score from which on a picture is not rotated
_TURNED = (1, 3, 2)  # quarter turns, the likeliest first

Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Seen:
    """A line of text in a picture: its words, score (0 to 1) and box in pixels."""

    text: str
    score: float
    x0: float
    y0: float
    x1: float
    y1: float


def recognize(file: OpenFile, page: int | None, part: Box | None = None) -> dict[str, Any]:
    """Return the lines on page `page` (from 1) of a PDF, or in a picture, as plain JSON values.

    With `part`, only that part of the page is read, and boxes are relative to it.

    `{"width", "height", "lines": [[text, score, x0, y0, x1, y1], ...]}` in pixels, or
    `{"reason"}`; `recognized.to_page` makes a page of it.
    """
    try:
        pixels = _pixels(file, page, part or WHOLE)
    except UnreadablePictureError as error:
        return {"reason": str(error)}
    seen = _read(pixels) if min(pixels.shape[:2]) >= _SMALLEST else []
    height, width = pixels.shape[:2]
    return {"width": width, "height": height, "lines": [astuple(line) for line in seen]}


def _pixels(file: OpenFile, page: int | None, part: Box) -> Pixels:
    def scale(across: float, down: float) -> float:
        return min(_DPI / 72, _LONGEST / max(across, down))

    if page is None:
        return np.asarray(open_picture(file, _LONGEST))
    return np.asarray(draw(file, page, scale, part))


def _read(pixels: Pixels) -> list[Seen]:
    """Return the lines of a picture in the rotation that reads best."""
    best = _lines(pixels)
    if not best or fmean(line.score for line in best) >= _WELL:
        return best
    height, width = pixels.shape[:2]
    for turns in _TURNED:
        turned = _lines(np.ascontiguousarray(np.rot90(pixels, turns)))
        if _weight(turned) > _weight(best):
            best = [_turned_back(line, turns, width, height) for line in turned]
    return best


def _weight(lines: Iterable[Seen]) -> float:
    """Return how many letters were read, with a weight that grows with the score."""
    return sum(len(line.text) * line.score**4 for line in lines)


def _turned_back(line: Seen, turns: int, width: int, height: int) -> Seen:
    """Move a line of a picture turned `turns` times to the left to its place in the original."""
    x0, y0, x1, y1 = line.x0, line.y0, line.x1, line.y1
    match turns:
        case 1:
            sides = (width - y1, x0, width - y0, x1)
        case 2:
            sides = (width - x1, height - y1, width - x0, height - y0)
        case _:
            sides = (y0, height - x1, y1, height - x0)
    return Seen(line.text, line.score, *sides)


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
    """Return the engine, which is loaded with the first picture."""
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
