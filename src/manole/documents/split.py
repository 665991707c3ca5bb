"""Passages: the parts of a document, of at most so many tokens, cut at boundaries of its text.

`semantic-text-splitter` finds the boundaries (headings, paragraphs, lines, sentences, words) and
fills each passage with the largest whole units that fit. It counts tokens many times while it
searches, which is slow on long texts. So those are cut by characters first, at a length that the
text's tokens suggest, and only pieces that turn out too long are cut again by tokens.

A passage's text is a slice of its page, never changed. Its context is in `headings`: the chain of
headings above it, and for a passage inside a table the table's header row.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from semantic_text_splitter import MarkdownSplitter, TextSplitter

from manole.documents.formats import DELIMITED
from manole.documents.model import Box, Document, Line, Page, Passage
from manole.models.encode.tokenizing import load_tokenizer

SPECIAL_TOKENS = 2  # [CLS] and [SEP], which the embedder adds
MARKDOWN = frozenset(
    {"markdown", "docx", "docm", "dotx", "odt", "html", "epub", "rtf", "pptx", "pptm", "ppsx",
     "xlsx", "xlsm", "xls", "ods", "fb2", "doc", "ppt"}
)  # fmt: skip
_SHORT_TEXT = 2_500  # characters; most shorter texts are one passage, which one count shows
_LONG_TEXT = 4_000  # characters; longer texts are faster to cut by characters first
_BLOCK = 40_000  # characters that the library gets at once; its time grows faster than linearly
_MAX_CHARS = 4_000  # of a passage: one unbroken string is a single unknown token to BERT
_SAMPLE = 20_000  # characters that the length of a token is measured on
_HEADING = re.compile(r"^(#{1,6})[ \t]+(\S.*?)[ \t#]*$")
_FENCE = re.compile(r"^[ \t]*(```|~~~)")
_TABLE_RULE = re.compile(r"^\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?)?\s*$")
_MAX_HEADING = 200  # characters of a heading that are kept


class Splitter:
    """Splits documents for one embedder. Do not use it from several threads at once."""

    def __init__(self, tokenizer: Path | str, max_tokens: int = 256) -> None:
        """`tokenizer` is a file (`tokenizing.py`); `max_tokens` includes the special tokens."""
        self._tokenizer = load_tokenizer(Path(tokenizer))
        self._capacity = max_tokens - SPECIAL_TOKENS
        self._hard = TextSplitter(_MAX_CHARS)

    @cached_property
    def _text(self) -> TextSplitter:
        return TextSplitter.from_huggingface_tokenizer(self._tokenizer, self._capacity)

    @cached_property
    def _markdown(self) -> MarkdownSplitter:
        return MarkdownSplitter.from_huggingface_tokenizer(self._tokenizer, self._capacity)

    def split(self, document: Document) -> list[Passage]:
        """Return the document's passages in reading order. Empty pages give none."""
        pages = (page for page in document.pages if page.text.strip())
        return [passage for page in pages for passage in self._page(page, document.format)]

    def count(self, texts: list[str]) -> list[int]:
        """Return the number of tokens of each text, without special tokens."""
        encoded = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [len(item.ids) for item in encoded]

    def _page(self, page: Page, format_: str) -> Iterator[Passage]:
        markdown = format_ in MARKDOWN
        outline = _Outline.read(page.text, markdown, format_ in DELIMITED)
        line_starts = outline.line_starts
        label = (page.label,) if page.label else ()
        for start, end in self._cut(page.text, markdown):
            yield Passage(
                text=page.text[start:end],
                page=page.number,
                line_start=bisect_right(line_starts, start),
                line_end=bisect_right(line_starts, end - 1),
                start=start,
                end=end,
                headings=label + outline.headings(start),
                boxes=_boxes(page.lines, start, end),
            )

    def _cut(self, text: str, markdown: bool) -> Iterator[tuple[int, int]]:
        if len(text) <= _SHORT_TEXT and self.count([text])[0] <= self._capacity:
            start = len(text) - len(text.lstrip())
            yield start, len(text.rstrip())
            return
        for start, block in _blocks(text):
            if len(block) <= _LONG_TEXT:
                chunks = self._by_tokens(block, markdown)
            else:
                chunks = self._by_chars(block, markdown)
            for at, chunk in chunks:
                yield start + at, start + at + len(chunk)

    def _by_tokens(self, text: str, markdown: bool) -> Iterator[tuple[int, str]]:
        splitter = self._markdown if markdown else self._text
        for at, chunk in splitter.chunk_indices(text):
            if len(chunk) <= _MAX_CHARS:
                yield at, chunk
            else:
                for inner, piece in self._hard.chunk_indices(chunk):
                    yield at + inner, piece

    def _by_chars(self, text: str, markdown: bool) -> Iterator[tuple[int, str]]:
        middle = max(0, len(text) // 2 - _SAMPLE // 2)
        sample = text[middle : middle + _SAMPLE]
        per_token = len(sample) / max(1, self.count([sample])[0])
        # Set by hand: 15 % less, so that few chunks turn out too long and are cut twice.
        capacity = max(32, min(_MAX_CHARS, int(0.85 * per_token * self._capacity)))
        splitter = MarkdownSplitter(capacity) if markdown else TextSplitter(capacity)
        chunks = splitter.chunk_indices(text)
        for (at, chunk), tokens in zip(
            chunks, self.count([chunk for _, chunk in chunks]), strict=True
        ):
            if tokens <= self._capacity:
                yield at, chunk
            else:
                for inner, piece in self._by_tokens(chunk, markdown):
                    yield at + inner, piece


@dataclass(slots=True)
class _Outline:
    """Where a page's lines, headings and table headers stand."""

    line_starts: list[int] = field(default_factory=list)
    _places: list[int] = field(default_factory=list)
    _chains: list[tuple[str, ...]] = field(default_factory=list)
    _tables: list[tuple[int, int, str]] = field(default_factory=list)  # body start, end, header

    @classmethod
    def read(cls, text: str, markdown: bool, table: bool) -> _Outline:
        outline = cls()
        chain: list[tuple[int, str]] = []
        headings = {at: (level, name) for at, level, name in headings_in(text)} if markdown else {}
        previous = ""
        header: str | None = None
        body = at = 0
        for line in text.split("\n"):
            outline.line_starts.append(at)
            end = at + len(line) + 1
            if markdown:
                if found := headings.get(len(outline.line_starts) - 1):
                    chain = [item for item in chain if item[0] < found[0]]
                    chain.append(found)
                    outline._places.append(at)
                    outline._chains.append(tuple(name for _, name in chain))
                if header is None and "|" in previous and _TABLE_RULE.match(line):
                    header, body = _row(previous), end
                elif header is not None and not line.lstrip().startswith("|"):
                    outline._tables.append((body, at, header))
                    header = None
            previous = line
            at = end
        if header is not None:
            outline._tables.append((body, at, header))
        if table:
            first, _, _ = text.partition("\n")
            outline._tables.append((len(first) + 1, len(text) + 1, first.strip()[:_MAX_HEADING]))
        return outline

    def headings(self, start: int) -> tuple[str, ...]:
        """Return the headings above `start`, with the header row if it is inside a table."""
        index = bisect_right(self._places, start) - 1
        chain = self._chains[index] if index >= 0 else ()
        place = bisect_right(self._tables, start, key=lambda table: table[0]) - 1
        if place >= 0 and start < self._tables[place][1]:
            header = self._tables[place][2]
            return (*chain, header) if header else chain
        return chain


def headings_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the headings of a Markdown text: each with its line, from 0, and its level, from 1."""
    fence: str | None = None
    for at, line in enumerate(text.split("\n")):
        mark = _FENCE.match(line)
        if mark and fence in (None, mark[1]):
            fence = None if fence else mark[1]
        if fence is None and (found := _HEADING.match(line)):
            yield at, len(found[1]), found[2].strip("*_ ")[:_MAX_HEADING]


def _row(line: str) -> str:
    cells = (cell.strip() for cell in line.strip().strip("|").split("|"))
    return " | ".join(cell for cell in cells if cell)[:_MAX_HEADING]


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield parts of at most `_BLOCK` characters, cut at the best boundary near their end."""
    at = 0
    while len(text) - at > _BLOCK:
        low, high = at + _BLOCK * 3 // 4, at + _BLOCK
        found = ((text.rfind(mark, low, high), mark) for mark in ("\n\n", "\n", ". ", " "))
        cut = next((place + len(mark) for place, mark in found if place > 0), high)
        yield at, text[at:cut]
        at = cut
    yield at, text[at:]


def _boxes(lines: tuple[Line, ...], start: int, end: int) -> tuple[Box, ...]:
    """Return the boxes of the lines in a range; lines below each other in a column are one box."""
    boxes: list[Box] = []
    first = max(0, bisect_right(lines, start, key=lambda line: line.start) - 1)
    for line in lines[first:]:
        if line.start >= end:
            break
        if line.end <= start:
            continue
        if boxes and _below(boxes[-1], line.box):
            boxes[-1] = Box.around((boxes[-1], line.box))
        else:
            boxes.append(line.box)
    return tuple(boxes)


def _below(upper: Box, lower: Box) -> bool:
    height = lower.y1 - lower.y0
    near = -height <= lower.y0 - upper.y1 <= 1.5 * height
    overlap = min(upper.x1, lower.x1) - max(upper.x0, lower.x0)
    return near and overlap > 0.3 * min(upper.x1 - upper.x0, lower.x1 - lower.x0)
