"""Finds sources that contradict each other; both are shown and nothing is averaged.

A contract says that the rent is 980 euros, a later letter says 1,025. The model answers with one
of them. Code then looks for a sentence of another file that has as many of the question's words as
the cited one, and another figure of the same kind; it is quoted below the answer. The kinds are
amounts of money, percentages, days, times, and counts of one unit (months).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from manole.agent.answer.evidence import Evidence
from manole.agent.languages import ENGLISH, Words
from manole.text.figures import Figure, Known
from manole.text.figures import figures as written
from manole.text.words import has_digit, stem, stems, words

ENOUGH = 0.75  # share of the question's content words in a sentence that may contradict another
_SIGN = r"(?:€|\$|£|\b(?:eur|usd|gbp|chf)\b|\b(?:euros?|dollars?|pounds?|francs?)\b)"
_BEFORE = re.compile(rf"{_SIGN}\s?$", re.IGNORECASE)
_AFTER = re.compile(
    rf"\s?(?:(?P<money>{_SIGN})|(?P<percent>%|per\s?cent\b))|[\s-](?P<unit>[^\W\d_]{{3,}})",
    re.IGNORECASE,
)
_NEAR = 12  # characters around a figure that decide its kind: the longest are "per cent" and so on


@dataclass(frozen=True, slots=True)
class Conflict:
    """A sentence of another file that gives another figure; `n` is its extract's number."""

    n: int
    file: str
    quote: str

    def told(self, words: Words = ENGLISH) -> str:
        """Return the conflict as a sentence."""
        name = self.file.rsplit("/", 1)[-1]
        return words.conflict.format(file=name, quote=" ".join(self.quote.split()), n=self.n)


def conflict(
    question: str, answer: str, cited: Sequence[int], evidence: Sequence[Evidence]
) -> Conflict | None:
    """Return the extract that contradicts `answer`, if any. `cited` are those of the answer.

    Only an answer with one figure that the question does not have can be contradicted.
    """
    spoken = Known.of([question])
    given = [(k, f) for k, f in figures(answer) if not spoken.holds(f)]
    asked = stems(question)
    own = [e for e in evidence if e.n in cited]
    if len({(k, f.readings) for k, f in given}) != 1 or not asked or not own:
        return None
    kind, figure = given[0]
    files = {e.file for e in own}
    exact = {word for word in asked if has_digit(word)}  # a year that is asked for
    cover = max((_covered(asked, e.quote(answer)[0]) for e in own), default=0.0)
    for other in evidence:
        if other.file in files:
            continue
        for text in _sentences(other):
            rivals = [f for k, f in figures(text) if k == kind]
            same = any({*rival.readings} & {*figure.readings} for rival in rivals)
            if not rivals or same or not exact <= stems(f"{other.label} {text}"):
                continue
            if _covered(asked, text) >= max(ENOUGH, cover):
                return Conflict(other.n, other.file, text)
    return None


def figures(text: str) -> Iterator[tuple[str, Figure]]:
    """Yield the figures of a text with their kinds: "money", "percent", "day", "time", a unit."""
    for figure in written(text):
        after = _AFTER.match(text, figure.end, figure.end + 4 * _NEAR)
        if figure.day is not None and not figure.text.isdigit():
            if figure.day.day is not None:
                yield "day", figure
        elif ":" in figure.readings[0]:
            yield "time", figure
        elif (after and after["money"]) or _BEFORE.search(
            text, max(0, figure.start - _NEAR), figure.start
        ):
            yield "money", figure
        elif after:
            yield "percent" if after["percent"] else stem(words(after["unit"])[0]), figure


def _covered(asked: frozenset[str], text: str) -> float:
    return len(asked & stems(text)) / len(asked)


def _sentences(item: Evidence) -> list[str]:
    return [text for text, _, _ in item.units] or [item.text]
