"""The outline of a PDF: its bookmarks, or else the lines that are set larger than its text.

The size of most characters is that of the text. Where headings have numbers, those with a number
count that are set only a little larger. A line that stands on several pages is a running head.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from contextlib import closing
from itertools import islice

import pypdfium2 as pdfium

from manole.documents.model import storable
from manole.documents.opened import OpenFile
from manole.documents.pdf import page_of

Heading = tuple[int, str, int]  # its level, from 0, its text, its page, from 1

_MOST, _LONG = 2_000, 200  # headings, and characters of one
_PAGES, _RUNNING = 400, 3  # pages that are looked at for sizes; that a running head stands on
_LARGER, _BARELY = 1.06, 1.01  # by how much a heading is larger than the text, set by hand
_SHORT = 90  # characters that a heading has at most, where only its size tells
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d+)*[.)]?|[A-Z][.)])\s+[^\W\d_]")


def read_outline(file: OpenFile, timeout_s: float) -> list[Heading]:
    """Return the headings of a file; none where it cannot be read."""
    try:
        with closing(pdfium.PdfDocument(file.file)) as pdf:
            return _bookmarks(pdf) or _by_size(pdf, time.process_time() + timeout_s)
    except pdfium.PdfiumError:
        return []


def _bookmarks(pdf: pdfium.PdfDocument) -> list[Heading]:
    found: list[Heading] = []
    for mark in islice(pdf.get_toc(), _MOST):
        text = " ".join(storable(mark.get_title()).split())[:_LONG]
        dest = mark.get_dest()
        at = dest.get_index() if dest else None
        if text and at is not None and at >= 0:
            found.append((mark.level, text, at + 1))
    return found


def _by_size(pdf: pdfium.PdfDocument, end: float) -> list[Heading]:
    sizes: Counter[float] = Counter()  # characters by size
    lines: list[tuple[float, str, int]] = []
    for index in range(min(len(pdf), _PAGES)):
        if time.process_time() > end:
            break
        page, high = page_of(pdf, index)[0], pdf.get_page_size(index)[1]
        for line in page.lines:
            size = round((line.box.y1 - line.box.y0) * high, 1)
            sizes[size] += line.end - line.start
            lines.append((size, page.text[line.start : line.end].strip(), index + 1))
    body = max(sizes, key=sizes.__getitem__, default=0.0)
    pages = Counter(text for _, text in {(at, text) for _, text, at in lines})
    heads = [one for one in lines if pages[one[1]] < _RUNNING and _may_head(one[1])]
    larger = [round(2 * size) / 2 for size, text, _ in heads if size > _LARGER * body]
    levels = {size: level for level, size in enumerate(sorted(set(larger), reverse=True))}
    numbered = Counter(
        levels[round(2 * size) / 2]
        for size, text, _ in heads
        if size > _LARGER * body and _NUMBERED.match(text)
    ).most_common(1)
    found: list[Heading] = []
    for size, text, at in heads:
        if size > _LARGER * body:
            found.append((levels[round(2 * size) / 2], text, at))
        elif size > _BARELY * body and numbered and numbered[0][1] > 1 and _NUMBERED.match(text):
            found.append((numbered[0][0], text, at))
    return found[:_MOST]


def _may_head(text: str) -> bool:
    """Return whether a line may be a heading by its words: no cells, sentence, or items."""
    words = len(text) <= _SHORT and re.match(r"[\w§].*?[^\W\d_]{2}", text)
    return bool(words) and "  " not in text and text[-1] not in ".,;:"
