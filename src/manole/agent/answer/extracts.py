"""Extracts on the screen: the passages shown for a question, and the quotations from them.

A few passages are shown at once, more after a second look; all of them stay. Each is shown whole,
with its deciding sentences marked. Nothing is left out: what may be an instruction to the model is
not given to the model beside a plain sentence (`evidence.py`), but a person sees it in its place,
marked as such.

The deciding sentences are quoted: where they may tell a fact, they are the answer; else they stand
below the one that the model wrote. That is short and may be wrong; the quotations let the reader
check it at a glance, and have the answer where the model missed it. Their number depends on the
question: a fact needs one or two, an explanation more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import groupby
from typing import Literal, Protocol

import numpy as np

from manole.agent.answer.alike import Told
from manole.agent.answer.confidence import is_clear
from manole.agent.answer.evidence import MARKED, Evidence, unmarked
from manole.agent.answer.injection_filter import is_quotable, orders_in
from manole.agent.answer.ranking import Senses, standing_above
from manole.agent.answer.selection import POOL, Look, look
from manole.agent.answer.units import Unit
from manole.agent.answer.wording import day_before, worded
from manole.agent.events import Extract, Source
from manole.agent.languages import ENGLISH, Words
from manole.text.figures import numbers
from manole.text.question import Question
from manole.text.words import stems
from manole.tools.base import INSTEAD, RANKING, TurnState
from manole.tools.objects import FoundPassage

Kind = Literal["lookup", "list", "explain", "compare", "summary", "picture"]  # of answers

FIRST, SHOWN = 3, 5  # passages shown at once, and after the second look: one screen
_BUDGET = 170  # tokens of the evidence that is judged; `confidence.CLEAR` was set with them
MOST: dict[Kind, int] = {  # quotations, by the kind of answer: set by hand
    "lookup": 2, "list": 3, "explain": 4, "compare": 4, "summary": 4, "picture": 2,
}  # fmt: skip
REPEATED = 0.75  # share of a sentence's words in the answer from which it is not quoted: most


class ExtractiveAnswer(Protocol):
    """An answer that code makes from the files' own words: a list, a comparison, a summary."""

    def holders(self) -> Iterable[tuple[FoundPassage, Unit]]:
        """Yield its passages, each with the sentences that it uses."""
        ...

    def answer(self, numbers: dict[str, int], words: Words) -> str:
        """Return its Markdown; `numbers` are the `[n]` by passage id, `words` the language."""
        ...


