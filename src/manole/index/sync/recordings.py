"""Transcripts of recordings, so that they can be found by what is said in them.

Recordings come last in a sync, because a minute of speech takes seconds. The transcript of each
piece of two minutes is kept in the cache folder by the file's content and the model's name: a sync
that was stopped continues where it was, and indexing anew costs nothing. Between two pieces the
sync waits for questions, mains power and its share of the cores (`pace.py`). For a recording that
this model cannot read the reason is kept, and only another model is given it again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from manole.documents.extract import Extractor
from manole.documents.formats import clock
from manole.documents.limits import USUAL, Limits
from manole.documents.model import UNHEARD, Document, Status
from manole.documents.opened import FoundFile
from manole.documents.spoken import BY_NAME, Piece, pieces_in, speech, to_pages
from manole.errors import ModelError
from manole.index.sync.kept_json import KeptJson, short_hash
from manole.index.sync.pace import Pace
from manole.models.voice import Voice
from manole.text.counted import counted

HOUR = 3600.0  # seconds
HOURS = 30  # of one recording, at most; set by hand
SECONDS = 900.0  # of computing that a piece of two minutes may take; set by hand
SPEECHLESS = "no speech in it; found by its name and date"
NONSENSE = "the speech model gave no sensible answer"


@dataclass(frozen=True, slots=True)
class _Heard:
    """A piece of a recording: the second at which it ends, and its transcript."""

    end: float
    last: bool
    pieces: list[Piece]
    language: str


@dataclass(frozen=True, slots=True)
class _Unheard:
    """The reason why there is no transcript."""

    reason: str


class Voices:
    """The transcription of recordings with one speech model."""

    def __init__(self, voice: Voice, extractor: Extractor, folder: Path, pace: Pace) -> None:
        self._voice = voice
        self._extractor = extractor
        self._cache = KeptJson(folder)

        self._pace = pace
        self._by = short_hash(f"{voice.name} {voice.language}")

    def wants(self, metadata: Mapping[str, str]) -> bool:
        """Return whether this model has not tried a recording yet."""
        return metadata.get(UNHEARD, self._voice.name) != self._voice.name

    async def complete(
        self, document: Document, found: FoundFile, digest: str, tell: Callable[[float], None]
    ) -> Document:
        """Return `document` with its transcript. `digest` is the content hash.

        `tell` gets the seconds done. Raises `NotNowError`, and `ModelError` if the model itself
        fails, whatever the file.
        """
        pieces: list[Piece] = []
        languages: Counter[str] = Counter()
        at, why = 0.0, ""
        while at < HOURS * HOUR:
            heard = await self._heard(found, at, digest)
            if isinstance(heard, _Unheard):
                why = heard.reason
                break
            pieces += heard.pieces
            languages[heard.language] += len(heard.pieces)
            at = heard.end
            tell(at)
            if heard.last:
                break
        else:
            why = f"read only up to {counted(HOURS, 'hour')}"
        return self._document(document, speech(pieces), languages, at, why)

    def _document(
        self,
        document: Document,
        spoken: list[Piece],
        languages: Counter[str],
        length: float,
        why: str,
    ) -> Document:
        metadata = {key: value for key, value in document.metadata.items() if key != UNHEARD}
        if length:
            metadata["duration"] = f"{length:.1f}"
        if why and length < HOURS * HOUR:
            metadata[UNHEARD] = self._voice.name
        if not spoken:
            reason = f"{why}; {BY_NAME}" if why and BY_NAME not in why else why or SPEECHLESS
            return replace(document, metadata=metadata, status=Status.PARTIAL, reason=reason)
        metadata["heard_by"] = self._voice.name
        if (language := languages.most_common(1)[0][0]) != "":
            metadata["language"] = language
        if why and UNHEARD in metadata:
            why = f"read up to {clock(length)}: {why}"
        status = Status.PARTIAL if why else Status.INDEXED
        pages = to_pages(spoken, length)
        return replace(document, pages=pages, metadata=metadata, status=status, reason=why or None)

    async def _heard(self, found: FoundFile, start: float, digest: str) -> _Heard | _Unheard:
        """Return a piece, kept or new, or the reason why there is none."""
        key = f"{self._by}-{start * 1000:.0f}"
        kept = self._cache.get(digest, key, lambda data: _checked(data, start))
        if kept is not None:
            return kept
        await self._pace.step()
        voice = self._voice
        answer = await self._extractor.hear(found, start, voice.weights, voice.language)
        if reason := answer.get("reason"):
            if "engine" in answer:
                raise ModelError(str(reason), str(answer["engine"]))
            return _Unheard(str(reason))
        try:
            if voice.endpoint is not None:
                wav = answer.pop("wav", None)
                quiet = {"segments": [], "language": ""}
                answered = wav and await voice.endpoint.transcribe(str(wav), start, voice.language)
                if answered and "reason" in answered:
                    return _Unheard(str(answered["reason"]))
                answer |= answered or quiet
            heard = _checked(answer, start)
        except (ValueError, KeyError, TypeError):
            return _Unheard(NONSENSE)
        self._cache.put(digest, key, answer)
        return heard


def limits(weights: Path | None) -> Limits:
    """Return the limits of a worker with a speech model: MiB for thrice its weights beside."""
    beside = 3 * weights.stat().st_size // 2**20 if weights else 0  # set by hand
    return Limits(timeout_s=SECONDS, memory_mb=USUAL.memory_mb + beside)


def _checked(data: dict[str, Any], start: float) -> _Heard:
    end, last = float(data["end"]), bool(data["last"])
    if not math.isfinite(end) or end < start or (end <= start and not last):
        raise ValueError("a piece that does not end")
    return _Heard(end, last, pieces_in(data["segments"]), str(data["language"]))
