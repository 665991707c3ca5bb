"""Deterministic stand-ins for an agent and a search, which answer from a dict."""

from collections.abc import AsyncIterator, Mapping

from manole.agent.events import (
    Complete,
    ErrorEvent,
    Event,
    ResultEvent,
    Source,
    Token,
    TokensUsed,
)
from manole_evaluate.questions import Question
from manole_evaluate.retrieval import Place


class FakeAsker:
    """Answers with the text, or raises the exception, that the dict has for the question."""

    cites = True

    def __init__(self, answers: Mapping[str, object], cites: Mapping[str, Place] | None = None):
        self.answers = answers
        self.places = cites or {}
        self.closed = 0

    async def ask(self, question: Question) -> AsyncIterator[Event]:
        answer = self.answers[question.question]
        try:
            yield ResultEvent(
                step=0, tool="fake", name="n", payload_type="t", objects=[], message="m"
            )
            if isinstance(answer, BaseException):
                raise answer
            if isinstance(answer, list):  # an event that is not followed by an answer
                for event in answer:
                    yield event
                return
            yield Token(content=str(answer))
            place = self.places.get(question.question)
            sources = [Source(n=1, file=place[0], page=place[1])] if place else []
            yield Complete(
                answer=str(answer or ""),
                found=answer is not None,
                sources=[*sources, Source(n=2, file="uncited.md", cited=False)],
                model_calls=2,
                tokens=TokensUsed(prompt=100, cached=60, completion=7),
            )
        finally:
            self.closed += 1


def fatal(message: str) -> list[Event]:
    return [ErrorEvent(message=message, recoverable=False)]


class FakeRetriever:
    """Gives the ranking that the dict has for the query."""

    def __init__(self, rankings: Mapping[str, list[Place] | Exception]):
        self.rankings = rankings
        self.scopes: list[str | None] = []

    async def __call__(self, query: str, limit: int, scope: str | None) -> list[Place]:
        self.scopes.append(scope)
        found = self.rankings[query]
        if isinstance(found, Exception):
            raise found
        return found[:limit]