class Extracts:
    """The passages shown for one question, numbered from `first`.

    `numbers` has the `[n]` of each by its id; `pool` has all that the search found, weighed, `look`
    those of them that are shown.
    """

    def __init__(self, senses: Senses, first: int) -> None:
        self.senses = senses
        self._next = first
        self.numbers: dict[str, int] = {}
        self.before: Told | None = None  # what was told before, and is asked of another thing
        self.pool = self.look = Look([], [], np.zeros(0, np.float32))

    @property
    def passages(self) -> Sequence[FoundPassage]:
        """The passages that search found and that are shown, best first."""
        return self.look.passages

    @property
    def numbered(self) -> dict[int, FoundPassage]:
        """The shown passages by their `[n]`."""
        return {self.numbers[passage.id]: passage for passage in self.passages}

    def take(
        self, question: Question, passages: Sequence[FoundPassage], most: int
    ) -> list[Extract]:
        """Show up to `most` passages in all; return the new ones.

        Those are shown whose sentences fit best, and the one that search found first.
        """
        known = self.numbers
        pool = [p for n, p in enumerate(passages) if n < POOL or p.id in known or p.seen_by]
        if before := self.before:
            there = {passage.id for passage in pool}
            pool += [p for p in before.others if p.id not in there]
        whole = look(question, pool, self.senses)
        self.pool = whole = before.weighed(whole, self.senses) if before else whole
        fresh = [p for p in whole.best_first if p.id not in known][: max(0, most - len(known))]
        first = next((p for p in passages if p.id not in known), None)
        if fresh and first and first not in fresh:  # as a period, say, may have led to it
            fresh[-1] = first
        for passage in fresh:
            self.numbers[passage.id] = self._next
            self._next += 1
        self.look = whole.of(self.numbers)
        new = {p.id for p in fresh}
        return [
            extract(passage, self.numbers[passage.id], self.look.marks(at))
            for at, passage in enumerate(self.look.passages)
            if passage.id in new
        ]

    def add(self, answer: ExtractiveAnswer) -> list[Extract]:
        """Show the passages of an extractive answer; return the new ones."""
        fresh = []
        for passage, unit in answer.holders():
            if passage.id not in self.numbers:
                fresh.append(extract(passage, self._next, [unit]))
                self.numbers[passage.id] = self._next
                self._next += 1
        return fresh

    def sources(self, answer: ExtractiveAnswer) -> list[Source]:
        """Return what each `[n]` of an extractive answer points to."""
        found = (
            Source(
                n=self.numbers[passage.id],
                file=passage.file,
                page=passage.page,
                line=unit.line,
                line_end=unit.line_end,
                quote=unit.text,
            )
            for passage, unit in answer.holders()
        )
        return sorted(found, key=lambda source: source.n)

    def evidence(self, budget: int, codes: frozenset[str] = frozenset()) -> list[Evidence]:
        """Return the deciding sentences of the shown passages, about `budget` tokens of them.

        Where each of the `codes` begins a row, such as that of E07 in a table, these rows are all:
        a small model mixes them up with those beside them.
        """
        numbers = [self.numbers[passage.id] for passage in self.look.passages]
        return (self.look.beginning(codes) or self.look).evidence(budget, numbers)

    def read(self, question: Question, passage: FoundPassage, texts: Sequence[str]) -> list[float]:
        """Return the reader's chance of each of some sentences of a passage."""
        logits = self.senses.read(question.text, [(standing_above(passage), texts)])
        return [1 / (1 + math.exp(-logit)) for logit in logits]

    @property
    def weighed(self) -> list[Quotation]:
        """The sentences of the shown passages with their weights; no headings, no pictures."""
        return [
            Quotation(self.numbers[self.passages[unit.passage].id], unit, weight, chance)
            for unit, weight, chance in zip(
                self.look.units, self.look.scores.tolist(), self.look.chances.tolist(), strict=True
            )
            if unit.says
        ]

    def is_clear(self, question: Question) -> bool:
        """Return whether the shown passages are so clear that no second look is needed.

        They are where a code of the question, such as E07, begins one of their rows.
        """
        begins = self.look.beginning(question.codes) is not None
        return begins or is_clear(self.evidence(_BUDGET))


def ranked(state: TurnState) -> list[FoundPassage]:
    """Return the passages that the tools have found, in the order of the last search."""
    order = {id: at for at, id in enumerate(state.environment.hidden_environment.get(RANKING, ()))}
    found = list(state.environment.objects(FoundPassage))
    found.sort(key=lambda passage: order.get(passage.id, len(order)))
    instead = state.environment.hidden_environment.get(INSTEAD, {})
    stand = (instead.get(passage.id, passage) for passage in found)
    return list({passage.id: passage for passage in reversed([*stand])}.values())[::-1]


def extract(passage: FoundPassage, n: int, deciding: Sequence[Unit]) -> Extract:
    """Return a passage as extract `[n]`."""
    return Extract(
        n=n,
        file=passage.file,
        page=passage.page,
        line=passage.line,
        line_end=passage.line_end,
        headings=[heading for heading in passage.headings if heading],
        text=passage.text,
        marks=places(passage, deciding),
        orders=orders_in(passage.text),
        boxes=[astuple(box) for box in passage.boxes or ()],
    )


def places(passage: FoundPassage, deciding: Sequence[Unit]) -> list[tuple[int, int]]:
    """Return the places of units in a passage's text; the whole line where a piece was changed."""
    lines = passage.text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found: list[tuple[int, int]] = []
    for unit in deciding:
        for piece, number in unit.parts:
            at = min(max(number - passage.line, 0), len(lines) - 1)
            within = lines[at].find(piece)
            begin = starts[at] + max(within, 0)
            end = begin + len(piece) if within >= 0 else starts[at] + len(lines[at])
            if found and begin <= found[-1][1] + 1:
                found[-1] = (found[-1][0], max(end, found[-1][1]))
            else:
                found.append((begin, end))
    return found


