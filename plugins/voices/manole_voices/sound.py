"""Recordings: what a sound file or a video is, and its sound piece by piece, decoded by PyAV.

PyAV brings the libraries of FFmpeg. They know formats that name other
files and addresses; so the container is told by the file's first bytes, only its own reader is
used, and that may open nothing. A file is never believed: it ends where its sound ends, whatever
its header says, and it is decoded in pieces of two minutes, so that memory does not depend on its
length.

It runs in a worker (`worker.py`): what decodes a hostile file can be killed.
"""

from __future__ import annotations

import base64
import io
import math
import wave
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from manole.documents.model import UNHEARD, Document, Page, Status
from manole.documents.opened import OpenFile
from manole.documents.spoken import BY_NAME, NO_READER, about
from manole.errors import ModelError
from manole_voices.whisper import RATE, Said, transcribe

if TYPE_CHECKING:
    from av.audio.stream import AudioStream
    from av.container import InputContainer

PIECE = 120.0  # seconds that are heard at once, and lost by an interruption, at most
NOT_READ = f"its speech is not read yet; {BY_NAME}"
NO_SOUND = f"no sound in it; {BY_NAME}"
_CUT = 20.0  # seconds at a piece's end in which a pause is looked for
_STEP = RATE // 10  # samples whose loudness is measured together
_SILENT = 0.001  # of full scale: nobody speaks at -60 dB
_BEFORE = 1.0  # second that is decoded before a piece, for codecs that lean on what was
_GAP = 0.5  # seconds without sound that are kept as silence
_ERRORS = 1000  # packets in a row that cannot be decoded
_PROTECTED = ("drms", "enca")  # by an iTunes shop, and by Common Encryption
_SAID = 300  # characters of a tag that are kept

Samples = npt.NDArray[np.float32]


class NoSoundError(Exception):
    """Why a file's sound cannot be had; `broken` says that the file itself is at fault."""

    def __init__(self, reason: str, *, broken: bool = True) -> None:
        super().__init__(reason)
        self.broken = broken


def read_recording(file: OpenFile, format_: str) -> Document:
    """A recording by its name, its tags and its length; its speech is read later (`hear`)."""
    metadata: dict[str, str] = {}
    try:
        with _opened(file) as (container, stream):
            metadata = _tags(container)
            moving = [video for video in container.streams.video if not _is_cover(video)]
            format_ = "video" if moving else "audio"
            if stream is None:
                raise NoSoundError(NO_SOUND, broken=False)
            _decoder(stream)
    except NoSoundError as error:
        if error.broken:
            return Document(format_, (), metadata=metadata, status=Status.FAILED, reason=str(error))
        reason, later = str(error), {}
    else:
        reason, later = NOT_READ, {UNHEARD: "yes"}
    return Document(
        format_,
        (Page(about(file.name, metadata)),),
        title=metadata.get("title"),
        metadata=metadata | later,
        status=Status.PARTIAL,
        reason=reason,
    )


def hear(file: OpenFile, start: float, weights: str | None, language: str) -> dict[str, Any]:
    """A piece of a recording from second `start` on, as plain JSON values.

    `{"end", "last", "segments": [[from, to, text], ...], "language"}` in seconds of the whole
    recording; `last` says that it ends there. Without `weights` the sound itself instead of its
    words, `{"end", "last", "wav": base64}`, no `wav` where it is silent. Or `{"reason"}`.
    """
    try:
        with _opened(file) as (container, stream):
            if stream is None:
                raise NoSoundError(NO_SOUND, broken=False)
            _decoder(stream)
            samples = _samples(container, stream, start)
    except NoSoundError as error:
        return {"reason": str(error)}
    last = len(samples) < PIECE * RATE
    loud = _loudness(samples) > _SILENT
    if not last:
        samples = samples[: _pause(samples)]
    heard: dict[str, Any] = {"end": start + len(samples) / RATE, "last": last}
    if not loud.any():
        return heard | {"segments": [], "language": ""}
    if weights is None:
        return heard | {"wav": base64.b64encode(_wav(samples)).decode("ascii")}
    try:
        said, spoken = transcribe(Path(weights), samples, language)
    except ModelError as error:
        return {"reason": error.message, "engine": error.hint or ""}
    placed = (_within_sound(part, loud) for part in said)
    segments = [
        [round(start + part.start, 2), round(start + part.end, 2), part.text]
        for part in placed
        if part is not None
    ]
    return heard | {"segments": segments, "language": spoken}


