"""How far an answer can be trusted: one probability from all that speaks for it.

No single sign tells a right answer of a small model from a wrong one. Each is weak: whether the
extracts answer the question, in the model's log odds; how many of its words they hold together;
how much of the answer stands in one sentence. (Asked whether the extracts say what it answered, the
model says yes to a sentence turned around as readily as to the right one.) A logistic regression
weighs them (`benchmarks/confidence.py` fits it; `confidence.json` is what it wrote). "High"
has to be right 19 times of 20 there, "medium" 3 times of 4, and the rest is low: to be checked.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Literal, TypedDict

from manole.agent.answer.evidence import Evidence
from manole.agent.answer.selection import coverage
from manole.text.words import stems
from manole.tools.objects import FoundPassage

Confidence = Literal["high", "medium", "low"]
UNLIKELY = 0.5  # by then the reranker rather takes each passage for one that does not answer


class Fitted(TypedDict):
    """What the regression came to, and the probabilities from which levels begin."""

    intercept: float
    weights: dict[str, float]
    usual_odds: float
    high: float
    medium: float


def probability(signals: Mapping[str, float], fitted: Fitted | None = None) -> float:
    """That an answer is right, 0 to 1; by default as `confidence.json` has it `fitted`."""
    fitted = fitted or _fitted()
    # Evidence that speaks for itself is not asked about, and an engine may tell no odds.
    known = {"odds": fitted["usual_odds"], **signals}
    total = sum(weight * known[name] for name, weight in fitted["weights"].items())
    return 1 / (1 + math.exp(-total - fitted["intercept"]))


def weighed(
    signals: Mapping[str, float], answer: str, question: str, evidence: Sequence[Evidence]
) -> dict[str, float]:
    """All that speaks for an answer, with the probability that it comes to."""
    known = {
        **signals,
        "coverage": coverage(question, evidence),
        "stated": stated(answer, question, evidence),
    }
    return known | {"probability": probability(known)}


def level(chance: float, fitted: Fitted | None = None) -> Confidence:
    """What a probability is called."""
    fitted = fitted or _fitted()
    return "high" if chance >= fitted["high"] else "medium" if chance >= fitted["medium"] else "low"


def relevance(passages: Iterable[FoundPassage]) -> float | None:
    """How likely one of the passages shown answers, says a reranker; `None` if it did not read all.

    It is no part of the regression, which was fitted without: below `UNLIKELY` an answer is low.
    """
    told = [passage.relevance for passage in passages]
    known = [value for value in told if value is not None]
    return max(known) if known and len(known) == len(told) else None


def stated(answer: str, question: str, evidence: Sequence[Evidence]) -> float:
    """The largest share of an answer's own words that stand in one sentence; 1 without any."""
    own = stems(answer) - stems(question)
    units = (text for item in evidence for text, _, _ in item.units)
    return max((len(own & stems(text)) / len(own) for text in units), default=0.0) if own else 1.0


@cache
def _fitted() -> Fitted:
    fitted: Fitted = json.loads(files(__package__).joinpath("confidence.json").read_text("utf-8"))
    return fitted
