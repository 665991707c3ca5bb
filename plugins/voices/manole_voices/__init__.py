"""Recordings: their sound decoded by FFmpeg, and what is said in it by whisper.cpp (README.md).

`sound` decodes, `whisper` writes down. Here is what the core finds, as `manole.hooks.Recordings`.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from manole.documents.model import Document
from manole.documents.opened import OpenFile
from manole.documents.spoken import unheard


def at_hand(*, engine: bool) -> bool:
    """Whether sound can be decoded and, with `engine`, weights be run."""
    return find_spec("av") is not None and not (engine and find_spec("pywhispercpp") is None)


def read(file: OpenFile, format: str) -> Document:
    """A recording by its name, its tags and its length."""
    if not at_hand(engine=False):
        return unheard(file.name, format)
    from manole_voices.sound import read_recording

    return read_recording(file, format)


def hear(file: OpenFile, start: float, weights: str | None, language: str) -> dict[str, Any]:
    """A piece of a recording from second `start` on; see `sound.hear`."""
    from manole_voices.sound import hear

    return hear(file, start, weights, language)


def check(weights: Path) -> None:
    """Raises `ModelError` where a file is no weights that can be run."""
    from manole_voices.whisper import check_whisper

    check_whisper(weights)
