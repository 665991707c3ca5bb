"""The two functions of a model that a turn over a journal calls.

`agent_tool_selector` chooses the next search, `agent_synthesizer` writes the answer. What is here
asks the chat model, the choice held to a grammar; a plug-in may bring the two in another way.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Protocol

from manole.agent.answer.evidence import answer_tokens
from manole.agent.journal.selector import SearchToolCall, read_choice, schema
from manole.agent.prompts import prompt, raw
from manole.agent.turn import GetModel, TurnUsage
from manole.models.chat.protocol import Message
from manole.models.chat.rates import reach_of
from manole.settings import Settings

CALL_TOKENS = 160  # of the longest object that the schema allows


class JournalFunctions(Protocol):
    """What a model does in a turn. Both raise `ModelError`."""

    async def agent_tool_selector(
        self, user_query: str, accumulated_context: str, iteration: int, max_iterations: int
    ) -> SearchToolCall:
        """Choose the next search, or DONE; `iteration` counts from 1."""
        ...

    async def agent_synthesizer(
        self, user_query: str, chat_history: str, accumulated_context: str, search_trace: str
    ) -> str:
        """Answer from the entries in `accumulated_context`."""
        ...


class ChatFunctions:
    """The functions over the chat model."""

    def __init__(self, model: GetModel, usage: TurnUsage, settings: Settings) -> None:
        self._model = model
        self._usage = usage
        self._settings = settings

    async def agent_tool_selector(
        self, user_query: str, accumulated_context: str, iteration: int, max_iterations: int
    ) -> SearchToolCall:
        """Choose under a grammar. The first choice cannot be DONE: nothing was searched for yet."""
        asked = prompt("journal.select.user").substitute(
            question=user_query,
            context=accumulated_context,
            iteration=iteration,
            max_iterations=max_iterations,
        )
        completion = await (await self._model()).complete(
            [*_selecting(), Message("user", asked)],
            max_tokens=CALL_TOKENS,
            schema=schema(may_end=iteration > 1),
            slot="journal-select",
        )
        self._usage.add(completion)
        return read_choice(completion.text)

    async def agent_synthesizer(
        self, user_query: str, chat_history: str, accumulated_context: str, search_trace: str
    ) -> str:
        """Write the answer, in the person's own language and to them."""
        asked = prompt("journal.answer.user").substitute(
            history=f"Said before:\n{chat_history}\n\n" if chat_history else "",
            trace=search_trace,
            evidence=accumulated_context,
            question=user_query,
        )
        model = await self._model()
        completion = await model.complete(
            [Message("system", prompt("journal.answer.system").template), Message("user", asked)],
            max_tokens=answer_tokens(self._settings, await reach_of(model)),
            slot="journal",
        )
        self._usage.add(completion)
        return completion.text


def _selecting() -> Iterator[Message]:
    """Yield the part of the selector's prompt that is always the same, worked examples included."""
    yield Message("system", prompt("journal.select.system").template)
    for line in raw("journal.select.examples.jsonl").splitlines():
        example = json.loads(line)
        yield Message("user", example["question"], fixed=True)
        yield Message("assistant", example["reply"], fixed=True)
