"""The extracts shown for a question: a few at once, more after a second look; all of them stay."""

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

FIRST, SHOWN = 3, 5  # passages shown at once, and after the second look: one screen
_BUDGET = 170  # tokens of the evidence that is judged; `answerable.PLAIN` was set with them


class Told(Protocol):
    """An answer in the files' own words: a list (`listing.py`), a summary, a comparison."""

    def holders(self) -> Iterable[tuple[FoundPassage, Unit]]:
        """Yield its passages, each with the sentences that are used."""
        ...

    def answer(self, numbers: dict[str, int], words: Words) -> str:
        """Return it in Markdown; `numbers` are the `[n]` by passage id, `words` the language."""
        ...


class Extracts:
    """The passages shown for one question, numbered from `first`.

    `numbers` has the `[n]` of each by its id; `look` has those that search found, weighed.
    """

    def __init__(self, embed: Embed, first: int) -> None:
        self._embed = embed
        self._next = first
        self.numbers: dict[str, int] = {}
        self.look = Look([], [], np.zeros(0, np.float32))

    @property
    def passages(self) -> Sequence[FoundPassage]:
        """The passages that search found and that are shown, best first."""
        return self.look.passages

    def take(
        self, question: str, passages: Sequence[FoundPassage], like: str, most: int
    ) -> list[Extract]:
        """Show up to `most` passages in all, best first; return the new ones.

        `like` is the guessed sentence (`guess.py`).
        """
        fresh = [p for p in passages if p.id not in self.numbers]
        fresh = fresh[: max(0, most - len(self.numbers))]
        for passage in fresh:
            self.numbers[passage.id] = self._next
            self._next += 1
        shown = [p for p in passages if p.id in self.numbers]
        self.look = look(question, shown, self._embed, like=like)
        new = {p.id for p in fresh}
        return [
            extract(passage, self.numbers[passage.id], self.look.marks(at))
            for at, passage in enumerate(self.look.passages)
            if passage.id in new
        ]

    def add(self, told: Told) -> list[Extract]:
        """Show the passages of an answer that code made; return the new ones."""
        fresh = []
        for passage, unit in told.holders():
            if passage.id not in self.numbers:
                fresh.append(extract(passage, self._next, [unit]))
                self.numbers[passage.id] = self._next
                self._next += 1
        return fresh

    def sources(self, told: Told) -> list[Source]:
        """Return what each `[n]` of such an answer points to."""
        found = (
            Source(
                n=self.numbers[passage.id],
                file=passage.file,
                page=passage.page,
                line=unit.line,
                line_end=unit.line_end,
                quote=unit.text,
            )
            for passage, unit in told.holders()
        )
        return sorted(found, key=lambda source: source.n)

    def evidence(self, budget: int) -> list[Evidence]:
        """Return the deciding sentences of what is shown, about `budget` tokens of them."""
        numbers = [self.numbers[passage.id] for passage in self.look.passages]
        return self.look.evidence(budget, numbers)

    @property
    def weighed(self) -> list[Quotation]:
        """The sentences that are shown, with their weights; no headings and pictures."""
        return [
            Quotation(self.numbers[self.passages[unit.passage].id], unit.line, text, weight)
            for unit, weight in zip(self.look.units, self.look.scores.tolist(), strict=True)
            for text in [unit.text]
            if unit.says
        ]

    def is_plain(self, question: str) -> bool:
        """Return whether what is shown is so clear that no second look is needed."""
        return is_plain(question, self.evidence(_BUDGET))


def ranked(state: TurnState) -> list[FoundPassage]:
    """Return the passages that the tools have found, in the order of the last search."""
    order = {id: at for at, id in enumerate(state.environment.hidden_environment.ranking)}
    found = list(state.environment.objects(FoundPassage))
    return sorted(found, key=lambda passage: order.get(passage.id, len(order)))
