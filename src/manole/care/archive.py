"""The file of an exported index: a ZIP archive (zip64) of Arrow batches and a manifest.

    manole-index.json         the manifest, with name, bytes, rows and SHA-256 of each member
    files/000000.arrow ...    a table's rows; each member is an Arrow IPC stream with one batch
    passages/000000.arrow ...
    pages/000000.arrow ...
    conversations.sqlite      only on request

Nothing in an archive is trusted. Only the names above are allowed, so no name leads elsewhere.
Members are read into memory one at a time, never unpacked by name, and not beyond the size in the
manifest, which is bounded. Batches must have this version's schema and must not be compressed
inside, which would hide their size.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Any, Self

import pyarrow as pa
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from manole.errors import ArchiveError
from manole.index.store.libraries import is_moment
from manole.index.store.rewriting import fits, fitted

FORMAT = 1
MANIFEST = "manole-index.json"
CONVERSATIONS = "conversations.sqlite"
# Set by hand.
LONGEST = 256 * 2**20  # bytes of a member, uncompressed; batches are written with a quarter of it
LONGEST_MANIFEST = 64 * 2**20
CHUNK = 2**20
LEVEL = 1  # of compression: vectors hardly shrink at any level, and texts shrink well at this one
_NAME = re.compile(r"(files|passages|pages)/[0-9]{6}\.arrow")
_NEVER = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, struct.error)
_MOMENT = (1980, 1, 1, 0, 0, 0)  # for every member, so that equal indexes give equal archives


def _checked_moment(text: str) -> str:
    if not is_moment(text):
        raise ValueError("no moment")
    return text


Moment = Annotated[str, AfterValidator(_checked_moment)]
# The name of a model or a version. It is shown, so control characters are not allowed.
Name = Annotated[str, Field(max_length=1000, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Member(_Strict):
    """A member other than the manifest. `rows` is 0 for a member that is no table."""

    name: str
    size: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    rows: int = Field(0, ge=0)

    @property
    def table(self) -> str:
        """The table that the member is a part of; its own name if it is no table."""
        return self.name.partition("/")[0]


class Manifest(_Strict):
    """The manifest of an archive. `embedder` is the setting, `made` the embedder of the vectors."""

    format: int
    manole: Name
    index_format: int
    created: Moment
    updated: Moment | None
    roots: list[str] = Field(min_length=1, max_length=1000)
    exclude: list[str]
    title: str | None = None
    embedder: Name
    made: Name
    dimensions: int = Field(ge=1, le=65536)
    pages: Name | None
    pages_dimensions: int = Field(0, ge=0, le=65536)
    members: list[Member]

    def rows(self, table: str) -> int:
        """Return the number of rows of a table."""
        return sum(member.rows for member in self.members if member.table == table)


class Writer:
    """Writes an archive into an open file. `close` puts the manifest at its end."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL)
        self.members: list[Member] = []

    def batch(self, table: str, batch: pa.RecordBatch) -> None:
        """Add rows of a table."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        number = sum(member.table == table for member in self.members)
        self._add(f"{table}/{number:06d}.arrow", sink.getvalue(), batch.num_rows)

    def file(self, name: str, path: Path) -> None:
        """Add a file as it is."""
        with path.open("rb") as source, self._zip.open(_info(name), "w", force_zip64=True) as into:
            size, digest = _copied(source, into)
        self.members.append(Member(name=name, size=size, sha256=digest))

    def close(self, manifest: Manifest) -> None:
        """Write the manifest; the archive is complete then."""
        text = json.dumps(manifest.model_dump(), indent=1)  # ASCII, so that any name survives
        self._zip.writestr(_info(MANIFEST), text.encode(), compresslevel=LEVEL)
        self._zip.close()

    def abandon(self) -> None:
        """Close the file without a manifest."""
        self._zip.close()

    def _add(self, name: str, content: pa.Buffer, rows: int) -> None:
        self._zip.writestr(_info(name), memoryview(content), compresslevel=LEVEL)
        digest = hashlib.sha256(content).hexdigest()
        self.members.append(Member(name=name, size=content.size, sha256=digest, rows=rows))


class Reader:
    """An archive whose members fit its manifest. Their bytes are checked as they are read."""

    def __init__(self, path: Path) -> None:
        """Open an archive. Raises `ArchiveError` for a file that is none of this version."""
        self.path = path
        try:
            self._zip = zipfile.ZipFile(path)
        except OSError as error:
            reason = error.strerror or str(error)
            raise ArchiveError(f"{path} cannot be read: {reason}.", "Check its name.") from None
        except _NEVER:
            raise ArchiveError(
                f"{path} is no exported index, or is cut short.",
                "`manole export LIBRARY FILE` makes one.",
            ) from None
        try:
            self.manifest = self._manifest()
            self._infos = self._checked()
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def batches(self, table: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Yield a table's rows. Raises `ArchiveError` at a member unlike the manifest."""
        for member in self.manifest.members:
            if member.table == table:
                yield self._batch(member, schema)

    def copy(self, name: str, target: Path) -> None:
        """Write a member that is no table to the file `target`. Raises `ArchiveError`."""
        member = next(item for item in self.manifest.members if item.name == name)
        with (
            self._failures(name),
            self._zip.open(self._infos[name]) as source,
            target.open("xb") as into,
        ):
            found = _copied(source, into)
        if found != (member.size, member.sha256):
            raise self._damaged(name, "its bytes are not those that were exported")

    def has(self, name: str) -> bool:
        """Return whether there is a member of that name."""
        return name in self._infos

    def _manifest(self) -> Manifest:
        infos = [info for info in self._zip.infolist() if info.filename == MANIFEST]
        if len(infos) != 1 or infos[0].file_size > LONGEST_MANIFEST:
            raise ArchiveError(
                f"{self.path} is no exported index: it has no manifest.",
                "`manole export LIBRARY FILE` makes one.",
            )
        with self._failures(MANIFEST):
            text = self._zip.open(infos[0]).read(LONGEST_MANIFEST + 1)
        try:
            found = json.loads(text)
            made = found.get("format")
        except (ValueError, AttributeError, RecursionError):
            raise self._damaged(MANIFEST, "it makes no sense") from None
        if made != FORMAT:
            raise ArchiveError(
                f"{self.path} has format {made}; this version reads {FORMAT}.",
                "Update Manole here, or export it again with a version that is alike.",
            )
        try:
            return Manifest.model_validate(found)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise self._damaged(MANIFEST, f"{where}: {first['msg'].lower()}") from None

    def _checked(self) -> dict[str, zipfile.ZipInfo]:
        """Return members by name, all of them declared, allowed, and of their declared size."""
        infos: dict[str, zipfile.ZipInfo] = {}
        for info in self._zip.infolist():
            if info.filename in infos:
                raise self._damaged(info.filename, "it is there twice")
            infos[info.filename] = info
        infos.pop(MANIFEST)
        declared = [member.name for member in self.manifest.members]
        if sorted(declared) != sorted(infos):
            odd = sorted(set(declared) ^ set(infos)) or declared
            raise self._damaged(odd[0], "the manifest and the archive do not agree on it")
        for member in self.manifest.members:
            info = infos[member.name]
            allowed = _NAME.fullmatch(member.name) or member.name == CONVERSATIONS
            if not allowed or info.flag_bits & 1 or info.is_dir():
                raise self._damaged(member.name, "it does not belong into an exported index")
            if info.file_size != member.size:
                raise self._damaged(member.name, "it has another size than is declared")
            if member.name != CONVERSATIONS and member.size > LONGEST:
                raise self._damaged(member.name, "it is larger than a part may be")
        return infos

    def _batch(self, member: Member, schema: pa.Schema) -> pa.RecordBatch:
        with self._failures(member.name), self._zip.open(self._infos[member.name]) as source:
            content = source.read(member.size + 1)
        if hashlib.sha256(content).hexdigest() != member.sha256 or len(content) != member.size:
            raise self._damaged(member.name, "its bytes are not those that were exported")
        try:
            messages = list(pa.ipc.MessageReader.open_stream(content))
            if [message.type for message in messages] != ["schema", "record batch"]:
                raise self._damaged(member.name, "it is not one batch")
            found = pa.ipc.read_schema(messages[0])
            if not fits(found, schema) or compressed(messages[1].metadata.to_pybytes()):
                raise self._damaged(member.name, "it has other columns than this version makes")
            batch = pa.ipc.read_record_batch(messages[1], found)
            batch.validate(full=True)
        except (pa.ArrowException, ValueError, KeyError, OSError, MemoryError) as error:
            raise self._damaged(member.name, str(error).partition("\n")[0][:200]) from None
        if batch.num_rows != member.rows:
            raise self._damaged(member.name, "it has another number of rows than is declared")
        return fitted(batch, schema)

    @contextmanager
    def _failures(self, name: str) -> Iterator[None]:
        try:
            yield
        except (*_NEVER, OSError) as error:
            raise self._damaged(name, str(error) or type(error).__name__) from None

    def _damaged(self, name: str, reason: str) -> ArchiveError:
        return ArchiveError(
            f"{self.path} is damaged, or not what it claims to be: {name}: {reason}.",
            "Nothing was put in place. Export it again, or copy the file again.",
        )


