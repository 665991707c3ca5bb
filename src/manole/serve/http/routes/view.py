"""What a file says, at the place that was cited; and opening it on the screen of this machine."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request

from manole.documents.model import Box
from manole.documents.opened import modified
from manole.index.store.records import FileRecord
from manole.index.view.file_view import is_read, kind_of, view
from manole.index.view.find_in_file import places
from manole.index.view.sheets import sheet
from manole.index.view.transcript import transcript
from manole.index.view.word_positions import drawn
from manole.serve.http.depends import (
    IndexedDep,
    ServiceDep,
    SpotDep,
    file_of,
    known_file,
    recorded_file,
)
from manole.serve.http.description import responses
from manole.serve.http.errors import NotHereError, not_found
from manole.serve.http.local_only import passed_on
from manole.serve.http.pictures import Pictures
from manole.serve.http.routes.files import FilePath
from manole.serve.http.view_models import (
    CellMark,
    DrawnLine,
    DrawnWord,
    FileView,
    Opening,
    PageWords,
    PlaceItem,
    Places,
    SheetTable,
    SheetView,
    TranscriptView,
)
from manole.serve.open_library import OpenLibrary
from manole.serve.opening import open_file, show_in_folder
from manole.serve.security import is_loopback
from manole.serve.shapes import file_json

router = APIRouter(prefix="/libraries", tags=["files"], responses=responses(404, 409))


@router.get("/{name}/view", summary="A page of a file as text, with a place marked")
async def view_file(opened: IndexedDep, path: FilePath, spot: SpotDep) -> FileView:
    """What the index has of it, around a quotation, or around some lines where it is nowhere.

    A quotation is found whatever its blanks, hyphens, quotation marks and capitals; where only a
    part of it stands there, that is marked. What was read of a file is given though it is gone.
    """
    record = await recorded_file(opened, path)
    with not_found():
        seen = await view(await opened.library.reader(), record, spot)
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
        boxes=[_sides(box) for box in seen.boxes],
        quoted=seen.quoted,
        state=await _state(opened, record),
        indexed=is_read(record),
        reason=record.reason,
    )


@router.get("/{name}/words", summary="The words on the picture of a page, a place marked")
async def words_of_page(
    opened: IndexedDep, request: Request, path: FilePath, spot: SpotDep
) -> PageWords:
    """Each line with its words and their places, as parts of the page; and the marked words.

    A PDF says where its words are; in a picture that is an estimate, from where its lines are.
    """
    record, found = await known_file(opened, path)
    with not_found():
        seen = await view(await opened.library.reader(), record, spot)
    pictures: Pictures = request.app.state.pictures
    told = await pictures.words(found, seen.page) if record.format == "pdf" and seen.page else []
    lines = await asyncio.to_thread(drawn, [(line.text, line.box) for line in seen.lines], told)
    boxes = [
        line.part(*mark)
        for line, marked in zip(lines, seen.lines, strict=True)
        for mark in marked.marks
    ]
    return PageWords(
        lines=[
            DrawnLine(
                box=_sides(line.box),
                words=[
                    DrawnWord(text=word.text, left=round(word.left, 4), right=round(word.right, 4))
                    for word in line.words
                ],
            )
            for line in lines
        ],
        boxes=[_sides(box) for box in boxes or seen.boxes],
    )


@router.get("/{name}/sheet", summary="A sheet, or a file of rows, as tables, a place marked")
async def sheet_of_file(opened: IndexedDep, path: FilePath, spot: SpotDep) -> SheetView:
    """Its tables in their order; of very long ones the rows around the place."""
    record = await recorded_file(opened, path)
    with not_found():
        seen = await sheet(await opened.library.reader(), record, spot)
    return SheetView(
        page=seen.page,
        pages=seen.pages,
        sheets=[seen.labels.get(number) for number in range(1, seen.pages + 1)],
        tables=[SheetTable.model_validate(table) for table in seen.tables],
        marks=[CellMark.model_validate(mark) for mark in seen.marks],
        more=seen.more,
        quoted=seen.quoted,
    )


@router.get("/{name}/transcript", summary="What is said in a recording, a place marked")
async def transcript_of_file(opened: IndexedDep, path: FilePath, spot: SpotDep) -> TranscriptView:
    """Each line with the seconds between which it is said; none where nobody heard it yet.

    `page` is a second, counted from 1.
    """
    record = await recorded_file(opened, path)
    seen = await transcript(await opened.library.reader(), record, spot)
    return TranscriptView.model_validate(seen)


@router.get("/{name}/find", summary="Where words stand in a file")
async def find_in_file(
    opened: IndexedDep,
    path: FilePath,
    words: Annotated[str, Query(min_length=1, max_length=200, description="as they stand there")],
) -> Places:
    """Each place in the file's order, whatever the words' case, accents and line ends."""
    record = await recorded_file(opened, path)
    found = await places(await opened.library.reader(), record, words) if is_read(record) else []
    return Places(places=[PlaceItem.model_validate(place) for place in found])


@router.post(
    "/{name}/files/open",
    summary="Open a file on this machine's screen",
    status_code=204,
    responses=responses(403),
)
async def open_on_screen(
    opened: IndexedDep, service: ServiceDep, request: Request, asked: Opening
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
    record, found = await known_file(opened, asked.path)
    if asked.where == "program":
        await asyncio.to_thread(open_file, found, record)
    else:
        await asyncio.to_thread(show_in_folder, Path(found.name))


async def _state(opened: OpenLibrary, record: FileRecord) -> Literal["same", "changed", "gone"]:
    found = await file_of(opened, record)
    if found is None:
        return "gone"
    try:
        info = await asyncio.to_thread(os.lstat, found.name)
    except OSError:
        return "gone"
    same = (info.st_size, modified(info)) == (record.size, record.mtime_ns)
    return "same" if same else "changed"


def _sides(box: Box) -> list[float]:
    return [round(side, 4) for side in box.sides]
