"""What code answers in the files' own words: each figure stands where it is cited.

The first that is found is told: what is compared or reckoned, the parts of a question, what several
files say, a sure sentence, likely ones.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from manole.agent.answer.choices import others, several
from manole.agent.answer.comparison import compared
from manole.agent.answer.confidence import CLEAR
from manole.agent.answer.evidence import Evidence
from manole.agent.answer.extracts import ExtractiveAnswer, Quotations, quotations
from manole.agent.answer.forms import Listing, around
from manole.agent.answer.looks import Looks
from manole.agent.answer.ranking import called
from manole.agent.answer.said import SURE, TOLD, Said, fits, together
from manole.agent.answer.series import dated, series
from manole.text.question import Question
from manole.text.words import stems
from manole.tools.base import TurnState

_ASKS = 0.5  # share of the question's words in a heading beyond which that asks the same, by hand


class OwnWords:
    """The extractive answers of one turn, over what it looked at."""

    def __init__(self, state: TurnState, looks: Looks) -> None:
        self._state = state
        self._looks = looks
        self.done = ""  # what is done with the figures of a question that is computed
        self.measured: str | None = None  # the column in which two things are said to differ

    async def answer(
        self, question: Question, evidence: Sequence[Evidence]
    ) -> tuple[ExtractiveAnswer | None, float]:
        """Return what code answers in the files' own words, and the chance that it is right.

        `Choices` are asked back.
        """
        looks, extracts = self._looks, self._looks.extracts
        if looks.kind == "compare":
            both = await asyncio.to_thread(
                compared, question.whole, extracts.pool, extracts.senses, self.measured
            )
            if both:
                return both, both.chance
        if looks.kind in TOLD and looks.reckoned:
            return looks.reckoned, looks.reckoned.chance
        if visit := dated(question, self.done, extracts.pool):
            return visit, visit.chance
        if looks.kind in TOLD and len(question.parts) > 1:
            parts = await asyncio.to_thread(together, question, extracts)
            if parts:
                return parts, parts.chance
        before, shown = extracts.before, extracts.look
        if before and (unit := before.first(shown, extracts.senses)):
            same = Said(shown.passages[unit.passage], unit, CLEAR, several=False)
            return same, same.chance
        if looks.given:
            return None, 0.0
        sentence = looks.said if looks.kind in TOLD else None
        likely = self._likely(question, evidence)
        choices = None
        if before is None:  # else it is what resembles that
            choices = await several(self._state, question, extracts)
            if choices is None and (best := sentence or likely):
                choices = others(question, best, extracts.look)
        if choices:
            all_of = await asyncio.to_thread(series, question, self.done, choices, extracts)
            return all_of or choices, 0.0
        if sentence and (itself := await self._itself(sentence)):
            return itself, sentence.chance
        if looks.kind == "explain" and (steps := await self._steps(question, evidence)):
            return steps
        return (likely, likely.chance) if likely else (None, 0.0)

    async def _itself(self, sentence: Said) -> ExtractiveAnswer | None:
        """Return a sentence that surely answers, or the list in which it is one of several."""
        if sentence.several or self._looks.kind == "explain":
            whole = await around(self._state, sentence.passage, sentence.unit)
            return whole or (None if sentence.several else sentence)
        return sentence

    async def _steps(
        self, question: Question, evidence: Sequence[Evidence]
    ) -> tuple[Listing, float] | None:
        """Return the list of which the best sentence is an item, if what leads to it asks.

        With the chance of that sentence, or the share of the question in what leads to the list.
        """
        own = self.quotations("", evidence)
        if own is None:
            return None
        first = own.best_first.quoted[0]
        whole = await around(self._state, own.passages[first.n], first.unit)
        wanted = stems(" ".join(question.content_words))
        led = len(wanted & stems(whole.heads)) / len(wanted) if whole and wanted else 0.0
        chance = own.chance if led <= _ASKS else max(own.chance, led)
        return (whole, chance) if whole and led and chance >= CLEAR else None

    def _likely(self, question: Question, evidence: Sequence[Evidence]) -> Quotations | None:
        """Return the sentences that may tell a fact, the best first."""
        own = self.quotations("", evidence) if self._looks.kind in TOLD else None
        if own is None or not all(fits(passage, question) for passage, _ in own.holders()):
            return None
        # Of a file that is named the model may say what no sentence says by itself.
        if own.chance < (SURE if self._state.scope.one else CLEAR):
            return None
        return own.best_first

    def quotations(self, answer: str, evidence: Sequence[Evidence]) -> Quotations | None:
        """Return the deciding sentences that an answer leaves out."""
        weighed, question = self._looks.extracts.weighed, self._state.question
        found = quotations(self._looks.kind, answer, weighed, evidence, question)
        if not found:
            return None
        passages = self._looks.extracts.numbered
        named = {q.n: question.whole.stems & called(passages[q.n]) for q in found}
        best = named[max(found, key=lambda q: q.weight).n]
        if len(best) > 1:  # "the liability insurance" is no other insurance
            found = [q for q in found if best <= named[q.n]]
        return Quotations(found, passages)
