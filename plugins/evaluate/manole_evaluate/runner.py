"""Asks every question, scores each reply, and survives what goes wrong.

The runner knows two protocols, an `Asker` and a `Retriever`, so that strategies, other models and
other systems can be put in their place. Questions are asked one after another, because seconds
are measured. A crash or a question over its time counts as a wrong answer and the run goes on.
Seconds are taken here, by one clock, and not believed from the events.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

from manole.agent.events import Complete, ErrorEvent, Event, Token, TokensUsed
from manole_evaluate import retrieval, scoring
from manole_evaluate.questions import Question, parse
from manole_evaluate.retrieval import Place, Retrieval

RANKING_LENGTH = 50  # passages asked for: several may be of one file, and ten files are wanted


class Asker(Protocol):
    """Answers a question by a stream of events that ends in `Complete`.

    It gets the whole question, as scope and gold passage are part of it; an honest asker reads
    `question`, `history`, `asked_on` and `scope` only.
    """

    @property
    def cites(self) -> bool:
        """Whether its citations are its own work, and so worth checking."""
        ...

    def ask(self, question: Question) -> AsyncIterator[Event]:
        """The events of one turn."""
        ...


class Retriever(Protocol):
    """Ranks passages for a query."""

    async def __call__(self, query: str, limit: int, scope: str | None) -> list[Place]:
        """At most `limit` passages as (file relative to the root, page), best first."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """One reply with its score and cost. Seconds are wall time, tokens over all model calls."""

    reply: str
    correct: bool
    declined: bool
    f1: float
    cited: tuple[Place, ...] = ()
    citation: bool | None = None  # None: nothing to check (declined, unanswerable, no gold file)
    model_calls: int = 0
    tokens_read: int = 0  # evaluated: the prompt without what was cached
    tokens_cached: int = 0
    tokens_written: int = 0
    first_token_s: float = 0.0
    total_s: float = 0.0
    tools: tuple[str, ...] = ()
    confidence: str = ""
    corrected: bool = False  # the model's words were replaced by a quotation or a tool's message
    error: str | None = None

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Answer:
        """The answer that `asdict` and JSON made `row` of."""
        cited = tuple((file, page) for file, page in row["cited"])
        return cls(**{**row, "cited": cited, "tools": tuple(row["tools"])})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one question; `answer` and the retrievals are None where not asked for."""

    question: Question
    answer: Answer | None = None
    files: Retrieval | None = None
    pages: Retrieval | None = None
    ranking: tuple[Place, ...] = ()
    search_s: float | None = None
    search_error: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The outcome as one JSON object, for `--details`."""
        asked = self.question
        row: dict[str, Any] = {
            "id": asked.id,
            "question": asked.question,
            "answers": list(asked.answers),
            "files": list(asked.files),
            "pages": list(asked.pages),
            "answerable": asked.answerable,
        }
        row["answer"] = asdict(self.answer) if self.answer else None
        row["retrieval"] = asdict(self.files) if self.files else None
        row["page_retrieval"] = asdict(self.pages) if self.pages else None
        row["ranking"] = [list(place) for place in self.ranking[:10]]
        row["search_s"] = self.search_s
        row["search_error"] = self.search_error
        return row

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Outcome:
        """The outcome that `as_json` wrote; the ranking's places beyond the tenth are lost.

        Raises `ValueError`, `TypeError` or `KeyError` for a row that is none.
        """
        answer, files, pages = row["answer"], row["retrieval"], row["page_retrieval"]
        return cls(
            parse(row),
            Answer.from_json(answer) if answer else None,
            files=Retrieval(**files) if files else None,
            pages=Retrieval(**pages) if pages else None,
            ranking=tuple((file, page) for file, page in row["ranking"]),
            search_s=row["search_s"],
            search_error=row["search_error"],
        )


async def run(
    questions: Sequence[Question],
    *,
    asker: Asker | None = None,
    retriever: Retriever | None = None,
    on_outcome: Callable[[Outcome], None],
    timeout_s: float = 600.0,
) -> None:
    """Put every question to `asker` and `retriever`, in order; hand each outcome on at once.

    What was handed on is the caller's, so a run that is stopped loses nothing.
    """
    for question in questions:
        answer = await _answer(asker, question, timeout_s) if asker else None
        outcome = Outcome(question, answer)
        if retriever and question.files and question.answerable:
            outcome = await _retrieve(retriever, outcome, timeout_s)
        on_outcome(outcome)


async def _answer(asker: Asker, question: Question, timeout_s: float) -> Answer:
    started = time.perf_counter()
    first_token_s: float | None = None
    complete: Complete | None = None
    tools: list[str] = []
    error: str | None = None
    failure: str | None = None
    events = asker.ask(question)
    try:
        async with asyncio.timeout(timeout_s):
            async for event in events:
                if isinstance(event, Token) and first_token_s is None:
                    first_token_s = time.perf_counter() - started
                elif event.type == "result":
                    tools.append(event.tool)
                elif isinstance(event, ErrorEvent) and not event.recoverable:
                    failure = event.message  # counts only if no answer follows
                elif isinstance(event, Complete):
                    complete = event
    except TimeoutError:
        error = f"no answer within {timeout_s:.0f} s"
    except Exception as caught:  # whatever breaks is one wrong answer, not the end of the run
        error = f"{type(caught).__name__}: {caught}"
    finally:
        if isinstance(events, AsyncGenerator):  # a turn that was cut off cancels its model call
            await events.aclose()
    total_s = time.perf_counter() - started
    if complete is None:
        error = error or failure or "the turn ended without an answer"
        complete = Complete(answer="")
    scored = _scored(question, complete, error, cites=asker.cites)
    return replace(
        scored,
        tools=tuple(tools),
        first_token_s=round(first_token_s or total_s, 4),
        total_s=round(total_s, 4),
    )


def _scored(question: Question, complete: Complete, error: str | None, *, cites: bool) -> Answer:
    verdict = scoring.judge(question, complete.answer, found=complete.found)
    cited = tuple((source.file, source.page) for source in complete.sources if source.cited)
    answered = question.answerable and not verdict.declined and not error
    checkable = cites and answered and bool(question.files)
    used: TokensUsed = complete.tokens
    return Answer(
        reply=complete.answer,
        correct=verdict.correct and not error,
        declined=verdict.declined and not error,
        f1=verdict.f1,
        cited=cited,
        citation=scoring.cites(question, cited) if checkable else None,
        model_calls=complete.model_calls,
        tokens_read=max(0, used.prompt - used.cached),
        tokens_cached=used.cached,
        tokens_written=used.completion,
        confidence=complete.confidence,
        corrected=complete.corrected,
        error=error,
    )


async def _retrieve(retriever: Retriever, outcome: Outcome, timeout_s: float) -> Outcome:
    question = outcome.question
    started = time.perf_counter()
    ranking: list[Place] = []
    error: str | None = None
    try:
        async with asyncio.timeout(timeout_s):
            ranking = await retriever(question.question, RANKING_LENGTH, question.scope)
    except TimeoutError:
        error = f"no result within {timeout_s:.0f} s"
    except Exception as caught:  # as above: a miss, not the end of the run
        error = f"{type(caught).__name__}: {caught}"
    seconds = time.perf_counter() - started
    pages = None
    if question.pages and len(question.files) == 1:
        pages = retrieval.by_page(ranking, question.files, question.pages)
    return Outcome(
        question,
        outcome.answer,
        files=retrieval.by_file(ranking, question.files),
        pages=pages,
        ranking=tuple(ranking),
        search_s=round(seconds, 5),
        search_error=error,
    )
