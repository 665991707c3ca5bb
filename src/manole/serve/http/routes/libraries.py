"""Libraries, their syncs, and what became of their files."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from manole.documents.model import Status
from manole.documents.scan import readable
from manole.errors import ManoleError
from manole.index.search.scope import is_within
from manole.index.store.libraries import LibraryInfo
from manole.index.store.records import FileRecord
from manole.sentences import said
from manole.serve.http.depends import (
    IndexedDep,
    Limit,
    Name,
    Offset,
    OpenLibraryDep,
    ServiceDep,
    known_file,
)
from manole.serve.http.description import responses
from manole.serve.http.errors import not_found
from manole.serve.http.library_models import AboutLibrary, LibraryChange, Reread
from manole.serve.http.live import Lines, LiveResponse
from manole.serve.http.local_only import LOCAL_ONLY, REFUSED
from manole.serve.http.models import (
    FileItem,
    FileList,
    LibraryItem,
    LibraryList,
    LibraryStatus,
    SyncState,
)
from manole.serve.jobs import SyncJob
from manole.serve.open_library import OpenLibrary
from manole.serve.service import Service
from manole.serve.shapes import file_json

router = APIRouter(prefix="/libraries", tags=["libraries"])

Statuses = Annotated[list[Status] | None, Query(description="only files with one of these")]
_SYNC: dict[int | str, dict[str, Any]] = {
    202: {
        "description": "The state of the sync; with `stream`, a line for each change of it",
        "content": {"application/x-ndjson": {}},
    }
}


@router.get("", summary="List the libraries")
async def list_libraries(service: ServiceDep) -> LibraryList:
    """Every library that has an index on this machine, and those that are open."""
    default = service.default.name if service.default else None
    return LibraryList(libraries=[_item(info, default) for info in await service.libraries()])


@router.patch(
    "/{name}",
    summary="Change what a library is called, or leaves out",
    dependencies=LOCAL_ONLY,
    responses=REFUSED | responses(400, 404, 409),
)
async def change_library(
    opened: OpenLibraryDep, service: ServiceDep, wanted: LibraryChange
) -> LibraryItem:
    """Keep a title with the library, and patterns beside the setting index.exclude.

    A title has at most 80 characters, in one line; the library's `name` stays. The next sync drops
    what the patterns leave out, and takes back what they do not leave out any more.
    """
    if "title" in wanted.model_fields_set:
        await asyncio.to_thread(opened.library.rename, wanted.title)
    if "exclude" in wanted.model_fields_set:
        await asyncio.to_thread(opened.library.exclude, wanted.exclude)
    return await library_item(service, opened)


@router.delete(
    "/{name}",
    summary="Take a library out",
    status_code=204,
    dependencies=LOCAL_ONLY,
    responses=REFUSED | responses(404, 409),
)
async def remove_library(name: Name, service: ServiceDep) -> None:
    """Delete its index. Its files stay, and so do its conversations: adding it brings them back."""
    with not_found():
        await service.forget(name)


@router.post(
    "/{name}/sync",
    summary="Bring the index up to date",
    status_code=202,
    response_model=SyncState,
    responses=_SYNC | responses(404, 503),
)
async def start_sync(
    opened: OpenLibraryDep,
    request: Request,
    stream: bool = False,
    force: bool = False,
    yes: Annotated[bool, Query(description="drop files even if most of them are gone")] = False,
) -> SyncState | Response:
    """Begin a sync, or join the one that is running. It goes on when the client leaves.

    `force` reads every file anew. `stream` sends the state as NDJSON whenever it changes. A sync
    that would drop more than half of the files fails before it changes anything, unless `yes`.
    """
    job = opened.sync(force=force, yes=yes)
    if not stream:
        return SyncState(**job.describe())
    return LiveResponse(_watched(job), _sync_failed, request.app.state.closing, 202)


@router.delete("/{name}/sync", summary="Stop the sync", status_code=202, responses=responses(404))
async def stop_sync(opened: OpenLibraryDep) -> SyncState:
    """Stop the sync that is running, and files that wait to be read again. What was read stays."""
    await opened.stop_sync()
    return _state(opened)


@router.get("/{name}/sync", summary="How far the sync is", responses=responses(404))
async def sync_state(opened: OpenLibraryDep) -> SyncState:
    """The last sync of this server."""
    return _state(opened)


@router.get("/{name}/status", summary="What became of each file", responses=responses(404, 409))
async def library_status(
    opened: IndexedDep, status: Statuses = None, limit: Limit = 100, offset: Offset = 0
) -> LibraryStatus:
    """Counts, and the files with their status and its reason; what failed comes first."""
    files = await opened.library.files()
    order = (Status.FAILED, Status.PARTIAL, Status.SKIPPED, Status.INDEXED)
    chosen = [file for file in files if status is None or file.status in status]
    chosen.sort(key=lambda file: order.index(file.status))
    return LibraryStatus(
        library=opened.name,
        counts=dict(Counter(file.status.value for file in files)),
        passages=sum(file.passages for file in files),
        total=len(chosen),
        files=_items(chosen[offset : offset + limit]),
    )


@router.get("/{name}/about", summary="What is in a library", responses=responses(404, 409))
async def about_library(opened: IndexedDep) -> AboutLibrary:
    """What it holds, and questions that its own contents suggest. No model has a part in it."""
    return AboutLibrary.model_validate(await opened.about())


@router.get("/{name}/files", summary="List the files", responses=responses(404, 409))
async def list_files(
    opened: IndexedDep,
    path: Annotated[str, Query(max_length=1000, description="only within this folder")] = "",
    limit: Limit = 100,
    offset: Offset = 0,
) -> FileList:
    """The files that the index knows, in the order of their paths."""
    inner = path.strip("/")
    files = [
        file
        for file in await opened.library.files()
        if is_within(file.path, (inner,) if inner else ())
    ]
    return FileList(
        library=opened.name, total=len(files), files=_items(files[offset : offset + limit])
    )


@router.post(
    "/{name}/files/reread",
    summary="Read a file again",
    status_code=202,
    dependencies=LOCAL_ONLY,
    responses=REFUSED | responses(404, 409),
)
async def reread_file(opened: IndexedDep, wanted: Reread) -> SyncState:
    """A sync that reads this file whether it changed or not; it waits for one that is running."""
    record, _ = await known_file(opened, wanted.path)
    return SyncState(**opened.reread(record.path).describe())


async def library_item(service: Service, opened: OpenLibrary) -> LibraryItem:
    """An open library as the list shows it."""
    info = await asyncio.to_thread(opened.library.info)
    return _item(info, service.default.name if service.default else None)


def _item(info: LibraryInfo, default: str | None) -> LibraryItem:
    return LibraryItem(
        name=info.name,
        title=info.title,
        roots=[readable(root) for root in info.roots],
        files=info.files,
        passages=info.passages,
        updated=info.updated,
        problem=info.problem,
        default=info.name == default,
        exclude=list(info.exclude),
        indexed=info.updated is not None and info.problem is None,
    )


def _state(opened: OpenLibrary) -> SyncState:
    if opened.syncing is None:
        return SyncState(library=opened.name, state="idle")
    return SyncState(**opened.syncing.describe())


def _items(files: Sequence[FileRecord]) -> list[FileItem]:
    return [FileItem(**file_json(file)) for file in files]


async def _watched(job: SyncJob) -> Lines:
    async for state in job.watch():
        yield json.dumps(SyncState(**state).model_dump(mode="json")).encode() + b"\n"


def _sync_failed(error: ManoleError) -> bytes:
    told = {"state": "running", "error": said(str(error))}
    return json.dumps(told).encode() + b"\n"
