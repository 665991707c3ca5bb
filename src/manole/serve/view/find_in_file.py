"""Find in file: every occurrence of the words, in order."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from pydantic import Field

from manole.index.store.protocol import PassageReader
from manole.index.store.records import FileRecord, PassageRecord
from manole.index.view.page_text import joined
from manole.index.view.quotes import Letters, each
from manole.serve.base import Sent
from manole.serve.view.page import SOUGHT
from manole.text.words import fold

MOST = 500  # places of a file; set by hand
_BROKEN = re.compile(r"-\s*\n\s*")  # a word at the end of a line
_GAP = re.compile(r"[\W_]+")


class PlaceItem(Sent):
    """A place of some words; lines are counted on each page, from 1."""

    page: int | None
    line: int
    column: int = Field(description="the first character in that line, from 0")
    quote: str


async def places(
    store: PassageReader, file: FileRecord, words: str, limit: int = MOST
) -> list[PlaceItem]:
    """Return the places of `words`, whatever their case, accents, blanks and line ends."""
    passages = await store.passages(file.id) if file.passages else []
    return await asyncio.to_thread(lambda: list(islice(_each(passages, words), limit)))


def _each(passages: Sequence[PassageRecord], words: str) -> Iterator[PlaceItem]:
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
                line = page.first_line + before
                yield PlaceItem(page=page.number, line=line, column=column, quote=quote)
        left -= len(page.text)
        if left <= 0:
            return


def _plain(text: str) -> str:
    return _GAP.sub(" ", fold(_BROKEN.sub("", text))).strip()
