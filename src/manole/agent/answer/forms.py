"""Answers that code makes from the files' own words: a list, the sides of a comparison.

A question for several things is answered with a list from a file (`documents/lists`). A small model
that is asked for all of something names what it was shown, and it is shown sentences. The files
have lists: bullets, rows of a table, headings below one heading. Of the lists that hold a sentence
which weighs nearly the most, the one most like the question is shown item by item, in the file's
own words, over any number of passages. Where there is none, the model answers as usual.

Two things are compared by what the files say about each, differences first. The guess has a
sentence for each side (`guess.py`). Each deciding sentence belongs to the side whose sentence it
resembles more; the best of both are paired by similarity, so that a row of the table is about one
matter, and each side speaks of one file. The conclusion is left to the reader, or to the model's
text above it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from manole.agent.answer.evidence import MARKED
from manole.agent.answer.extracts import ExtractiveAnswer, Extracts
from manole.agent.answer.guess import Guess
from manole.agent.answer.injection_filter import is_quotable
from manole.agent.answer.ranking import context, context_stems, likeness
from manole.agent.answer.selection import Look, held
from manole.agent.answer.units import Unit
from manole.agent.answer.wording import worded
from manole.agent.languages import ENGLISH, Words, words_of
from manole.documents.lists import Item, List, lists_of
from manole.index.search.duplicates import Find
from manole.models.encode.embedder import Embed, Embedder
from manole.text.figures import numbers as figures_of
from manole.text.question import Question
from manole.text.words import stems, words
from manole.tools.base import TurnState
from manole.tools.objects import FoundPassage

FILES = 3  # whose lists are read: those of the best passages
NEAR = 0.9  # share of the best sentence's weight that a sentence of a list must have, by hand
_LEADS = 2  # lines before a list that may announce it
MOST = 30  # items that are shown: a page
_READ = 600  # characters of a list that are embedded, about what the embedder reads at once
ROWS = 2  # of a comparison: more are seldom about what is compared
_WORDS = 0.4  # weight of shared words beside meaning, by hand
PAIRED = 0.5  # cosine from which two sentences are about one matter, set by hand

Row = tuple[Unit | None, Unit | None]


async def form(
    state: TurnState, question: Question, guess: Guess, extracts: Extracts
) -> ExtractiveAnswer | None:
    """Return the list or the comparison that is asked for, if the files have it."""
    embedder = state.library.embedder
    if guess.kind == "list":
        lists = await listings(state, extracts.passages)
        return await asyncio.to_thread(best, question, guess.text, extracts.look, lists, embedder)
    if guess.kind == "compare":
        return await asyncio.to_thread(
            sides, question, guess.sentences, extracts.look, embedder.embed
        )
    return None


@dataclass(frozen=True, slots=True)
class Listing:
    """A list on one page of a file, and the passages of that page."""

    found: List
    passages: Sequence[FoundPassage]

    @property
    def led(self) -> str:
        """The text before it: title, heading, and introduction."""
        return f"{self.passages[0].title or ''} {self.found.heading} {self.found.intro}"[:_READ]

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
    question: Question, like: str, look: Look, lists: Sequence[Listing], embedder: Embedder
) -> Listing | None:
    """Return the list most like a question, of those that hold one of the heaviest sentences."""
    least = NEAR * float(look.scores.max(initial=0.0))
    heavy = [look.units[at] for at in np.flatnonzero(look.scores >= least).tolist()]
    places = [(look.passages[unit.passage], unit) for unit in heavy]
    known = [one for one in lists if any(one.has(*place) for place in places)]
    if not known:
        return None
    texts = [*(one.read for one in known), *(one.led if one.is_led else "" for one in known)]
    near = likeness(question.text, like, texts, embedder).tolist()
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


@dataclass(frozen=True, slots=True)
class Sides:
    """The names of the two sides, and the rows of their table."""

    names: tuple[str, str]
    rows: Sequence[Row]
    passages: Sequence[FoundPassage]

    def holders(self) -> Iterator[tuple[FoundPassage, Unit]]:
        """Yield each passage with its sentences."""
        return held((unit for row in self.rows for unit in row if unit), self.passages)

    def answer(self, numbers: dict[str, int], words: Words = ENGLISH) -> str:
        """Return the table in Markdown, each cell with the `[n]` of its passage."""
        lines = [self.names, ("---", "---")]
        lines += [
            (self._cell(one, numbers), self._cell(other, numbers)) for one, other in self.rows
        ]
        return "\n".join(f"| {left} | {right} |" for left, right in lines)

    def _cell(self, unit: Unit | None, numbers: dict[str, int]) -> str:
        if unit is None:
            return "–"
        passage = self.passages[unit.passage]
        return f"{worded(passage, unit).replace('|', ' ')} [{numbers[passage.id]}]"


def sides(question: Question, sentences: Sequence[str], look: Look, embed: Embed) -> Sides | None:
    """Return the deciding sentences side by side; `None` where a side has none."""
    units = [u for u in look.units if u.says and is_quotable(u.text)]
    if len(sentences) != 2 or not units:
        return None
    read = [f"{context(look.passages[u.passage])} {u.text}" for u in units]
    vectors = embed([*sentences, *read])
    files = [look.passages[unit.passage].file for unit in units]
    near = vectors[2:] @ vectors[:2].T
    names = [_own(sentences[side], sentences[1 - side]) for side in (0, 1)]
    shares = np.array([[_share(own, unit, look) for own in names] for unit in units])
    leaning = (near[:, 0] - near[:, 1]) + _WORDS * (shares[:, 0] - shares[:, 1])
    # A guess may resemble all sentences: what counts is how they differ.
    leaning -= np.median(leaning[near.max(axis=1) >= MARKED * near.max()])
    weight = near + _WORDS * shares
    chosen: list[list[int]] = []
    for side, own in enumerate((leaning >= 0, leaning < 0)):
        best = sorted(np.flatnonzero(own).tolist(), key=weight[:, side].__getitem__, reverse=True)
        near_best = (i for i in best if weight[i, side] >= MARKED * weight[best[0], side])
        chosen.append([i for i in near_best if files[i] == files[best[0]]][:ROWS])
    if not all(chosen):
        return None
    like = vectors[2:] @ vectors[2:].T
    rows = [
        (units[one] if one is not None else None, units[other] if other is not None else None)
        for one, other in _paired(chosen[0], chosen[1], like)
    ]
    return Sides(
        _names(question, sentences, rows, look.passages), sorted(rows, key=_alike), look.passages
    )


def _paired(
    ones: Sequence[int], others: Sequence[int], like: np.ndarray
) -> Iterator[tuple[int | None, int | None]]:
    """Yield the most similar pairs, then single ones; the best two are always a pair."""
    left, right = list(ones), list(others)
    pairs = sorted(((like[a, b], a, b) for a in left for b in right), reverse=True)
    made = 0
    for near, a, b in pairs:
        if a in left and b in right and (near >= PAIRED or not made):
            left.remove(a)
            right.remove(b)
            made += 1
            yield a, b
    yield from ((a, None) for a in left)
    yield from ((None, b) for b in right)


def _alike(row: Row) -> int:
    """Return 0 where the sides of a row differ, 1 where they are equal, 2 for one side."""
    one, other = row
    if one is None or other is None:
        return 2
    same = stems(one.text) == stems(other.text) and figures_of(one.text) == figures_of(other.text)
    return int(same)


def _names(
    question: Question, said: Sequence[str], rows: Sequence[Row], passages: Sequence[FoundPassage]
) -> tuple[str, str]:
    """Return the names of the sides: from the question, else their heading, title or file."""
    own = [frozenset(_words(sentence)) for sentence in said]
    asked = [[w for w in _words(question.text) if w in own[at] - own[1 - at]] for at in (0, 1)]
    if all(asked):
        return " ".join(dict.fromkeys(asked[0])), " ".join(dict.fromkeys(asked[1]))
    firsts = [next(row[at] for row in rows if row[at]) for at in (0, 1)]
    first = [passages[unit.passage] for unit in firsts if unit]
    for name in (_heading, _title, lambda passage: passage.file):
        one, other = (name(passage).replace("|", " ") for passage in first)
        if one != other:
            return one, other
    called = words_of(question.language)
    return called.one, called.other


def _words(text: str) -> list[str]:
    return words(text.replace("-", " "))


def _own(sentence: str, other: str) -> frozenset[str]:
    """Return the stems by which one side differs from the other."""
    return stems(sentence) - stems(other)


def _share(own: frozenset[str], unit: Unit, look: Look) -> float:
    """Return the share of the stems `own` that a sentence and its headings have."""
    known = stems(unit.text) | context_stems(look.passages[unit.passage])
    return len(own & known) / len(own) if own else 0.0


def _heading(passage: FoundPassage) -> str:
    return str(next((h for h in reversed(passage.headings) if h), "")) or _title(passage)


def _title(passage: FoundPassage) -> str:
    return str(passage.title or passage.file)
