"""Coverage-guided fuzzing of what takes bytes from outside: `make fuzz-deep`.

    python tests/fuzz/deep.py TARGET CORPUS [options of libFuzzer]

A target must never raise but what its docstring allows; what it finds, libFuzzer writes to a file
`crash-...`. Python code is measured; native parsers (pdfium, kreuzberg) are not, so their own
fuzzers serve them better; here they are called at the extraction boundary all the same.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import atheris

# It never frees what a comparison in instrumented code gives, which in `expression` are objects.
with atheris.instrument_imports(include=["manole"], exclude=["manole.index.store.expressions"]):
    from manole.documents import worker
    from manole.documents.dates import dated
    from manole.documents.ignore import parse
    from manole.documents.limits import Limits
    from manole.documents.model import Box, Document, Line, Page, Status
    from manole.documents.reading import read_slice
    from manole.documents.slices import Span
    from manole.index.store.expressions import expression
    from manole.index.store.records import Filters
    from manole_stdio.lines import Splitter

FORMATS = (
    "txt", "md", "csv", "json", "eml", "html", "svg", "odt", "odp", "ics", "xml", "mbox", "7z",
)  # fmt: skip
SETTINGS = Limits(max_chars=20_000)
PLACE = Path(tempfile.mkdtemp())
BOX = Box(0.1, 0.2, 0.9, 0.3)
ANSWER = Document(
    "pdf",
    (Page("A line.", 1, "i", (Line(0, 7, BOX),), (BOX,)),),
    title="A title",
    date=date(2024, 6, 30),
    date_source="text",
    metadata={"author": "Someone"},
)


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
    expression(Filters(within=(text,), paths=(text,), extensions=(text,)))


def protocol(data: bytes) -> None:
    """What a worker answers is a document that can be sent on, or the error its parent knows."""
    answer = worker.encode(ANSWER)
    choose = atheris.FuzzedDataProvider(data)
    for _ in range(choose.ConsumeIntInRange(1, 4)):
        _change(answer, choose)
    try:
        document = worker.decode(json.loads(json.dumps(answer)))
    except ValueError:
        return
    sent = json.dumps(worker.encode(document), allow_nan=False)
    assert worker.decode(json.loads(sent)) == document


def _change(value: Any, choose: atheris.FuzzedDataProvider) -> None:
    """Put something else somewhere into a JSON object or list."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = keys[choose.ConsumeIntInRange(0, len(keys) - 1)]
        if not (isinstance(value[key], dict | list) and choose.ConsumeBool()):
            break
        value = value[key]
    kind = choose.ConsumeIntInRange(0, 7)
    if kind == 0:
        del value[key]
    elif kind == 1:
        value[key] = choose.ConsumeUnicode(20)
    elif kind == 2:
        value[key] = choose.ConsumeInt(9)
    elif kind == 3:
        value[key] = choose.ConsumeFloat()
    else:
        value[key] = (None, [], {}, [[0]])[kind - 4]


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
