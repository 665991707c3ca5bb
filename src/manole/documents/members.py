"""Files inside other files: attachments of mails, messages of mailboxes, files of archives.

The path of a member is its container's with the member's name behind ` › `, as people cite it:
`mail/roof.eml › invoice.pdf`, `old.zip › letters/gas.txt`, `a.mbox › message 214.eml › map.pdf`. A
container is listed in the worker when it is read; a member is then read like any other file, out
of a temporary file without a name, so that every reader, picture and preview serves it as it is.

Nothing is written under a member's own name, links are left out, and everything is bounded.
"""

from __future__ import annotations

import bz2
import email
import email.policy
import gzip
import hashlib
import lzma
import os
import re
import tarfile
import tempfile
import threading
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain, islice, pairwise
from pathlib import PurePosixPath
from typing import IO, Any, Generic, NamedTuple, TypeVar

from manole.documents import sevenzip
from manole.documents.archive import ARCHIVE_ERRORS, MAX_MEMBER, BrokenArchiveError
from manole.documents.detect import Family, detect
from manole.documents.formats import TARS, is_archive
from manole.documents.model import LOCKED, Member, storable
from manole.documents.opened import SEPARATOR, OpenFile
from manole.documents.scan import wanted

T = TypeVar("T")

DEPTH = 2  # containers one in the other that are opened: a mailbox's message, and what hangs on it
MOST = 10_000  # files of an archive
MAX_UNPACKED = 2 << 30  # bytes of all files of an archive
_GROWTH = 200  # an archive that unpacks to more times its size, and to much, is an attack
_ATTACHED = 200  # files of one mail
_NAME, _DEEP = 200, 32  # characters of a name, and folders that a member may lie in
_LONG_HEADER = 20_000  # characters; the parser of structured headers takes minutes for a megabyte
_CHUNK = 1 << 22  # bytes of a mailbox that are searched at once
_FROM = re.compile(rb"From \S+ [^\r\n]*\d{4}[^\r\n]*\r?\n(?=[\w-]+:)")  # with a year, then headers
_PACKERS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open,
}  # fmt: skip
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)  # the "mboxrd" format's
_HOLDS = re.compile(rb"(?:file)?name\*?\d?\*?=|message/rfc822", re.IGNORECASE)
_SIGNATURES = frozenset({"pkcs7-signature", "x-pkcs7-signature", "pgp-signature", "pgp-keys"})
_TOO_MUCH = "refused: unpacks to far more than an archive should"
_MESSAGE = re.compile(r"message (\d+)\.eml")


def members_of(file: OpenFile, path: str) -> tuple[Member, ...]:
    """Return the members of the container `file` at `path`; none of any other file.

    Raises `BrokenArchiveError`, also for an archive that would unpack to too much.
    """
    outer = path.split(SEPARATOR)[:-1]
    kind = detect(file.name, file.file)
    if len(outer) >= DEPTH:
        return ()
    if kind.family is Family.EMAIL:
        return tuple(_member(name, data) for name, data in _attachments(file.read()))
    if kind.family is Family.MAILBOX:
        found = ((n, _raw(file.file, span)) for n, span in enumerate(_SPANS.of(file), start=1))
        return tuple(_member(f"message {n}.eml", data) for n, data in found)
    if kind.family is not Family.ARCHIVE or any(map(is_archive, outer)):
        return ()
    every = _ARCHIVE.of(file).items()
    return tuple(Member(name, one.size, one.mark, one.unread) for name, one in every)


def opened_member(file: OpenFile, name: str) -> OpenFile:
    """Open the member called `name`, which may lie in a member, of the open container `file`.

    Raises `FileNotFoundError`.
    """
    with file:
        first, _, rest = name.partition(SEPARATOR)
        try:
            with _ONE_AT_A_TIME:
                data = _data(file, first)
        except (*ARCHIVE_ERRORS, BrokenArchiveError, tarfile.TarError):
            data = None
        if data is None:
            raise FileNotFoundError(f"there is no {name} in {file.name}")
        with tempfile.TemporaryFile() as kept:
            kept.write(data)
            kept.flush()
            kept.seek(0)
            inner = OpenFile(
                os.dup(kept.fileno()), PurePosixPath(first).name, os.fstat(kept.fileno())
            )
    return opened_member(inner, rest) if rest else inner


def _data(file: OpenFile, name: str) -> bytes | None:
    """Return the bytes of one member."""
    kind = detect(file.name, file.file)
    if kind.family is Family.EMAIL:
        return dict(_attachments(file.read())).get(name)
    if kind.family is Family.MAILBOX and (numbered := _MESSAGE.fullmatch(name)):
        spans = _SPANS.of(file)
        number = int(numbered[1])
        return _raw(file.file, spans[number - 1]) if 0 < number <= len(spans) else None
    if kind.family is not Family.ARCHIVE:
        return None
    entry = _ARCHIVE.of(file).get(name)
    return entry.read() if entry and not entry.unread else None


