"""Confidence: whether the evidence answers a question, and how far the answer can be trusted.

A small model that may decline in words declines far too often; one that may not answers from
whatever it is given. Its *probabilities* are better than its words: after the prompt of the answer
it is asked whether the extracts answer the question, and the log odds of "yes" over "no" are read,
not the word. The beginning of the prompt is that of the answer, so it is evaluated once; the check
itself costs some 25 tokens. Nothing else works as well: on 90 questions in everyday words the share
of the question's words in the evidence separated answerable from other questions no better than
chance (area under the curve .51), the odds did (.87). Evidence that the reader finds likely enough
(`models/encode/reader.py`) is not checked.

No single signal separates right answers of a small model from wrong ones. Each is weak: these odds;
how likely the reader finds the extract that the answer is drawn from, a second reading that knows
nothing of the first; how much of the answer is in one sentence. (Asked whether the extracts say
what it answered, the model says yes to a reversed sentence as readily as to the right one.) A
logistic regression weighs them (`benchmarks/confidence.py` fits it and writes `confidence.json`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TypedDict

from manole.agent.answer.draft import messages_for
from manole.agent.answer.evidence import Evidence
from manole.agent.prompts import prompt
from manole.models.chat.protocol import ChatModel, Completion, Message
from manole.text.question import Question
from manole.text.words import stems
from manole.tools.base import Confidence
from manole.tools.objects import FoundPassage

# The log odds from which a question is answered, by model: of the 90 questions 10 of 12
# unanswerable ones are below, and 61 of 77 others above.
YES_BIAS = {"qwen2.5-coder-1.5b-instruct": -0.1}
# The reader's chances from which nothing more is searched for, and from which evidence is not
# checked: of 760 questions over strange documents .80 are answered of those above .5, .88 of those
# above .9. Set by hand.
CLEAR, SURE = 0.5, 0.8
UNLIKELY = 0.5  # probability below which the reranker finds no passage relevant: rather not


async def answerable_odds(
    question: Question, evidence: Sequence[Evidence], model: ChatModel
) -> tuple[float | None, Completion]:
    """Return the model's log odds that the evidence answers the question, and the call's cost.

    The odds are `None` where an engine gives no probabilities. Raises `ModelError`.
    """
    check = Message("user", prompt("answerable.user").template)
    return await model.odds([*messages_for(question.text, evidence), check], slot="answer")


def is_clear(evidence: Sequence[Evidence], least: float = CLEAR) -> bool:
    """Return whether the reader finds it likely enough that the evidence answers."""
    return max((extract.chance for extract in evidence), default=0.0) >= least


def unbiased(odds: float, model: str) -> float:
    """Return the log odds without the model's bias; from 0 on the question is answered."""
    return odds - YES_BIAS.get(model, 0.0)


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
    signals: Mapping[str, float], answer: str, question: Question, evidence: Sequence[Evidence]
) -> dict[str, float]:
    """Return all signals of an answer, with the probability that follows from them."""
    said = [(stated(answer, question, [extract]), extract.chance) for extract in evidence]
    share, chance = max(said, default=(0.0, 0.0))
    known = {**signals, "stated": share, "read": chance}
    return known | {"probability": probability(known)}


def level(chance: float, fitted: Fitted | None = None) -> Confidence:
    """Return the level of a probability."""
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
