"""Confidence: whether the evidence answers a question, and how far the answer can be trusted.

Two readings that know nothing of each other are compared. The reader (`models/encode/reader.py`),
taught with look-alikes, says how likely each sentence answers; the large model writes from those
that are shown. Evidence of which the reader finds nothing possible is declined before the model
reads a word. Asked itself whether extracts answer a question, the model tells an answer from a
look-alike no better than chance (area under the curve .48 of 124 questions over strange documents,
the reader's chance .70; of 48 everyday questions .78 and .89), and it says yes to a reversed
sentence as readily as to the right one.

How sure an answer is comes from how likely the reader finds the extract that it is drawn from, and
how much of it is in one sentence: a logistic regression weighs them (`benchmarks/confidence.py`
fits it and writes `confidence.json`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TypedDict

from manole.agent.answer.evidence import Evidence
from manole.text.question import Question
from manole.text.words import stems
from manole.tools.base import Confidence
from manole.tools.objects import FoundPassage

# The chances of the best sentence from which nothing more is searched for, from which a fact is
# told and below which it is declined, and from which the nearest sentence is quoted. Of 506
# questions of six sets 65 were below .25: 7 were told by it, and 41 have no answer.
CLEAR, POSSIBLE, NEAR = 0.4, 0.25, 0.1
UNLIKELY = 0.5  # probability below which the reranker finds no passage relevant: rather not


def is_clear(evidence: Sequence[Evidence], least: float = CLEAR) -> bool:
    """Return whether the reader finds it likely enough that the evidence answers."""
    return max((extract.chance or 0.0 for extract in evidence), default=0.0) >= least


class Fitted(TypedDict):
    """The result of the regression, and the probabilities from which levels begin."""

    intercept: float
    weights: dict[str, float]
    high: float
    medium: float


def probability(signals: Mapping[str, float], fitted: Fitted | None = None) -> float:
    """Return the probability that an answer is right, by what is shipped or another regression."""
    fitted = fitted or _fitted()
    total = sum(weight * signals[name] for name, weight in fitted["weights"].items())
    return 1 / (1 + math.exp(-total - fitted["intercept"]))


def weighed(answer: str, question: Question, evidence: Sequence[Evidence]) -> dict[str, float]:
    """Return the signals of an answer, with the probability that follows from them."""
    said = [(stated(answer, question, [e]), e.chance or 0.0) for e in evidence]
    share, chance = max(said, default=(0.0, 0.0))
    return told(chance, share)


def told(chance: float, stated: float = 1.0) -> dict[str, float]:
    """Return the signals of an answer of which so much is stated in a sentence of this chance."""
    known = {"stated": stated, "read": chance}
    return known | {"probability": probability(known)}


def level(chance: float, fitted: Fitted | None = None) -> Confidence:
    """Return the level of a probability, by what is shipped or another regression."""
    fitted = fitted or _fitted()
    return "high" if chance >= fitted["high"] else "medium" if chance >= fitted["medium"] else "low"


def relevance(passages: Iterable[FoundPassage]) -> float | None:
    """Return the best relevance that a reranker gave; `None` unless it scored all passages.

    It is no part of the regression, which was fitted without it: below `UNLIKELY` an answer is low.
    """
    scores = [passage.relevance for passage in passages]
    known = [value for value in scores if value is not None]
    return max(known) if known and len(known) == len(scores) else None


def stated(answer: str, question: Question, evidence: Sequence[Evidence]) -> float:
    """Return the largest share of an answer's new words in one sentence; 1 without any."""
    own = stems(answer) - question.stems
    units = (text for item in evidence for text, _, _ in item.units)
    return max((len(own & stems(text)) / len(own) for text in units), default=0.0) if own else 1.0


@cache
def _fitted() -> Fitted:
    fitted: Fitted = json.loads(files(__package__).joinpath("confidence.json").read_text("utf-8"))
    return fitted
