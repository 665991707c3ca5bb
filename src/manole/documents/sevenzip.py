"""7z archives: their headers, and their files cut out of what `sevenzip_coders.py` unpacks.

The layout is that of `7zFormat.txt` of the LZMA SDK (public domain). Packed streams come first, and
a header at the end, mostly packed itself, says what they hold. A *folder* is one stream with the
coders that unpack it, and may hold many files, one after the other. So a folder is unpacked once,
in pieces, and its files are cut out of it in order.

Nothing that a header says is trusted: it has a byte for whatever it counts, packed streams lie in
the file, and no coder gives more than was said before anything was unpacked. What is damaged raises
one of `ARCHIVE_ERRORS`.
"""

from __future__ import annotations

import os
import stat
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from itertools import islice
from typing import IO

from manole.documents.archive import BrokenArchiveError
from manole.documents.sevenzip_coders import DECODING, PIECE, PROPERTIES, Pieces, decoded, unread

_SIGNATURE = b"7z\xbc\xaf\x27\x1c"
_START = struct.Struct("<6s2sIQQI")  # version, CRC of the rest; the header's offset, size and CRC
_LONGEST = 1 << 24  # bytes of a header: names of some 100,000 files
_MOST = 200_000  # files, folders or streams
_CODERS, _ENDS = 16, 4  # of a folder, and streams into or out of a coder
_UNIX = 0x8000  # the upper half of a file's attributes are its mode
_REPARSE = 0x400  # a link of Windows
_HERE = 0  # a list lies in the header, not in a stream of its own


class _Id(IntEnum):
    """What follows in a header."""

    END, HEADER, PROPERTIES = 0x00, 0x01, 0x02
    STREAMS, FILES = 0x04, 0x05
    PACKED, UNPACKED, PARTS = 0x06, 0x07, 0x08
    SIZES, CRCS, FOLDERS = 0x09, 0x0A, 0x0B
    CODER_SIZES, PART_COUNTS = 0x0C, 0x0D
    EMPTY, NAMES, ATTRIBUTES, ENCODED = 0x0E, 0x11, 0x15, 0x17


@dataclass(frozen=True, slots=True)
class Packed:
    """A file of an archive: its size in bytes, and where they lie once it is unpacked.

    `unread` says why they cannot be had, "" if they can.
    """

    size: int
    crc: int | None
    name: str = ""
    is_link: bool = False
    at: int = 0
    unread: str = ""


