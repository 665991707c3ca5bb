"""Recordings that tests write themselves, and a server that hears tones as if they were words."""

from __future__ import annotations

import io
import json
import threading
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

RATE = 16_000
Samples = npt.NDArray[np.float32]

CODECS = {
    "wav": "pcm_s16le", "mp3": "libmp3lame", "m4a": "aac", "m4b": "aac", "aac": "aac",
    "ogg": "vorbis", "oga": "vorbis", "opus": "libopus", "flac": "flac",
    "mp4": "aac", "m4v": "aac", "mov": "aac", "mkv": "libopus", "webm": "libopus",
}  # fmt: skip
VIDEOS = frozenset({"mp4", "m4v", "mov", "mkv", "webm"})
_CONTAINERS = {"m4a": "ipod", "m4b": "ipod", "aac": "adts", "oga": "ogg", "m4v": "mp4",
               "mkv": "matroska"}  # fmt: skip

# What the server says that a tone is, by its frequency.
SENTENCES = {
    440: "The boiler was serviced by Peter Miller in March.",
    660: "Three apple trees will be planted beside the old shed.",
    880: "The water pump costs four hundred and twenty pounds.",
    1100: "Thank you.",
}


def tones(*stretches: tuple[float, float]) -> Samples:
    """Stretches of (frequency, seconds), one after the other; frequency 0 is silence."""
    parts = []
    for hertz, seconds in stretches:
        at = np.arange(round(seconds * RATE)) / RATE
        parts.append(0.3 * np.sin(2 * np.pi * hertz * at))
    return np.concatenate(parts).astype(np.float32)


def write_recording(
    path: Path, samples: Samples | None, video: bool | None = None, **tags: str
) -> Path:
    """Write `samples` in the format of the file's name; `None` gives a video without sound."""
    import av

    ending = path.suffix[1:]
    moving = ending in VIDEOS if video is None else video
    container = av.open(str(path), "w", format=_CONTAINERS.get(ending, ending))
    with container:
        container.metadata.update(tags)
        picture = sound = None
        if samples is not None:
            codec = CODECS[ending]
            rate = 48_000 if codec == "libopus" else RATE
            # Its own Vorbis counts as experimental.
            sound = container.add_stream(codec, rate=rate, options={"strict": "experimental"})
            sound.layout = "stereo" if codec == "vorbis" else "mono"
        if moving:
            picture = container.add_stream("libvpx" if ending == "webm" else "mpeg4", rate=1)
            picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
            length = 5 if samples is None else max(1, len(samples) // RATE)
            for number in range(length):
                frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), number, np.uint8), "rgb24")
                frame.pts, frame.time_base = number, Fraction(1, 1)
                container.mux(picture.encode(frame))
            container.mux(picture.encode(None))
        if sound is not None:
            resampler = av.AudioResampler(sound.format, sound.layout, sound.rate)
            for start in range(0, len(samples), RATE):
                piece = (samples[start : start + RATE] * 32767).astype(np.int16)
                frame = av.AudioFrame.from_ndarray(piece.reshape(1, -1), "s16", "mono")
                frame.rate, frame.pts, frame.time_base = RATE, start, Fraction(1, RATE)
                for part in resampler.resample(frame):
                    container.mux(sound.encode(part))
            for part in resampler.resample(None):
                container.mux(sound.encode(part))
            container.mux(sound.encode(None))
    return path


def loudest(samples: Samples) -> float:
    """The frequency that is strongest, in hertz; 0 in silence."""
    strength = np.abs(np.fft.rfft(samples))
    return float(strength.argmax() * RATE / len(samples)) if samples.any() else 0.0


class FakeEars:
    """A speech endpoint on loopback: each half second of a tone is the tone's sentence.

    It hears what is really sent, so its words stand at the times at which the tones sound.
    """

    def __init__(self) -> None:
        self.heard: list[float] = []  # seconds of each request
        self.asked: list[str] = []  # their bodies without the sound
        self.fail_at = -1  # the request that it refuses
        self.fail_with = 500
        self.most = float("inf")  # seconds that it takes
        self.answer: dict[str, Any] | None = None  # instead of what it hears
        self.url = ""

    def segments(self, samples: Samples) -> Iterator[dict[str, Any]]:
        step = RATE // 2
        before = 0
        for at in range(0, len(samples) - step + 1, step):
            hertz = loudest(samples[at : at + step])
            near = min(SENTENCES, key=lambda known: abs(known - hertz))
            found = near if abs(near - hertz) < 40 else 0
            if found and found != before:
                text = f" {SENTENCES[found]}"
                yield {"start": at / RATE, "end": at / RATE + 2.0, "text": text}
            before = found


@contextmanager
def fake_ears() -> Iterator[FakeEars]:
    """The server, for as long as it is needed."""
    ears = FakeEars()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            sound = body[body.index(b"RIFF") :]
            with wave.open(io.BytesIO(sound)) as file:
                pcm = np.frombuffer(file.readframes(file.getnframes()), "<i2")
                assert (file.getframerate(), file.getnchannels()) == (RATE, 1)
            if len(ears.heard) == ears.fail_at or len(pcm) > ears.most * RATE:
                self.send_error(ears.fail_with, "out of memory")
                return
            ears.heard.append(len(pcm) / RATE)
            ears.asked.append(body[: body.index(b"RIFF")].decode("ascii", "replace"))
            samples = pcm.astype(np.float32) / 32768
            told = ears.answer or {
                "language": "en",
                "text": "",
                "segments": list(ears.segments(samples)),
            }
            answer = json.dumps(told).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    ears.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield ears
    finally:
        server.shutdown()
        server.server_close()


def voices(settings: Any, ears: FakeEars | None, **more: Any) -> Any:
    """`settings` whose speech model is this server, or none."""
    own: dict[str, Any] = {"name": "off"}
    if ears is not None:
        own = {"name": "openai:ears", "base_url": ears.url}
    voice = settings.voice.model_copy(update=own | more)
    vision = settings.vision.model_copy(update={"name": "off"})
    return settings.model_copy(update={"voice": voice, "vision": vision})
