"""The first steps of a person without a library: choosing a folder, or the example."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from manole.serve import folders
from manole.serve.http.base import Asked, Sent
from manole.serve.http.depends import LOCAL_ONLY, REFUSED, ServiceDep
from manole.serve.http.description import responses
from manole.serve.http.errors import not_found
from manole.serve.http.routes.libraries import LibraryItem, library_item

router = APIRouter(tags=["libraries"], dependencies=LOCAL_ONLY, responses=REFUSED)


FOLDER = r"^(~|~?/[^\x00]*)$"


class NewLibrary(Asked):
    """A folder of this machine that is to be a library."""

    folder: str = Field(
        max_length=4000, pattern=FOLDER, description="its whole path, or one that begins with ~",
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
        str, Query(max_length=4000, pattern=FOLDER, description="whose subfolders; else the home's")
    ] = "~",
) -> FolderList:
    """List the subfolders of a folder of this machine, without hidden ones."""
    with not_found():
        return FolderList.model_validate(await asyncio.to_thread(folders.listing, path))


@router.post(
    "/libraries", summary="Make a folder a library", status_code=201,
    responses=responses(404, 409),
)  # fmt: skip
async def add_library(wanted: NewLibrary, service: ServiceDep) -> LibraryItem:
    """Open it, begin its sync, and make it the default; the files are only read.

    A folder that is a library already is opened as that one; a folder inside another library's
    becomes a library of its own. The whole disk is refused.
    """
    with not_found():
        folder = await asyncio.to_thread(folders.chosen, wanted.folder)
        opened = await service.add(folder)
    return await library_item(service, opened)


@router.post(
    "/libraries/example", summary="Make the example a library", status_code=201,
    responses=responses(409),
)  # fmt: skip
async def add_example(service: ServiceDep) -> LibraryItem:
    """Copy the papers of an invented family to the data folder, and make that a library."""
    return await library_item(service, await service.add_example())
