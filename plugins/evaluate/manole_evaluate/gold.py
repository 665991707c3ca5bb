"""The ceiling: the same model with the gold passage, which it need not find.

The distance to it is what retrieval and the agent lose, so the prompt is the agent's own for
answers; only the evidence differs. The gold passage is the gold file's text (its gold pages, where
the question has them). Of a file longer than the budget, passages with a gold answer come first.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from manole.agent.events import Complete, Event, Source, Token, TokensUsed
from manole.agent.prompts import prompt
from manole.models.chat.protocol import ChatModel, Completion, Message
from manole_evaluate import scoring
from manole_evaluate.questions import Question

EVIDENCE_TOKENS = 1200  # some three pages: a gold passage, not a gold book
ANSWER_TOKENS = 160  # the default of `agent.answer_tokens`


class GoldReader(Protocol):
    """Reads a file's passages in order, as (page, text)."""

    async def __call__(self, file: str) -> Sequence[tuple[int | None, str]]:
        """`file` is relative to the library's root."""
        ...


class GoldAsker:
    """An asker that reads the truth's own file and asks the model once."""

    cites = False  # it is handed the right file

    def __init__(
        self, model: ChatModel, read: GoldReader, answer_tokens: int = ANSWER_TOKENS
    ) -> None:
        """`answer_tokens` is the length of a reply, at most."""
        self._model = model
        self._read = read
        self._answer_tokens = answer_tokens

    async def ask(self, question: Question) -> AsyncIterator[Event]:
        """Token events as the model writes, then `Complete`."""
        started = time.perf_counter()
        first: float | None = None
        sources = await self._evidence(question)
        evidence = "\n\n".join(f"[{s.n}] {s.file}\n{s.quote}" for s in sources)
        asked = prompt("answer.user").substitute(evidence=evidence, question=question.question)
        messages = [
            Message("system", prompt("answer.system").substitute()),
            Message("user", asked),
        ]
        done: Completion | None = None
        async for item in self._model.stream(messages, max_tokens=self._answer_tokens, slot="gold"):
            if isinstance(item, Completion):
                done = item
            else:
                first = first or time.perf_counter() - started
                yield Token(content=item.text)
        text = done.text.strip() if done else ""
        usage = done.usage if done else None
        yield Complete(
            answer=text,
            found=not scoring.declines(text),
            sources=sources,
            timings={"first_token": first or 0.0, "total": time.perf_counter() - started},
            model_calls=1,
            tokens=TokensUsed(
                prompt=usage.prompt_tokens if usage else 0,
                cached=usage.cached_tokens if usage else 0,
                completion=usage.completion_tokens if usage else 0,
            ),
        )

    async def _evidence(self, question: Question) -> list[Source]:
        passages = [
            (file, page, text)
            for file in question.files
            for page, text in await self._read(file)
            if not question.pages or page is None or page in question.pages
        ]
        golds = [gold for part in question.parts for gold in part] or list(question.answers)
        holds = [
            any(scoring.matches(text, gold, f1=False) for gold in golds) for _, _, text in passages
        ]
        budget = EVIDENCE_TOKENS
        chosen: list[int] = []
        for index in sorted(range(len(passages)), key=lambda at: not holds[at]):
            cost = await self._model.count_tokens(passages[index][2])
            if chosen and cost > budget:
                break
            budget -= cost
            chosen.append(index)
        return [
            Source(n=n, file=passages[index][0], page=passages[index][1], quote=passages[index][2])
            for n, index in enumerate(sorted(chosen), 1)
        ]
