"""Documents to passages of at most so many tokens, cut where the text itself has joints.

`semantic-text-splitter` finds the joints (headings, paragraphs, lines, sentences, words) and fills
each passage with the largest whole units that fit. It counts tokens again and again while it
looks, which is slow on long texts; those are cut by characters first, at a length that the text's
own tokens suggest, and only pieces that turn out too long are cut again by tokens.

A passage's text is a slice of its page, never changed. What is needed to understand it stands in
`headings`: the chain of headings above it, and for a passage from within a table the table's
header row.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from semantic_text_splitter import MarkdownSplitter, TextSplitter

from manole.documents.formats import DELIMITED
from manole.documents.model import Box, Document, Line, Page, Passage
from manole.models.encode.tokenizing import load_tokenizer

SPECIAL_TOKENS = 2  # [CLS] and [SEP], which the embedder adds
_MARKDOWN = frozenset(
    {"markdown", "docx", "docm", "dotx", "odt", "html", "epub", "rtf", "pptx", "pptm", "ppsx",
     "xlsx", "xlsm", "xls", "ods", "fb2", "doc", "ppt"}
)  # fmt: skip
_SHORT_TEXT = 2_500  # characters; most texts this short are one passage, known after one count
_LONG_TEXT = 4_000  # characters; above, cutting by characters first pays
_BLOCK = 40_000  # characters the library sees at once; its time grows faster than they do
_MAX_CHARS = 4_000  # of a passage: one unbroken string is a single unknown token to BERT
_SAMPLE = 20_000
_HEADING = re.compile(r"^(#{1,6})[ \t]+(\S.*?)[ \t#]*$")
_FENCE = re.compile(r"^[ \t]*(```|~~~)")
_TABLE_RULE = re.compile(r"^\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?)?\s*$")
_MAX_HEADING = 200


class Splitter:
    """Splits documents for one embedder. Not for use from several threads at once."""

    def __init__(self, tokenizer: Path | str, max_tokens: int = 256) -> None:
        """`tokenizer` is a file (`tokenizing.py`); `max_tokens` include special ones."""
        self._tokenizer = load_tokenizer(Path(tokenizer))
        self._capacity = max_tokens - SPECIAL_TOKENS
        self._text = TextSplitter.from_huggingface_tokenizer(self._tokenizer, self._capacity)
        self._markdown = MarkdownSplitter.from_huggingface_tokenizer(
            self._tokenizer, self._capacity
        )
        self._hard = TextSplitter(_MAX_CHARS)

    def split(self, document: Document) -> list[Passage]:
        """The document's passages in reading order. Empty pages give none."""
        passages: list[Passage] = []
        for page in document.pages:
            if page.text.strip():
                passages += self._page(page, document.format)
        return passages

    def count(self, texts: list[str]) -> list[int]:
        """Tokens of each text, without special tokens."""
        encoded = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [len(item.ids) for item in encoded]

    def _page(self, page: Page, format_: str) -> Iterator[Passage]:
        markdown = format_ in _MARKDOWN
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
        fence: str | None = None
        previous = ""
        header: str | None = None
        body = at = 0
        for line in text.split("\n"):
            outline.line_starts.append(at)
            end = at + len(line) + 1
            if markdown:
                mark = _FENCE.match(line)
                if mark and fence in (None, mark[1]):
                    fence = None if fence else mark[1]
                found = None if fence else _HEADING.match(line)
                if found:
                    level = len(found[1])
                    chain = [item for item in chain if item[0] < level]
                    chain.append((level, found[2].strip("*_ ")[:_MAX_HEADING]))
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
        """The chain in force at `start`, with the header row of the table that it is inside of."""
        index = bisect_right(self._places, start) - 1
        chain = self._chains[index] if index >= 0 else ()
        place = bisect_right(self._tables, start, key=lambda table: table[0]) - 1
        if place >= 0 and start < self._tables[place][1]:
            header = self._tables[place][2]
            return (*chain, header) if header else chain
        return chain


def _row(line: str) -> str:
    cells = (cell.strip() for cell in line.strip().strip("|").split("|"))
    return " | ".join(cell for cell in cells if cell)[:_MAX_HEADING]


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Stretches of at most `_BLOCK` characters, cut at the best joint near their end."""
    at = 0
    while len(text) - at > _BLOCK:
        low, high = at + _BLOCK * 3 // 4, at + _BLOCK
        for joint in ("\n\n", "\n", ". ", " "):
            cut = text.rfind(joint, low, high)
            if cut > 0:
                cut += len(joint)
                break
        else:
            cut = high
        yield at, text[at:cut]
        at = cut
    yield at, text[at:]


def _boxes(lines: tuple[Line, ...], start: int, end: int) -> tuple[Box, ...]:
    """Boxes of the lines in a range; lines below each other in one column become one box."""
    boxes: list[Box] = []
    first = max(0, bisect_right(lines, start, key=lambda line: line.start) - 1)
    for line in lines[first:]:
        if line.start >= end:
            break
        if line.end <= start:
            continue
        box = line.box
        if boxes and _below(boxes[-1], box):
            last = boxes[-1]
            box = Box(min(last.x0, box.x0), last.y0, max(last.x1, box.x1), max(last.y1, box.y1))
            boxes[-1] = box
        else:
            boxes.append(box)
    return tuple(boxes)


def _below(upper: Box, lower: Box) -> bool:
    height = lower.y1 - lower.y0
    near = -height <= lower.y0 - upper.y1 <= 1.5 * height
    overlap = min(upper.x1, lower.x1) - max(upper.x0, lower.x0)
    return near and overlap > 0.3 * min(upper.x1 - upper.x0, lower.x1 - lower.x0)
