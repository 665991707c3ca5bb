"""7z archives: what is read of them, what is said of the rest, and what hostile ones come to."""

from __future__ import annotations

import lzma
import random
import zlib
from pathlib import Path

import pytest

from manole.documents.archive import BrokenArchiveError
from manole.documents.limits import Limits
from manole.documents.members import members_of
from manole.documents.model import Document, Status
from manole.documents.opened import named
from manole.documents.opener import open_found
from reading_here import read_document
from sevenzip_samples import (
    AES,
    COPY,
    DELTA,
    FILES,
    LZMA1,
    LZMA2,
    PPMD,
    WRITTEN,
    X86,
    Block,
    number,
    sealed,
    streams,
    written,
)  # fmt: skip

SETTINGS = Limits()
TEXT = b"Call the roofer. " * 9
CODE = bytes(range(200)) + b"\xe8\x10\x20\x00\x00 a call \xe9\0\1\0\0" * 5000 + b"\xe8\1\2\3\0"
RAW = {"format": lzma.FORMAT_RAW}
LARGEST = b"\x5d" + (1 << 16).to_bytes(4, "little")


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "old.7z"


def read(path: Path, data: bytes) -> Document:
    path.write_bytes(data)
    return read_document(path, SETTINGS)


def held(path: Path, data: bytes) -> dict[str, bytes]:
    """Return the files that are read, by name."""
    found = {}
    for member in read(path, data).members:
        with open_found(named(path).inside(member.name)) as file:
            found[member.name] = file.read()
    return found


def lzma1(data: bytes, *before: dict[str, int]) -> bytes:
    last = {"id": lzma.FILTER_LZMA1, "dict_size": 1 << 16}
    return lzma.compress(data, **RAW, filters=[*before, last])


def stored(**files: bytes) -> Block:
    return Block({f"{name}.txt": data for name, data in files.items()}, b"".join(files.values()))


@pytest.mark.parametrize("compression", [name for name in WRITTEN if name != "ppmd"])
def test_what_another_program_packed_is_read(path, compression):
    assert held(path, WRITTEN[compression]) == FILES


def test_a_member_is_read_like_a_file(path):
    document = read(path, WRITTEN["lzma2"])
    assert document.status is Status.INDEXED
    assert document.pages[0].text == "\n".join(FILES)
    member = document.members[0]
    found = named(path).inside(member.name, member.size, member.mark)
    with open_found(found) as file:
        assert (file.name, file.size) == ("gas.txt", len(FILES["letters/gas.txt"]))


@pytest.mark.parametrize(
    ("coders", "packed"),
    [
        ([(LZMA1, LARGEST)], lzma1(CODE)),
        ([(X86, b""), (LZMA1, LARGEST)], lzma1(CODE, {"id": lzma.FILTER_X86})),
        ([(b"\4", b""), (LZMA1, LARGEST)], lzma1(CODE, {"id": lzma.FILTER_X86})),
        ([(b"\7", b""), (LZMA1, LARGEST)], lzma1(CODE, {"id": lzma.FILTER_ARM})),
        ([(DELTA, b"\3"), (LZMA1, LARGEST)], lzma1(CODE, {"id": lzma.FILTER_DELTA, "dist": 4})),
        ([(COPY, b""), (COPY, b"")], CODE),
        ([(COPY, b""), (b"\4\1\x08", b"")], zlib.compress(CODE)[2:]),
    ],
)
def test_coders_that_follow_one_another_are_undone(path, coders, packed):
    assert len(CODE) > 1 << 16  # more than one piece
    assert held(path, written(Block({"run.txt": CODE}, packed, coders))) == {"run.txt": CODE}


def test_files_of_a_block_are_cut_out_in_their_order(path):
    files = {f"{n}.txt": bytes((n,)) * (n * 3000) for n in range(1, 60)}
    block = Block(files, lzma1(b"".join(files.values())), [(LZMA1, LARGEST)])
    assert held(path, written(block, stored(last=b"end"))) == files | {"last.txt": b"end"}


