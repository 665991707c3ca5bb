"""Dependencies of routes: the service, a library that can be searched, files, who may ask.

Routes that list folders or change things are for requests from this machine (`LOCAL_ONLY`). A
server that other machines reach demands a token, and a client with the token may use them too.
Without a token, the server must listen on loopback, and no proxy may have passed the request on.
"""

from __future__ import annotations

import asyncio
import os
import re
import stat
from datetime import date
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from fastapi import Path as InPath
from pydantic import BeforeValidator

from manole.documents.model import PRIVATE_KEY
from manole.documents.opened import FoundFile, OpenFile, inner_name
from manole.documents.opener import open_found
from manole.errors import NotIndexedError, UsageError
from manole.index.store.records import FileRecord
from manole.serve.http.description import responses
from manole.serve.http.errors import NotAllowedError, NotFoundError, NotHereError, not_found
from manole.serve.open_library import OpenLibrary
from manole.serve.security import is_loopback
from manole.serve.service import Service
from manole.serve.view.page import Spot

_PROXIES = ("forwarded", "x-forwarded-for", "x-real-ip", "via")


def client_of(request: Request) -> str:
    """Return the client's address, for the rotation among clients that wait for the model."""
    return request.client.host if request.client else ""


async def the_service(request: Request) -> Service:
    """Return the service of this application."""
    service: Service = request.app.state.service
    return service


async def library_called(service: Service, name: str | None) -> OpenLibrary:
    """Return the library of that name, or the default. Raises `NotFoundError`."""
    with not_found():
        return await service.opened(name)


async def indexed_library(service: Service, name: str | None) -> OpenLibrary:
    """Return the library, which can be searched. Raises `NotFoundError`, `LibraryError`."""
    opened = await library_called(service, name)
    try:
        await opened.library.reader()
    except NotIndexedError as error:
        if opened.syncing is None or opened.syncing.state != "running":
            raise
        raise NotIndexedError(
            error.message.replace("has no index yet", "is being indexed"),
            f"Ask again when that is done: GET /libraries/{opened.name}/sync tells how far it is.",
        ) from None
    return opened


async def _opened(service: ServiceDep, name: Name) -> OpenLibrary:
    return await library_called(service, name)


async def _indexed(service: ServiceDep, name: Name) -> OpenLibrary:
    return await indexed_library(service, name)


async def _library_asked(service: ServiceDep, library: LibraryName = None) -> OpenLibrary:
    return await indexed_library(service, library)


async def known_file(opened: OpenLibrary, path: str) -> tuple[FileRecord, FoundFile]:
    """Return the index's record of a file, and where the file is. Raises `NotFoundError`.

    Files that the index leaves out (hidden ones, secrets by their names, those that a pattern
    excludes) are given to nobody, and neither is a file that has become a link to another one.
    Raises `NotAllowedError` for a file that holds a private key.
    """
    record = await recorded_file(opened, path)
    found = await file_of(opened, record)
    if found is None:
        raise _gone(opened, path)
    return record, found


async def recorded_file(opened: OpenLibrary, path: str) -> FileRecord:
    """Return the index's record of a file, which may be gone. Raises as `known_file` otherwise."""
    record = next((file for file in await opened.library.files() if file.path == path), None)
    if record is None:
        raise unknown_file(opened, path)
    if record.reason == PRIVATE_KEY:
        raise NotAllowedError(f"{path!r} holds a private key, which nobody is given.")
    return record


async def file_of(opened: OpenLibrary, record: FileRecord) -> FoundFile | None:
    """Return where a file is; `None` where it is gone, or has become a link."""
    try:
        return await asyncio.to_thread(_regular, opened, record)
    except (OSError, UsageError):
        return None


async def opened_file(opened: OpenLibrary, path: str) -> tuple[FileRecord, OpenFile]:
    """Open a known file, so that the file read is the one checked. Raises as `known_file`."""
    record, found = await known_file(opened, path)
    try:
        return record, await asyncio.to_thread(open_found, found)
    except PermissionError:
        raise NotAllowedError(
            f"{path!r} may not be read by the user that the server runs as.",
            "Check its permissions.",
        ) from None
    except OSError:
        raise _gone(opened, path) from None


def unknown_file(opened: OpenLibrary, path: str) -> NotFoundError:
    """Return the error for a path that the index does not have."""
    return NotFoundError(
        f"There is no {path!r} in this library.",
        f"GET /libraries/{opened.name}/files lists them.",
    )


def _gone(opened: OpenLibrary, path: str) -> NotFoundError:
    return NotFoundError(
        f"{path!r} is gone, or no longer what was indexed.",
        f"POST /libraries/{opened.name}/sync brings the index up to date.",
    )


def _regular(opened: OpenLibrary, record: FileRecord) -> FoundFile:
    expected = opened.library.file(record)
    found = opened.library.found(expected)
    if found.name != str(expected) or not stat.S_ISREG(os.lstat(expected).st_mode):
        raise UsageError(f"{record.path} is no file of its own.")
    inner = inner_name(record.path, found.name)
    return found.inside(inner) if inner else found


def _written_out(day: object) -> object:
    """Refuse a day that is not written as 2024-03-05: pydantic would take a number for seconds."""
    if isinstance(day, str) and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", day, re.ASCII):
        raise ValueError("a day is written as in 2024-03-05")
    return day


Name = Annotated[str, InPath(pattern=r"^[\w-]+$", description="a name of GET /libraries")]
LibraryName = Annotated[
    str | None, Query(pattern=r"^[\w-]+$", description="a name of GET /libraries; else the first")
]
Limit = Annotated[int, Query(ge=1, le=1000, description="at most so many")]
Offset = Annotated[int, Query(ge=0, le=2**31, description="leave out the first")]
_Line = Annotated[int | None, Query(ge=1, le=2**31, description="from 1, on its page")]


async def _spot(
    page: Annotated[int | None, Query(ge=1, le=10_000_000, description="from 1")] = None,
    quote: Annotated[str, Query(max_length=1000, description="words that stand there")] = "",
    line: _Line = None,
    line_end: _Line = None,
    column: Annotated[
        int, Query(ge=0, le=2**31, description="the quotation is looked for from there")
    ] = 0,
) -> Spot:
    return Spot(page, quote, line, line_end, column)


Day = Annotated[date | None, BeforeValidator(_written_out)]
Since = Annotated[Day, Query(description="dated on or after this day")]
Until = Annotated[Day, Query(description="dated on or before this day")]
ServiceDep = Annotated[Service, Depends(the_service)]
OpenLibraryDep = Annotated[OpenLibrary, Depends(_opened)]
IndexedDep = Annotated[OpenLibrary, Depends(_indexed)]
SpotDep = Annotated[Spot, Depends(_spot)]
AskedDep = Annotated[OpenLibrary, Depends(_library_asked)]


def passed_on(request: Request) -> bool:
    """Whether a proxy passed the request on, so that another machine may have sent it."""
    return any(name in request.headers for name in _PROXIES)


async def _local_only(request: Request, service: ServiceDep) -> None:
    serve = service.settings.serve
    if serve.token is not None:
        return
    if not is_loopback(serve.host) or passed_on(request):
        raise NotHereError(
            "Other machines reach this server, so this needs a token.",
            "Set one (--token-file FILE), or use the address it printed, on this machine.",
        )


LOCAL_ONLY: list[Any] = [Depends(_local_only)]
REFUSED = responses(403)