@dataclass(frozen=True, slots=True)
class Quotation:
    """A sentence, or a few lines, of extract `[n]`, with its weight (`selection.py`).

    `chance` is the reader's, that it answers.
    """

    n: int
    unit: Unit
    weight: float
    chance: float

    @property
    def text(self) -> str:
        """The lines as in the file."""
        return self.unit.text


@dataclass(frozen=True, slots=True)
class Quotations:
    """The quotations below an answer. `passages` are the shown ones, by `[n]`."""

    quoted: Sequence[Quotation]
    passages: Mapping[int, FoundPassage]

    @property
    def chance(self) -> float:
        """The reader's best chance."""
        return max(quotation.chance for quotation in self.quoted)

    @property
    def best_first(self) -> Quotations:
        """The same with the sentence that weighs most first."""
        return replace(self, quoted=sorted(self.quoted, key=lambda q: -q.weight))

    def holders(self) -> Iterator[tuple[FoundPassage, Unit]]:
        """Yield each passage with its quoted sentences."""
        for n, quoted in groupby(self.quoted, key=lambda quotation: quotation.n):
            yield self.passages[n], Unit(0, tuple(part for q in quoted for part in q.unit.parts))

    def answer(self, numbers: dict[str, int], words: Words = ENGLISH) -> str:
        """Return the sentences in quotation marks, each a paragraph."""
        return "\n\n".join(f"{day}“{said}” [{n}]" for day, said, n in self._told(words))

    def nearest(self, words: Words) -> str:
        """Return the sentences as those that come nearest to an answer, each a line."""
        lines = [words.closest, *[words.close_too] * (len(self.quoted) - 1)]
        return "\n".join(
            line.format(quote=f"{day}{said}", n=n)
            for line, (day, said, n) in zip(lines, self._told(words), strict=True)
        )

    def _told(self, words: Words) -> Iterator[tuple[str, str, int]]:
        """Yield each sentence behind its day, if it has one, and its `[n]`."""
        for quotation in self.quoted:
            passage = self.passages[quotation.n]
            yield day_before(passage, words), worded(passage, quotation.unit), quotation.n


def quotations(
    kind: Kind,
    answer: str,
    weighed: Sequence[Quotation],
    evidence: Sequence[Evidence],
    question: Question,
) -> list[Quotation]:
    """Return the best of `weighed` that are in the evidence and not in the answer, in order.

    Where the best one has a code of the question, only those that have one count; of a table only
    rows with the question's numbers, if it has them. Where a look-up's answer has the best one,
    with its figures, the others add nothing.
    """
    texts = {e.n: _spaced(text for text, _, _ in e.units) for e in evidence}
    there = [q for q in weighed if is_quotable(q.text) and _spaced([q.text]) in texts.get(q.n, "")]
    there.sort(key=lambda q: -q.weight)
    least = MARKED * max((q.weight for q in there), default=0.0)
    chosen = [q for q in there if q.weight >= least]
    if chosen and question.codes & stems(chosen[0].text):
        chosen = [q for q in chosen if question.codes & stems(q.text)]
    if chosen and (named := question.whole.numbers & numbers((best := chosen[0]).text)):
        rows = [q for q in chosen if q.n == best.n and q.unit.row and best.unit.row]
        chosen = [q for q in chosen if q not in rows or named <= numbers(q.text)]
    chosen = chosen[: MOST[kind]]
    own = stems(answer)
    fresh = [q for q in chosen if len(stems(q.text) & own) < REPEATED * len(stems(q.text))]
    answered = (
        kind == "lookup"
        and fresh[:1] != chosen[:1]
        and numbers(unmarked(answer)) <= numbers(chosen[0].text)
    )
    return [] if answered else sorted(fresh, key=lambda q: (q.n, q.unit.line))


def _spaced(texts: Iterable[str]) -> str:
    """Return texts with single spaces between their words."""
    return " ".join(" ".join(texts).split())
