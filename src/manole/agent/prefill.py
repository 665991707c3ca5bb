"""Evaluates the prompt's fixed part ahead of time, so that the first question need not wait.

The engine keeps what it made of them on disk (`manole.models.engine.prefixes`). They are the same
for every library and question.
"""

from __future__ import annotations

from manole.agent.answer.draft import messages_for as to_answer
from manole.agent.answer.guess import messages_for as to_guess
from manole.agent.plan.diary_synonyms import messages_for as to_say_otherwise
from manole.agent.plan.write import messages_for as to_plan
from manole.models.chat.protocol import ChatModel

_QUESTION = "How many files do I have?"


async def make_ready(model: ChatModel) -> None:
    """Read each family of prompts once. Raises `ModelError`."""
    prompts = {
        "catalog": to_plan(_QUESTION),
        "guess": to_guess(_QUESTION),
        "answer": to_answer(_QUESTION, ()),
        "otherwise": to_say_otherwise(_QUESTION, "English"),
    }
    for slot, messages in prompts.items():
        await model.complete(messages, max_tokens=1, slot=slot)