def _member(name: str, data: bytes) -> Member:
    return Member(name, len(data), hashlib.blake2b(data, digest_size=32).hexdigest())


# Mails: `Any`, as the standard library's types do not say what a part may hold ----------------


def _attachments(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the name and bytes of what hangs on a mail; pictures of its layout are left out."""
    if not _HOLDS.search(data):
        return
    message = email.message_from_bytes(data, policy=email.policy.default)
    found: list[tuple[str, bytes]] = []
    for part in _parts(message):
        if (content := _content(part)) is not None and len(found) < _ATTACHED:
            found.append((_part_name(part), content))
    yield from _named(found)


def _parts(message: Any) -> Iterator[Any]:
    """Yield the parts that hang on a message, without those of messages inside it."""
    stack = [message]
    while stack:
        part = stack.pop()
        if part.get_content_maintype() == "multipart":
            inner = part.get_payload()
            stack += reversed(inner) if isinstance(inner, list) else []
        elif part is not message and _hangs(part):
            yield part


def _hangs(part: Any) -> bool:
    """Return whether a part is a file of its own, not the text or a picture in it."""
    maintype, subtype = part.get_content_maintype(), part.get_content_subtype()
    if maintype == "message":
        return bool(subtype == "rfc822")
    inside = maintype == "text" or (maintype == "image" and "Content-ID" in part)
    if inside and part.get_content_disposition() != "attachment":
        return False
    return bool(_part_name(part, "")) and subtype not in _SIGNATURES


def _content(part: Any) -> bytes | None:
    """Return a part's bytes, of an attached message its source."""
    with suppress(Exception):  # broken parts raise many kinds of errors
        if part.get_content_maintype() == "message":
            inner = part.get_payload()
            return (
                inner[0].as_bytes(policy=email.policy.compat32) if isinstance(inner, list) else None
            )
        data = part.get_payload(decode=True)
        return data if isinstance(data, bytes) and data else None
    return None


def _part_name(part: Any, other: str = "message.eml") -> str:
    """Return the name of a part, of an attached message its subject."""
    if any(len(value) > _LONG_HEADER for _, value in part.raw_items()):
        return other
    with suppress(Exception):  # as above
        if name := part.get_filename():
            return str(name)
        if part.get_content_maintype() == "message" and isinstance(part.get_payload(), list):
            return f"{part.get_payload(0)['Subject'] or 'message'}.eml"
    return other


# Mailboxes -------------------------------------------------------------------------------------


def _spans(file: OpenFile) -> tuple[tuple[int, int], ...]:
    """Return where the messages of a mailbox begin and end, in bytes."""
    starts = list(_from_lines(file.file, file.size))
    return tuple(pairwise([*starts, file.size]))


def _from_lines(file: IO[bytes], size: int) -> Iterator[int]:
    """Yield the offsets of the lines that begin a message (RFC 4155)."""
    at, overlap = 0, 1000
    while at < size:
        file.seek(max(0, at - 1))
        chunk = (b"\n" if at == 0 else b"") + file.read(_CHUNK + overlap)
        found = chunk.find(b"\nFrom ")
        while 0 <= found < _CHUNK:
            if _FROM.match(chunk, found + 1):
                yield at + found
            found = chunk.find(b"\nFrom ", found + 1)
        at += _CHUNK


def _raw(file: IO[bytes], span: tuple[int, int]) -> bytes:
    """Return a message as it was sent: without its `From ` line, and lines unquoted."""
    start, end = span
    file.seek(start)
    data = file.read(min(end - start, MAX_MEMBER))
    return _QUOTED.sub(rb"\1", data.partition(b"\n")[2]).rstrip() + b"\n"


# Archives --------------------------------------------------------------------------------------


class _Entry(NamedTuple):
    """A file of an archive: bytes, a mark of them, what reads them, and why they are not read."""

    name: str
    size: int
    mark: str
    read: Callable[[], bytes]
    unread: str = ""


def _entries(file: OpenFile) -> dict[str, _Entry]:
    """Return the files of an archive by the names they are shown under. Raises as `members_of`."""
    kind, entries = next(_OPENERS[end] for end in _OPENERS if file.name.lower().endswith(end))
    try:
        fitting = (one for one in entries(file) if 0 < one.size < MAX_MEMBER)
        return dict(_named((one.name, one) for one in fitting))
    except (tarfile.TarError, *ARCHIVE_ERRORS) as error:
        raise BrokenArchiveError(f"broken {kind}") from error


def _of_tar(file: OpenFile) -> Iterator[_Entry]:
    plain = _plain(file)
    plain.seek(0)
    tar = tarfile.open(fileobj=plain, mode="r:")  # noqa: SIM115  (it is read from later)

    def data(info: tarfile.TarInfo) -> bytes:
        packed = tar.extractfile(info)
        return packed.read(MAX_MEMBER) if packed else b""

    for info in filter(tarfile.TarInfo.isreg, islice(tar, MOST * 10)):
        mark = f"tar:{info.mtime}:{info.size}:{info.chksum}"
        yield _Entry(info.name, info.size, mark, partial(data, info))


def _of_zip(file: OpenFile) -> Iterator[_Entry]:
    archive = zipfile.ZipFile(os.fdopen(os.dup(file.file.fileno()), "rb"))  # it outlives `file`
    every = archive.infolist()
    _refuse(sum(info.file_size for info in every), file)

    def data(info: zipfile.ZipInfo) -> bytes:
        with archive.open(info) as opened:
            return opened.read(MAX_MEMBER)

    for info in every:
        if not info.is_dir():
            mark = f"crc:{info.CRC:08x}:{info.file_size}"
            unread = LOCKED if info.flag_bits & 1 else ""
            yield _Entry(_zip_name(info), info.file_size, mark, partial(data, info), unread)


def _of_7z(file: OpenFile) -> Iterator[_Entry]:
    folders = sevenzip.folders(file.file)
    _refuse(sum(folder.largest for folder in folders), file)
    plain = tempfile.TemporaryFile()  # noqa: SIM115  (it is read from later)

    def data(packed: sevenzip.Packed) -> bytes:
        plain.seek(packed.at)
        return plain.read(packed.size)

    for one in chain.from_iterable(folder.unpack(file.file, plain) for folder in folders):
        if not one.is_link:
            mark = f"crc:{one.crc or 0:08x}:{one.size}"
            yield _Entry(one.name, one.size, mark, partial(data, one), one.unread)


_OPENERS = {
    ".zip": ("zip file (a damaged archive)", _of_zip),
    ".7z": ("7z file (a damaged archive)", _of_7z),
    **dict.fromkeys(TARS, ("archive", _of_tar)),
}


def _refuse(total: int, file: OpenFile) -> None:
    """Raise `BrokenArchiveError` if an archive unpacks to so many bytes that it should not."""
    if total > _most(file):
        raise BrokenArchiveError(_TOO_MUCH)


def _most(file: OpenFile) -> int:
    return min(MAX_UNPACKED, max(MAX_MEMBER, _GROWTH * file.size))


def _zip_name(info: zipfile.ZipInfo) -> str:
    """Return a name; many programs write UTF-8 without saying so."""
    if info.flag_bits & 0x800:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _plain(file: OpenFile) -> IO[bytes]:
    """Return a tar unpacked, into a temporary file. Raises `BrokenArchiveError`."""
    file.file.seek(0)
    head = file.file.read(6)
    file.file.seek(0)
    packed_by = next((opener for magic, opener in _PACKERS.items() if head.startswith(magic)), None)
    opened = packed_by(file.file) if packed_by else file.file
    plain = tempfile.TemporaryFile()  # noqa: SIM115  (it outlives this)
    left = _most(file)
    while chunk := opened.read(1 << 20):
        left -= len(chunk)
        if left < 0:
            raise BrokenArchiveError(_TOO_MUCH)
        plain.write(chunk)
    return plain


class _Last(Generic[T]):
    """What was made of the last file, kept for its next member."""

    def __init__(self, make: Callable[[OpenFile], T]) -> None:
        self._make = make
        self._made: tuple[tuple[int, ...], T] | None = None

    def of(self, file: OpenFile) -> T:
        """Return what `make` gives for this file."""
        info = file.info
        key = (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns)
        if self._made is None or self._made[0] != key:
            self._made = key, self._make(file)
        return self._made[1]


_SPANS = _Last(_spans)
_ARCHIVE = _Last(_entries)
_ONE_AT_A_TIME = threading.Lock()  # as these are shared


# Names -----------------------------------------------------------------------------------------


def _named(every: Iterable[tuple[str, T]]) -> Iterator[tuple[str, T]]:
    """Yield what is read by the name that it is shown under, each its own; at most `MOST`."""
    seen: Counter[str] = Counter()
    for given, what in every:
        name = _shown(given)
        if name is None:
            continue
        seen[name] += 1
        if seen.total() > MOST:
            return
        if (count := seen[name]) > 1:
            path = PurePosixPath(name)
            name = str(path.with_name(f"{path.stem} ({count}){path.suffix}"))
        yield name, what


def _shown(name: str) -> str | None:
    """Return a member's name as it stands in a path; `None` for what a scan would leave out."""
    clean = storable(" ".join(name.replace(SEPARATOR.strip(), "-").split()))
    parts = [
        part for part in re.split(r"[\\/]", clean.replace("\0", "")) if part not in ("", ".", "..")
    ]
    if not parts or len(parts) > _DEEP or not wanted(parts[-1], False, False):
        return None
    if not all(wanted(part, True, False) for part in parts[:-1]):
        return None
    last = PurePosixPath(parts[-1])
    parts[-1] = f"{last.stem[: _NAME - len(last.suffix)]}{last.suffix[:20]}"
    return "/".join(part[:_NAME] for part in parts)
