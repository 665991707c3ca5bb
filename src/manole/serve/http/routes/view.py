"""The text of a file at the cited place; and opening the file on the screen of this machine."""

from __future__ import annotations

import asyncio
import os
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from pydantic import AfterValidator, BeforeValidator, Field

from manole.documents.opened import modified
from manole.index.store.records import FileRecord
from manole.serve.base import Asked, Reasoned, Sent
from manole.serve.http.depends import (
    IndexedDep,
    ServiceDep,
    SpotDep,
    file_of,
    known_file,
    passed_on,
    recorded_file,
)
from manole.serve.http.description import responses
from manole.serve.http.errors import NotHereError, not_found
from manole.serve.http.pictures import Pictures
from manole.serve.http.routes.files import FilePath
from manole.serve.open_library import OpenLibrary
from manole.serve.opening import open_file, show_in_folder
from manole.serve.security import is_loopback
from manole.serve.shapes import file_json
from manole.serve.view.find_in_file import PlaceItem, places
from manole.serve.view.page import is_read, kind_of, view
from manole.serve.view.sheets import SheetView, sheet
from manole.serve.view.transcript import Mark, TranscriptView, transcript
from manole.serve.view.word_positions import drawn

router = APIRouter(prefix="/libraries", tags=["files"], responses=responses(404, 409))

BoxSides = Annotated[
    list[float],
    BeforeValidator(lambda box: [round(side, 4) for side in box.sides]),
    Field(
        min_length=4,
        max_length=4,
        description="left, top, right, bottom as parts of the page",
        examples=[[0.1, 0.32, 0.41, 0.34]],
    ),
]


_Side = Annotated[float, AfterValidator(lambda side: round(side, 4))]


class DrawnWord(Sent):
    """A word of a line, and where it begins and ends on the page's width."""

    text: str
    left: _Side
    right: _Side


class DrawnLine(Sent):
    """A line of a page that is drawn, its place on it, and its words."""

    box: BoxSides
    words: list[DrawnWord]


class PageWords(Sent):
    """The words on a page's picture, and the marked ones."""

    lines: list[DrawnLine]
    boxes: list[BoxSides] = Field(description="the marked words, a box a line")


class FileView(Reasoned):
    """A page of a file as the index has it, and the marked places."""

    file: str = Field(examples=["home/rental-contract.pdf"])
    format: str | None = Field(examples=["pdf"])
    kind: Literal["pdf", "image", "audio", "video", "text", "mail", "sheet"]
    title: str | None = None
    date: str | None = Field(None, description="the document's own date")
    modified: str
    size: int
    page: int | None = Field(
        None, description="from 1; null where pages have no numbers; of a recording a second"
    )
    pages: int
    label: str | None = Field(None, description="a sheet's name, or what a PDF calls the page")
    text: str = Field(description="at most some 60,000 characters of the page")
    first_line: int = Field(description="the number of the line that the text begins in, from 1")
    more_before: bool = False
    more_after: bool = False
    marks: list[Mark] = Field([], description="parts of `text`, counted in Unicode characters")
    boxes: list[BoxSides] = Field([], description="the marked lines on the page's picture")
    quoted: bool | None = Field(
        None, description="whether the quotation stands there; null where none was asked for"
    )
    state: Literal["same", "changed", "gone"] = Field(
        "same", description="whether the file is still what was read"
    )
    indexed: bool = Field(description="false: nothing of it was read, and `reason` says why")


class Places(Sent):
    """Each place of some words in a file, in its order; the first 500."""

    places: list[PlaceItem]


class Opening(Asked):
    """A file to open on the screen of this machine, or to show in its folder."""

    path: str = Field(
        max_length=4096, description="a `file` of the list", examples=["home/rental-contract.pdf"]
    )
    where: Literal["program", "folder"] = Field(
        alias="in", description="the program for such files, or the folder that it lies in"
    )


@router.get("/{name}/view", summary="A page of a file as text, with a place marked")
async def view_file(opened: IndexedDep, path: FilePath, spot: SpotDep) -> FileView:
    """Return the indexed text around a quotation, or around some lines where it is not found.

    A quotation is found whatever its blanks, hyphens, quotation marks and capitals; where only a
    part of it is found, that part is marked. The text is returned even if the file is gone.
    """
    record = await recorded_file(opened, path)
    with not_found():
        seen = await view(await opened.library.reader(), record, spot)
    known = file_json(record) | {field.name: getattr(seen, field.name) for field in fields(seen)}
    state = await _state(opened, record)
    return FileView.model_validate(
        known | {"kind": kind_of(record), "state": state, "indexed": is_read(record)}
    )


@router.get("/{name}/words", summary="The words on the picture of a page, a place marked")
async def words_of_page(
    opened: IndexedDep, request: Request, path: FilePath, spot: SpotDep
) -> PageWords:
    """Return each line with its words and their places, as parts of the page; and the marked words.

    A PDF holds the places of its words; in a picture they are estimated from its lines.
    """
    record, found = await known_file(opened, path)
    with not_found():
        seen = await view(await opened.library.reader(), record, spot)
    pictures: Pictures = request.app.state.pictures
    placed = await pictures.words(found, seen.page) if record.format == "pdf" and seen.page else []
    lines = await asyncio.to_thread(drawn, [(line.text, line.box) for line in seen.lines], placed)
    boxes = [
        line.part(*mark)
        for line, marked in zip(lines, seen.lines, strict=True)
        for mark in marked.marks
    ]
    return PageWords.model_validate({"lines": lines, "boxes": boxes or seen.boxes})


@router.get("/{name}/sheet", summary="A sheet, or a file of rows, as tables, a place marked")
async def sheet_of_file(opened: IndexedDep, path: FilePath, spot: SpotDep) -> SheetView:
    """Return the tables in their order; of very long ones the rows around the place."""
    record = await recorded_file(opened, path)
    with not_found():
        return await sheet(await opened.library.reader(), record, spot)


@router.get("/{name}/transcript", summary="What is said in a recording, a place marked")
async def transcript_of_file(opened: IndexedDep, path: FilePath, spot: SpotDep) -> TranscriptView:
    """Return each line with its first and last second; none where speech was not recognized yet.

    `page` is a second, counted from 1.
    """
    record = await recorded_file(opened, path)
    return await transcript(await opened.library.reader(), record, spot)


@router.get("/{name}/find", summary="Where words stand in a file")
async def find_in_file(
    opened: IndexedDep,
    path: FilePath,
    words: Annotated[str, Query(min_length=1, max_length=200, description="as they stand there")],
) -> Places:
    """Find each place in the file's order, ignoring case, accents and line ends."""
    record = await recorded_file(opened, path)
    found = await places(await opened.library.reader(), record, words) if is_read(record) else []
    return Places(places=found)


@router.post(
    "/{name}/files/open",
    summary="Open a file on this machine's screen",
    status_code=204,
    responses=responses(403),
)
async def open_on_screen(
    opened: IndexedDep, service: ServiceDep, request: Request, asked: Opening
) -> None:
    """Open a file in the program for such files, or show the folder that it lies in.

    Only a person at this machine may ask for it: the server must listen on loopback alone, and the
    request must come from there. Programs and scripts are not opened.
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