@pytest.mark.parametrize(
    ("packed", "coders", "reason"),
    [
        (b"x", [(PPMD, bytes(5))], "packed in a way that is not read (PPMd)"),
        (b"x", [(b"\x7f\1", b"")], "packed in a way that is not read (7f01)"),
        (b"x", [(LZMA1, b"\x2c" + LARGEST[1:])], "packed in a way that is not read (LZMA)"),
        (b"x", [(AES, b"\x13")], "protected by a password"),
        (b"x", [(LZMA1, LARGEST), (AES, b"\x13")], "protected by a password"),
        (lzma1(TEXT), [(LZMA1, b"\xe1" + LARGEST[1:])], "damaged"),
        (TEXT[:-1] + b"x", [(COPY, b"")], "damaged"),
        (TEXT[:-1], [(COPY, b"")], "damaged"),
        (b"\xff" * 50, [(LZMA2, b"\x18")], "damaged"),
        (b"\xff" * 50, [(b"\4\2\2", b"")], "damaged"),
        (b"\xff" * 50, [(b"\4\1\x08", b"")], "damaged"),
    ],
)
def test_what_cannot_be_unpacked_is_said_and_the_rest_is_read(path, packed, coders, reason):
    block = Block({"a.txt": TEXT}, packed, coders)
    assert held(path, written(block, stored(b=b"text"))) == {"b.txt": b"text"}
    document = read(path, written(block, stored(b=b"text")))
    assert (document.status, document.reason) == (
        Status.PARTIAL, f"not read inside: 1 file ({reason})",
    )  # fmt: skip
    assert document.pages[0].text == "a.txt\nb.txt"
    alone = read(path, written(block))
    assert (alone.status, alone.members) == (Status.FAILED, ())
    assert reason in alone.reason


def test_of_a_damaged_block_what_comes_before_is_read(path):
    files = {f"{n}.txt": random.Random(n).randbytes(200_000) for n in range(3)}
    packed = bytearray(lzma1(b"".join(files.values())))
    packed[300_000:300_100] = bytes(100)
    data = written(Block(files, bytes(packed), [(LZMA1, LARGEST)]))
    assert list(held(path, data)) == ["0.txt"]
    assert read(path, data).reason == "not read inside: 2 files (damaged)"


@pytest.mark.parametrize("coder", [(COPY, b""), (PPMD, bytes(5))])
def test_files_may_have_no_crc(path, coder):
    whole = written(Block({"a.txt": TEXT}, TEXT, [coder]))
    crc = b"\x0a\1" + zlib.crc32(TEXT).to_bytes(4, "little")
    document = read(path, sealed(TEXT, whole[32 + len(TEXT) :].replace(crc, b"")))
    assert ("a.txt" in document.pages[0].text) if document.pages else "PPMd" in document.reason
    if document.members:
        other = sealed(TEXT.lower(), whole[32 + len(TEXT) :].replace(crc, b""))
        assert read(path, other).members[0].mark != document.members[0].mark


def test_an_encrypted_list_of_files_is_said(path):
    hidden = Block({"": b"list"}, b"x" * 16, [(AES, b"\x13")])
    document = read(path, sealed(hidden.packed, b"\x17" + streams(hidden)))
    assert (document.status, document.reason) == (Status.FAILED, "protected by a password")


def test_names_lead_nowhere_and_links_are_left_out(path):
    files = {"../../up.txt": b"up", ".ssh/id_rsa": b"x", "a.txt": b"/etc/passwd", "b.txt": b"b"}
    block = Block(files, b"".join(files.values()))
    data = written(block, modes=(0o100644, 0o100600, 0o120777, 0o100644))
    assert held(path, data) == {"up.txt": b"up", "b.txt": b"b"}


def test_a_mark_changes_with_the_bytes(path):
    marks = {read(path, written(stored(a=text))).members[0].mark for text in (b"one", b"two")}
    assert len(marks) == 2


ZEROS = lzma1(bytes(300_000_000))


@pytest.mark.parametrize(
    "block",
    [
        Block({"a.txt": b"", "b.txt": b""}, ZEROS, [(LZMA1, LARGEST)], [150_000_000] * 2),
        Block({"a.txt": b""}, b"x", [(COPY, b"")], [1 << 62]),
        Block({"a.txt": b""}, b"x", [(AES, b"")], [1 << 62]),
    ],
)
def test_a_bomb_is_refused_before_it_is_unpacked(path, block):
    document = read(path, written(block))
    assert (document.status, document.members) == (Status.FAILED, ())
    assert document.reason == "refused: unpacks to far more than an archive should"


