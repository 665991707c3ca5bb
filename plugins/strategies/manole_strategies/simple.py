"""The strategy `simple`: retrieve, one prompt with whole passages, one answer.

It is the baseline of a comparison, and the fallback of the pipeline: no rewriting, no tools but
search, no selection, no check of figures beyond the confidence. Passages are cited as usual; only
sentences that give orders are left out (`injection_filter.py`), as documents are quotations.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from manole.agent.answer.compose import Composer
from manole.agent.answer.draft import Style, grade_figures
from manole.agent.answer.evidence import Evidence, room
from manole.agent.answer.injection_filter import inert
from manole.agent.answer.selection import estimate_tokens
from manole.agent.answer.units import dictations
from manole.agent.events import Event, StatusEvent
from manole.agent.turn import Executor, GetModel, Step, TurnStrategy, TurnUsage
from manole.models.chat.protocol import Message
from manole.text.counted import counted
from manole.tools.base import TurnState
from manole.tools.objects import FoundPassage
from manole.tools.registry import Registry
from manole.tools.search import SemanticSearch
from manole_strategies.prompts import prompt

SEARCH = "semantic_search"
TOP_K = 5  # passages that are retrieved, as the design that is compared prescribes


def messages_for(question: str, evidence: Sequence[Evidence]) -> list[Message]:
    """Return the prompt: fixed system message, numbered passages, question."""
    passages = "\n\n".join(f"[{e.n}] ({e.label})\n{e.text}" for e in evidence)
    asked = prompt("simple.user").substitute(passages=passages, question=question)
    return [Message("system", prompt("simple.system").template), Message("user", asked)]


STYLE = Style(prompt=messages_for, slot="simple", strict=False, grade=grade_figures)


class Simple(TurnStrategy):
    """The strategy that retrieves once and answers once."""

    def answered(self, state: TurnState, usage: TurnUsage, model: GetModel) -> AsyncIterator[Event]:
        """Search, read, answer."""
        return answer(state, Composer(state, usage, model))


def search_only(state: TurnState) -> Executor:
    """Return an executor whose only tool is the plain search."""
    return Executor(state, Registry((SemanticSearch(anchor=False),)))


async def answer(state: TurnState, composer: Composer) -> AsyncIterator[Event]:
    """Retrieve and answer within a turn that has begun; end with `Complete`."""
    query = {"query": state.question.text, "top_k": TOP_K}
    step = Step(SEARCH, query, "one search, one answer", "auto")
    async for event in search_only(state).run(step):
        yield event
    passages = list(state.environment.objects(FoundPassage))
    evidence = whole(passages, room(state.settings, await composer.reach()))
    if evidence:
        yield StatusEvent(message=f"Reading {counted(len(evidence), 'passage')}.")
        reading = composer.read(state.question, evidence, STYLE)
    else:
        reading = composer.decline(state.question, ())
    async for event in reading:
        yield event
    yield composer.complete()


def whole(passages: Sequence[FoundPassage], budget: float) -> list[Evidence]:
    """Return passages (best first) as numbered evidence, as long as they fit `budget` tokens."""
    found: list[Evidence] = []
    for passage in passages:
        item = as_evidence(passage, inert(passage.text), len(found) + 1)
        budget -= estimate_tokens(item.text) + estimate_tokens(item.label)
        if found and budget < 0:
            break
        found.append(item)
    return found


def as_evidence(passage: FoundPassage, text: str, n: int) -> Evidence:
    """Return a passage as evidence `[n]` with `text`; its quotes are lines of the passage."""
    heading = next((h for h in reversed(passage.headings) if h), "")
    name = passage.file.rsplit("/", 1)[-1]
    lines = enumerate(inert(passage.text).split("\n"), start=passage.line)
    return Evidence(
        n=n,
        file=passage.file,
        page=passage.page,
        line=passage.line,
        line_end=passage.line_end,
        label=f"{name}, {heading[:60]}" if heading else name,
        text=text,
        score=passage.score,
        units=tuple(
            (part, at, at)
            for at, line in lines
            for part in dictations(line) or [line.strip()]
            if part
        ),
    )
