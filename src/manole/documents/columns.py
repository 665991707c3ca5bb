"""The columns of figures on a page, so that an empty cell keeps its gap.

Statements have a column for what went out and one for what came in, and a row fills one of them.
Figures are set flush right, so a column is where several of them end, or where a header stands
beside those of such columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Protocol

_FIGURE = re.compile(
    r"[-+−–(]?\s?(?:[€$£]|[A-Z]{3})?\s?[-+−–]?\d[\d.,'’\s]{0,18}[.,]\d\d\)?(?:\s?(?:[€$£]|[A-Z]{3}))?"
    r"\s?(?:[-+−–]|[A-Z]{1,2})?"
)
_LONGEST = 30  # characters of a figure with its currency
_ALIGNED = 3.0  # points by which the ends of one column may differ
_LEAST = 2  # figures that end at one place by intent
_HEADED = 3  # cells of a row that heads a table


Span = tuple[float, float]


class Cell(Protocol):
    """A text between two places on a row, in points."""

    @property
    def text(self) -> str: ...  # noqa: D102
    @property
    def x0(self) -> float: ...  # noqa: D102
    @property
    def x1(self) -> float: ...  # noqa: D102


def is_figure(text: str) -> bool:
    """Return whether a cell is an amount with cents."""
    return len(text) <= _LONGEST and _FIGURE.fullmatch(text) is not None


def figure_columns(rows: Sequence[Sequence[Cell]]) -> list[Span]:
    """Return where the columns of figures begin and end, in points from the left."""
    figures = sorted((c for row in rows for c in row if is_figure(c.text)), key=lambda c: c.x1)
    groups: list[list[Cell]] = []
    for cell in figures:
        if groups and cell.x1 - groups[-1][-1].x1 <= _ALIGNED:
            groups[-1].append(cell)
        else:
            groups.append([cell])
    spans = [
        (min(c.x0 for c in group), max(c.x1 for c in group))
        for group in groups
        if len(group) >= _LEAST
    ]
    return [*spans, *_headed(rows, spans)] if spans else []


def _headed(rows: Sequence[Sequence[Cell]], spans: Sequence[Span]) -> Iterator[Span]:
    """Yield where headers are whose column has too few figures, and no texts, on this page."""
    starts = sorted(c.x0 for row in rows for c in row if not is_figure(c.text))
    for row in rows:
        if len(row) < _HEADED or any(is_figure(cell.text) for cell in row):
            continue
        over = [any(c.x0 < end and c.x1 > start for start, end in spans) for c in row]
        if not any(over):
            continue
        for cell, has_figures in zip(row, over, strict=True):
            if not has_figures and sum(abs(x - cell.x0) <= _ALIGNED for x in starts) <= 1:
                yield cell.x0, cell.x1


def skipped(before: Cell, figure: Cell, columns: Sequence[Span]) -> int:
    """Return how many columns are empty between a cell and the figure behind it.

    A text may reach into an empty column, and the header of a figure may be wider than that.
    """
    if not is_figure(figure.text):
        return 0
    begin = before.x1 if is_figure(before.text) else float("-inf")
    return sum(start > begin and before.x1 + _ALIGNED < end < figure.x0 for start, end in columns)
