"""The reading of one file, or of a slice of a long one, to a `Document` in this process.

Run it in a worker: parsers can hang and crash.

Every reader returns a document for a bad file too, with the reason. Errors that no reader expects
are caught here, so a file can fail in one way only.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from manole.documents.dates import dated, timestamp
from manole.documents.detect import Family, Kind, detect
from manole.documents.formats import STATEMENTS, most_bytes
from manole.documents.limits import Limits
from manole.documents.model import (
    CHANGED,
    DENIED,
    GONE,
    LOCKED,
    PASSING,
    PRIVATE_KEY,
    Document,
    Member,
    Page,
    Status,
    limited,
    storable,
)
from manole.documents.opened import ChangedError, FoundFile, OpenFile
from manole.documents.opener import open_found
from manole.documents.slices import Span
from manole.documents.text import decode, read_text
from manole.text.counted import counted

_CONTAINERS = frozenset({"email", "mbox", "archive"})  # formats of files with files inside
_NAMES = 500  # of the files in an archive that its own text has
_MOMENTS = ("created", "modified")
_HEAD = 4096  # bytes that are searched for a key
# OpenSSL, OpenSSH and PGP keys, with the key itself or a header on the next line; PuTTY's.
_KEY_INSIDE = re.compile(
    rb"^-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----\s+(?:[A-Za-z0-9+/=]{30}|[\w-]+:)"
    rb"|\APuTTY-User-Key-File-",
    re.MULTILINE,
)
_NOT_READ = {
    "archive": "archive: what is packed inside is not read",
    "off": "archive: extract.archives is off, so what is packed inside is not read",
    "audio": "audio: this format is not read",
    "video": "video: this format is not read",
    "program": "program: not a document",
    "font": "font: not a document",
    "database": "database: it is not read",
    "binary": "unknown binary format",
}


def read_slice(found: FoundFile, limits: Limits, span: Span) -> Document:
    """Read a file, with its own date. Never raises for a bad file, except `MemoryError`.

    Of a PDF, only the pages of `span` are read. If the system would not let the file be read,
    which may pass, the metadata have `PASSING`.
    """
    try:
        with open_found(found) as file:
            document = _parsed(file, limits, span)
            if file.error is None and _holds(document) and not span.skip:
                document = _with_members(document, file, found.path)
            return document if file.error is None else unread(file.error)
    except OSError as error:
        return unread(error)


def _holds(document: Document) -> bool:
    return document.format in _CONTAINERS and document.status in (Status.INDEXED, Status.PARTIAL)


def _with_members(document: Document, file: OpenFile, path: str) -> Document:
    """Return the document of a container with the files inside it."""
    from manole.documents.archive import BrokenArchiveError
    from manole.documents.members import members_of

    try:
        every = members_of(file, path)
    except BrokenArchiveError as error:
        return replace(document, status=Status.FAILED, reason=str(error))
    members = tuple(member for member in every if not member.unread)
    unread = "; ".join(_unread_members(every))
    if not (members or document.pages):
        if unread:
            return Document.failed(document.format, unread)
        return Document.skipped(document.format, "nothing inside that is read")
    if document.format == "archive":
        document = replace(document, pages=(Page("\n".join(m.name for m in every[:_NAMES])),))
    if unread:
        document = replace(document, status=Status.PARTIAL, reason=unread)
    return replace(document, members=members)


def _unread_members(members: Iterable[Member]) -> Iterator[str]:
    """Yield how many members are not read, for each reason."""
    for why, count in Counter(member.unread for member in members if member.unread).items():
        reason = f"not read inside: {counted(count, 'file')} ({why})"
        yield reason


def unread(error: OSError) -> Document:
    """Return a document that says why the system would not let a file be read."""
    match error:
        case FileNotFoundError():
            reason = GONE
        case ChangedError():
            reason = CHANGED
        case PermissionError():
            reason = DENIED
        case _:
            reason = f"cannot be read ({error.strerror or error})"
    return Document.failed("unknown", reason, {PASSING: "yes"})


def _parsed(file: OpenFile, limits: Limits, span: Span) -> Document:
    if file.size == 0:
        return Document.skipped("empty", "empty file")
    most = most_bytes(file.name, limits.max_file_mb)
    if file.size > most * 1024 * 1024:
        reason = f"larger than {most} MB ({file.size / 1e6:,.0f} MB)"
        return Document.skipped("unknown", reason, limited("max_file_mb", limits.max_file_mb))
    if _KEY_INSIDE.search(file.file.peek(_HEAD)[:_HEAD]):
        return Document.skipped("key", PRIVATE_KEY)
    try:
        kind = detect(file.name, file.file)
        file.file.seek(0)
        document = _read(file, kind, limits, span)
    except OSError as error:  # by now mostly raised by a parser for a broken file
        if file.error is not None:
            raise
        return Document.failed(kind.format, f"cannot be read ({error.strerror or error})")
    except MemoryError:
        raise
    except RecursionError:
        return Document.failed("unknown", "nested deeper than any reader follows")
    except Exception as error:  # a parser's own bug must not stop a sync
        return Document.failed("unknown", f"its parser failed ({type(error).__name__})")
    return dated(_valid(document), file.name)


def _read(file: OpenFile, kind: Kind, limits: Limits, span: Span) -> Document:
    """Read a file with the reader of its family, which is loaded with the first such file."""
    limit = limits.max_chars
    match kind.family:
        case Family.TEXT if kind.format in STATEMENTS:
            from manole.documents.statements import read_statement

            return read_statement(file, kind.format, limit)
        case Family.TEXT:
            return read_text(file, kind.format, limit)
        case Family.PDF:
            from manole.documents.pdf import read_pdf

            return read_pdf(file, span, limits.timeout_s)
        case Family.OFFICE:
            from manole.documents.office import read_office_file

            return read_office_file(file, kind.format, limit)
        case Family.HTML:
            text, _ = decode(file.file.read(8 * limit))
            if text is None:
                return Document.failed("html", f"binary content, though named {file.suffix}")
            from manole.documents.office import read_html

            return read_html(text, limit)
        case Family.EMAIL:
            from manole.documents.mail import read_mail

            return read_mail(file, limit)
        case Family.MAILBOX:
            return Document("mbox", ())
        case Family.ARCHIVE if limits.archives:
            return Document("archive", ())
        case Family.ARCHIVE:
            return Document.skipped("archive", _NOT_READ["off"])
        case Family.IMAGE:
            from manole.documents.image import read_image

            return read_image(file, kind.format)
        case Family.OPENDOCUMENT:
            from manole.documents.markup import read_opendocument

            return read_opendocument(file, kind.format, limit)
        case Family.SPOKEN:
            from manole.documents.spoken import unheard
            from manole.hooks import RECORDINGS

            reads = RECORDINGS.get("voice")
            return reads.read(file, kind.format) if reads else unheard(file.name, kind.format)
        case Family.SVG:
            return _read_svg(file)
        case Family.ENCRYPTED:
            return Document.failed(kind.format, LOCKED)
        case _:
            reason = _NOT_READ.get(kind.format, _NOT_READ["binary"])
            return Document.skipped(kind.format, reason)


def _valid(document: Document) -> Document:
    """Return `document` with moments in ISO 8601 and without lone surrogates."""
    return replace(
        document,
        pages=tuple(
            replace(page, text=storable(page.text), label=page.label and storable(page.label))
            for page in document.pages
        ),
        title=document.title and storable(document.title),
        metadata={
            key: storable(timestamp(value) if key in _MOMENTS else value)
            for key, value in document.metadata.items()
        },
    )


def _read_svg(file: OpenFile) -> Document:
    """Read the words of a drawing. `archive.py` says why the standard parser is safe."""
    try:
        root = ElementTree.fromstring(file.read())  # noqa: S314
    except (ElementTree.ParseError, ValueError):
        return Document.failed("svg", "broken svg file")
    wanted = ("text", "title", "desc")
    found = (
        " ".join("".join(item.itertext()).split())
        for item in root.iter()
        if str(item.tag).rpartition("}")[2] in wanted
    )
    text = "\n".join(line for line in found if line)
    if not text:
        return Document.skipped("svg", "drawing without text")
    return Document("svg", (Page(text),))
