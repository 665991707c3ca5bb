"""What a turn shows of the files: the passages found, with the sentences that decide marked.

The first look comes before anything is asked of the model. A second one adds what else was found:
pages that were looked at, or the passages of a question that was made whole.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator

from manole.agent.answer.alike import told_before
from manole.agent.answer.evidence import Evidence, annotated, evidence_tokens, of_the_day
from manole.agent.answer.extracts import FIRST, SHOWN, ExtractiveAnswer, Extracts, Kind, ranked
from manole.agent.answer.parts import Parts
from manole.agent.answer.ranking import Senses
from manole.agent.answer.reckoned import Reckoned, as_read, reckonable
from manole.agent.answer.said import Said, said
from manole.agent.events import Event, EvidenceEvent
from manole.agent.languages import words_of
from manole.agent.turn import GetModel, TurnUsage
from manole.catalog.derived import Papers
from manole.models.chat.rates import Reach
from manole.tools.base import ANCHORED, TurnState
from manole.tools.objects import FoundPassage

_PAPERS = 2  # files whose fields are added to the extracts: reading them takes time


class Looks:
    """The looks of one turn. What they show is numbered with the parts of the answer."""

    def __init__(self, state: TurnState, usage: TurnUsage, parts: Parts, model: GetModel) -> None:
        self._state = state
        self._usage = usage
        self._parts = parts
        self._model = model
        self.extracts = Extracts(Senses(state.library.embedder), 1)
        self.kind: Kind = "lookup"
        self.said: Said | None = None  # the sentence that surely answers
        self.reckoned: Reckoned | None = None  # what follows from one

    async def first(self) -> AsyncIterator[Event]:
        """Show the passages that fit best."""
        self.extracts = Extracts(self.extracts.senses, self._parts.next)
        self.kind = "lookup"
        self._parts.signals = {}
        self.extracts.before = await told_before(self._state, self.extracts.senses)
        async for event in self._look(FIRST):
            yield event

    def second(self) -> AsyncIterator[Event]:
        """Show what else was found; shown passages stay."""
        return self._look(SHOWN)

    async def _look(self, most: int) -> AsyncIterator[Event]:
        question = self._state.question.whole.iso_dated
        passages = self.passages()
        started = time.perf_counter()
        read = as_read(question)
        fresh = await asyncio.to_thread(self.extracts.take, read, passages, most)
        self.said = await asyncio.to_thread(said, self._state.question, self.extracts)
        words = words_of(question.language)
        self.reckoned = reckonable(question, self.extracts.pool, words)
        self._parts.next += len(fresh)
        self._usage.spent("evidence", time.perf_counter() - started)
        if fresh:
            self._usage.first("evidence")
            yield EvidenceEvent(extracts=fresh, seconds=self._usage.elapsed)

    def show(self, own: ExtractiveAnswer) -> Iterator[Event]:
        """Show the passages of an extractive answer."""
        fresh = self.extracts.add(own)
        self._parts.next += len(fresh)
        if fresh:
            yield EvidenceEvent(extracts=fresh, seconds=self._usage.elapsed)

    @property
    def clear(self) -> bool:
        """Whether the reader finds a sentence among what is shown that likely answers."""
        return self.extracts.is_clear(self._state.question)

    def passages(self) -> list[FoundPassage]:
        """Return the passages that may answer the question, best first."""
        found = ranked(self._state)
        if self.given:
            found = [p for p in found if p.file in self.given] or found
        return list(of_the_day(found, self._state.question.period))

    async def evidence(self, reach: Reach) -> list[Evidence]:
        """Return the deciding sentences of the shown passages, as the model reads them."""
        state = self._state
        most = evidence_tokens(state.settings, reach)
        chosen = self.extracts.evidence(most, state.question.codes)
        first = set(list(dict.fromkeys(item.file for item in chosen))[:_PAPERS])
        files = [file for file in await state.files() if file.path in first]
        papers = {p.file.path: p for p in await Papers(state.library).read(files)}
        words = words_of(state.question.language)
        return annotated(chosen, self.extracts.passages, papers, words)

    @property
    def given(self) -> tuple[str, ...]:
        """The files that an identifier in the question means; such an answer is not checked."""
        found: tuple[str, ...] = self._state.environment.hidden_environment.get(ANCHORED, ())
        return found
