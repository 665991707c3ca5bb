"""Libraries, their syncs, and the status of their files."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Query, Request, Response
from pydantic import AfterValidator, ConfigDict, Field, PlainSerializer, model_validator

from manole.agent.about import Sort
from manole.documents.model import Status
from manole.documents.scan import readable
from manole.errors import ManoleError
from manole.index.search.scope import is_within
from manole.index.store.libraries import STEERING, TITLE, LibraryInfo
from manole.index.store.records import FileRecord
from manole.sentences import said
from manole.serve.base import Asked, Reasoned, Sent, Spoken, translated_report
from manole.serve.http.depends import (
    LOCAL_ONLY,
    REFUSED,
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
from manole.serve.http.live import Lines, LiveResponse
from manole.serve.open_library import OpenLibrary
from manole.serve.service import Service
from manole.serve.shapes import file_json
from manole.serve.syncs import SyncJob

router = APIRouter(prefix="/libraries", tags=["libraries"])

Statuses = Annotated[list[Status] | None, Query(description="only files with one of these")]
_SYNC: dict[int | str, dict[str, Any]] = {
    202: {
        "description": "The state of the sync; with `stream`, a line for each change of it",
        "content": {"application/x-ndjson": {}},
    }
}


TITLED = f"^ *[^{STEERING}]{{0,{TITLE}}} *$"
Pattern = Annotated[
    str, Field(min_length=1, max_length=500, pattern=r"^[^\x00\r\n]*[^\x00\r\n\t ][^\x00\r\n]*$")
]


class LibraryItem(Sent):
    """A library that has an index, or is open."""

    name: str = Field(examples=["household-1f3a9c04"])
    title: str | None = Field(None, description="what a person calls it")
    roots: list[Annotated[str, AfterValidator(readable)]]
    files: int = 0
    passages: int = 0
    updated: str | None = None
    problem: Spoken | None = None
    default: bool = Field(False, description="used where a request names none")
    exclude: list[str] = Field([], description="patterns of what is left out")
    indexed: bool = Field(False, description="a sync has come to its end")


class LibraryList(Sent):
    """The libraries that may be asked."""

    libraries: list[LibraryItem]


class LibraryChange(Asked):
    """New patterns of files that a library leaves out, a new title, or both."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    exclude: list[Pattern] = Field(
        [],
        max_length=200,
        description="patterns as in .gitignore; they take the place of those given before",
        examples=[["/photos/", "*.log"]],
    )
    title: str | None = Field(
        None,
        description="what people see in place of its folders' names; empty or null: those again",
        examples=["Papers of the flat"],
        # Described here, and checked where it is kept, which says in words what is wrong.
        json_schema_extra={"anyOf": [{"type": "string", "pattern": TITLED}, {"type": "null"}]},
    )

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("exclude or title is needed")
        return self


class Suggested(Sent):
    """A question by its sort and what it names, and in English."""

    sort: Sort
    names: list[str]
    text: str


class AboutLibrary(Sent):
    """The contents of a library. `unread`: files that nothing could be read of."""

    questions: list[Suggested] = Field(description="which its own contents suggest")
    kinds: dict[str, int] = Field(description="files by kind, most first")
    years: Annotated[list[int], Field(min_length=2, max_length=2)] | None = Field(
        description="the first and last that anything is of"
    )
    firms: list[str]
    people: list[str]
    unread: int


class FileItem(Reasoned):
    """A file, its status and what is known of it."""

    file: str
    root: str
    status: Literal["indexed", "partial", "skipped", "failed"]
    format: str | None = None
    title: str | None = None
    date: str | None = None
    modified: str
    size: int
    pages: int
    passages: int


class FileList(Sent):
    """A part of the list of files; `total` is how many there are in all."""

    library: str
    total: int
    files: list[FileItem]


class LibraryStatus(FileList):
    """The counts of a library's files by status, and a part of their list."""

    counts: dict[str, int] = Field(examples=[{"indexed": 53, "skipped": 5}])
    passages: int


class Reread(Asked):
    """A file to read again."""

    path: str = Field(max_length=4096, description="a `file` of the list, as it stands there")


class SyncProgress(Sent):
    """The progress of a sync."""

    stage: str
    done: int
    total: int | None
    rate: float
    eta_s: float | None
    current: str | None


class SyncState(Sent):
    """The last sync of this server; `idle` when there was none."""

    library: str
    state: Literal["idle", "running", "done", "failed", "cancelled"]
    progress: SyncProgress | None = None
    report: Annotated[dict[str, Any] | None, PlainSerializer(translated_report)] = None
    error: Spoken | None = None
    would_drop: bool = Field(
        False, description="it failed since most files are gone; `yes=true` lets them go"
    )


@router.get("", summary="List the libraries")
async def list_libraries(service: ServiceDep) -> LibraryList:
    """List every library that has an index on this machine or is open."""
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
    the files that the patterns exclude, and takes back those that they no longer exclude.
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
    """Begin a sync, or join the running one. It goes on when the client leaves.

    `force` reads every file anew. `stream` sends the state as NDJSON whenever it changes. A sync
    that would drop more than half of the files fails before it changes anything, unless `yes`.
    """
    job = opened.sync(force=force, yes=yes)
    if not stream:
        return SyncState(**job.describe())
    return LiveResponse(_watched(job), _sync_failed, request.app.state.closing, 202)


@router.delete("/{name}/sync", summary="Stop the sync", status_code=202, responses=responses(404))
async def stop_sync(opened: OpenLibraryDep) -> SyncState:
    """Stop the running sync, and files that wait to be read again. What was read stays."""
    await opened.stop_sync()
    return _state(opened)


@router.get("/{name}/sync", summary="How far the sync is", responses=responses(404))
async def sync_state(opened: OpenLibraryDep) -> SyncState:
    """Return the state of the last sync of this server."""
    return _state(opened)


@router.get("/{name}/status", summary="What became of each file", responses=responses(404, 409))
async def library_status(
    opened: IndexedDep, status: Statuses = None, limit: Limit = 100, offset: Offset = 0
) -> LibraryStatus:
    """Return counts, and the files with their status and its reason; failed ones come first."""
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
    """Describe the contents, with questions that they suggest. No model takes part."""
    return AboutLibrary.model_validate(await opened.about())


@router.get("/{name}/files", summary="List the files", responses=responses(404, 409))
async def list_files(
    opened: IndexedDep,
    path: Annotated[str, Query(max_length=1000, description="only within this folder")] = "",
    limit: Limit = 100,
    offset: Offset = 0,
) -> FileList:
    """List the files that the index knows, in the order of their paths."""
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
    """Begin a sync that reads this file whether it changed or not, after the running one."""
    record, _ = await known_file(opened, wanted.path)
    return SyncState(**opened.reread(record.path).describe())


async def library_item(service: Service, opened: OpenLibrary) -> LibraryItem:
    """Return an open library as the list shows it."""
    info = await asyncio.to_thread(opened.library.info)
    return _item(info, service.default.name if service.default else None)


def _item(info: LibraryInfo, default: str | None) -> LibraryItem:
    item = LibraryItem.model_validate(info)
    item.default = info.name == default
    item.indexed = info.updated is not None and info.problem is None
    return item


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
    return json.dumps({"state": "running", "error": said(str(error))}).encode() + b"\n"
