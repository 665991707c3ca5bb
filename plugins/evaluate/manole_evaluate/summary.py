"""Summarizes outcomes: shares with denominators, means, medians and 95th percentiles."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import Any

from manole_evaluate import retrieval
from manole_evaluate.questions import Question
from manole_evaluate.retrieval import Retrieval
from manole_evaluate.runner import Answer, Outcome
from manole_evaluate.scoring import wilson


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `total`; `low` and `high` are the 95 % Wilson interval."""

    count: int
    total: int

    @property
    def value(self) -> float | None:
        """The share, or None of nothing."""
        return self.count / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval."""
        return wilson(self.count, self.total)

    def as_json(self) -> dict[str, Any]:
        """Count, total, value and interval."""
        low, high = self.interval
        return {
            "count": self.count,
            "total": self.total,
            "value": self.value,
            "low": round(low, 4),
            "high": round(high, 4),
        }


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and 95th percentile (nearest rank), in seconds."""

    median: float
    p95: float


@dataclass(frozen=True, slots=True)
class AnswerSummary:
    """All that concerns replies. Calls and tokens are means over the questions asked."""

    correct: Share
    correct_answerable: Share
    declined_rightly: Share  # of unanswerable questions
    declined_wrongly: Share  # of answerable questions
    citation_correct: Share  # of answered questions that have a gold file
    corrected: Share  # the model's words were withdrawn for a quotation
    crashed: int
    f1: float  # mean best token F1 over answerable questions
    model_calls: float
    tokens_read: float
    tokens_cached: float
    tokens_written: float
    first_token_s: Spread
    total_s: Spread


@dataclass(frozen=True, slots=True)
class Summary:
    """One column of the report. `retrieved` and `paged` say how many questions those cover."""

    questions: int
    unanswerable: int
    retrieved: int
    files: Retrieval | None
    paged: int
    pages: Retrieval | None
    search_s: Spread | None
    search_failed: int
    answers: AnswerSummary | None

    def as_json(self) -> dict[str, Any]:
        """The summary as JSON; shares carry counts and intervals."""
        row = asdict(self)
        if self.answers:
            for name, value in vars_of(self.answers).items():
                if isinstance(value, Share):
                    row["answers"][name] = value.as_json()
        return row


def vars_of(summary: AnswerSummary) -> dict[str, Any]:
    """The fields by name (a slotted class has no `vars`)."""
    return {name: getattr(summary, name) for name in summary.__slots__}


def summarise(outcomes: Sequence[Outcome]) -> Summary:
    """Add up what was done so far; any part of a run will do."""
    files = [outcome.files for outcome in outcomes if outcome.files]
    pages = [outcome.pages for outcome in outcomes if outcome.pages]
    asked = [(outcome.question, outcome.answer) for outcome in outcomes if outcome.answer]
    searched = [outcome.search_s for outcome in outcomes if outcome.search_s is not None]
    return Summary(
        questions=len(outcomes),
        unanswerable=sum(not outcome.question.answerable for outcome in outcomes),
        retrieved=len(files),
        files=retrieval.mean(files),
        paged=len(pages),
        pages=retrieval.mean(pages),
        search_s=_spread(searched) if searched else None,
        search_failed=sum(outcome.search_error is not None for outcome in outcomes),
        answers=_answers(asked) if asked else None,
    )


def by_field(outcomes: Sequence[Outcome], name: str) -> dict[str, Summary]:
    """One summary for each value of a field of the question file, in order of appearance."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        value = outcome.question.fields.get(name)
        groups.setdefault("-" if value is None else str(value), []).append(outcome)
    return {value: summarise(group) for value, group in groups.items()}


def _answers(asked: Sequence[tuple[Question, Answer]]) -> AnswerSummary:
    answerable = [answer for question, answer in asked if question.answerable]
    unanswerable = [answer for question, answer in asked if not question.answerable]
    every = [answer for _, answer in asked]
    checked = [answer for answer in every if answer.citation is not None]

    def mean(value: Callable[[Answer], float], of: Sequence[Answer] = every) -> float:
        return fmean(value(answer) for answer in of) if of else 0.0

    return AnswerSummary(
        correct=_share(answer.correct for answer in every),
        correct_answerable=_share(answer.correct for answer in answerable),
        declined_rightly=_share(answer.declined for answer in unanswerable),
        declined_wrongly=_share(answer.declined for answer in answerable),
        citation_correct=_share(bool(answer.citation) for answer in checked),
        corrected=_share(answer.corrected for answer in every),
        crashed=sum(answer.error is not None for answer in every),
        f1=mean(lambda answer: answer.f1, answerable),
        model_calls=mean(lambda answer: answer.model_calls),
        tokens_read=mean(lambda answer: answer.tokens_read),
        tokens_cached=mean(lambda answer: answer.tokens_cached),
        tokens_written=mean(lambda answer: answer.tokens_written),
        first_token_s=_spread([answer.first_token_s for answer in every]),
        total_s=_spread([answer.total_s for answer in every]),
    )


def _share(items: Iterable[bool]) -> Share:
    values = list(items)
    return Share(sum(values), len(values))


def _spread(values: Sequence[float]) -> Spread:
    ordered = sorted(values)
    return Spread(median(ordered), ordered[math.ceil(0.95 * len(ordered)) - 1])
