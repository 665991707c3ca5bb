"""What a recording says of itself, and its sound, decoded piece by piece with PyAV.

PyAV brings the libraries of FFmpeg. They know formats that name other files and addresses. So the
file's first bytes decide the container, only the reader of that container is used, and it may open
nothing else. Nothing in a file is trusted: it ends where its sound ends, whatever its header says,
and it is decoded in pieces of two minutes, so that memory does not depend on its length.

It runs in a worker (`worker.py`): the process that decodes a hostile file can be killed.
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
from manole.documents.spoken import BY_NAME, NO_READER, Piece, about
from manole.errors import ModelError
from manole_voices.whisper import RATE, transcribe

if TYPE_CHECKING:
    from av.audio.stream import AudioStream
    from av.container import InputContainer

PIECE = 120.0  # seconds that are heard at once: an interruption loses at most so many; set by hand
NOT_READ = f"its speech is not read yet; {BY_NAME}"
NO_SOUND = f"no sound in it; {BY_NAME}"
_CUT = 20.0  # seconds at a piece's end in which a pause is looked for
_STEP = RATE // 10  # samples whose loudness is measured together
_SILENT = 0.001  # of full scale: nobody speaks at -60 dB
_BEFORE = 1.0  # second that is decoded before a piece: codecs build on earlier frames
_GAP = 0.5  # seconds without sound that are kept as silence
_ERRORS = 1000  # packets in a row that cannot be decoded: half a minute of MP3
_PROTECTED = ("drms", "enca")  # by an iTunes shop, and by Common Encryption
_SAID = 300  # characters of a tag that are kept

Samples = npt.NDArray[np.float32]


class NoSoundError(Exception):
    """A file's sound cannot be decoded; `broken`: the file itself is at fault."""

    def __init__(self, reason: str, *, broken: bool = True) -> None:
        super().__init__(reason)
        self.broken = broken


def read_recording(file: OpenFile, format_: str) -> Document:
    """Return a recording's name, tags and length as text; its speech is read later (`hear`)."""
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
    """Return the speech of a piece of a recording from second `start` on, as plain JSON values.

    `{"end", "last", "segments": [[from, to, text], ...], "language"}` in seconds of the whole
    recording; `last` says that it ends there. Without `weights` it is the sound itself,
    `{"end", "last", "wav": base64}`, without `wav` if it is silent. Else `{"reason"}`.
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


def _within_sound(part: Piece, loud: npt.NDArray[np.bool_]) -> Piece | None:
    """Return a stretch of speech without the silence around it; `None` if all of it is silent."""
    first = int(part.start * RATE // _STEP)
    steps = loud[first : max(math.ceil(part.end * RATE / _STEP), first + 1)].nonzero()[0]
    if not len(steps):
        return None
    begins, ends = ((first + step) * _STEP / RATE for step in (steps[0], steps[-1] + 1))
    start = max(part.start, begins)
    return Piece(start, max(start, min(part.end, ends)), part.text)


@contextmanager
def _opened(file: OpenFile) -> Iterator[tuple[InputContainer, AudioStream | None]]:
    """Open the container and the stream of its sound; every failure raises `NoSoundError`."""
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
    # Only the reader of this container is used, and no file or address inside is opened.
    closed = {"protocol_whitelist": "none", "format_whitelist": kind, "enable_drefs": "0"}
    # Tags may be in any encoding; PyAV handles that itself from version 19 on.
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
    """Return FFmpeg's name for the container by a file's first bytes; `None` if it is not read."""
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
    """Return whether a video stream is the picture of a record's cover."""
    from av.stream import Disposition

    return bool(video.disposition & Disposition.attached_pic)


def _decoder(stream: AudioStream) -> None:
    """Raise `NoSoundError` if nothing decodes the stream."""
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
    """Return up to `PIECE` seconds from second `start` on, mono, at `RATE` samples a second."""
    sound = np.zeros(int(PIECE * RATE), np.int16)
    filled = 0
    for moment, piece in _pieces(container, stream, start):
        at = round((moment - start) * RATE)
        if filled and abs(at - filled) < _GAP * RATE:
            at = filled  # times of frames are less exact than the order of samples
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
    """Yield decoded sound in pieces of some milliseconds, each with the second it begins at."""
    from av import AudioResampler, FFmpegError

    origin = (container.start_time or 0) / 1e6
    if start > 0:
        with suppress(FFmpegError):  # if it cannot seek, all before `start` is decoded
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
    """Yield decoded frames, or the error of a packet that cannot be decoded."""
    from av import FFmpegError

    for packet in container.demux(stream):
        try:
            yield from (frame for frame in packet.decode() if frame.samples and frame.sample_rate)
        except FFmpegError as error:
            if not isinstance(error, EOFError):
                yield error


def _loudness(samples: Samples) -> npt.NDArray[np.float32]:
    """Return the loudness (RMS, as a share of full scale) of each tenth of a second."""
    whole = np.pad(samples, (0, -len(samples) % _STEP)).reshape(-1, _STEP)
    loudness: Samples = np.sqrt((whole**2).mean(axis=1)) if len(whole) else np.zeros(0, np.float32)
    return loudness


def _pause(samples: Samples) -> int:
    """Return where to cut a piece, in samples: amid the quietest stretch near its end."""
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
