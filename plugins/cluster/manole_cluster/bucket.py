"""Objects below one address, over `obstore`, with errors that a person can act upon.

Endpoint and keys come from the usual variables (AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, ...) or from
the machine's role. Retries are few, so that a server that is away is reported within seconds.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manole.errors import StoreError, UsageError
from manole_cluster.address import Address

if TYPE_CHECKING:
    from obstore.store import S3Store

CONNECT_S, REQUEST_S, RETRIES, RETRY_S = 5, 60, 3, 15  # set by hand


@dataclass(frozen=True, slots=True)
class Stored:
    """An object: its path below the address, size in bytes, time, and the tag of its version."""

    path: str
    size: int
    modified: datetime
    tag: str

    @property
    def mtime_ns(self) -> int:
        """The time, as that of a file."""
        return int(self.modified.timestamp() * 1000) * 1_000_000


class ChangedError(Exception):
    """A conditional put found another version than the one to be replaced."""


class Bucket:
    """The objects below `address`. Safe to use from several threads."""

    def __init__(self, address: Address) -> None:
        """Nothing is requested yet. Raises `UsageError` without the extra."""
        self.address = address
        self._store = _store(address)

    def get(self, path: str) -> tuple[bytes, Stored] | None:
        """Return the bytes of an object, and its description; `None` if there is none."""
        import obstore

        with self._errors():
            try:
                found = obstore.get(self._store, path)
                return bytes(found.bytes()), _stored(found.meta)
            except FileNotFoundError as error:
                self._missing(error)
                return None

    def head(self, path: str) -> Stored | None:
        """Return the description of an object; `None` if there is none."""
        import obstore

        with self._errors():
            try:
                return _stored(obstore.head(self._store, path))
            except FileNotFoundError as error:
                self._missing(error)
                return None

    def put(self, path: str, data: bytes, *, new: bool = False, tag: str | None = None) -> Stored:
        """Write an object: only if there is none (`new`), or only over the version `tag`.

        Raises `ChangedError` otherwise.
        """
        import obstore
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        mode: Any = "create" if new else {"e_tag": tag} if tag else "overwrite"
        with self._errors():
            try:
                obstore.put(self._store, path, data, mode=mode, use_multipart=False)
            except (AlreadyExistsError, PreconditionError) as error:
                raise ChangedError from error
            return _stored(obstore.head(self._store, path))

    def list(self, below: str = "") -> Iterator[Stored]:
        """Yield every object below a folder, in no particular order."""
        import obstore

        with self._errors():
            for chunk in obstore.list(self._store, f"{below}/" if below else None):
                for meta in chunk:
                    yield _stored(meta)

    def delete(self, below: str) -> None:
        """Remove every object below a folder."""
        import obstore

        paths = [item.path for item in self.list(below)]
        with self._errors():
            for at in range(0, len(paths), 500):
                obstore.delete(self._store, paths[at : at + 500])

    def remove(self, path: str) -> None:
        """Remove one object; it may be gone already."""
        import obstore

        with self._errors(), contextlib.suppress(FileNotFoundError):
            obstore.delete(self._store, path)

    def digest(self, path: str) -> str:
        """Return the BLAKE2b-256 of an object's bytes, in hex; "" if it is gone."""
        import obstore

        made = hashlib.blake2b(digest_size=32)
        with self._errors():
            try:
                for chunk in obstore.get(self._store, path).stream():
                    made.update(chunk)
            except FileNotFoundError:
                return ""
        return made.hexdigest()

    def fetch(self, path: str, target: Path) -> Stored | None:
        """Write an object into a file, with its time; return `None` if it is gone.

        The file appears whole, or not at all.
        """
        import obstore

        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f".{uuid.uuid4().hex}.part")
        try:
            with self._errors():
                try:
                    found = obstore.get(self._store, path)
                    with partial.open("wb") as file:
                        for chunk in found.stream():
                            file.write(chunk)
                except FileNotFoundError as error:
                    self._missing(error)
                    return None
            stored = _stored(found.meta)
            os.utime(partial, ns=(stored.mtime_ns, stored.mtime_ns))
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
        return stored

    def check(self) -> None:
        """Raise `UsageError` if there is no such bucket, `StoreError` if it is closed to us."""
        self.head("meta.json")
        next(iter(self._first()), None)

    def _first(self) -> Iterator[Stored]:
        import obstore

        with self._errors():
            for chunk in obstore.list(self._store, chunk_size=1):
                yield from map(_stored, chunk)
                return

    def _missing(self, error: Exception) -> None:
        """Raise `UsageError` if the whole bucket is missing."""
        if "NoSuchBucket" in str(error):
            raise self._no_bucket() from None

    def _no_bucket(self) -> UsageError:
        return UsageError(
            f"There is no bucket {self.address.bucket} at {_endpoint()}.",
            "Check its name and AWS_ENDPOINT_URL, or make it first.",
        )

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn errors of the client into those that a person can act upon."""
        from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

        try:
            yield
        except (PermissionDeniedError, UnauthenticatedError) as error:
            raise StoreError(
                f"{_endpoint()} does not let you into {self.address}{_code(error)}.",
                "Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and what they may do.",
            ) from None
        except (BaseError, OSError) as error:
            text = str(error)
            if "NoSuchBucket" in text:
                raise self._no_bucket() from None
            if isinstance(error, OSError) and not isinstance(error, BaseError):
                raise
            raise StoreError(
                f"{_endpoint()} does not answer for {self.address}: {_short(text)}.",
                "Is the server up, and is AWS_ENDPOINT_URL right? Nothing is lost; try again.",
            ) from None


def options() -> dict[str, str]:
    """Return LanceDB's options for the store beside the usual variables."""
    extra = {
        "connect_timeout": f"{CONNECT_S}s",
        "timeout": f"{REQUEST_S}s",
        "client_max_retries": str(RETRIES),
        "client_retry_timeout": str(RETRY_S),
    }
    if url := os.environ.get("AWS_ENDPOINT_URL"):
        extra |= {"aws_endpoint": url, "allow_http": str(url.startswith("http://")).lower()}
    return extra


def _store(address: Address) -> S3Store:
    try:
        from obstore.store import S3Store
    except ImportError:
        raise UsageError(
            f"{address} lies on object storage, which needs the extra `cluster`.",
            "Install it: pip install 'manole[cluster]'.",
        ) from None
    return S3Store(
        address.bucket,
        prefix=address.prefix or None,
        client_options={
            "allow_http": os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://"),
            "connect_timeout": timedelta(seconds=CONNECT_S),
            "read_timeout": timedelta(seconds=REQUEST_S),
        },
        retry_config={"max_retries": RETRIES, "retry_timeout": timedelta(seconds=RETRY_S)},
    )


def _endpoint() -> str:
    return os.environ.get("AWS_ENDPOINT_URL") or "S3"


def _stored(meta: Any) -> Stored:
    return Stored(meta["path"], meta["size"], meta["last_modified"], meta["e_tag"] or "")


def _code(error: Exception) -> str:
    """Return the server's own code for an error, such as SignatureDoesNotMatch."""
    _, _, after = str(error).partition("<Code>")
    code = after.partition("<")[0]
    return f" ({code})" if code.isalnum() else ""


def _short(text: str) -> str:
    """Return the first line of an error, without the client's internals."""
    line = text.split("\n\n")[0].replace("\n", " ").strip()
    return line[:200].rstrip(". ")
