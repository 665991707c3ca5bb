"""Estimates how far an answer can be trusted: one probability from several signals.

No single signal separates right answers of a small model from wrong ones. Each is weak: whether the
extracts answer the question, in the model's log odds; how many of its words one of them has; how
much of the answer is in one sentence. (Asked whether the extracts say what it answered, the model
says yes to a reversed sentence as readily as to the right one.) A logistic regression weighs them
(`benchmarks/confidence.py` fits it and writes `confidence.json`). There "high" is right 19 times of
20, "medium" 3 times of 4; the rest is low and should be checked.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TypedDict

from manole.agent.answer.evidence import Evidence
from manole.agent.answer.selection import coverage
from manole.text.words import stems
from manole.tools.base import Confidence
from manole.tools.objects import FoundPassage

UNLIKELY = 0.5  # probability below which the reranker finds no passage relevant


class Fitted(TypedDict):
    """The result of the regression, and the probabilities from which levels begin."""

    intercept: float
    weights: dict[str, float]
    usual_odds: float
    high: float
    medium: float


def probability(signals: Mapping[str, float], fitted: Fitted | None = None) -> float:
    """Return the probability that an answer is right; `fitted` is by default `confidence.json`."""
    fitted = fitted or _fitted()
    # Clear evidence is not checked, and an engine may give no odds.
    known = {"odds": fitted["usual_odds"], **signals}
    total = sum(weight * known[name] for name, weight in fitted["weights"].items())
    return 1 / (1 + math.exp(-total - fitted["intercept"]))


def weighed(
    signals: Mapping[str, float], answer: str, question: str, evidence: Sequence[Evidence]
) -> dict[str, float]:
    """Return all signals of an answer, with the probability that follows."""
    known = {
        **signals,
        "coverage": coverage(question, evidence),
        "stated": stated(answer, question, evidence),
    }
    return known | {"probability": probability(known)}


def level(chance: float, fitted: Fitted | None = None) -> Confidence:
    """Return the level of a probability."""
    fitted = fitted or _fitted()
    return "high" if chance >= fitted["high"] else "medium" if chance >= fitted["medium"] else "low"


def relevance(passages: Iterable[FoundPassage]) -> float | None:
    """Return the best relevance by a reranker; `None` unless it scored all passages.

    It is no part of the regression, which was fitted without it: below `UNLIKELY` an answer is low.
    """
    told = [passage.relevance for passage in passages]
    known = [value for value in told if value is not None]
    return max(known) if known and len(known) == len(told) else None


def stated(answer: str, question: str, evidence: Sequence[Evidence]) -> float:
    """Return the largest share of an answer's new words in one sentence; 1 without any."""
    own = stems(answer) - stems(question)
    units = (text for item in evidence for text, _, _ in item.units)
    return max((len(own & stems(text)) / len(own) for text in units), default=0.0) if own else 1.0


@cache
def _fitted() -> Fitted:
    fitted: Fitted = json.loads(files(__package__).joinpath("confidence.json").read_text("utf-8"))
    return fitted
