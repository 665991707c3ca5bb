"""The extracts of a clause: the first few at once, more after a second look, none taken away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manole.agent.answering.answerable import is_plain
from manole.agent.answering.evidence import Evidence
from manole.agent.answering.listing import Listing
from manole.agent.answering.quoted import Quotation
from manole.agent.answering.selection import Embed, Look, look
from manole.agent.answering.shown import extract
from manole.agent.answering.units import Unit
from manole.agent.events import Extract
from manole.tools.environment import TurnState
from manole.tools.search import RANKING

FIRST, SHOWN = 3, 5  # passages shown at once, and after the second look
_BUDGET = 170  # tokens by which it is judged whether evidence speaks for itself


class Looks:
    """What is shown for one clause, numbered from `first` on."""

    def __init__(self, embed: Embed, first: int) -> None:
        self._embed = embed
        self._next = first
        self._numbers: dict[str, int] = {}
        self._look = Look([], [], np.zeros(0, np.float32))

    @property
    def passages(self) -> Sequence[dict[str, Any]]:
        """The passages that are shown, best first."""
        return self._look.passages

    def take(
        self, question: str, passages: Sequence[dict[str, Any]], like: str, most: int
    ) -> list[Extract]:
        """Show `most` passages in all, best first: those that are not shown yet.

        `like` is the sentence that was guessed (`guess.py`).
        """
        fresh = [p for p in passages if p["id"] not in self._numbers]
        fresh = fresh[: max(0, most - len(self._numbers))]
        for passage in fresh:
            self._numbers[passage["id"]] = self._next
            self._next += 1
        shown = [p for p in passages if p["id"] in self._numbers]
        self._look = look(question, shown, self._embed, like=like)
        new = {p["id"] for p in fresh}
        return [
            extract(passage, self._numbers[passage["id"]], self._look.marks(at))
            for at, passage in enumerate(self._look.passages)
            if passage["id"] in new
        ]

    def add(self, listing: Listing) -> list[Extract]:
        """Show the passages that hold the items of a list: those that are not shown yet."""
        fresh = []
        for passage, items in listing.holders():
            if passage["id"] in self._numbers:
                continue
            lines = passage["text"].split("\n")
            own = [item for item in items if item.line - passage["line"] < len(lines)]
            marks = Unit(0, tuple((lines[i.line - passage["line"]], i.line) for i in own))
            fresh.append(extract(passage, self._next, [marks]))
            self._numbers[passage["id"]] = self._next
            self._next += 1
        return fresh

    @property
    def numbers(self) -> dict[str, int]:
        """The `[n]` of each passage that is shown, by its id."""
        return self._numbers

    def evidence(self, budget: int) -> list[Evidence]:
        """The deciding sentences of what is shown, some `budget` tokens of them."""
        numbers = [self._numbers[passage["id"]] for passage in self._look.passages]
        return self._look.evidence(budget, numbers)

    @property
    def weighed(self) -> list[Quotation]:
        """What is shown, sentence by sentence, with its weight."""
        return [
            Quotation(self._numbers[self.passages[unit.passage]["id"]], unit.line, text, weight)
            for unit, weight in zip(self._look.units, self._look.scores.tolist(), strict=True)
            for text in [unit.text]
        ]

    def is_plain(self, question: str) -> bool:
        """Whether what is shown speaks so clearly that no second look is needed."""
        return is_plain(question, self.evidence(_BUDGET))


def ranked(state: TurnState) -> list[dict[str, Any]]:
    """The passages that the tools have found, in the order of the last search."""
    order = {id: at for at, id in enumerate(state.environment.hidden_environment.get(RANKING, ()))}
    found = list(state.environment.objects("passage"))
    return sorted(found, key=lambda passage: order.get(passage["id"], len(order)))
