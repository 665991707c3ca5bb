"""Addresses on object storage: `s3://bucket/prefix`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from manole.errors import UsageError

SCHEME = "s3://"
INDEX = ".manole"  # where the index of documents lies, below them
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")


def is_address(place: object) -> bool:
    """Return whether `place` names something on object storage, not a folder."""
    return str(place).lower().startswith(SCHEME)


@dataclass(frozen=True, slots=True)
class Address:
    """A place in a bucket. `prefix` has no `/` at its ends; it may be empty."""

    bucket: str
    prefix: str

    @classmethod
    def parse(cls, text: str) -> Address:
        """Return the address that a person typed. Raises `UsageError`."""
        rest = text[len(SCHEME) :] if is_address(text) else ""
        bucket, _, prefix = rest.partition("/")
        parts = [part for part in prefix.split("/") if part]
        if not _BUCKET.fullmatch(bucket) or {".", ".."} & set(parts):
            raise UsageError(
                f"{text} is no address of a bucket.", "Write it as in s3://bucket/documents."
            )
        return cls(bucket, "/".join(parts))

    def __str__(self) -> str:
        return f"{SCHEME}{self.bucket}/{self.prefix}".rstrip("/")

    def __truediv__(self, name: str) -> Address:
        return Address(self.bucket, f"{self.prefix}/{name}" if self.prefix else name)

    @property
    def name(self) -> str:
        """Its last part, for people."""
        return self.prefix.rpartition("/")[2] or self.bucket

    def inside(self, other: Address) -> str | None:
        """Return the path below `other`, "" for the same; `None` if this lies elsewhere."""
        if self.bucket != other.bucket:
            return None
        if self.prefix == other.prefix or not other.prefix:
            return "" if self.prefix == other.prefix else self.prefix
        if self.prefix.startswith(f"{other.prefix}/"):
            return self.prefix[len(other.prefix) + 1 :]
        return None
