"""Recordings: FFmpeg decodes their sound, whisper.cpp writes their speech down (README.md).

`sound` decodes, `whisper` writes down. The core finds this module as `manole.hooks.Recordings`.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from manole.documents.model import Document
from manole.documents.opened import OpenFile
from manole.documents.spoken import unheard


def at_hand(*, engine: bool) -> bool:
    """Return whether sound can be decoded here and, with `engine`, weights be run."""
    return find_spec("av") is not None and not (engine and find_spec("pywhispercpp") is None)


def read(file: OpenFile, format: str) -> Document:
    """Return the document of a recording: its name, its tags and its length."""
    if not at_hand(engine=False):
        return unheard(file.name, format)
    from manole_voices.sound import read_recording

    return read_recording(file, format)


def hear(file: OpenFile, start: float, weights: str | None, language: str) -> dict[str, Any]:
    """Return the speech of a piece from second `start` on, as `sound.hear` gives it."""
    from manole_voices.sound import hear

    return hear(file, start, weights, language)


def check(weights: Path) -> None:
    """Raise `ModelError` if a file has no weights that can be run."""
    from manole_voices.whisper import check_whisper

    check_whisper(weights)
