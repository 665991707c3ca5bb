"""Lists that code makes from the files' own words.

A question for several things is answered with a list from a file (`documents/lists`). A small model
that is asked for all of something names what it was shown, and it is shown sentences. The files
have lists: bullets, rows of a table, headings below one heading. Of the lists that hold a sentence
which weighs nearly the most, the one most like the question is shown item by item, in the file's
own words, over any number of passages. Where there is none, the model answers as usual.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from manole.agent.answer.extracts import Extracts
from manole.agent.answer.ranking import likeness
from manole.agent.answer.selection import Look
from manole.agent.answer.units import Unit
from manole.agent.languages import ENGLISH, Words
from manole.documents.lists import Item, List, lists_of
from manole.index.search.duplicates import Find
from manole.models.encode.embedder import Embedder
from manole.text.question import Question
from manole.tools.base import TurnState
from manole.tools.objects import FoundPassage

FILES = 3  # whose lists are read: those of the best passages
NEAR = 0.9  # share of the best sentence's weight that a sentence of a list must have, by hand
_LEADS = 2  # lines before a list that may announce it
MOST = 30  # items that are shown: a page
_READ = 600  # characters of a list that are embedded, about what the embedder reads at once


async def listed(state: TurnState, question: Question, extracts: Extracts) -> Listing | None:
    """Return the list that is asked for, if the files have it."""
    lists = await listings(state, extracts.passages)
    return await asyncio.to_thread(best, question, extracts.look, lists, state.library.embedder)


@dataclass(frozen=True, slots=True)
class Listing:
    """A list on one page of a file, and the passages of that page."""

    found: List
    passages: Sequence[FoundPassage]

    @property
    def led(self) -> str:
        """The text before it: title, heading, and introduction."""
        return f"{self.passages[0].title or ''} {self.heads}"[:_READ]

    @property
    def heads(self) -> str:
        """Its heading and introduction."""
        return f"{self.found.heading} {self.found.intro}"

    @property
    def is_led(self) -> bool:
        """Whether the introduction announces the list, and so belongs to it."""
        return self.found.intro.endswith((":", "："))

    @property
    def read(self) -> str:
        """The same text with its items, as far as it is compared with a question."""
        items = "; ".join(item.text for item in self.found.items[:_READ])
        return f"{self.led} {items}"[:_READ]

    @property
    def lines(self) -> tuple[int, int]:
        """The first and last line, with what leads to it."""
        return self.found.items[0].line - _LEADS, self.found.items[-1].line_end

    def has(self, passage: FoundPassage, unit: Unit) -> bool:
        """Return whether a unit of a passage stands in it, or is its heading."""
        first, last = self.lines
        own, heading = self.passages[0], self.found.heading
        same = (passage.file, passage.page) == (own.file, own.page)
        inside = unit.line <= last and unit.line_end >= first
        return same and (inside or (bool(heading) and unit.text.strip("# ") == heading))

    def has_item(self, unit: Unit) -> bool:
        """Return whether an item of it is in a unit of its page."""
        return any(unit.line <= item.line <= unit.line_end for item in self.found.items)

    def holder(self, item: Item) -> FoundPassage:
        """Return the passage in which an item begins."""
        before = [p for p in self.passages if p.line <= item.line]
        return before[-1] if before else self.passages[0]

    @property
    def shown(self) -> Sequence[Item]:
        """The items that are shown."""
        return self.found.items[:MOST]

    def holders(self) -> Iterator[tuple[FoundPassage, Unit]]:
        """Return the passages in which the shown items begin, each with its lines of them."""
        held: dict[str, tuple[FoundPassage, list[tuple[str, int]]]] = {}
        for item in self.shown:
            passage = self.holder(item)
            lines = passage.text.split("\n")
            parts = held.setdefault(passage.id, (passage, []))[1]
            parts += [
                (lines[number - passage.line], number)
                for number in range(item.line, item.line_end + 1)
                if number - passage.line < len(lines)
            ]
        return ((passage, Unit(0, tuple(parts))) for passage, parts in held.values() if parts)

    def answer(self, numbers: dict[str, int], words: Words = ENGLISH) -> str:
        """Return the items, each with the `[n]` of its passage, and their number."""
        count = len(self.found.items)
        head = self.found.heading or self.found.intro.rstrip(":")
        lines = [f"{head} ({count}):" if head else words.in_all.format(count=count)]
        lines += [f"- {item.text} [{numbers[self.holder(item).id]}]" for item in self.shown]
        if count > MOST:
            lines.append(words.more_items.format(count=words.number(count - MOST)))
        return "\n".join(lines)


async def around(state: TurnState, passage: FoundPassage, unit: Unit) -> Listing | None:
    """Return the list in which a unit of a passage is an item, if it is in one."""
    lists = await listings(state, [passage])
    return next((one for one in lists if one.has_item(unit)), None)


async def listings(state: TurnState, found: Sequence[FoundPassage]) -> list[Listing]:
    """Return the lists around the passages found (best first), on their pages."""
    files = list(dict.fromkeys(passage.file for passage in found))[:FILES]
    records = [record for record in await state.files() if record.path in files]
    lists: list[Listing] = []
    for record in records:
        whole = [FoundPassage.of(Find(p, 0.0)) for p in await state.library.passages(record)]
        for page, group in groupby(whole, key=lambda passage: passage.page):
            passages = list(group)
            near = [(p.line, p.line_end) for p in found if (p.file, p.page) == (record.path, page)]
            if near:
                lists += _on_page(passages, near)
    return lists


def best(
    question: Question, look: Look, lists: Sequence[Listing], embedder: Embedder
) -> Listing | None:
    """Return the list most like a question, of those that hold one of the heaviest sentences."""
    least = NEAR * float(look.scores.max(initial=0.0))
    heavy = [look.units[at] for at in np.flatnonzero(look.scores >= least).tolist()]
    places = [(look.passages[unit.passage], unit) for unit in heavy]
    known = [one for one in lists if any(one.has(*place) for place in places)]
    if not known:
        return None
    texts = [*(one.read for one in known), *(one.led if one.is_led else "" for one in known)]
    near = likeness(question.text, texts, embedder).tolist()
    liked = [max(pair) for pair in zip(near[: len(known)], near[len(known) :], strict=True)]
    return known[max(range(len(known)), key=liked.__getitem__)]


def _on_page(
    passages: Sequence[FoundPassage], near: Sequence[tuple[int, int]]
) -> Iterator[Listing]:
    """Yield the lists of a page that touch one of these ranges of lines."""
    lines: dict[int, str] = {}
    for passage in passages:
        for number, line in enumerate(passage.text.split("\n"), start=passage.line):
            lines[number] = f"{lines[number]} {line}" if number in lines else line
    first, last = min(lines), max(lines)
    text = "\n".join(lines.get(number, "") for number in range(first, last + 1))
    for one in lists_of(text):
        items = [Item(i.text, i.line + first, i.line_end + first) for i in one.items]
        listing = Listing(List(one.heading, one.intro, tuple(items)), passages)
        begins, ends = listing.lines
        if any(start <= ends and end >= begins for start, end in near):
            yield listing
