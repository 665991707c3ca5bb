"""Compares two things by what the files say about each, differences first.

The guess has a sentence for each side (`guess.py`). Each deciding sentence belongs to the side
whose sentence it resembles more; the best of both are paired by similarity, so that a row of the
table is about one matter. The conclusion is left to the reader, or to the model's text above it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from manole.agent.answer.injection_filter import is_quotable
from manole.agent.answer.selection import WORDS, Embed, Look
from manole.agent.answer.units import Unit, context, context_stems, held
from manole.agent.languages import ENGLISH, Words, words_for
from manole.text.figures import numbers as figures_of
from manole.text.words import stems, words
from manole.tools.objects import FoundPassage

ROWS = 2  # of the table: more are seldom about what is compared
LEAST = 0.8  # of the weight of a side's best sentence, as for quotations (`quotations.py`)
PAIRED = 0.5  # cosine from which two sentences are about one matter, set by hand

Row = tuple[Unit | None, Unit | None]


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
        said = " ".join(unit.text.lstrip("-*• ").replace("|", " ").split())
        return f"{said} [{numbers[self.passages[unit.passage].id]}]"


def sides(question: str, sentences: Sequence[str], look: Look, embed: Embed) -> Sides | None:
    """Return the deciding sentences side by side; `None` where only one side has any."""
    units = [u for u in look.units if u.says and is_quotable(u.text)]
    if len(sentences) != 2 or not units:
        return None
    read = [f"{context(look.passages[u.passage])} {u.text}" for u in units]
    vectors = embed([*sentences, *read])
    near = vectors[2:] @ vectors[:2].T
    names = [_own(sentences[side], sentences[1 - side]) for side in (0, 1)]
    shares = np.array([[_share(own, unit, look) for own in names] for unit in units])
    leaning = (near[:, 0] - near[:, 1]) + WORDS * (shares[:, 0] - shares[:, 1])
    # A guess may resemble all sentences: what counts is how they differ.
    leaning -= np.median(leaning[near.max(axis=1) >= LEAST * near.max()])
    weight = near + WORDS * shares
    chosen: list[list[int]] = []
    for side, own in enumerate((leaning >= 0, leaning < 0)):
        best = sorted(np.flatnonzero(own).tolist(), key=weight[:, side].__getitem__, reverse=True)
        chosen.append([i for i in best[:ROWS] if weight[i, side] >= LEAST * weight[best[0], side]])
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
    question: str, sentences: Sequence[str], rows: Sequence[Row], passages: Sequence[FoundPassage]
) -> tuple[str, str]:
    """Return the names of the sides: from the question, else by heading, title or file."""
    said = [frozenset(_words(sentence)) for sentence in sentences]
    asked = [[w for w in _words(question) if w in said[at] - said[1 - at]] for at in (0, 1)]
    if all(asked):
        return " ".join(dict.fromkeys(asked[0])), " ".join(dict.fromkeys(asked[1]))
    firsts = [next(row[at] for row in rows if row[at]) for at in (0, 1)]
    first = [passages[unit.passage] for unit in firsts if unit]
    for name in (_heading, _title, lambda passage: passage.file):
        one, other = (name(passage).replace("|", " ") for passage in first)
        if one != other:
            return one, other
    called = words_for(question)
    return called.one, called.other


def _words(text: str) -> list[str]:
    return words(text.replace("-", " "))


def _own(sentence: str, other: str) -> frozenset[str]:
    """Return the stems by which one side differs from the other."""
    return stems(sentence) - stems(other)


def _share(own: frozenset[str], unit: Unit, look: Look) -> float:
    """Return the share of these stems that a sentence and its headings have."""
    known = stems(unit.text) | context_stems(look.passages[unit.passage])
    return len(own & known) / len(own) if own else 0.0


def _heading(passage: FoundPassage) -> str:
    return str(next((h for h in reversed(passage.headings) if h), "")) or _title(passage)


def _title(passage: FoundPassage) -> str:
    return str(passage.title or passage.file)
