"""The first steps of a person without a library: choosing a folder, or the example.

A browser tells no page where a folder lies. So the server lists folders: their names only, one
level at a time, without hidden ones. The files that each would bring are counted as a sync would
find them, as far as that is quick.
"""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from manole.documents.scan import scan
from manole.errors import LibraryError, UsageError
from manole.serve.base import Asked, Sent
from manole.serve.http.depends import LOCAL_ONLY, REFUSED, ServiceDep
from manole.serve.http.description import responses
from manole.serve.http.errors import not_found
from manole.serve.http.routes.libraries import LibraryItem, library_item

router = APIRouter(tags=["libraries"], dependencies=LOCAL_ONLY, responses=REFUSED)

# Set by hand: a click should feel immediate, and no list on a page is read to the end.
_SECONDS = 0.4  # for counting the files of all subfolders together
_MANY = 20_000  # files; a higher number tells a person nothing more
_SHOWN = 2000  # subfolders
_FOLDER = r"^(~|~?/[^\x00]*)$"


class NewLibrary(Asked):
    """A folder of this machine that is to be a library."""

    folder: str = Field(
        max_length=4000, pattern=_FOLDER, description="its whole path, or one that begins with ~",
        examples=["~/Documents"],
    )  # fmt: skip


class FolderItem(Sent):
    """A folder to choose, or to look into."""

    name: str
    path: str
    files: int | None = Field(description="what Manole would look at; null where that takes long")


class FolderList(Sent):
    """The folders in `path`."""

    path: str = Field(examples=["/home/mara"])
    parent: str | None = Field(description="the folder above; null at the top")
    home: str
    folders: list[FolderItem]


@router.get("/folders", summary="Folders to choose from", responses=responses(404, 409))
async def list_folders(
    path: Annotated[
        str,
        Query(max_length=4000, pattern=_FOLDER, description="whose subfolders; else the home's"),
    ] = "~",
) -> FolderList:
    """List the subfolders of a folder of this machine, without hidden ones."""
    with not_found():
        return await asyncio.to_thread(_listing, path)


@router.post(
    "/libraries", summary="Make a folder a library", status_code=201,
    responses=responses(404, 409),
)  # fmt: skip
async def add_library(wanted: NewLibrary, service: ServiceDep) -> LibraryItem:
    """Open a folder as a library, begin its sync, and make it the default; files are only read.

    A folder that is a library already is opened as that one; a folder inside another library's
    becomes a library of its own. The whole disk is refused.
    """
    with not_found():
        folder = await asyncio.to_thread(_chosen, wanted.folder)
        opened = await service.add(folder)
    return await library_item(service, opened)


@router.post(
    "/libraries/example", summary="Make the example a library", status_code=201,
    responses=responses(409),
)  # fmt: skip
async def add_example(service: ServiceDep) -> LibraryItem:
    """Copy the papers of an invented family to the data folder, and make that a library."""
    return await library_item(service, await service.add_example())


def _chosen(folder: str) -> Path:
    """Return the folder that a person named: an absolute path, or one that begins with `~`.

    Raises `UsageError` for a relative path and a folder that is missing, `LibraryError` for one
    that cannot be read, and for the whole disk.
    """
    path = _absolute(folder)
    if path.samefile(path.anchor):
        raise LibraryError(
            "The whole disk is no library: most of it is not yours.",
            "Choose a folder of yours, or your home folder.",
        )
    return path


def _listing(folder: str) -> FolderList:
    """List the subfolders of a folder by name, without hidden ones.

    Names that are not UTF-8 are left out too: only the command line can open such a folder. Links
    to folders are shown under their own names. Raises as `_chosen`, but takes the whole disk.
    """
    path = _absolute(folder)
    found: list[tuple[str, str]] = []
    with os.scandir(path) as entries:
        for entry in entries:
            try:
                entry.name.encode("utf-8")
                if not entry.name.startswith(".") and entry.is_dir():
                    found.append((entry.name, entry.path))
            except (OSError, UnicodeEncodeError):  # gone meanwhile; a name that no page can send
                continue
    found.sort(key=lambda item: (item[0].casefold(), item[0]))
    until = time.monotonic() + _SECONDS
    folders = [
        FolderItem(name=name, path=place, files=_count(place, until))
        for name, place in found[:_SHOWN]
    ]
    parent = None if path.parent == path else str(path.parent)
    return FolderList(path=str(path), parent=parent, home=str(_home()), folders=folders)


def _absolute(folder: str) -> Path:
    try:
        given = Path(folder).expanduser()
        if not given.is_absolute():
            raise UsageError(f"{folder} is no whole path.", "Begin it with / or ~.")
        path = Path(os.path.abspath("/" + str(given).lstrip("/")))  # noqa: PTH100  (links stay)
        there = path.is_dir()
    except (OSError, ValueError, RuntimeError):  # a name too long, a null, no home, a loop
        raise UsageError(f"There is no folder {folder}.", "Check its name.") from None
    if path.is_file():
        raise UsageError(f"{folder} is a file.", "Choose the folder that it lies in.")
    if not there:
        raise UsageError(f"There is no folder {folder}.", "Check its name.")
    if not os.access(path, os.R_OK | os.X_OK):
        raise LibraryError(f"{path} cannot be read.", "Check its permissions.")
    return path


def _count(folder: str, until: float) -> int | None:
    count = 0
    try:
        for _ in scan(Path(folder), on_error=lambda _path, _error: None):
            count += 1
            if count >= _MANY or time.monotonic() > until:
                return None
    except (UsageError, OSError):
        return None
    return count if time.monotonic() <= until else None


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")
