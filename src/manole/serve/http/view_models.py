"""Requests and responses of what the page shows: a file's text, its dates, the door."""

from __future__ import annotations

from datetime import date as Date  # noqa: N812  (a field is called date)
from typing import Annotated, Literal

from pydantic import Field

from manole.serve.http.base import Asked, Sent
from manole.serve.http.spoken import Reasoned

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
    """The words on a page's picture, and what of them was asked for."""

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
    """A place in a table that was asked for: characters from `start` to `end` of a cell."""

    table: int
    row: int = Field(description="from 0; -1 is the header")
    column: int | None = Field(description="null: the row as a whole")
    start: int
    end: int


class SheetView(Sent):
    """The tables of a sheet, or of a file of rows, and what in them was asked for."""

    page: int | None
    pages: int
    sheets: list[str | None] = Field(description="the sheets' names; null where nobody read one")
    tables: list[SheetTable]
    marks: list[CellMark]
    more: bool = Field(description="whether rows are left out")
    quoted: bool | None = Field(description="as in a view")


class SpokenLine(Sent):
    """A sentence or a few of a recording, and when it is said, in seconds."""

    start: float
    end: float
    text: str
    begins: bool = Field(description="whether a paragraph begins with it")
    marks: list[Mark] = Field([], description="parts of `text`, as in a view")


class TranscriptView(Sent):
    """The speech of a recording, with the places that were asked for."""

    lines: list[SpokenLine]
    start: float = Field(description="the second that was asked for, or that the quotation is at")
    seconds: float = Field(description="of the whole recording; 0 where that is not known")
    language: str = Field(description="ISO 639-1, as the speech model told it; may be empty")
    quoted: bool | None = Field(description="as in a view")


class FileView(Reasoned):
    """A page of a file as the index has it, and what on it was asked for."""

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
    """A place where words stand; lines are counted on each page, from 1."""

    page: int | None
    line: int
    column: int = Field(description="the first character in that line, from 0")
    quote: str


class Places(Sent):
    """Each place of some words in a file, in its order; the first 500."""

    places: list[PlaceItem]


class TimelineFile(Sent):
    """A dated file."""

    file: str
    title: str | None = None
    format: str | None = None


class TimelineDay(Sent):
    """The files of one day."""

    date: Date
    files: list[TimelineFile]


class Timeline(Sent):
    """Days, the latest first. `total` files have a date within; `undated` ones have none at all."""

    days: list[TimelineDay]
    total: int
    undated: int


class Opening(Asked):
    """A file that is to be opened on the screen of this machine, or shown in its folder."""

    path: str = Field(
        max_length=4096, description="a `file` of the list", examples=["home/rental-contract.pdf"]
    )
    where: Literal["program", "folder"] = Field(
        alias="in", description="the program for such files, or the folder that it lies in"
    )


class NewSession(Asked):
    """The server's token."""

    token: str = Field(max_length=4096, repr=False)
