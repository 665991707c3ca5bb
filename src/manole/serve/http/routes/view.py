"""The text of a file at the cited place; and opening the file on the screen of this machine."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from pydantic import Field

from manole.documents.model import Box
from manole.documents.opened import modified
from manole.index.store.records import FileRecord
from manole.index.view.file_view import is_read, kind_of, view
from manole.index.view.find_in_file import places
from manole.index.view.sheets import sheet
from manole.index.view.transcript import transcript
from manole.index.view.word_positions import drawn
from manole.serve.http.base import Asked, Reasoned, Sent
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

router = APIRouter(prefix="/libraries", tags=["files"], responses=responses(404, 409))

Mark = Annotated[
    list[int],
    Field(min_length=2, max_length=2, description="first character, and the one after the last"),
]
BoxSides = Annotated[
    list[float],
    Field(
        min_length=4,
        max_length=4,
        description="left, top, right, bottom as parts of the page",
        examples=[[0.1, 0.32, 0.41, 0.34]],
    ),
]


class DrawnWord(Sent):
    """A word of a line, and where it begins and ends on the page's width."""

    text: str
    left: float
    right: float


class DrawnLine(Sent):
    """A line of a page that is drawn, its place on it, and its words."""

    box: BoxSides
    words: list[DrawnWord]


class PageWords(Sent):
    """The words on a page's picture, and the marked ones."""

    lines: list[DrawnLine]
    boxes: list[BoxSides] = Field(description="the marked words, a box a line")


class SheetRow(Sent):
    """A row; `line` is its first line on its page, from 1."""

    line: int
    cells: list[str]


class SheetTable(Sent):
    """A table. Rows have as many cells as there are `columns`, which may be all empty."""

    title: str | None
    line: int = Field(description="of its header")
    columns: list[str]
    rows: list[SheetRow]


class CellMark(Sent):
    """A marked place in a table: characters from `start` to `end` of a cell."""

    table: int
    row: int = Field(description="from 0; -1 is the header")
    column: int | None = Field(description="null: the row as a whole")
    start: int
    end: int


class SheetView(Sent):
    """The tables of a sheet, or of a file of rows, and the marked places."""

    page: int | None
    pages: int
    sheets: list[str | None] = Field(description="the sheets' names; null where nobody read one")
    tables: list[SheetTable]
    marks: list[CellMark]
    more: bool = Field(description="whether rows are left out")
    quoted: bool | None = Field(description="as in a view")


class SpokenLine(Sent):
    """A few sentences of a recording, and when they are said, in seconds."""

    start: float
    end: float
    text: str
    begins: bool = Field(description="whether a paragraph begins with it")
    marks: list[Mark] = Field([], description="parts of `text`, as in a view")


class TranscriptView(Sent):
    """The speech of a recording, with the marked places."""

    lines: list[SpokenLine]
    start: float = Field(description="the second that was asked for, or that the quotation is at")
    seconds: float = Field(description="of the whole recording; 0 where that is not known")
    language: str = Field(description="ISO 639-1, as the speech model detected it; may be empty")
    quoted: bool | None = Field(description="as in a view")


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


class PlaceItem(Sent):
    """A place of some words; lines are counted on each page, from 1."""

    page: int | None
    line: int
    column: int = Field(description="the first character in that line, from 0")
    quote: str


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
    """Return the tables in their order; of very long ones the rows around the place."""
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
    """Return each line with its first and last second; none where speech was not recognized yet.

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
    """Find each place in the file's order, ignoring case, accents and line ends."""
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


def _sides(box: Box) -> list[float]:
    return [round(side, 4) for side in box.sides]
