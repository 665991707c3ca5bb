"""Lines and their cells.

Text of PDFs has two blanks or more between columns, Markdown tables have `|`, receipts often
nothing at all. Labels are compared folded: lower case, without accents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from manole.documents.fields.model import TextLine
from manole.text import words

_GAP = re.compile(r"\s*\|\s*|[ \u00a0]{2,}|\t+")
fold = lru_cache(maxsize=4096)(words.fold)  # each reader of a paper folds its lines


def cells(text: str) -> list[str]:
    """The cells of a line, without empty ones."""
    return [part.strip() for part in _GAP.split(text) if part and part.strip()]


def page_lines(pages: Iterable[tuple[int | None, str]]) -> list[TextLine]:
    """The lines of pages given as (number, text)."""
    return [
        TextLine(line, number, at)
        for number, text in pages
        for at, line in enumerate(text.split("\n"), start=1)
    ]


def before(lines: list[TextLine], index: int, reach: int) -> Iterator[TextLine]:
    """The lines above `index` on the same page, nearest first, blank ones left out."""
    taken = 0
    for above in reversed(lines[:index]):
        if above.page != lines[index].page or taken == reach:
            return
        if above.text.strip():
            taken += 1
            yield above


def after(lines: list[TextLine], index: int, reach: int) -> Iterator[TextLine]:
    """The lines below `index` on the same page, nearest first, blank ones left out."""
    taken = 0
    for below in lines[index + 1 :]:
        if below.page != lines[index].page or taken == reach:
            return
        if below.text.strip():
            taken += 1
            yield below
