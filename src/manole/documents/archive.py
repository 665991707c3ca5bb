"""ZIP archives, the containers of Office and OpenDocument files and of books, opened within limits.

A few megabytes of deflate can become gigabytes, and an archive may declare false sizes. So before a
parser that trusts its headers sees one, `check` unpacks its members once in small pieces, which are
counted and dropped. Pictures, sound, film, fonts are not counted: no reader of text unpacks them.

XML is parsed by the standard library: Expat 2.4 and later, which every supported Python has, bounds
the growth of entities, and ElementTree fetches none from outside.
"""

from __future__ import annotations

import io
import lzma
import xml.etree.ElementTree as ElementTree
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

# What `zipfile` raises for damaged archives; `ValueError` includes names that do not decode.
ARCHIVE_ERRORS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, KeyError, RuntimeError,
                  NotImplementedError, ValueError, EOFError, OSError)  # fmt: skip
MAX_MEMBER = 100_000_000  # bytes that an XML member may unpack to; a book has a few million
MAX_TOTAL = 300_000_000  # bytes of all members together; a large workbook has 100 million
_GROWTH = 1032  # deflate expands a byte to at most so many
_PIECE = 1 << 16  # bytes that are unpacked at once
_MEDIA = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".emf", ".wmf", ".tif", ".tiff", ".bmp",
          ".mp3", ".m4a", ".wav", ".mp4", ".mov", ".avi", ".ttf", ".otf", ".woff", ".woff2",
          ".fntdata", ".odttf")  # fmt: skip
_HEADER = 30  # bytes of a member's own header before its name


class BrokenArchiveError(Exception):
    """The file is no such archive; the message is the reason shown to the user."""


@contextmanager
def packed(data: bytes, format_: str) -> Iterator[zipfile.ZipFile]:
    """Open the archive in `data`; any fault in it raises `BrokenArchiveError`."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield archive
    except ARCHIVE_ERRORS as error:
        raise BrokenArchiveError(f"broken {format_} file (a damaged archive)") from error


def member(archive: zipfile.ZipFile, name: str) -> ElementTree.Element:
    """Parse an XML member. Raises `BrokenArchiveError`, also if it is too large."""
    try:
        if archive.getinfo(name).file_size > MAX_MEMBER:
            raise BrokenArchiveError("refused: unpacks to far more than such a file should")
        # The module's docstring says why the standard parser is safe here.
        return ElementTree.fromstring(archive.read(name))  # noqa: S314
    except (*ARCHIVE_ERRORS, ElementTree.ParseError) as error:
        raise BrokenArchiveError(f"damaged inside ({name})") from error


def check(data: bytes, format_: str) -> None:
    """Raise `BrokenArchiveError` if the archive unpacks to more than `MAX_TOTAL` bytes."""
    with packed(data, format_) as archive:
        members = [m for m in archive.infolist() if not m.filename.lower().endswith(_MEDIA)]
        stored = sum(m.compress_size for m in members if m.compress_type == zipfile.ZIP_STORED)
        deflated = [m for m in members if m.compress_type == zipfile.ZIP_DEFLATED]
        left = MAX_TOTAL - stored
        if sum(m.file_size for m in members) > MAX_TOTAL:
            left = -1
        elif _GROWTH * sum(m.compress_size for m in deflated) > left:
            for member in deflated:
                left -= _size(data, member, left)
    if left < 0:
        raise BrokenArchiveError(f"refused: unpacks to far more than a {format_} should")


def _size(data: bytes, member: zipfile.ZipInfo, most: int) -> int:
    """Return how many bytes a deflated member unpacks to; counting ends above `most`."""
    at = member.header_offset
    lengths = data[at + 26 : at + _HEADER]
    start = at + _HEADER + int.from_bytes(lengths[:2], "little")
    start += int.from_bytes(lengths[2:], "little")
    rest = memoryview(data)[start : start + member.compress_size]
    inflate = zlib.decompressobj(-15)
    total = 0
    while rest and total <= most and not inflate.eof:
        piece, rest = rest[:_PIECE], rest[_PIECE:]
        tail: bytes | memoryview = piece
        while tail and total <= most:
            try:
                total += len(inflate.decompress(tail, 16 * _PIECE))
            except zlib.error:  # damaged: its parser stops there too
                return total
            tail = inflate.unconsumed_tail
    return total
