"""What is found without a model, as every interface gives it to programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from manole.agent.check import Verdict
from manole.agent.dossier.model import Part, Role
from manole.agent.due import Due, When, lists
from manole.catalog.grep import Grepped
from manole.serve.base import Sent

Known = Annotated[str | None, BeforeValidator(lambda text: text or None)]


class AboutName(Sent):
    """A name, and how often it stands in the files."""

    name: str
    count: int


class AboutItem(Sent):
    """A line of a dossier, and its place."""

    day: date | None = None
    text: str
    file: str = Field(examples=["invoices/2024-11-28_invoice_boiler-service_TH-2024-311.pdf"])
    page: int | None = None
    line: int | None = None
    quote: Known = Field(None, description="words that stand there")
    kind: Known = Field(
        None, description="of a paper; of what is to come: pay, get, ends, cancel, task …"
    )
    role: Role = Field(description="whether the name sent it, got it, or is named in it")
    who: Known = Field(None, description="whom it is from, or to if `sent`")
    sent: bool = Field(description="whether it went to `who`")
    amount: float | None = None
    currency: Known = None
    status: Known = Field(None, description="paid, open, overdue; done; null where nothing says it")
    sure: bool = Field(description="false where the year is not written")


class AboutSection(Sent):
    """Items of one sort: the newest first, of what is to come the next first; `count` of all."""

    part: Part
    count: int
    items: list[AboutItem]


class AboutSum(Sent):
    """What invoices, bills and receipts of one role and currency add up to."""

    role: Role
    currency: str
    papers: int
    total: float
    paid: float
    open: float


class About(Sent):
    """A dossier. Without `places` nothing has the name, and `near` are names that are there."""

    name: str
    forms: list[AboutName] = Field(description="fuller names: several persons of one surname")
    near: list[AboutName] = Field(description="other names that are spelt alike")
    places: int
    files: int
    first: date | None = None
    last: date | None = None
    whole: bool = Field(description="false: a large library was searched, not read as a whole")
    summary: list[AboutItem] = Field(description="the sentences that say most")
    sums: list[AboutSum]
    sections: list[AboutSection]


class DueHow(Sent):
    """What a day was computed from: `count` of `unit` from, or before, `day`."""

    of: Literal["ends", "begins", "bought", "written", "yearly"] = Field(
        description="what `day` is: an end, a beginning, a purchase, the day of a letter"
    )
    day: date
    count: int | None = None
    unit: str | None = Field(None, examples=["months"])
    yearly: bool = Field(description="it comes each year")


class DueItem(Sent):
    """Something that is due."""

    day: date
    time: Known = Field(None, examples=["09:15"])
    kind: Literal["pay", "get", "ends", "renews", "cancel", "task", "event"]
    when: When = Field(
        description="past and not known to be done, within 30 days, later, without a written year"
    )
    text: str = Field(description="what for, or who is to be paid, or pays")
    amount: float | None = None
    currency: str | None = Field(None, examples=["EUR"])
    how: DueHow | None = None
    sure: bool = Field(description="whether the year is written")
    file: str = Field(examples=["invoices/painter.pdf"])
    page: int | None = None
    line: int | None = None
    quote: Known = Field(None, description="the words that say so")


class DueList(Sent):
    """What is due, in order of the days, and how much there is of each `when`."""

    today: date
    days: int
    counts: dict[When, int]
    due: list[DueItem]


def due_list(found: Sequence[Due], today: date, days: int) -> DueList:
    """Return what is due within so many days from `today`, in order."""
    told = lists(found, today)
    items = [
        DueItem.model_validate(asdict(one) | {"when": when})
        for when, part in told.items()
        for one in part
    ]
    items.sort(key=lambda item: (item.day, item.time or "", item.file, item.line or 0))
    counts = {when: len(part) for when, part in told.items()}
    return DueList(today=today, days=days, counts=counts, due=items)


class GrepLine(Sent):
    """A line with the pattern, or two where it goes on over the line's end."""

    file: str = Field(examples=["home/rental-contract.pdf"])
    page: int | None = None
    line: int
    line_end: int
    text: str = Field(description="some 400 characters around the first mark")
    marks: list[tuple[int, int]] = Field(
        description="the pattern in the text: first character, and one after the last"
    )


class LinesOfFile(Sent):
    """How many lines of a file have the pattern."""

    file: str
    lines: int


class FoundLines(Sent):
    """Lines in the order of the files' paths; `total` is the number of all, in so many `files`."""

    lines: list[GrepLine] = Field([], description="in the order of the files' paths")
    counts: list[LinesOfFile] = Field([], description="with `count`, instead of the lines")
    offset: int = 0
    next_offset: int | None = Field(None, description="where to read on; null at the end")
    total: int
    files: int
    searched: int = Field(description="files with text that were looked at")
    stopped: list[str] = Field(description="files in which an expression took too long")
    left: int = Field(description="files not looked at, because all took too long")


def found_lines(found: Grepped, *, count: bool) -> FoundLines:
    """Return the lines that were found; with `count`, the numbers of each file instead."""
    counts = [LinesOfFile(file=file, lines=n) for file, n in found.counts.items()]
    return FoundLines(
        lines=[] if count else [GrepLine.model_validate(line) for line in found.lines],
        counts=counts if count else [],
        offset=0 if count else found.offset,
        next_offset=None if count else found.next_offset,
        total=found.total,
        files=len(counts),
        searched=found.searched,
        stopped=found.stopped,
        left=found.left,
    )


class Differs(Sent):
    """What a sentence says, and what its source says instead."""

    said: str
    source: str


class CheckedSentence(Sent):
    """A sentence; the source is of one not found the nearest passage, if any is near."""

    sentence: str
    verdict: Verdict
    quote: str | None
    file: str | None
    page: int | None
    line: int | None
    differs: Differs | None


class CheckedText(Sent):
    """Each sentence that states something, in order."""

    sentences: list[CheckedSentence]
