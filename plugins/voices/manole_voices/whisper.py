"""Speech as text, by whisper.cpp through `pywhispercpp`, which is imported here alone.

It runs in a worker that can be killed (`documents/worker.py`), because a user's own weights may
crash the engine. The language is recognized first, in a run of its own: an engine that does both in
one run gives no text for some short recordings.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from manole.documents.spoken import Piece
from manole.errors import ModelError
from manole.models.cores import allowed_cores
from manole.models.voice import EXTRA

RATE = 16_000  # samples a second that every Whisper hears
_MAGIC = b"lmgg"  # "ggml" as a little-endian number: what whisper.cpp's files begin with
_LEAST = RATE  # samples; the engine refuses less than a second

Samples = npt.NDArray[np.float32]


def transcribe(weights: Path, samples: Samples, language: str = "") -> tuple[list[Piece], str]:
    """Return the speech in mono `samples` (`RATE` a second, -1 to 1) and its language (ISO 639-1).

    `language` is that of the speech; with "" the engine recognizes it. Raises `ModelError`.
    """
    engine, binding = _engine(weights)
    if len(samples) < _LEAST:
        samples = np.pad(samples, (0, _LEAST - len(samples)))
    if not binding.whisper_is_multilingual(engine._ctx):
        language = "en"
    elif not language:
        language = engine.auto_detect_language(samples)[0][0]
    elif binding.whisper_lang_id(language) < 0:
        raise ModelError(
            f"voice.language = {language} is no language that Whisper knows.",
            "Set a code such as en or de, or leave it empty.",
        )
    found = engine.transcribe(samples, language=language)
    # It counts in hundredths of a second.
    return [Piece(part.t0 / 100, part.t1 / 100, part.text) for part in found], language


@cache
def _engine(weights: Path) -> tuple[Any, Any]:
    """Return the engine, which is loaded with the first recording, and its binding."""
    try:
        import _pywhispercpp as binding
        from pywhispercpp.model import Model
    except ImportError:
        raise ModelError("Nothing here runs Whisper.", f"Install it: {EXTRA}") from None
    check_whisper(weights)
    threads = allowed_cores()
    engine = Model(
        str(weights),
        redirect_whispercpp_logs_to=None,
        context_params={"use_gpu": False},
        n_threads=threads,
        print_progress=False,
        suppress_nst=True,  # no "[music]" and the like
    )
    if getattr(engine, "_ctx", None) is None:
        raise ModelError(f"{weights.name} cannot be loaded by whisper.cpp.", "Fetch it anew.")
    return engine, binding


def check_whisper(weights: Path) -> None:
    """Raise `ModelError` if a file has no weights of whisper.cpp."""
    try:
        with weights.open("rb") as file:
            head = file.read(len(_MAGIC))
    except OSError as error:
        raise ModelError(
            f"{weights} cannot be read: {error.strerror}.", "Check voice.name in the settings."
        ) from None
    if head != _MAGIC:
        raise ModelError(
            f"{weights.name} is no file of whisper.cpp.",
            "It needs a ggml file, such as ggml-base-q5_1.bin.",
        )
