"""Whether the evidence answers the question: asked of the model, judged by code.

A small model that may decline in words declines far too often, one that may not answers from
whatever it is given. Its *probabilities* are better than its words: after the very prompt of the
answer it is asked whether the extracts answer the question, and the log odds of "yes" over "no"
are read, not the word. The prompt's beginning is shared with the answer's, so that it is evaluated
once; the check itself costs some 25 tokens.

The odds are weighed together with how well the evidence supports the question
(`evidence.support`), how much of it stands together in one extract (`evidence.coverage`), and
the model's own leaning (`YES_BIAS`). The weights were found on questions of which half had their
answer taken out of the index (`docs/benchmarks.md`, "Declining").
"""

from __future__ import annotations

from collections.abc import Sequence

from manole.agent.answering.answer import messages_for
from manole.agent.answering.evidence import Evidence, coverage
from manole.agent.prompts import prompt
from manole.models.chat import ChatModel, Completion, Message

# At these log odds of a model, with usual support and coverage, about 4 % of the answerable
# questions are declined.
YES_BIAS = {"qwen2.5-coder-1.5b-instruct": 0.25}
SUPPORT_WEIGHT, COVERAGE_WEIGHT = 0.5, 1.0
USUAL_SUPPORT, USUAL_COVERAGE = 1.0, 0.6
# Evidence that speaks this clearly is not asked about: half of the answerable questions reach it,
# 1 of 30 unanswerable ones. It saves the check's second before the first word.
PLAIN = 0.25


async def answerable(
    question: str, evidence: Sequence[Evidence], support: float, model: ChatModel
) -> tuple[bool, Completion | None]:
    """Whether to answer from `evidence`, and what asking cost, where it was. Raises `ModelError`.

    `support` is `evidence.support` of the question, about 1 for what is answerable. An engine that
    does not tell its probabilities is taken to say yes.
    """
    covered = coverage(question, evidence)
    if speaks(support, covered) >= PLAIN:
        return True, None
    asked = [*messages_for(question, evidence), Message("user", prompt("answerable.user").template)]
    odds, completion = await model.odds(asked, slot="answer")
    if odds is None:
        return True, completion
    return leaning(odds, support, covered, model.name) >= 0, completion


def leaning(odds: float, support: float, covered: float, model: str) -> float:
    """Above 0 the question is answered; `odds` are the log odds of yes that `model` gave."""
    return odds - YES_BIAS.get(model, 0.0) + speaks(support, covered)


def speaks(support: float, covered: float) -> float:
    """What the evidence alone says for answering, in log odds: 0 where it is as usual."""
    return SUPPORT_WEIGHT * (support - USUAL_SUPPORT) + COVERAGE_WEIGHT * (covered - USUAL_COVERAGE)
