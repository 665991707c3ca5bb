"""The fixed parts of prompts, evaluated ahead of time, so that the first question need not wait.

They are the same for every library and question. The engine keeps their evaluation on disk
(`manole.models.engine.prefixes`).
"""

from __future__ import annotations

from manole.agent.answer.draft import messages_for as to_answer
from manole.agent.answer.guess import messages_for as to_guess
from manole.agent.plan.diary_synonyms import messages_for as to_say_otherwise
from manole.agent.plan.write import messages_for as to_plan
from manole.models.chat.protocol import ChatModel

_QUESTION = "How many files do I have?"


async def make_ready(model: ChatModel) -> None:
    """Evaluate each family of prompts once. Raises `ModelError`."""
    prompts = {
        "catalog": to_plan(_QUESTION),
        "guess": to_guess(_QUESTION),
        "answer": to_answer(_QUESTION, ()),
        "otherwise": to_say_otherwise(_QUESTION, "English"),
    }
    for slot, messages in prompts.items():
        await model.complete(messages, max_tokens=1, slot=slot)
