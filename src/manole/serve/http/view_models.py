"""Requests and responses of what the page shows: a file's text, its dates, the door."""

from __future__ import annotations

from datetime import date as Date  # noqa: N812  (a field is called date)
from typing import Annotated, Literal

from pydantic import Field

from manole.serve.http.base import Asked, Sent

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


class DrawnLine(Sent):
    """A line of a page that is drawn, and its place on it."""

    text: str
    box: BoxSides


class FileView(Sent):
    """A page of a file as the index has it, and what on it was asked for."""

    file: str = Field(examples=["home/rental-contract.pdf"])
    format: str | None = Field(examples=["pdf"])
    kind: Literal["pdf", "image", "text", "mail", "sheet"]
    title: str | None = None
    date: str | None = Field(None, description="the document's own date")
    modified: str
    size: int
    page: int | None = Field(None, description="from 1; null where pages have no numbers")
    pages: int
    label: str | None = Field(None, description="a sheet's name, or what a PDF calls the page")
    text: str = Field(description="at most some 60,000 characters of the page")
    first_line: int = Field(description="the number of the line that the text begins in, from 1")
    more_before: bool = False
    more_after: bool = False
    marks: list[Mark] = Field([], description="parts of `text`, counted in Unicode characters")
    boxes: list[BoxSides] = Field([], description="the marked lines on the page's picture")
    lines: list[DrawnLine] = Field([], description="all lines, where the page is a picture")
    indexed: bool = Field(description="false: nothing of it was read, and `reason` says why")
    reason: str | None = None


class PlaceItem(Sent):
    """Where words stand; the line counts on its page, from 1."""

    page: int | None
    line: int
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
