"""The first steps of a person without a library: choosing a folder, or the example."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query

from manole.serve import folders
from manole.serve.http.depends import ServiceDep
from manole.serve.http.description import responses
from manole.serve.http.errors import not_found
from manole.serve.http.library_models import FOLDER, FolderList, NewLibrary
from manole.serve.http.local_only import LOCAL_ONLY, REFUSED
from manole.serve.http.models import LibraryItem
from manole.serve.http.routes.libraries import library_item

router = APIRouter(tags=["libraries"], dependencies=LOCAL_ONLY, responses=REFUSED)


@router.get("/folders", summary="Folders to choose from", responses=responses(404, 409))
async def list_folders(
    path: Annotated[
        str, Query(max_length=4000, pattern=FOLDER, description="whose subfolders; else the home's")
    ] = "~",
) -> FolderList:
    """The subfolders of a folder of this machine, hidden ones left out."""
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
    """The papers of an invented family, copied to the data folder, as any other library."""
    return await library_item(service, await service.add_example())
