"""What a file says, at the place that was cited; and opening it on the screen of this machine."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request

from manole.errors import UsageError
from manole.index.finding import places
from manole.index.viewing import is_read, kind_of, view
from manole.serve.http.depends import IndexedDep, ServiceDep, known_file
from manole.serve.http.description import responses
from manole.serve.http.errors import NotFoundError, NotHereError
from manole.serve.http.here import passed_on
from manole.serve.http.routes.files import FilePath
from manole.serve.http.view_models import DrawnLine, FileView, Opening, PlaceItem, Places
from manole.serve.opening import open_file, show_in_folder
from manole.serve.security import is_loopback
from manole.serve.shapes import file_json

router = APIRouter(prefix="/libraries", tags=["files"], responses=responses(404, 409))

Line = Annotated[int | None, Query(ge=1, le=2**31, description="from 1, on its page")]


@router.get("/{name}/view", summary="A page of a file as text, with a place marked")
async def view_file(
    room: IndexedDep,
    path: FilePath,
    page: Annotated[int | None, Query(ge=1, le=100_000, description="from 1")] = None,
    quote: Annotated[str, Query(max_length=1000, description="words that stand there")] = "",
    line: Line = None,
    line_end: Line = None,
) -> FileView:
    """What the index has of it, around a quotation, or around some lines where it is nowhere.

    A quotation is found whatever its blanks, hyphens, quotation marks and capitals; where only a
    part of it stands there, that is marked.
    """
    record, _ = await known_file(room, path)
    store = await room.library.store()
    try:
        seen = await view(store, record, page=page, quote=quote, line=line, line_end=line_end)
    except UsageError as error:
        raise NotFoundError(error.message, error.hint) from None
    known = file_json(record)
    return FileView(
        file=record.path,
        format=record.format,
        kind=kind_of(record),
        title=record.title,
        date=known["date"],
        modified=known["modified"],
        size=record.size,
        page=seen.page,
        pages=seen.pages,
        label=seen.label,
        text=seen.text,
        first_line=seen.first_line,
        more_before=seen.more_before,
        more_after=seen.more_after,
        marks=[list(mark) for mark in seen.marks],
        boxes=[[round(side, 4) for side in box.sides] for box in seen.boxes],
        lines=[
            DrawnLine(text=text, box=[round(side, 4) for side in box.sides])
            for text, box in seen.lines
        ],
        indexed=is_read(record),
        reason=record.reason,
    )


@router.get("/{name}/find", summary="Where words stand in a file")
async def find_in_file(
    room: IndexedDep,
    path: FilePath,
    words: Annotated[str, Query(min_length=1, max_length=200, description="as they stand there")],
) -> Places:
    """Each place in the file's order, whatever the words' case, accents and line ends."""
    record, _ = await known_file(room, path)
    found = await places(await room.library.store(), record, words) if is_read(record) else []
    return Places(places=[PlaceItem(page=p.page, line=p.line, quote=p.quote) for p in found])


@router.post(
    "/{name}/files/open",
    summary="Open a file on this machine's screen",
    status_code=204,
    responses=responses(403),
)
async def open_on_screen(
    room: IndexedDep, service: ServiceDep, request: Request, asked: Opening
) -> None:
    """In the program for such files, or the folder that it lies in.

    Only who sits at this machine may ask for it: the server listens on loopback alone, and the
    request came from there. Programs and scripts are not opened.
    """
    client = request.client.host if request.client else ""
    near = is_loopback(client) and is_loopback(service.settings.serve.host)
    if passed_on(request) or not near:
        raise NotHereError(
            "Files are opened only for who sits at the server's machine.", "Download it instead."
        )
    record, found = await known_file(room, asked.path)
    if asked.where == "program":
        await asyncio.to_thread(open_file, found, record)
    else:
        await asyncio.to_thread(show_in_folder, Path(found.name))
