"""What unpacks the streams of 7z archives: the coders of `Methods.txt` (LZMA SDK, public domain).

Each turns pieces of bytes into pieces of at most `PIECE` bytes, so that memory stays small however
much comes out; the largest part is the dictionary, which is never larger than what is unpacked.
What is damaged raises one of `DECODING`. Python 3.11 has no PPMd, BCJ2, Deflate64 or Zstandard.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from itertools import chain

from manole.documents.model import LOCKED

PIECE = 1 << 16  # bytes that are unpacked at once; as many as an LZMA2 chunk can store
PROPERTIES = 5  # bytes of a coder's, at least: as many as LZMA has
DECODING = (lzma.LZMAError, zlib.error, EOFError, ValueError, OSError)
_DICTIONARY = 1 << 28  # bytes; 7-Zip's highest level
_LITERALS = 4  # bits of position and context together that `lzma` knows

Pieces = Iterator[bytes]
Decode = Callable[[Pieces, bytes, int], Pieces]  # of a coder's properties, and bytes that it gives


def unread(coders: list[tuple[bytes, bytes]], size: int) -> str:
    """Return why coders, methods with properties, cannot unpack so many bytes, "" if they can."""
    if any(method == _AES for method, _ in coders):
        return LOCKED
    strange = [method for method, _ in coders if method not in _METHODS]
    strange += [method for method, given in coders if _beyond(method, given, size)]
    if not strange:
        return ""
    return f"packed in a way that is not read ({_NAMES.get(strange[0], strange[0].hex())})"


def decoded(pieces: Pieces, coder: tuple[bytes, bytes], size: int) -> Pieces:
    """Yield the `size` bytes that a coder makes of these, fewer if it makes fewer."""
    method, given = coder
    return _first(_METHODS[method](pieces, given, size), size)


def _first(pieces: Pieces, size: int) -> Pieces:
    """Yield the first `size` bytes, in no empty pieces."""
    while size > 0 and (piece := next(pieces, None)) is not None:
        if piece:
            yield piece[:size]
            size -= len(piece)


def _dictionary(method: bytes, given: bytes, size: int) -> int:
    """Return how large a dictionary is, in bytes; one longer than what it unpacks is not used."""
    if method == _LZMA2:
        return min((2 | given[0] & 1) << (given[0] // 2 + 11), size)
    return min(int.from_bytes(given[1:5], "little"), size) if method == _LZMA else 0


def _beyond(method: bytes, given: bytes, size: int) -> bool:
    """Return whether the library decodes no such LZMA, or only with much memory."""
    literals = sum(divmod(given[0] % 45, 9)) if method == _LZMA else 0
    return literals > _LITERALS or _dictionary(method, given, size) > _DICTIONARY


def _copy(pieces: Pieces, _given: bytes, _size: int) -> Pieces:
    return pieces


def _lzma1(pieces: Pieces, given: bytes, size: int) -> Pieces:
    positions, literals = divmod(given[0], 45)
    lp, lc = divmod(literals, 9)
    options = {"lc": lc, "lp": lp, "pb": positions, "dict_size": _dictionary(_LZMA, given, size)}
    return _through(_raw({"id": lzma.FILTER_LZMA1} | options), pieces)


def _lzma2(pieces: Pieces, given: bytes, size: int) -> Pieces:
    dictionary = _dictionary(_LZMA2, given, size)
    return _through(_raw({"id": lzma.FILTER_LZMA2, "dict_size": dictionary}), pieces)


def _delta(pieces: Pieces, given: bytes, _size: int) -> Pieces:
    return _undone({"id": lzma.FILTER_DELTA, "dist": given[0] + 1}, pieces)


def _branches(filter_id: int) -> Decode:
    """Return what undoes the filter of the branches of a processor's code."""
    return lambda pieces, _given, _size: _undone({"id": filter_id}, pieces)


def _undone(filter_: dict[str, int], pieces: Pieces) -> Pieces:
    """Undo a filter. `lzma` undoes none alone, so what it gets is made LZMA2 that only stores."""
    stored = chain((b"\1%b%b" % ((len(p) - 1).to_bytes(2, "big"), p) for p in pieces), (b"\0",))
    return _through(_raw(filter_, {"id": lzma.FILTER_LZMA2, "dict_size": PIECE}), stored)


def _raw(*filters: dict[str, int]) -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters)


def _bzip2(pieces: Pieces, _given: bytes, _size: int) -> Pieces:
    return _through(bz2.BZ2Decompressor(), pieces)


def _through(decoder: lzma.LZMADecompressor | bz2.BZ2Decompressor, pieces: Pieces) -> Pieces:
    for piece in pieces:
        yield decoder.decompress(piece, PIECE)
        while not (decoder.needs_input or decoder.eof):
            yield decoder.decompress(b"", PIECE)
        if decoder.eof:
            return


def _deflate(pieces: Pieces, _given: bytes, _size: int) -> Pieces:
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    for piece in pieces:
        rest = piece
        while rest and not inflate.eof:
            yield inflate.decompress(rest, PIECE)
            rest = inflate.unconsumed_tail
    yield inflate.flush()


_LZMA, _LZMA2, _AES = b"\3\1\1", b"\x21", b"\6\xf1\7\1"
_METHODS: dict[bytes, Decode] = {  # a filter has an old number of four bytes and a new one of one
    b"\0": _copy, _LZMA: _lzma1, _LZMA2: _lzma2, b"\4\1\x08": _deflate, b"\4\2\2": _bzip2,
    b"\3": _delta,
    b"\4": _branches(lzma.FILTER_X86), b"\3\3\1\3": _branches(lzma.FILTER_X86),
    b"\5": _branches(lzma.FILTER_POWERPC), b"\3\3\2\5": _branches(lzma.FILTER_POWERPC),
    b"\6": _branches(lzma.FILTER_IA64), b"\3\3\4\1": _branches(lzma.FILTER_IA64),
    b"\7": _branches(lzma.FILTER_ARM), b"\3\3\5\1": _branches(lzma.FILTER_ARM),
    b"\x08": _branches(lzma.FILTER_ARMTHUMB), b"\3\3\7\1": _branches(lzma.FILTER_ARMTHUMB),
    b"\x09": _branches(lzma.FILTER_SPARC), b"\3\3\x08\5": _branches(lzma.FILTER_SPARC),
}  # fmt: skip
_NAMES = {
    _LZMA: "LZMA", _LZMA2: "LZMA2", b"\3\4\1": "PPMd", b"\3\3\1\x1b": "BCJ2",
    b"\x0a": "ARM64", b"\x0b": "RISC-V", b"\4\1\x09": "Deflate64", b"\4\xf7\x11\1": "Zstandard",
}  # fmt: skip