def _within_sound(part: Said, loud: npt.NDArray[np.bool_]) -> Said | None:
    """A stretch of speech without the silence around it; `None` where all of it is silent."""
    first = int(part.start * RATE // _STEP)
    steps = loud[first : max(math.ceil(part.end * RATE / _STEP), first + 1)].nonzero()[0]
    if not len(steps):
        return None
    begins, ends = ((first + step) * _STEP / RATE for step in (steps[0], steps[-1] + 1))
    start = max(part.start, begins)
    return Said(start, max(start, min(part.end, ends)), part.text)


@contextmanager
def _opened(file: OpenFile) -> Iterator[tuple[InputContainer, AudioStream | None]]:
    """The container and the stream of its sound. Whatever goes wrong is a `NoSoundError`."""
    try:
        import av
    except ImportError:
        raise NoSoundError(NO_READER, broken=False) from None
    av.logging.set_level(None)
    file.file.seek(0)
    kind = _container(file.file.read(64))
    file.file.seek(0)
    if kind is None:
        raise NoSoundError(f"no recording, though named {file.suffix}")
    # It reads by its own reader, and whatever the file names is not opened.
    closed = {"protocol_whitelist": "none", "format_whitelist": kind, "enable_drefs": "0"}
    # Tags may be in any encoding; from PyAV 19 on that is its own affair.
    tags: Any = {} if int(av.__version__.split(".")[0]) >= 19 else {"metadata_errors": "replace"}
    try:
        with av.open(file.file, "r", format=kind, options=closed, **tags) as container:
            best = container.streams.best("audio")
            first = next(iter(container.streams.audio), None)
            yield container, best if isinstance(best, av.AudioStream) else first
    except NoSoundError:
        raise
    except (av.FFmpegError, EOFError, ValueError, IndexError) as error:
        if file.error is not None:
            raise file.error from None
        said = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise NoSoundError(f"broken recording ({said[:120]})") from None


def _container(head: bytes) -> str | None:
    """FFmpeg's name for the container, by a file's first bytes; `None` for none that is read."""
    if head[:4] in (b"RIFF", b"RF64") and head[8:12] == b"WAVE":
        return "wav"
    if head[4:8] in (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip"):
        return "mov"
    for magic, kind in ((b"fLaC", "flac"), (b"OggS", "ogg"), (b"\x1aE\xdf\xa3", "matroska")):
        if head.startswith(magic):
            return kind
    if head.startswith(b"ID3"):
        return "mp3"
    if len(head) > 1 and head[0] == 0xFF and head[1] & 0xF6 == 0xF0:
        return "aac"
    if len(head) > 1 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0:
        return "mp3"
    return None


def _is_cover(video: Any) -> bool:
    """Whether a video stream is the picture on a record's cover."""
    from av.stream import Disposition

    return bool(video.disposition & Disposition.attached_pic)


def _decoder(stream: AudioStream) -> None:
    """Raises `NoSoundError` where nothing decodes the stream."""
    if stream.codec_context is None:
        raise NoSoundError(f"its sound is of an unknown codec; {BY_NAME}", broken=False)
    if stream.codec_tag in _PROTECTED:
        raise NoSoundError(f"its sound is protected; {BY_NAME}", broken=False)


def _tags(container: InputContainer) -> dict[str, str]:
    known = {key.lower(): value for key, value in container.metadata.items()}
    wanted = {
        "title": "title",
        "artist": "artist",
        "album": "album",
        "comment": "comment",
        "created": "creation_time",
    }
    tags = {
        name: " ".join(known[key].replace("\x00", " ").split())[:_SAID]
        for name, key in wanted.items()
        if known.get(key, "").strip("\x00 ")
    }
    if container.duration and container.duration > 0:
        tags["duration"] = f"{container.duration / 1e6:.1f}"
    return tags


def _samples(container: InputContainer, stream: AudioStream, start: float) -> Samples:
    """Sound from second `start` on, `PIECE` seconds or less, as mono at `RATE` samples a second."""
    sound = np.zeros(int(PIECE * RATE), np.int16)
    filled = 0
    for moment, piece in _pieces(container, stream, start):
        at = round((moment - start) * RATE)
        if filled and abs(at - filled) < _GAP * RATE:
            at = filled  # moments are told less exactly than samples follow each other
        piece = piece[max(0, -at) : max(0, len(sound) - at)]
        at = min(max(at, 0), len(sound))
        sound[at : at + len(piece)] = piece
        filled = max(filled, at + len(piece)) if len(piece) or at == len(sound) else filled
        if filled == len(sound):
            break
    return sound[:filled].astype(np.float32) / np.float32(32768)


def _pieces(
    container: InputContainer, stream: AudioStream, start: float
) -> Iterator[tuple[float, npt.NDArray[np.int16]]]:
    """Decoded sound in pieces of some milliseconds, and the second at which each begins."""
    from av import AudioResampler, FFmpegError

    origin = (container.start_time or 0) / 1e6
    if start > 0:
        with suppress(FFmpegError):  # where it cannot, all before it is decoded
            container.seek(int((max(0.0, start - _BEFORE) + origin) * 1e6))
    resampler: AudioResampler | None = None
    shape: tuple[str, str, int] | None = None
    moment = errors = 0.0
    for frame in _frames(stream, container):
        if isinstance(frame, FFmpegError):
            errors += 1
            if errors > _ERRORS:
                break
            continue
        if resampler is None or shape != (frame.format.name, frame.layout.name, frame.sample_rate):
            resampler = AudioResampler("s16", "mono", RATE)
            shape = frame.format.name, frame.layout.name, frame.sample_rate
        moment = moment if frame.time is None else float(frame.time) - origin
        length = frame.samples / frame.sample_rate
        if moment + length > start:
            frame.pts = None
            for piece in resampler.resample(frame):
                yield moment, np.asarray(piece.to_ndarray(), np.int16).reshape(-1)
        moment += length
        errors = 0
    if errors and moment == 0 and start <= 0:
        name = stream.codec_context.name
        raise NoSoundError(f"its sound cannot be decoded ({name}); {BY_NAME}")


def _frames(stream: AudioStream, container: InputContainer) -> Iterator[Any]:
    """Decoded frames; the error in place of what cannot be decoded."""
    from av import FFmpegError

    for packet in container.demux(stream):
        try:
            yield from (frame for frame in packet.decode() if frame.samples and frame.sample_rate)
        except FFmpegError as error:
            if not isinstance(error, EOFError):
                yield error


def _loudness(samples: Samples) -> npt.NDArray[np.float32]:
    """The mean loudness (RMS, of full scale) of each tenth of a second."""
    whole = np.pad(samples, (0, -len(samples) % _STEP)).reshape(-1, _STEP)
    loudness: Samples = np.sqrt((whole**2).mean(axis=1)) if len(whole) else np.zeros(0, np.float32)
    return loudness


def _pause(samples: Samples) -> int:
    """Where a piece is best cut: in the midst of the quietest stretch near its end, in samples."""
    first = len(samples) - int(_CUT * RATE)
    loudness = _loudness(samples[first:])
    three = np.convolve(loudness, np.ones(3), "valid")
    return first + (int(three.argmin()) + 1) * _STEP + _STEP // 2


def _wav(samples: Samples) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((samples * 32767).astype("<i2").tobytes())
    return out.getvalue()
