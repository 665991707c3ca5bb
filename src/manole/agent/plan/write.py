"""Lets the model write the plan: one line, a query over the catalog or `FIND`.

The system message describes the relations and shows worked examples; it is the same for every
question and library, so it is evaluated once. A follow-up that no rule makes whole comes after the
previous question and its plan, which it changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from functools import cache

from manole.agent.prompts import prompt, raw
from manole.catalog.kinds import KINDS
from manole.documents.fields.kinds import KINDS as TYPES
from manole.models.chat.protocol import ChatModel, Completion, Message, Usage

SLOT = "catalog"
FIND = "FIND"
SELECT = "SELECT"  # the beginning of every query
_TOKENS = 120  # of a plan: half as many again as the longest example
_ASKED = 400  # characters of a question: more would only cost evaluation


async def write_plan(
    question: str,
    facts: str,
    model: ChatModel,
    before: Sequence[tuple[str, str]] = (),
    *,
    asks: bool = False,
) -> tuple[str, Completion]:
    """Return the plan for a question as the model writes it, and the cost. Raises `ModelError`.

    `facts` are those of `library_facts.py`, `before` are earlier questions and their plans. With
    `asks` the plan must be a query, as something in the question was linked to the catalog.
    """
    messages = messages_for(question, facts, before)
    messages += [Message("assistant", SELECT)] if asks else []
    text = ""
    stream = model.stream(messages, max_tokens=_TOKENS, stop=(";", "\n"), slot=SLOT)
    async with aclosing(stream):  # type: ignore[type-var]  # an async generator
        async for item in stream:
            if isinstance(item, Completion):
                written = item.text.strip()
                goes_on = asks and not written.startswith((SELECT, FIND))
                return f"{SELECT} {written}" if goes_on else written, item
            text = (text + item.text).lstrip()
            if text and not asks and not SELECT.startswith(text[:6].upper()):
                break  # evidence is shown only after this
    return FIND, Completion(FIND, Usage())


def messages_for(
    question: str, facts: str = "", before: Sequence[tuple[str, str]] = ()
) -> list[Message]:
    """Return the prompt: instructions and examples, the facts, the conversation, the question."""
    messages = [Message("system", _system())]
    messages += [Message("user", facts), Message("assistant", FIND)]
    for asked, planned in before:
        messages += [Message("user", _line(asked)), Message("assistant", planned)]
    return [*messages, Message("user", _line(question))]


def _line(question: str) -> str:
    return " ".join(question.split())[:_ASKED]


@cache
def examples(name: str = "examples") -> tuple[tuple[str, str], ...]:
    """Return the worked examples: questions and their plans."""
    lines = raw(f"plan.{name}.tsv").splitlines()
    return tuple((asked, planned) for asked, planned in (line.split("\t") for line in lines))


@cache
def _system() -> str:
    lines = [f"{asked}\n{planned}" for asked, planned in examples()]
    return prompt("plan.system").substitute(
        kinds=", ".join(KINDS), types=", ".join(TYPES), examples="\n".join(lines)
    )
