"""A scripted model that leads the loop of `literal`, and the words of its scripts."""

from __future__ import annotations

import json

from manole.errors import ModelError
from manole.models.chat.protocol import Completion, Delta, ToolCall, Usage

NOTICE = "What is our notice period as tenants?"
CONTRACT = "home/rental-contract.pdf"
NO = '{"relevant": false, "facts": []}'
ANSWER = "The notice period is three months."


def call(name, **params):
    return json.dumps({"name": name, "params": params})


class FakeLeader:
    """A model that calls the given tools in turn, then answers; facts are scripted apart.

    `decisions` are what it writes when it is asked for a call; `fact` answers each passage.
    """

    name = "fake"

    def __init__(self, *decisions, fact=NO, final=ANSWER):
        self.decisions = list(decisions)
        self.fact = fact
        self.final = final
        self.read = []
        self.talks = []
        self.finals = []

    async def get(self):
        return self

    async def complete(self, messages, **options):
        if options["slot"] == "map":
            self.read.append(messages[-1].content)
            text = self.fact(messages[-1].content) if callable(self.fact) else self.fact
        else:
            self.talks.append(list(messages))
            text = self.decisions.pop(0) if self.decisions else ANSWER
        if isinstance(text, ModelError):
            raise text
        calls = (text,) if isinstance(text, ToolCall) else ()
        return Completion("" if calls else text, Usage(100, 0, 10, 0.1, 0.2), tool_calls=calls)

    async def stream(self, messages, **options):
        self.finals.append(list(messages))
        yield Delta(self.final)
        yield Completion(self.final, Usage(100, 0, 10, 0.1, 0.2))


def contract_fact(asked):
    """What a sensible model finds: the notice period, in the one passage that has it."""
    if "notice period for the tenants" not in asked:
        return NO
    return '{"relevant": true, "facts": ["The notice period for the tenants is three months."]}'


SEARCH = call("semantic_search", query="notice period of tenants")
