"""One file, or a slice of a long one, to a `Document`, in this process.

Run it in a worker: parsers can hang and crash.

Every reader gives a document for a bad file too, with the reason; what they do not foresee is
caught here, so that a file can fail in one way only.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

from manole.documents.dates import dated, timestamp
from manole.documents.detect import Family, Kind, detect
from manole.documents.image import read_image
from manole.documents.mail import read_mail
from manole.documents.markup import read_opendocument
from manole.documents.model import Document, Page, Status, limited
from manole.documents.office import read_html, read_office_file
from manole.documents.pdf import read_pdf
from manole.documents.slices import Span
from manole.documents.text import decode, read_text
from manole.settings import ExtractSettings

_MOMENTS = ("created", "modified")
_NOT_READ = {
    "archive": "archive: what is packed inside is not read",
    "audio": "audio: speech is not read",
    "video": "video: it is not read",
    "program": "program: not a document",
    "font": "font: not a document",
    "database": "database: it is not read",
    "binary": "unknown binary format",
}


def read_slice(path: Path, settings: ExtractSettings, span: Span) -> Document:
    """What is in the file, with its own date. Never raises for a bad file, except `MemoryError`.

    Of a PDF the pages of `span`; any other file whole.
    """
    try:
        size = path.stat().st_size
        if size == 0:
            return Document("empty", (), status=Status.SKIPPED, reason="empty file")
        if size > settings.max_file_mb * 1024 * 1024:
            reason = f"larger than {settings.max_file_mb} MB ({size / 1e6:,.0f} MB)"
            held = limited("max_file_mb", settings.max_file_mb)
            return Document("unknown", (), metadata=held, status=Status.SKIPPED, reason=reason)
        with path.open("rb") as file:
            kind = detect(path.name, file)
        document = _read(path, kind, settings, span)
    except FileNotFoundError:
        return _failed("unknown", "it disappeared while it was read")
    except PermissionError:
        return _failed("unknown", "no permission to read it")
    except OSError as error:
        return _failed("unknown", f"cannot be read ({error.strerror or error})")
    except MemoryError:
        raise
    except RecursionError:
        return _failed("unknown", "nested deeper than any reader follows")
    except Exception as error:  # a parser's own bug must not stop a sync
        return _failed("unknown", f"its parser failed ({type(error).__name__})")
    return dated(_valid(document), path)


def _read(path: Path, kind: Kind, settings: ExtractSettings, span: Span) -> Document:
    limit = settings.max_chars
    match kind.family:
        case Family.TEXT:
            return read_text(path, kind.format, limit)
        case Family.PDF:
            return read_pdf(path, span, settings.timeout_s)
        case Family.OFFICE:
            return read_office_file(path, kind.format, limit)
        case Family.HTML:
            with path.open("rb") as file:
                text, _ = decode(file.read(8 * limit))
            if text is None:
                return _failed("html", "binary content, though named " + path.suffix)
            return read_html(text, limit)
        case Family.EMAIL:
            return read_mail(path, limit)
        case Family.IMAGE:
            return read_image(path, kind.format)
        case Family.OPENDOCUMENT:
            return read_opendocument(path, kind.format, limit)
        case Family.SVG:
            return _read_svg(path)
        case Family.ENCRYPTED:
            return _failed(kind.format, "protected by a password")
        case _:
            reason = _NOT_READ.get(kind.format, _NOT_READ["binary"])
            return Document(kind.format, (), status=Status.SKIPPED, reason=reason)


def _failed(format_: str, reason: str) -> Document:
    return Document(format_, (), status=Status.FAILED, reason=reason)


def _valid(document: Document) -> Document:
    """Moments in ISO 8601, and no lone surrogates, which no store can keep."""
    return replace(
        document,
        pages=tuple(
            replace(page, text=_unicode(page.text), label=page.label and _unicode(page.label))
            for page in document.pages
        ),
        title=document.title and _unicode(document.title),
        metadata={
            key: _unicode(timestamp(value) if key in _MOMENTS else value)
            for key, value in document.metadata.items()
        },
    )


def _unicode(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _read_svg(path: Path) -> Document:
    """The words of a drawing. `markup.py` says why the standard parser is safe."""
    try:
        root = ElementTree.fromstring(path.read_bytes())  # noqa: S314
    except (ElementTree.ParseError, ValueError):
        return _failed("svg", "broken svg file")
    wanted = ("text", "title", "desc")
    found = (
        " ".join("".join(item.itertext()).split())
        for item in root.iter()
        if str(item.tag).rpartition("}")[2] in wanted
    )
    text = "\n".join(line for line in found if line)
    if not text:
        return Document("svg", (), status=Status.SKIPPED, reason="drawing without text")
    return Document("svg", (Page(text),))
