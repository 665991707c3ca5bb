"""An exported conversation, read again as a program would."""

from __future__ import annotations

import json

from pydantic import TypeAdapter

from manole.agent.conversations.model import Conversation, Turn


def read_json(text: str) -> tuple[Conversation, list[Turn]]:
    """What was exported as JSON; an answer stands in its turn's events too."""
    value = json.loads(text)
    assert (value["format"], value["version"]) == ("manole-conversation", 1)
    turns = [{k: v for k, v in turn.items() if k != "answer"} for turn in value["turns"]]
    conversation = TypeAdapter(Conversation).validate_python(value["conversation"])
    return conversation, TypeAdapter(list[Turn]).validate_python(turns)
