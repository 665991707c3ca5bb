"""The result of a query, and an answer in words with what it cites."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from manole.agent.languages import Words
from manole.agent.plan.notation import CELL
from manole.catalog.sandbox import Value
from manole.tools.objects import FoundRow

LISTED = 50  # rows in the text: a page or two
EXAMPLES = 3  # rows of a sheet that are cited behind a figure
_PLACE = frozenset({"path", "page", "line", "quote"})

Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a query: the names of its columns, its first rows, and their total number.

    `behind` are the places of the rows it comes from, in the columns of `Checked.behind`;
    `stands_on` is their number, `lacking` that of those that had nothing to be added. Where papers
    are asked that are paid or open, `untold` do not say it, and `unpaid` are open, not paid.
    `decimals` are those of each cell of a sheet that is added up: 2 of amounts of money.
    """

    names: Sequence[str]
    rows: Sequence[Row]
    total: int
    behind: Sequence[dict[str, Value]] = ()
    stands_on: int = 0
    lacking: int = 0
    untold: int = 0
    unpaid: int = 0
    decimals: int = 0


class Group(TypedDict):
    """A figure of a comparison: the name of its group, and how it is written."""

    name: str
    value: Value
    said: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The text, and the objects that it cites as `[1]`, `[2]` …; `listed`: row by row.

    `groups` are the figures of a comparison, each a line of the text. Where the text names no
    object, `folded` says what they are: "21 files".
    """

    text: str
    objects: list[FoundRow] = field(default_factory=list)
    listed: bool = False
    groups: list[Group] = field(default_factory=list)
    folded: str = ""


def cited(
    places: Sequence[dict[str, Value]], columns: Sequence[dict[str, Value]] = ()
) -> list[FoundRow]:
    """Return the rows with their places, and their cells in those `columns` that have any."""
    filled = {n for row in columns for n, cell in row.items() if cell is not None and cell != ""}
    columns = [{n: cell for n, cell in row.items() if n in filled} for row in columns]
    return [
        FoundRow(
            id=f"row:catalog:{place['path']}:{place.get('page')}:{place.get('line')}:{n}",
            n=n,
            file=str(place["path"]),
            page=_whole(place.get("page")),
            line=_whole(place.get("line")),
            quote=str(place.get("quote") or str(place.get("text") or "")[:CELL]),
            value=str(place["path"]),
            columns=columns[n - 1] if columns else {},
        )
        for n, place in enumerate(places, start=1)
    ]


def cells_of(row: dict[str, Value]) -> dict[str, Value]:
    """Return the cells of a row but its place."""
    return {name: value for name, value in row.items() if name not in _PLACE}


def _whole(value: Value) -> int | None:
    """Return a page or line number, if there is one."""
    return None if value is None else int(value)


def marks(places: Iterable[int]) -> str:
    """Return how objects are cited: `[1][2]`."""
    return "".join(f"[{n}]" for n in places)


def rest_of(total: int, words: Words) -> str:
    """Return the line that says how many rows are left out, if any."""
    rest = words.more.format(count=words.number(total - LISTED))
    return f"\n… {rest}" if total > LISTED else ""
