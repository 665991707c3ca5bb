"""Coverage-guided fuzzing of what takes bytes from outside: `make fuzz-deep`.

    python tests/fuzz/deep.py TARGET CORPUS [options of libFuzzer]

A target must never raise but what its docstring allows; what it finds, libFuzzer writes to a file
`crash-...`. Python code is measured; native parsers (pdfium, kreuzberg) are not, so their own
fuzzers serve them better; here they are called at the extraction boundary all the same.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["manole"]):
    from manole.documents import worker
    from manole.documents.dates import dated
    from manole.documents.ignore import parse
    from manole.documents.model import Document, Page, Status
    from manole.documents.reading import read_slice
    from manole.documents.slices import Span
    from manole.index.expressions import expression
    from manole.index.store import Filters
    from manole.serve.stdio.lines import Splitter
    from manole.settings import ExtractSettings

FORMATS = ("txt", "md", "csv", "json", "eml", "html", "svg", "odt", "odp", "ics", "xml", "mbox")
SETTINGS = ExtractSettings(max_chars=20_000)
PLACE = Path(tempfile.mkdtemp())


def extraction(data: bytes) -> None:
    """Any bytes under any extension give a document with a status."""
    path = PLACE / f"file.{FORMATS[data[0] % len(FORMATS)] if data else 'txt'}"
    path.write_bytes(data[1:])
    document = read_slice(path, SETTINGS, Span(0, 3, 20_000))
    assert document.status is Status.INDEXED or document.reason
    worker.decode(worker.encode(document))


def lines(data: bytes) -> None:
    """Cut anywhere, bytes give the same lines."""
    whole, pieces = Splitter(64), Splitter(64)
    size = data[0] % 17 + 1 if data else 1
    cut = [line for at in range(0, len(data), size) for line in pieces.feed(data[at : at + size])]
    assert [*cut, *pieces.end()] == [*whole.feed(data), *whole.end()]


def dates(data: bytes) -> None:
    """Any text has a day, or none."""
    text = data.decode("utf-8", "replace")
    document = dated(Document("text", (Page(text),), title=text[:50]), Path(text[:40] or "a"))
    assert document.date is None or isinstance(document.date, date)


def ignore(data: bytes) -> None:
    """Any ignore file has a verdict on any path, at once."""
    text = data.decode("utf-8", "surrogateescape")
    head, _, rest = text.partition("\n")
    parse(rest.split("\n")).verdict(head, False)


def filters(data: bytes) -> None:
    """Any words are a filter."""
    text = data.decode("utf-8", "surrogateescape")
    expression(Filters(path_prefix=text, paths=(text,), extensions=(text,)))


def protocol(data: bytes) -> None:
    """What a worker answers is a document, or an error that its parent knows."""
    import json

    try:
        worker.decode(json.loads(data))
    except (ValueError, KeyError, TypeError):
        return


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target for target in (extraction, lines, dates, ignore, filters, protocol)
}


def main() -> None:
    """Fuzz the target that the command line names."""
    target = TARGETS[sys.argv.pop(1)]
    atheris.Setup(sys.argv, target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
