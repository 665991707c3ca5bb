"""One writer an index: a lease, which is an object that only a conditional put can change.

A writer puts `lease.json` if there is none, and puts it anew every few seconds over its own last
version. Another process that finds it looks at its age by the store's own clock, so that the
machines' clocks do not matter: a lease that was not renewed for `SECONDS` is taken over, again by a
conditional put, which only one of several can win. A writer that finds another's lease in place of
its own, or could not renew it in time, writes nothing more. (Should it be stopped between looking
and writing, LanceDB's own commits, conditional puts as well, keep the tables whole.)
"""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import json
import os
import socket
import time
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

from manole.errors import IndexBusyError, ManoleError, StoreError
from manole_cluster.bucket import Bucket, ChangedError, Stored

NAME = "lease.json"
CLOCK = "clock"  # an object whose time is now, as the store sees it
# Set by hand, so that five renewals may fail:
SECONDS = 60.0  # after which a lease can be taken over
RENEW = 10.0  # seconds between two renewals


class Lease:
    """The right to write below `bucket`. Hold it with `async with lease.held()`."""

    def __init__(self, bucket: Bucket, *, seconds: float = SECONDS, renew: float = RENEW) -> None:
        self._bucket = bucket
        self._seconds = seconds
        self._renew = renew
        self._tag = ""
        self._renewed = 0.0
        self._lost: str | None = "it is not held"
        self._id = uuid.uuid4().hex
        self._count = 0

    def check(self) -> None:
        """Raise `StoreError` if this process may write no more."""
        late = time.monotonic() - self._renewed > self._seconds
        if self._lost or late:
            why = self._lost or "it could not be renewed in time"
            raise StoreError(
                f"The right to write {self._bucket.address} is lost: {why}.",
                "What was written is kept; run `manole index` again.",
            )

    @contextlib.asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Take the lease and renew it. Raises `IndexBusyError`, with the name of the holder."""
        await asyncio.to_thread(self._take)
        renewing = asyncio.create_task(self._keep())
        try:
            yield
        finally:
            renewing.cancel()
            await asyncio.wait([renewing])
            await asyncio.shield(asyncio.to_thread(self._give_back))

    def _take(self) -> None:
        found = self._bucket.get(NAME)
        try:
            if found is None:
                self._held(self._bucket.put(NAME, self._text(), new=True))
                return
            holder, stored = _read(found[0]), found[1]
            age = self._age(stored)
            if age < self._seconds:
                raise self._busy(holder, age)
            self._held(self._bucket.put(NAME, self._text(), tag=stored.tag))
        except ChangedError:
            found = self._bucket.get(NAME)
            raise self._busy(_read(found[0]) if found else {}, 0.0) from None

    def _held(self, stored: Stored) -> None:
        self._tag, self._renewed, self._lost = stored.tag, time.monotonic(), None

    def _age(self, stored: Stored) -> float:
        """Return the seconds since the object was put, by the store's clock."""
        now = self._bucket.put(CLOCK, b"")
        return (now.modified - stored.modified).total_seconds()

    async def _keep(self) -> None:
        while self._lost is None:
            await asyncio.sleep(self._renew)
            try:
                self._held(
                    await asyncio.to_thread(self._bucket.put, NAME, self._text(), tag=self._tag)
                )
            except ChangedError:
                self._lost = "another process has taken it over"
            except ManoleError:
                continue  # the store is away; `check` says when it was for too long

    def _give_back(self) -> None:
        if self._lost is None:
            with contextlib.suppress(ManoleError):
                found = self._bucket.head(NAME)
                if found is not None and found.tag == self._tag:
                    self._bucket.remove(NAME)
        self._lost = "it was given back"

    def _text(self) -> bytes:
        self._count += 1
        held = {
            "id": self._id,
            "count": self._count,  # so that no two versions are alike
            "host": socket.gethostname(),
            "process": os.getpid(),
            "user": _user(),
            "put": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        return json.dumps(held, indent=1).encode()

    def _busy(self, holder: dict[str, Any], age: float) -> IndexBusyError:
        who = "another process"
        if holder:
            who = f"{holder.get('user')} on {holder.get('host')}, process {holder.get('process')}"
        left = max(1, round(self._seconds - age))
        return IndexBusyError(
            f"{self._bucket.address} is being written by {who}.",
            f"Wait until that has finished. Should it be dead, try again in {left} s.",
        )


def _read(data: bytes) -> dict[str, Any]:
    try:
        held = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return held if isinstance(held, dict) else {}


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "somebody"