def _copied(source: IO[bytes], into: IO[bytes]) -> tuple[int, str]:
    """Copy a stream; return its bytes and SHA-256."""
    digest, size = hashlib.sha256(), 0
    while chunk := source.read(CHUNK):
        into.write(chunk)
        digest.update(chunk)
        size += len(chunk)
    return size, digest.hexdigest()


def compressed(metadata: bytes) -> bool:
    """Return whether the batch of an Arrow message is compressed (4th field of its record).

    The layout is that of FlatBuffers and of Arrow's `Message.fbs`. Raises `ValueError` for
    anything else.
    """
    try:
        message = _int("<I", metadata, 0)
        header = message + _field(metadata, message, 2)
        batch = header + _int("<I", metadata, header)
        return _field(metadata, batch, 3) != 0
    except struct.error:
        raise ValueError("a message that makes no sense") from None


def _field(data: bytes, table: int, number: int) -> int:
    """Return the offset of a field in its table; 0 if it is left out."""
    vtable = table - _int("<i", data, table)
    place = 4 + 2 * number
    return _int("<H", data, vtable + place) if place < _int("<H", data, vtable) else 0


def _int(kind: str, data: bytes, at: int) -> int:
    if at < 0:
        raise struct.error
    value: Any = struct.unpack_from(kind, data, at)[0]
    return int(value)


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _MOMENT)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    return info