def test_no_more_is_unpacked_than_was_said(path):
    data = written(Block({"a.txt": bytes(4096)}, ZEROS, [(LZMA1, LARGEST)]))
    assert held(path, data) == {"a.txt": bytes(4096)}


def test_a_dictionary_of_gigabytes_takes_no_more_than_the_file(path):
    huge = b"\x5d\xff\xff\xff\xff"
    assert held(path, written(Block({"a.txt": TEXT}, lzma1(TEXT), [(LZMA1, huge)]))) == {
        "a.txt": TEXT
    }
    files = dict.fromkeys(("a.txt", "b.txt", "c.txt"), b"")
    claims = Block(files, bytes(2_000_000), [(LZMA1, huge)], [90_000_000] * 3)
    assert "not read (LZMA)" in read(path, written(claims)).reason


@pytest.mark.parametrize(
    "header",
    [
        b"\1\4\6" + number(0) + number(1 << 60),
        b"\1\4\7\x0b" + number(1 << 40) + b"\0",
        b"\1\5" + number(1 << 50) + b"\x0e" + number(1 << 50),
        b"\1\4\7\x0b" + number(1) + b"\0" + number(16) + b"\x2f" * 40,
        b"\1\5" + number(2) + b"\x11" + number(5) + b"\0a\0\0\0" + b"\0\0",
        b"\x17\0",
        b"\x17" * 100,
        b"\1\2" + b"\1" * 90,
        b"",
    ],
)
def test_a_header_that_makes_no_sense_is_a_broken_file(path, header):
    document = read(path, sealed(b"", header))
    assert document.status in (Status.FAILED, Status.SKIPPED)
    assert document.reason in (
        "broken 7z file (a damaged archive)", "nothing inside that is read",
    )  # fmt: skip


def test_a_header_of_very_many_files_is_refused(path):
    count = 300_000
    header = b"\1\5" + number(count) + b"\x11" + number(2 * count + 1) + bytes(2 * count + 1)
    document = read(path, sealed(b"", header))
    assert document.reason == "refused: lists far more than an archive should"


@pytest.mark.parametrize("cut", range(1, 100, 9))
def test_a_cut_off_archive_is_broken(path, cut):
    whole = WRITTEN["lzma1"]
    document = read(path, whole[: len(whole) * cut // 100])
    assert (document.status, document.reason) == (
        Status.FAILED, "broken 7z file (a damaged archive)",
    )  # fmt: skip


def several() -> bytes:
    filtered = lzma1(CODE, {"id": lzma.FILTER_X86})
    return written(
        stored(a=TEXT, b=b"b"),
        Block({"c.txt": CODE}, filtered, [(X86, b""), (LZMA1, LARGEST)]),
        Block({"d.txt": b"d"}, b"x", [(PPMD, b"")]),
        modes=(0o100644,) * 4,
    )


def changed(data: bytes, chance: random.Random) -> bytes:
    """Return bytes with some exchanged, taken out, or put in."""
    out = bytearray(data)
    for _ in range(chance.randint(0, 3)):
        at = chance.randrange(len(out))
        new = [b"", b"\0", b"\xff", b"\xff" * 9, chance.randbytes(1), chance.randbytes(4)]
        out[at : at + chance.randint(0, 3)] = chance.choice(new)
    return bytes(out)


@pytest.mark.parametrize("kind", [*WRITTEN, "several"])
@pytest.mark.parametrize("mended", [True, False])
def test_any_damage_gives_files_or_a_reason(path, kind, mended):
    """With its CRCs mended, what a damaged header says is met."""
    data = WRITTEN.get(kind) or several()
    at = 32 + int.from_bytes(data[12:20], "little")
    seen = set()
    for seed in range(100):
        chance = random.Random(seed)
        body, header = changed(data[32:at], chance), changed(data[at:], chance)
        path.write_bytes(sealed(body, header) if mended else data[:32] + body + header)
        with open_found(named(path)) as file:
            try:
                members = members_of(file, path.name)
                seen |= {member.unread for member in members}
                assert sum(member.size for member in members) <= 100_000_000
            except BrokenArchiveError as error:
                seen.add(str(error))
    assert "broken 7z file (a damaged archive)" in seen
    assert len(seen) > 1
