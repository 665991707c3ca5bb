"""Lets the model write the plan: one line, a query over the catalog or `FIND`.

The system message describes the relations; it is the same for every question and library, so it is
evaluated once. The worked examples most like the question follow. A follow-up that no rule makes
whole comes after the previous question and its plan, which it changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from functools import cache

import numpy as np

from manole.agent.prompts import prompt, raw
from manole.catalog.kinds import KINDS
from manole.documents.fields.kinds import KINDS as TYPES
from manole.errors import ManoleError
from manole.models.chat.protocol import ChatModel, Completion, Message, Usage
from manole.models.encode.embedder import Embedder
from manole.models.encode.heads import Vectors

SLOT = "catalog"
FIND = "FIND"
SELECT = "SELECT"  # the beginning of every query
_TOKENS = 120  # of a plan: half as many again as the longest example
_ASKED = 400  # characters of a question: more would only cost evaluation
_SHOWN, _READ = 8, 3  # examples, of 68, in 300 tokens; those of them that have to be read


async def write_plan(
    question: str,
    facts: str,
    model: ChatModel,
    shown: Sequence[tuple[str, str]],
    before: Sequence[tuple[str, str]] = (),
    *,
    asks: bool = False,
) -> tuple[str, Completion]:
    """Return the plan for a question as the model writes it, and the cost. Raises `ModelError`.

    `facts` are those of `library_facts.py`, `shown` worked examples, `before` earlier questions and
    their plans. With `asks` the plan must be a query, as something in the question was linked to
    the catalog.
    """
    messages = messages_for(question, facts, shown=shown, before=before)
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
    question: str,
    facts: str = "",
    *,
    shown: Sequence[tuple[str, str]] = (),
    before: Sequence[tuple[str, str]] = (),
) -> list[Message]:
    """Return the prompt: instructions, the facts, examples, the conversation, the question."""
    told = prompt("plan.system").substitute(kinds=", ".join(KINDS), types=", ".join(TYPES))
    messages = [Message("system", told), Message("user", facts), Message("assistant", FIND)]
    for asked, planned in (*shown, *before):
        messages += [Message("user", _line(asked)), Message("assistant", planned)]
    return [*messages, Message("user", _line(question))]


def _line(question: str) -> str:
    return " ".join(question.split())[:_ASKED]


_vectors: dict[tuple[str, int], Vectors] = {}  # of the examples, by the embedder


@cache
def examples(name: str = "examples") -> tuple[tuple[str, str], ...]:
    """Return the worked examples: questions and their plans."""
    lines = raw(f"plan.{name}.tsv").splitlines()
    return tuple((asked, planned) for asked, planned in (line.split("\t") for line in lines))


def nearest(question: str, embedder: Embedder) -> list[tuple[str, str]]:
    """Return the worked examples most like a question, the likest last.

    Some of them have to be read, else the model writes a query of whatever it is asked. Where the
    embedder is an endpoint that does not answer, any will do.
    """
    key = embedder.name, embedder.dimensions
    try:
        if key not in _vectors:
            _vectors[key] = embedder.embed([text.partition(" -- ")[0] for text, _ in examples()])
        like = _vectors[key] @ embedder.embed_query(question.partition(" -- ")[0])
    except ManoleError:
        like = np.zeros(len(examples()), np.float32)
    order = np.argsort(-like, kind="stable").tolist()
    read = [at for at in order if examples()[at][1] == FIND][:_READ]
    chosen = {*read, *[at for at in order if examples()[at][1] != FIND][: _SHOWN - _READ]}
    return [examples()[at] for at in reversed(order) if at in chosen]
