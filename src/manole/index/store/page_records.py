"""The pages of a document as the index keeps them, and the embedders of pages.

Each line of a page has a vector of its own: the one vector of a passage loses the three words of a
drawing's label. `search/pages.py` compares them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from manole.documents.model import Document, Page
from manole.index.store.records import FileRecord, PageRecord, Vectors
from manole.models.encode.embedder import Embedder
from manole.text.words import content_words

PAGED = "paged"  # in a file's metadata: how many of its pages are in the index
PAGED_BY = "paged_by"  # "lines", or "sight": of a page embedder that sees
WORDS = 0.7  # weight of a question's words together, set by hand; the whole question has 1
_MOST_LINES, _MOST_CHARS, _MOST_WORDS = 400, 300, 24  # set by hand: a page, a line, a question


class PageEmbedder(Protocol):
    """An embedder that turns a page, or a question, into many unit vectors.

    One that `sees` gets pages as JPEG pictures, and reads nothing else.
    """

    name: str
    dimensions: int
    sees: bool

    def embed(self, pages: Sequence[PageRecord], pictures: Sequence[bytes] = ()) -> list[Vectors]:
        """Return the vectors of each page: float32, (n, dimensions)."""

    def embed_query(self, text: str) -> tuple[Vectors, npt.NDArray[np.float32]]:
        """Return a question's vectors (n × dimensions), and weights (n) that add up to 1."""


class LineEmbedder:
    """A `PageEmbedder` for lines of text, with the embedder of the passages."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = f"lines:{embedder.name}"
        self.dimensions = embedder.dimensions
        self.sees = False

    def embed(self, pages: Sequence[PageRecord], pictures: Sequence[bytes] = ()) -> list[Vectors]:
        """Return one vector for each line."""
        texts = [text for page in pages for text in page.texts]
        vectors = self._embedder.embed(texts)
        ends = np.cumsum([len(page.texts) for page in pages])[:-1]
        return list(np.split(vectors, ends))

    def embed_query(self, text: str) -> tuple[Vectors, npt.NDArray[np.float32]]:
        """Return the vectors of the question and of its content words, with weights."""
        words = list(dict.fromkeys(content_words(text)))[:_MOST_WORDS]
        whole = self._embedder.embed_query(text)[None]
        if not words:
            return whole, np.ones(1, np.float32)
        parts = np.stack([self._embedder.embed_query(word) for word in words])
        weights = np.array([1.0, *[WORDS / len(words)] * len(words)], np.float32)
        return np.concatenate([whole, parts]), weights / weights.sum()


def page_records(file_id: str, document: Document, *, seen: bool = False) -> list[PageRecord]:
    """Return the pages of a document that have lines; of very full ones, the first lines.

    With `seen`, return every page that can be drawn, even without words.
    """
    found = []
    for page in _drawable(document) if seen else document.pages:
        lines = [
            (page.text[line.start : line.end][:_MOST_CHARS], line.box)
            for line in page.lines
            if sum(map(str.isalnum, page.text[line.start : line.end])) >= 2
        ][:_MOST_LINES]
        if lines or seen:
            texts, boxes = tuple(text for text, _ in lines), tuple(box for _, box in lines)
            key = page_id(file_id, page.number)
            found.append(PageRecord(key, file_id, page.number, texts, boxes))
    return found


def paged(count: int, reads: PageEmbedder) -> dict[str, str]:
    """Return the metadata that describe the pages of a file in the index."""
    return {PAGED: str(count), PAGED_BY: "sight" if reads.sees else "lines"}


def lacks_pages(file: FileRecord, reads: PageEmbedder) -> bool:
    """Return whether the index lacks the pages of a file, or has them for another embedder."""
    drawable = file.format == "pdf" or "width" in file.metadata
    return drawable and file.metadata.get(PAGED_BY) != paged(0, reads)[PAGED_BY]


def _drawable(document: Document) -> list[Page]:
    """Return all pages of a PDF, or a picture as one, with or without text."""
    known = {page.number: page for page in document.pages}
    if document.format == "pdf":
        count = int(document.metadata.get("pages", "0"))
        return [known.get(number, Page("", number)) for number in range(1, count + 1)]
    return list(document.pages[:1]) if "width" in document.metadata else []


def page_id(file_id: str, page: int | None) -> str:
    """Return the id of a page."""
    return f"{file_id}:{page or 0}"
