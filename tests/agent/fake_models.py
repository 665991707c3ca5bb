"""Stand-ins for a chat model: one that is missing, one that breaks, one that reads a script."""

from __future__ import annotations

import re

from manole.errors import ModelError, ModelUnavailableError
from manole.models.chat.protocol import Completion, Delta, Usage


class FakeMissingModel:
    """A model source that has none, as on a machine without weights and network."""

    async def get(self):
        raise ModelUnavailableError("There is no model.", "Fetch one.")


class FakeModel:
    """A model source and model that answers with the given texts, one a call, the last for ever.

    It streams word by word. `prompts` keeps what it was asked, but for its plan, which is to read
    unless another is given (`None`: it fails).
    """

    name = "fake"

    def __init__(self, *texts, plan="FIND"):
        self.texts = list(texts)
        self.plan = plan
        self.prompts = []

    async def get(self):
        return self

    def _next(self, messages):
        self.prompts.append("\n".join(m.content for m in messages))
        return self.texts.pop(0) if len(self.texts) > 1 else self.texts[0]

    async def stream(self, messages, **options):
        text = self._told(messages, options)
        for piece in re.findall(r"\s*\S+", text):
            yield Delta(piece)
        yield Completion(text, Usage(100, 0, 10, 0.1, 0.2))

    def _told(self, messages, options):
        told = self.plan if options.get("slot") == "catalog" else ""
        if told is None:
            raise ModelError("It cannot plan.")
        return told or self._next(messages)

    async def complete(self, messages, **options):
        text = self._told(messages, options)
        return Completion(text, Usage(100, 0, 10, 0.1, 0.2))

    async def count_tokens(self, text):
        return len(text) // 4


class FakeBreakingModel(FakeModel):
    """Breaks off in the middle of its first answer."""

    async def stream(self, messages, **options):
        self._next(messages)
        yield Delta("The notice")
        yield Delta(" period is")
        raise ModelError("The engine broke off.", "Ask again.")

    async def complete(self, messages, **options):
        raise ModelError("The engine broke off.", "Ask again.")