@dataclass(slots=True)
class Folder:
    """A packed stream, and the files in it."""

    coders: list[tuple[bytes, bytes]]  # methods and their properties
    bound: dict[int, int]  # from which coder's output an input comes; the last one is the file's
    streams: int  # packed ones that it is made of
    outputs: int
    sizes: list[int] = field(default_factory=list)  # of the outputs
    crc: int | None = None
    packed: tuple[int, int] = (0, 0)  # offset and bytes
    files: list[Packed] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Bytes of what is in it."""
        return next((size for n, size in enumerate(self.sizes) if n not in self.bound.values()), 0)

    @property
    def largest(self) -> int:
        """Bytes that its coders give, the most of them."""
        return max(self.sizes)

    @property
    def unread(self) -> str:
        """Why it cannot be unpacked, "" if it can."""
        return unread(self.coders, self.largest)

    def unpack(self, file: IO[bytes], into: IO[bytes]) -> Iterator[Packed]:
        """Write what is in it at the end of `into`, and yield its files, each with its place."""
        if self.unread:
            yield from (replace(one, unread=self.unread) for one in self.files)
            return
        parts = _Parts(_until_damaged(self.pieces(file)))
        for one in self.files:
            at, crc, size = into.seek(0, os.SEEK_END), 0, 0
            for piece in parts.take(one.size):
                crc, size = zlib.crc32(piece, crc), size + len(piece)
                into.write(piece)
            sound = size == one.size and one.crc in (None, crc)
            yield replace(one, at=at, crc=crc, unread="" if sound else "damaged")

    def pieces(self, file: IO[bytes]) -> Pieces:
        """Yield what is in it, in pieces."""
        pieces = _read(file, *self.packed)
        for n in self._order():
            pieces = decoded(pieces, self.coders[n], self.sizes[n])
        yield from pieces

    def _order(self) -> list[int]:
        """Return the coders as they unpack: the first one reads what no other one gives."""
        after = {output: source for source, output in self.bound.items()}
        order = [n for n in range(len(self.coders)) if n not in self.bound]
        while order and order[-1] in after and len(order) < len(self.coders):
            order.append(after[order[-1]])
        if sorted(order) != list(range(self.outputs)) or len(self.coders) != self.outputs:
            raise ValueError("coders that hang together in no way")
        return order


def folders(file: IO[bytes]) -> list[Folder]:
    """Return the folders of an archive with their files, of which nothing is unpacked yet.

    Raises `BrokenArchiveError` for what is refused or encrypted, else one of `ARCHIVE_ERRORS`.
    """
    header = _header(file)
    if header is None:
        return []
    if header.has(_Id.ENCODED):
        for folder in _streams(header, file)[:1]:
            header = _Header(_unpacked_header(file, folder))
    header.expect(_Id.HEADER)
    if header.has(_Id.PROPERTIES):
        while header.byte():
            header.take(header.number())
    found = _streams(header, file) if header.has(_Id.STREAMS) else []
    if header.has(_Id.FILES):
        _name_files(header, found)
    return found


def _header(file: IO[bytes]) -> _Header | None:
    """Return the header, `None` of an empty archive."""
    file.seek(0)
    start = file.read(_START.size).ljust(_START.size, b"\0")
    signature, _, crc, offset, size, header_crc = _START.unpack(start)
    if signature != _SIGNATURE or zlib.crc32(start[12:]) != crc:
        raise ValueError("no such archive")
    if size == 0:
        return None
    _check_length(size)
    data = b"".join(_read(file, _START.size + min(offset, _end(file)), size))
    if zlib.crc32(data) != header_crc:
        raise ValueError("a damaged header")
    return _Header(data)


def _unpacked_header(file: IO[bytes], folder: Folder) -> bytes:
    if folder.unread:
        raise BrokenArchiveError(folder.unread)
    _check_length(folder.largest)
    data = b"".join(folder.pieces(file))
    if len(data) != folder.size or folder.crc not in (None, zlib.crc32(data)):
        raise ValueError("a damaged header")
    return data


def _check_length(size: int, most: int = _LONGEST) -> None:
    if size > most:
        raise BrokenArchiveError("refused: lists far more than an archive should")


def _end(file: IO[bytes]) -> int:
    return file.seek(0, os.SEEK_END)


class _Header:
    """The bytes of a header, read one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, count: int) -> bytes:
        """Return the next ones."""
        if count > len(self._data) - self._at:
            raise EOFError("a header that ends early")
        self._at += count
        return self._data[self._at - count : self._at]

    def byte(self) -> int:
        return self.take(1)[0]

    def number(self) -> int:
        """Return a number of up to eight more bytes, as many as the first one has leading ones."""
        first = self.byte()
        more = 8 - (first ^ 0xFF).bit_length()
        return (first & 0x7F >> more) << 8 * more | int.from_bytes(self.take(more), "little")

    def count(self, most: int = _MOST) -> int:
        """Return how many things follow, each at least a byte here or later in the header."""
        count = self.number()
        if count > len(self._data) - self._at:
            raise EOFError("a header that ends early")
        _check_length(count, most)
        return count

    def has(self, what: int) -> bool:
        """Step over a byte if it is this one, and return whether it was."""
        found = self._data[self._at : self._at + 1] == bytes((what,))
        self._at += found
        return found

    def expect(self, what: int) -> None:
        if not self.has(what):
            raise ValueError("a header in disorder")

    def rest(self) -> bytes:
        return self.take(len(self._data) - self._at)

    def bits(self, count: int) -> list[bool]:
        data = self.take((count + 7) // 8)
        return [bool(data[n >> 3] & 0x80 >> (n & 7)) for n in range(count)]

    def given(self, count: int) -> list[bool]:
        """Return for which of so many a value follows."""
        return [True] * count if self.byte() else self.bits(count)

    def integers(self, given: list[bool]) -> list[int | None]:
        """Return integers of four bytes, `None` where none is given."""
        return [int.from_bytes(self.take(4), "little") if one else None for one in given]


# What a header says ----------------------------------------------------------------------------


def _streams(header: _Header, file: IO[bytes]) -> list[Folder]:
    """Return the folders of a `StreamsInfo`, with their files, which have no names yet."""
    at, sizes = _START.size, list[int]()
    if header.has(_Id.PACKED):
        at += header.number()
        count = header.count()
        sizes = [header.number() for _ in range(count)] if header.has(_Id.SIZES) else []
        if header.has(_Id.CRCS):
            header.integers(header.given(count))
        header.expect(_Id.END)
    found = _folders(header) if header.has(_Id.UNPACKED) else []
    left = iter(sizes)
    for folder in found:
        folder.packed = at, sum(islice(left, folder.streams))
        at += folder.packed[1]
    if at > _end(file):
        raise EOFError("an archive that ends early")
    _divide(header, found)
    header.expect(_Id.END)
    return found


def _folders(header: _Header) -> list[Folder]:
    header.expect(_Id.FOLDERS)
    count = header.count()
    header.expect(_HERE)
    found = [_folder(header) for _ in range(count)]
    header.expect(_Id.CODER_SIZES)
    for folder in found:
        folder.sizes = [header.number() for _ in range(folder.outputs)]
    if header.has(_Id.CRCS):
        for folder, crc in zip(found, header.integers(header.given(count)), strict=True):
            folder.crc = crc
    header.expect(_Id.END)
    return found


def _folder(header: _Header) -> Folder:
    coders, inputs, outputs = list[tuple[bytes, bytes]](), 0, 0
    for _ in range(header.count(_CODERS)):
        flags = header.byte()
        method = header.take(flags & 0x0F)
        ends = [header.count(_ENDS) if flags & 0x10 else 1 for _ in range(2)]
        inputs, outputs = inputs + ends[0], outputs + ends[1]
        given = header.take(header.number()) if flags & 0x20 else b""
        coders.append((method, given.ljust(PROPERTIES, b"\0")))
    bound = {header.number(): header.number() for _ in range(outputs - 1)}
    streams = inputs - outputs + 1
    if outputs == 0 or streams < 1:
        raise ValueError("coders that hang together in no way")
    for _ in range(streams if streams > 1 else 0):
        header.number()  # which input it is; only of coders that are not read
    return Folder(coders, bound, streams, outputs)


def _divide(header: _Header, found: list[Folder]) -> None:
    """Give each folder its files: how many, their sizes and CRCs (`SubStreamsInfo`)."""
    divided = header.has(_Id.PARTS)
    sizes = list(_part_sizes(header, found, divided))
    lacking = [len(of) != 1 or one.crc is None for one, of in zip(found, sizes, strict=True)]
    listed = sum(len(of) for of, lacks in zip(sizes, lacking, strict=True) if lacks)
    crcs = iter(header.integers(header.given(listed)) if divided and header.has(_Id.CRCS) else ())
    for folder, of, lacks in zip(found, sizes, lacking, strict=True):
        folder.files = [Packed(size, next(crcs, None) if lacks else folder.crc) for size in of]
    if divided:
        header.expect(_Id.END)


def _part_sizes(header: _Header, found: list[Folder], divided: bool) -> Iterator[list[int]]:
    """Yield the sizes of the files of each folder; that of the last one is what is left."""
    several = divided and header.has(_Id.PART_COUNTS)
    counts = [header.count() if several else 1 for _ in found]
    _check_length(sum(counts))
    sized = divided and header.has(_Id.SIZES)
    for folder, count in zip(found, counts, strict=True):
        parts = [header.number() for _ in range(count - 1)] if sized else []
        sizes = [*parts, folder.size - sum(parts)] if count else []
        if len(sizes) != count or min(sizes, default=0) < 0:
            raise ValueError("sizes that make no sense")
        yield sizes


def _name_files(header: _Header, found: list[Folder]) -> None:
    """Give the files in the folders their names (`FilesInfo`)."""
    count = header.count()
    names, empty = list[str](), [False] * count
    attributes: list[int | None] = [None] * count
    while what := header.byte():
        data = _Header(header.take(header.number()))
        if what == _Id.EMPTY:  # folders of a file system, and files without a byte
            empty = data.bits(count)
        elif what == _Id.NAMES:
            data.expect(_HERE)
            names = data.rest().decode("utf-16-le", "replace").split("\0", count)[:count]
        elif what == _Id.ATTRIBUTES:
            given = data.given(count)
            data.expect(_HERE)
            attributes = data.integers(given)
    every = zip(names, attributes, empty, strict=True)
    named = iter([(name, _is_link(bits or 0)) for name, bits, none in every if not none])
    for folder in found:
        files = zip(folder.files, islice(named, len(folder.files)), strict=True)
        folder.files = [replace(one, name=name, is_link=is_link) for one, (name, is_link) in files]


def _is_link(attributes: int) -> bool:
    mode = attributes >> 16 if attributes & _UNIX else 0
    return bool(attributes & _REPARSE) or (mode != 0 and not stat.S_ISREG(mode))


def _read(file: IO[bytes], at: int, size: int) -> Pieces:
    """Yield `size` bytes of a file. Raises `EOFError`."""
    while size > 0:
        file.seek(at)
        if not (piece := file.read(min(PIECE, size))):
            raise EOFError("a file that ends early")
        yield piece
        at, size = at + len(piece), size - len(piece)


def _until_damaged(pieces: Pieces) -> Pieces:
    try:
        yield from pieces
    except DECODING as error:
        if isinstance(error, OSError) and error.errno:  # the disk's; that of a decoder has none
            raise


class _Parts:
    """A stream that is cut into parts."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._rest = b""

    def take(self, size: int) -> Pieces:
        """Yield the next `size` bytes, fewer if there are no more."""
        while size > 0 and (piece := self._rest or next(self._pieces, b"")):
            piece, self._rest = piece[:size], piece[size:]
            size -= len(piece)
            yield piece
