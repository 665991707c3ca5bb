"""The process in which files are parsed: `python -m manole.documents.worker`.

It reads requests from its standard input and answers on its standard output, both as frames: eight
bytes of length, then JSON. JSON and not pickle, because a parser that a hostile file took over
must not be able to run code in the parent. What C libraries print is dropped. The process does not
enforce its own limits: the parent kills it (`extract.py`), and a limit on data memory catches
allocations that are faster than the parent looks.
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
from typing import IO, Any

from manole.documents.limits import Limits
from manole.documents.model import Box, Document, Line, Member, Page, Status, limited, storable
from manole.documents.opened import FoundFile, OpenFile
from manole.documents.opener import open_found
from manole.documents.slices import Span

HEADER = struct.Struct(">Q")
_PR_SET_PDEATHSIG = 1  # of prctl(2)
_MOST_PAGES = 2**31 - 1  # what a store can number
_SLACK_MB = 512  # what libraries and thread stacks map beyond a file's own needs


def encode(document: Document) -> dict[str, Any]:
    """Return `document` as plain JSON values."""
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
    """Return the document that `encode` wrote. Raises `ValueError` for anything else.

    Nothing is trusted: a hostile file may have taken over the parser that answers.
    """
    try:
        return Document(
            format=_text(data["format"]),
            pages=tuple(_page(*page) for page in data["pages"]),
            title=_optional_text(data["title"]),
            date=date.fromisoformat(data["date"]) if data["date"] else None,
            date_source=_optional_text(data["date_source"]),
            metadata={_text(key): _text(value) for key, value in data["metadata"].items()},
            status=Status(data["status"]),
            reason=_optional_text(data["reason"]),
            members=tuple(
                Member(_text(member["name"]), int(member["size"]), _text(member["mark"]))
                for member in data["members"]
            ),
        )
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError("no document") from error


def _page(
    text: str, number: int | None, label: str | None, lines: list[Any], figures: list[Any]
) -> Page:
    number = None if number is None else int(number)
    if number is not None and not 0 <= number <= _MOST_PAGES:
        raise ValueError("no page number")
    found = tuple(Line(int(a), int(b), _box(box)) for a, b, *box in lines)
    if any(not 0 <= line.start <= line.end <= len(text) for line in found):
        raise ValueError("a line outside of its page")
    boxes = tuple(_box(box) for box in figures)
    return Page(_text(text), number, _optional_text(label), found, boxes)


def _box(sides: list[Any]) -> Box:
    return Box.checked(*map(float, sides))


def _text(value: Any) -> str:
    return storable(str(value))


def _optional_text(value: Any) -> str | None:
    return None if value is None else _text(value)


def write_frame(stream: IO[bytes], value: Any) -> None:
    """Write a JSON value as a frame."""
    body = json.dumps(value, separators=(",", ":")).encode("ascii")
    stream.write(HEADER.pack(len(body)) + body)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Any | None:
    """Read the next frame's value; `None` at the end of the stream."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    (length,) = HEADER.unpack(header)
    return json.loads(stream.read(length))


def main() -> None:
    """Serve requests until standard input ends."""
    parent = os.getppid()
    requests, answers = _own_streams()
    _die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    if (told := read_frame(requests)) is None:
        return
    from manole.documents.reading import read_slice  # after the streams are safe

    limits = Limits(**told)
    _limit(limits.memory_mb)
    write_frame(answers, {"ready": True})
    while (request := read_frame(requests)) is not None:
        found = FoundFile(*request["file"])
        if "span" not in request:
            write_frame(answers, _answer(found, request))
            continue
        try:
            document = read_slice(found, limits, Span(*request["span"]))
        except MemoryError:
            reason = f"needs more than {limits.memory_mb} MB of memory"
            limit = limited("memory_mb", limits.memory_mb)
            document = Document.failed("unknown", reason, limit)
        write_frame(answers, encode(document))


def _answer(found: FoundFile, request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a request, or why the system would not let the file be read."""
    from manole.documents.reading import unread

    try:
        with open_found(found) as file:
            answer = _answer_from(file, request)
            error = file.error
    except OSError as failed:
        error = failed
    return answer if error is None else {"reason": unread(error).reason, "passing": True}


def _answer_from(file: OpenFile, request: dict[str, Any]) -> dict[str, Any]:
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
    if "outline" in request:
        from manole.documents.pdf_outline import read_outline

        return {"outline": read_outline(file, request["outline"])}
    from manole.documents.drawing import picture, shrunk

    if "side" in request:
        return shrunk(file, request["page"], request["side"])
    return picture(file, request["page"], request["width"])


def _own_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Return private copies of standard input and output, and send the public ones nowhere."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    return requests, answers


def _die_with(parent: int) -> None:
    """End this process with its parent, even if it is stuck inside a C library."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    os.nice(5)


def _limit(memory_mb: int) -> None:
    import resource  # POSIX only; on other systems this module can still be imported

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit = (memory_mb + _SLACK_MB) * 1024 * 1024
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        try:
            # If memory runs out, the kernel kills the worker and not the user's programs.
            Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")
        except OSError:
            return


if __name__ == "__main__":
    main()
