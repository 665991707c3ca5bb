"""Find in file: every occurrence of the words, in order."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from manole.index.store.protocol import PassageReader
from manole.index.store.records import FileRecord, PassageRecord
from manole.index.view.file_view import SOUGHT
from manole.index.view.page_text import joined
from manole.index.view.quotes import Letters, each
from manole.text.words import fold

MOST = 500  # places of a file; set by hand
_BROKEN = re.compile(r"-\s*\n\s*")  # a word at the end of a line
_GAP = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Place:
    """An occurrence: its page, its line on the page from 1, and the words as they stand there.

    `column` is their first character in that line, from 0.
    """

    page: int | None
    line: int
    quote: str
    column: int


async def places(
    store: PassageReader, file: FileRecord, words: str, limit: int = MOST
) -> list[Place]:
    """Return the places of `words`, whatever their case, accents, blanks and line ends."""
    passages = await store.passages(file.id) if file.passages else []
    return await asyncio.to_thread(lambda: list(islice(_each(passages, words), limit)))


def _each(passages: Sequence[PassageRecord], words: str) -> Iterator[Place]:
    wanted, plain = Letters(words).text, _plain(words)
    left = SOUGHT
    for page in joined(passages):
        letters = Letters(page.text[:left])
        reached = -1
        for at in each(wanted, letters.text):
            first, last = letters.word(at, at + len(wanted))
            quote = letters.source[first:last]
            # At the beginning of a word, and no word that others make up: "the end" is no "then".
            if first > reached and _plain(quote).startswith(plain):
                reached = first
                before = page.text.count("\n", 0, first)
                column = first - (page.text.rfind("\n", 0, first) + 1)
                yield Place(page.number, page.first_line + before, quote, column)
        left -= len(page.text)
        if left <= 0:
            return


def _plain(text: str) -> str:
    return _GAP.sub(" ", fold(_BROKEN.sub("", text))).strip()
