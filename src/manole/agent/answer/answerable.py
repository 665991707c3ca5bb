"""Whether the evidence answers the question: asked of the model, judged by code.

A small model that may decline in words declines far too often, one that may not answers from
whatever it is given. Its *probabilities* are better than its words: after the very prompt of the
answer it is asked whether the extracts answer the question, and the log odds of "yes" over "no"
are read, not the word. The prompt's beginning is shared with the answer's, so that it is evaluated
once; the check itself costs some 25 tokens.

Nothing else decides: on 90 questions in everyday words the share of the question's words that the
evidence holds told answerable ones from others no better than chance (area under the curve .51),
the odds did (.87). Only evidence that speaks for itself is not asked about.
"""

from __future__ import annotations

from collections.abc import Sequence

from manole.agent.answer.draft import messages_for
from manole.agent.answer.evidence import Evidence
from manole.agent.answer.selection import coverage, support
from manole.agent.prompts import prompt
from manole.models.chat.protocol import ChatModel, Completion, Message

# The log odds of each model from which a question is answered: of the 90 questions 10 of 12 that
# nothing answers lie below, and 61 of 77 others above.
YES_BIAS = {"qwen2.5-coder-1.5b-instruct": -0.1}
SUPPORT_WEIGHT, COVERAGE_WEIGHT = 0.5, 1.0
USUAL_SUPPORT, USUAL_COVERAGE = 1.0, 0.6
# Evidence that speaks this clearly is not asked about: half of the answerable questions reach it,
# 1 of 30 unanswerable ones. It saves the check's second before the first word.
PLAIN = 0.25


async def asked(
    question: str, evidence: Sequence[Evidence], model: ChatModel
) -> tuple[float | None, Completion]:
    """The log odds of "yes" that `model` gives, and what asking cost. Raises `ModelError`.

    `None` where an engine does not tell its probabilities.
    """
    check = Message("user", prompt("answerable.user").template)
    return await model.odds([*messages_for(question, evidence), check], slot="answer")


def is_plain(question: str, evidence: Sequence[Evidence]) -> bool:
    """Whether the evidence speaks so clearly that nobody need be asked."""
    return speaks(question, evidence) >= PLAIN


def leaning(odds: float, model: str) -> float:
    """Above 0 the question is answered; `odds` are the log odds of yes that `model` gave."""
    return odds - YES_BIAS.get(model, 0.0)


def speaks(question: str, evidence: Sequence[Evidence]) -> float:
    """What the evidence alone says for answering, in log odds: 0 where it is as usual."""
    backed, covered = support(question, evidence), coverage(question, evidence)
    return SUPPORT_WEIGHT * (backed - USUAL_SUPPORT) + COVERAGE_WEIGHT * (covered - USUAL_COVERAGE)
