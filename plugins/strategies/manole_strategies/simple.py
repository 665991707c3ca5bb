"""The strategy `simple`: retrieve, one prompt with whole passages, one answer.

It is the baseline of a comparison, and the fallback of the pipeline: no rewriting, no tools but
search, no selection, no check of figures beyond the confidence. Passages are cited as usual.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from manole.agent.answer.budgets import room
from manole.agent.answer.compose import Composer
from manole.agent.answer.draft import Style, grade_figures
from manole.agent.answer.evidence import Evidence
from manole.agent.events import Event, StatusEvent
from manole.agent.execute import Executor, Step
from manole.agent.turn import GetModel, TurnStrategy
from manole.agent.usage import TurnUsage
from manole.models.chat.protocol import Message
from manole.tools.environment import TurnState
from manole.tools.objects import FoundPassage
from manole.tools.registry import Registry
from manole.tools.search import SemanticSearch
from manole_strategies.prompts import prompt
from manole_strategies.whole_passages import TOP_K, whole

SEARCH = "semantic_search"


def messages_for(question: str, evidence: Sequence[Evidence]) -> list[Message]:
    """Return the prompt: fixed system message, numbered passages, question."""
    passages = "\n\n".join(f"[{e.n}] ({e.label})\n{e.text}" for e in evidence)
    asked = prompt("simple.user").substitute(passages=passages, question=question)
    return [Message("system", prompt("simple.system").template), Message("user", asked)]


STYLE = Style(prompt=messages_for, slot="simple", strict=False, grade=grade_figures)


class Simple(TurnStrategy):
    """Retrieve-and-answer over one library."""

    def answered(self, state: TurnState, usage: TurnUsage, model: GetModel) -> AsyncIterator[Event]:
        """Search, read, answer."""
        return answer(state, Composer(state, usage, model), search_only(state))


def search_only(state: TurnState) -> Executor:
    """Return an executor whose only tool is the plain search."""
    return Executor(state, Registry((SemanticSearch(anchor=False),)))


async def answer(state: TurnState, composer: Composer, tools: Executor) -> AsyncIterator[Event]:
    """Retrieve and answer within a turn that has begun; end with `Complete`."""
    query = {"query": state.question, "top_k": TOP_K}
    async for event in tools.run(Step(SEARCH, query, "one search, one answer", "auto")):
        yield event
    passages = list(state.environment.objects(FoundPassage))
    evidence = whole(passages, room(state.settings, await composer.reach()))
    if evidence:
        yield StatusEvent(message=f"Reading {len(evidence)} passages.")
        reading = composer.read(state.question, evidence, STYLE)
    else:
        reading = composer.decline(state.question, ())
    async for event in reading:
        yield event
    yield composer.complete()
