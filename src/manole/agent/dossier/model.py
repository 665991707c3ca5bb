"""The types of a dossier. All of them are data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, get_args

Part = Literal[
    "contacts", "coming", "papers", "messages", "diary", "tasks", "rows", "passages", "files"
]  # fmt: skip
PARTS: tuple[Part, ...] = get_args(Part)  # in the order in which they are shown
Role = Literal["from", "to", "names"]  # the name sent it, got it, or is named in it


@dataclass(frozen=True, slots=True)
class Item:
    """A line of a dossier with its place; `quote` stands in the file.

    `kind` is the type of a paper, or of what is to come (`agent.due.Kind`). `who` is whom a paper
    or a message is from, or where it is `sent` to them. `sure` is false where the year is not
    written.
    """

    text: str
    file: str
    day: date | None = None
    page: int | None = None
    line: int | None = None
    quote: str = ""
    kind: str = ""
    role: Role = "names"
    who: str = ""
    sent: bool = False
    amount: float | None = None
    currency: str = ""
    status: str = ""
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Section:
    """The first `items` of `count`: the newest first, of what is to come the next first."""

    part: Part
    items: Sequence[Item]
    count: int

    @property
    def left(self) -> int:
        """How many are left out."""
        return self.count - len(self.items)


@dataclass(frozen=True, slots=True)
class Sum:
    """What invoices, bills and receipts of one role and currency add up to."""

    role: Role
    currency: str
    papers: int
    total: float
    paid: float
    open: float


@dataclass(frozen=True, slots=True)
class Other:
    """A name, and how often it stands in the files."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Dossier:
    """What there is of a name.

    `forms` are fuller names that have it (several persons of one surname), `near` are others that
    are spelt alike. `places` were found in `files` files, dated from `first` to `last`; `whole` is
    false where a large library was searched rather than read.
    """

    name: str
    forms: Sequence[Other] = ()
    near: Sequence[Other] = ()
    summary: Sequence[Item] = ()
    sections: Sequence[Section] = ()
    sums: Sequence[Sum] = ()
    places: int = 0
    files: int = 0
    first: date | None = None
    last: date | None = None
    whole: bool = True
    exact: bool = True

    def __bool__(self) -> bool:
        return bool(self.places)


def in_order(part: Part, items: Iterable[Item]) -> list[Item]:
    """Return items the newest first, without a day last; what is to come the next first."""
    first = 1 if part == "coming" else -1
    far = (date.max - timedelta(days=1)).toordinal()
    return sorted(
        items,
        key=lambda i: (
            first * i.day.toordinal() if i.day else far, i.file, i.page or 0, i.line or 0,
        ),
    )  # fmt: skip


def sums_of(papers: Iterable[Item]) -> Iterator[Sum]:
    """Yield what the papers of each role and currency add up to; credit notes count against."""
    groups: dict[tuple[Role, str], list[Item]] = {}
    for paper in papers:
        if paper.amount is not None:
            groups.setdefault((paper.role, paper.currency), []).append(paper)
    for (role, currency), own in sorted(groups.items()):
        signed = [(-1 if p.kind == "credit note" else 1) * abs(p.amount or 0) for p in own]
        paid = sum(s for s, p in zip(signed, own, strict=True) if p.status == "paid")
        open_ = sum(s for s, p in zip(signed, own, strict=True) if p.status in {"open", "overdue"})
        total = round(sum(signed), 2)
        yield Sum(role, currency, len(own), total, round(paid, 2), round(open_, 2))
