"""The process in which files are parsed: `python -m manole.documents.worker`.

It reads requests from its standard input and answers on its standard output, both as frames: eight
bytes of length, then JSON. JSON and not pickle, because a parser that a hostile file took over
must not be able to run code in the parent. C libraries' noise goes nowhere. The process has no
say over its limits: the parent kills it (`extract.py`); a limit on data memory stands behind that
for allocations that are faster than the parent looks.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import struct
import sys
import threading
import time
from dataclasses import asdict
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import IO, TYPE_CHECKING, Any, cast

from manole.documents.model import Box, Document, Line, Page, Status, limited
from manole.documents.opened import FoundFile, OpenFile, open_found
from manole.documents.slices import Span

if TYPE_CHECKING:
    from manole.settings import ExtractSettings

HEADER = struct.Struct(">Q")
_PR_SET_PDEATHSIG = 1
_MOST_PAGES = 2**31 - 1  # what a store can number
_SLACK_MB = 512  # what libraries and thread stacks map beyond a file's own needs


def encode(document: Document) -> dict[str, Any]:
    """`document` as plain JSON values."""
    out = asdict(document)
    out["date"] = document.date.isoformat() if document.date else None
    out["pages"] = [
        [
            page.text,
            page.number,
            page.label,
            [[line.start, line.end, *line.box.sides] for line in page.lines],
            [box.sides for box in page.figures],
        ]
        for page in document.pages
    ]
    return out


def decode(data: dict[str, Any]) -> Document:
    """The reverse of `encode`. Raises `ValueError` for anything else.

    It trusts nothing: a hostile file may have taken over the parser that answers.
    """
    try:
        return Document(
            format=_text(data["format"]),
            pages=tuple(_page(*page) for page in data["pages"]),
            title=_perhaps(data["title"]),
            date=date.fromisoformat(data["date"]) if data["date"] else None,
            date_source=_perhaps(data["date_source"]),
            metadata={_text(key): _text(value) for key, value in data["metadata"].items()},
            status=Status(data["status"]),
            reason=_perhaps(data["reason"]),
        )
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError("no document") from error


def _page(
    text: str, number: int | None, label: str | None, lines: list[Any], figures: list[Any]
) -> Page:
    if number is not None and not 0 <= int(number) <= _MOST_PAGES:
        raise ValueError("no page number")
    found = tuple(Line(int(a), int(b), _box(box)) for a, b, *box in lines)
    if any(not 0 <= line.start <= line.end <= len(text) for line in found):
        raise ValueError("a line outside of its page")
    boxes = tuple(_box(box) for box in figures)
    number = None if number is None else int(number)
    return Page(_text(text), number, _perhaps(label), found, boxes)


def _box(sides: list[Any]) -> Box:
    left, top, right, bottom = (float(side) for side in sides)
    return Box.checked(left, top, right, bottom)


def _text(value: Any) -> str:
    """`value` as text that a store can keep."""
    text = str(value)
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _perhaps(value: Any) -> str | None:
    return None if value is None else _text(value)


def write_frame(stream: IO[bytes], value: Any) -> None:
    """One JSON value as a frame."""
    body = json.dumps(value, separators=(",", ":")).encode("ascii")
    stream.write(HEADER.pack(len(body)) + body)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Any | None:
    """The next frame's value, or `None` at the end of the stream."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    (length,) = HEADER.unpack(header)
    return json.loads(stream.read(length))


def main() -> None:
    """Serves requests until standard input ends."""
    parent = os.getppid()
    requests, answers = _own_streams()
    _die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    settings_data = read_frame(requests)
    if settings_data is None:
        return
    from manole.documents.reading import read_slice  # after the streams are safe

    # The parent checked them; to load what checks takes longer than to read a file.
    settings = cast("ExtractSettings", SimpleNamespace(**settings_data))
    _limit(settings.memory_mb)
    write_frame(answers, {"ready": True})
    while (request := read_frame(requests)) is not None:
        found = FoundFile(*request["file"])
        if "span" not in request:
            write_frame(answers, _seen(found, request))
            continue
        try:
            document = read_slice(found, settings, Span(*request["span"]))
        except MemoryError:
            reason = f"needs more than {settings.memory_mb} MB of memory"
            held = limited("memory_mb", settings.memory_mb)
            document = Document("unknown", (), metadata=held, status=Status.FAILED, reason=reason)
        write_frame(answers, encode(document))


def _seen(found: FoundFile, request: dict[str, Any]) -> dict[str, Any]:
    """What is asked of how a file looks or sounds, or why the system would not let it be read."""
    from manole.documents.reading import unread

    try:
        with open_found(found) as file:
            answer = _pixels(file, request)
            error = file.error
    except OSError as failed:
        error = failed
    return answer if error is None else {"reason": unread(error).reason, "passing": True}


def _pixels(file: OpenFile, request: dict[str, Any]) -> dict[str, Any]:
    if "recognize" in request:
        from manole.documents.ocr import recognize

        part = Box(*request["part"]) if request["part"] else None
        return recognize(file, request["recognize"], part)
    if "hear" in request:
        from manole.documents.spoken import NO_READER
        from manole.hooks import RECORDINGS

        if (reads := RECORDINGS.get("voice")) is None:
            return {"reason": NO_READER}
        return reads.hear(file, request["hear"], request["weights"], request["language"])
    if "words" in request:
        from manole.documents.pdf import read_words

        return read_words(file, request["words"])
    from manole.documents.picture import picture, shrunk

    if "side" in request:
        return shrunk(file, request["page"], request["side"])
    return picture(file, request["page"], request["width"])


def _own_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Private copies of standard input and output; the public ones lead nowhere."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    return requests, answers


def _die_with(parent: int) -> None:
    """No worker outlives its parent, not even one stuck inside a C library."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    os.nice(5)


def _limit(memory_mb: int) -> None:
    import resource  # of POSIX: elsewhere the module can be imported all the same

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit = (memory_mb + _SLACK_MB) * 1024 * 1024
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        try:
            # Where memory runs out, the kernel takes the worker, not the person's programs.
            Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")
        except OSError:
            return


if __name__ == "__main__":
    main()
