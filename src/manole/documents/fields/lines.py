"""A paper's text as lines and cells.

Text of PDFs has two or more blanks between columns, Markdown tables have `|`, receipts often
nothing at all. Labels are compared folded: in lower case, without accents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice, takewhile

from manole.documents.fields.model import TextLine
from manole.text import words

_GAP = re.compile(r"\s*\|\s*|[ \u00a0]{2,}|\t+")
fold = lru_cache(maxsize=4096)(words.fold)  # each reader of a paper folds its lines


def cells(text: str) -> list[str]:
    """Return the cells of a line, without empty ones."""
    return [part.strip() for part in _GAP.split(text) if part and part.strip()]


def page_lines(pages: Iterable[tuple[int | None, str]]) -> list[TextLine]:
    """Return the lines of pages, which are given as (number, text)."""
    return [
        TextLine(line, number, at)
        for number, text in pages
        for at, line in enumerate(text.split("\n"), start=1)
    ]


def before(lines: list[TextLine], index: int, reach: int) -> Iterator[TextLine]:
    """Yield up to `reach` lines with text above `index` on the same page, nearest first."""
    page = lines[index].page
    above = takewhile(lambda line: line.page == page, reversed(lines[:index]))
    yield from islice((line for line in above if line.text.strip()), reach)
