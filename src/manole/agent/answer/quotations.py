"""Verbatim quotations shown below the answer that the model wrote.

A small model's answer is short and may be wrong; the deciding sentences below it let the reader
check it at a glance, and have the answer where the model missed it. Their number depends on the
question: a fact needs one or two, an explanation more.
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
LEAST = 0.8  # share of the best sentence's weight, as for what is marked (`selection.py`)
SAID = 0.75  # share of a sentence's words in the answer from which it is not repeated


@dataclass(frozen=True, slots=True)
class Quotation:
    """A sentence or few lines of extract `[n]`, with its weight (`selection.py`)."""

    n: int
    line: int
    text: str
    weight: float

    def __str__(self) -> str:
        return f"“{' '.join(self.text.split())}” [{self.n}]"


@dataclass(frozen=True, slots=True)
class Quotations:
    """The deciding sentences below an answer. `passages` are those shown, by `[n]`."""

    quoted: Sequence[Quotation]
    passages: Mapping[int, FoundPassage]

    def holders(self) -> Iterator[tuple[FoundPassage, Unit]]:
        """Yield each passage with its quoted sentences."""
        for n, quoted in groupby(self.quoted, key=lambda quotation: quotation.n):
            lines = [
                (text, line)
                for quotation in quoted
                for line, text in enumerate(quotation.text.split("\n"), start=quotation.line)
            ]
            yield self.passages[n], Unit(0, tuple(lines))

    def answer(self, numbers: dict[str, int], words: Words = ENGLISH) -> str:
        """Return the sentences in quotation marks, each a paragraph."""
        return "\n\n".join(map(str, self.quoted))


def quotations(
    kind: Kind, answer: str, weighed: Sequence[Quotation], evidence: Sequence[Evidence]
) -> list[Quotation]:
    """Return the best of `weighed` that are in the evidence and not in the answer, in order."""
    texts = {item.n: item.text for item in evidence}
    there = [q for q in weighed if q.text in texts.get(q.n, "") and is_quotable(q.text)]
    there.sort(key=lambda q: -q.weight)
    least = LEAST * max((q.weight for q in there), default=0.0)
    chosen = [q for q in there if q.weight >= least][: MOST[kind]]
    own = stems(answer)
    fresh = [q for q in chosen if len(stems(q.text) & own) < SAID * len(stems(q.text))]
    return sorted(fresh, key=lambda q: (q.n, q.line))
