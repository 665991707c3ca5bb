"""Token budgets: how much evidence the model reads and how much it may write.

The defaults of the settings were measured with models of one or two billion weights on a few cores:
more evidence costs them seconds and confuses them. A larger model that reads fast is given what it
reads in `_READING_S`, and may write for `_WRITING_S`. A setting of the user's own is kept.
"""

from __future__ import annotations

from manole.models.chat.rates import Reach
from manole.settings import Settings

LARGE = 2_500_000_000  # weights from which a model uses more evidence: above those measured
_READING_S, _WRITING_S = 2.0, 6.0  # what a person waits for the first word, and for the last
_EVIDENCE, _ANSWER = 1200, 400  # tokens at most: five whole passages, a third of their length
_PROMPT = 400  # tokens for the instructions, the question and the chat template


def evidence_tokens(settings: Settings, reach: Reach) -> int:
    """Return the tokens of evidence that an answer is written from."""
    asked = settings.agent.evidence_tokens
    if "evidence_tokens" in settings.agent.model_fields_set or not _is_large(reach):
        return asked
    return max(asked, min(int(reach.read * _READING_S), context(settings, reach) // 4, _EVIDENCE))


def answer_tokens(settings: Settings, reach: Reach) -> int:
    """Return the tokens that an answer may have."""
    asked = settings.agent.answer_tokens
    if "answer_tokens" in settings.agent.model_fields_set or not _is_large(reach):
        return asked
    return max(asked, min(int(reach.write * _WRITING_S), context(settings, reach) // 16, _ANSWER))


def room(settings: Settings, reach: Reach) -> float:
    """Return the tokens of evidence that fit the model's context, with a margin of a fifth."""
    free = context(settings, reach) - answer_tokens(settings, reach) - _PROMPT
    return max(200.0, 0.8 * free)


def context(settings: Settings, reach: Reach) -> int:
    """Return the tokens of the model's context: the setting, else what the server reports."""
    if "context" in settings.model.model_fields_set or not reach.context:
        return settings.model.context
    return reach.context


def _is_large(reach: Reach) -> bool:
    """Return whether the model is large; one of unknown size is judged by its speed alone."""
    return not reach.weights or reach.weights >= LARGE
