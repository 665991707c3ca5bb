"""The extracts of a question: the first few at once, more after a second look, none taken away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from manole.agent.answer.answerable import is_plain
from manole.agent.answer.evidence import Evidence
from manole.agent.answer.highlights import extract
from manole.agent.answer.quotations import Quotation
from manole.agent.answer.selection import Embed, Look, look
from manole.agent.answer.units import Unit
from manole.agent.events import Extract, Source
from manole.agent.languages import Words
from manole.tools.environment import TurnState
from manole.tools.objects import FoundPassage

FIRST, SHOWN = 3, 5  # passages shown at once, and after the second look
_BUDGET = 170  # tokens by which it is judged whether evidence speaks for itself


class Told(Protocol):
    """What code tells in the files' own words: a list (`listing.py`), a gist, two sides."""

    def holders(self) -> Iterable[tuple[FoundPassage, Unit]]:
        """The passages that hold it, each with what is told of it."""
        ...

    def answer(self, numbers: dict[str, int], words: Words) -> str:
        """It in Markdown; `numbers` are the `[n]` of the passages, by their ids.

        `words` are those of the question's language.
        """
        ...


class Extracts:
    """What is shown for one question, numbered from `first` on."""

    def __init__(self, embed: Embed, first: int) -> None:
        self._embed = embed
        self._next = first
        self._numbers: dict[str, int] = {}
        self._look = Look([], [], np.zeros(0, np.float32))

    @property
    def look(self) -> Look:
        """What is shown by search, taken apart and weighed."""
        return self._look

    @property
    def passages(self) -> Sequence[FoundPassage]:
        """The passages that are shown, best first."""
        return self._look.passages

    def take(
        self, question: str, passages: Sequence[FoundPassage], like: str, most: int
    ) -> list[Extract]:
        """Show `most` passages in all, best first: those that are not shown yet.

        `like` is the sentence that was guessed (`guess.py`).
        """
        fresh = [p for p in passages if p.id not in self._numbers]
        fresh = fresh[: max(0, most - len(self._numbers))]
        for passage in fresh:
            self._numbers[passage.id] = self._next
            self._next += 1
        shown = [p for p in passages if p.id in self._numbers]
        self._look = look(question, shown, self._embed, like=like)
        new = {p.id for p in fresh}
        return [
            extract(passage, self._numbers[passage.id], self._look.marks(at))
            for at, passage in enumerate(self._look.passages)
            if passage.id in new
        ]

    def add(self, told: Told) -> list[Extract]:
        """Show the passages that hold what is told: those that are not shown yet."""
        fresh = []
        for passage, unit in told.holders():
            if passage.id not in self._numbers:
                fresh.append(extract(passage, self._next, [unit]))
                self._numbers[passage.id] = self._next
                self._next += 1
        return fresh

    def sources(self, told: Told) -> list[Source]:
        """What the `[n]` of what is told point to."""
        found = (
            Source(
                n=self._numbers[passage.id],
                file=passage.file,
                page=passage.page,
                line=unit.line,
                line_end=unit.line_end,
                quote=unit.text,
            )
            for passage, unit in told.holders()
        )
        return sorted(found, key=lambda source: source.n)

    @property
    def numbers(self) -> dict[str, int]:
        """The `[n]` of each passage that is shown, by its id."""
        return self._numbers

    def evidence(self, budget: int) -> list[Evidence]:
        """The deciding sentences of what is shown, some `budget` tokens of them."""
        numbers = [self._numbers[passage.id] for passage in self._look.passages]
        return self._look.evidence(budget, numbers)

    @property
    def weighed(self) -> list[Quotation]:
        """What is shown, sentence by sentence, with its weight; headings and pictures are none."""
        return [
            Quotation(self._numbers[self.passages[unit.passage].id], unit.line, text, weight)
            for unit, weight in zip(self._look.units, self._look.scores.tolist(), strict=True)
            for text in [unit.text]
            if unit.says
        ]

    def is_plain(self, question: str) -> bool:
        """Whether what is shown speaks so clearly that no second look is needed."""
        return is_plain(question, self.evidence(_BUDGET))


def ranked(state: TurnState) -> list[FoundPassage]:
    """The passages that the tools have found, in the order of the last search."""
    order = {id: at for at, id in enumerate(state.environment.hidden_environment.ranking)}
    found = list(state.environment.objects(FoundPassage))
    return sorted(found, key=lambda passage: order.get(passage.id, len(order)))
