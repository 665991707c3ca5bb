"""Verbatim quotations shown below the answer that the model wrote.

A small model's sentence is short and may be wrong; the sentences that decide stand beside it, so
that it can be checked at a glance and the answer is there even where the model missed it. How many
depends on what is asked: one fact needs one or two, an explanation is told in the file's own words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from manole.agent.answer.evidence import Evidence
from manole.agent.answer.guess import Kind
from manole.agent.answer.injection_filter import is_quotable
from manole.agent.answer.units import Unit
from manole.agent.languages import ENGLISH, Words
from manole.text.words import stems
from manole.tools.objects import FoundPassage

MOST: dict[Kind, int] = {
    "lookup": 2, "list": 3, "explain": 4, "compare": 4, "summary": 4, "picture": 2,
}  # fmt: skip
LEAST = 0.8  # of the best sentence's weight
SAID = 0.75  # of a sentence's words in the answer: it need not be said again


@dataclass(frozen=True, slots=True)
class Quotation:
    """A sentence, or few lines, of extract `[n]`, and its weight (`selection.py`)."""

    n: int
    line: int
    text: str
    weight: float

    def __str__(self) -> str:
        return f"“{' '.join(self.text.split())}” [{self.n}]"


@dataclass(frozen=True, slots=True)
class Quotations:
    """Deciding sentences as they stand below an answer. `passages` are shown, by their `[n]`."""

    quoted: Sequence[Quotation]
    passages: Mapping[int, FoundPassage]

    def holders(self) -> Iterator[tuple[FoundPassage, Unit]]:
        """Each passage with the sentences that are quoted of it."""
        for n, quoted in groupby(self.quoted, key=lambda quotation: quotation.n):
            lines = [
                (text, line)
                for quotation in quoted
                for line, text in enumerate(quotation.text.split("\n"), start=quotation.line)
            ]
            yield self.passages[n], Unit(0, tuple(lines))

    def answer(self, numbers: dict[str, int], words: Words = ENGLISH) -> str:
        """The sentences in quotation marks, each a paragraph."""
        return "\n\n".join(map(str, self.quoted))


def quotations(
    kind: Kind, answer: str, weighed: Sequence[Quotation], evidence: Sequence[Evidence]
) -> list[Quotation]:
    """The deciding ones of `weighed` that stand in the evidence and not in the answer, in order."""
    texts = {item.n: item.text for item in evidence}
    there = [q for q in weighed if q.text in texts.get(q.n, "") and is_quotable(q.text)]
    there.sort(key=lambda q: -q.weight)
    least = LEAST * max((q.weight for q in there), default=0.0)
    chosen = [q for q in there if q.weight >= least][: MOST[kind]]
    own = stems(answer)
    fresh = [q for q in chosen if len(stems(q.text) & own) < SAID * len(stems(q.text))]
    return sorted(fresh, key=lambda q: (q.n, q.line))
