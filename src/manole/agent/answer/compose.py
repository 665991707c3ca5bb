"""The composition of a turn's answer: its text, sources and confidence."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence

from manole.agent.answer.choices import Choices, is_disputed, rivals
from manole.agent.answer.confidence import (
    CLEAR,
    NEAR,
    POSSIBLE,
    UNLIKELY,
    is_clear,
    level,
    relevance,
    told,
    weighed,
)
from manole.agent.answer.contradictions import of_other_years, opposite_words
from manole.agent.answer.draft import (
    AGENT,
    PLAIN,
    Draft,
    Style,
    contradict,
    cut_after,
    finished,
    nearest,
    not_found,
    quote,
    withdraw,
    without_entries,
    write,
)
from manole.agent.answer.evidence import (
    Evidence,
    answer_tokens,
    of_entry,
    unmarked,
    without_contested,
)
from manole.agent.answer.extracts import (
    ExtractiveAnswer,
    Quotations,
    ranked,
)
from manole.agent.answer.forms import listed
from manole.agent.answer.looks import Looks
from manole.agent.answer.own_words import OwnWords
from manole.agent.answer.parts import Parts, least, merged, sources
from manole.agent.answer.said import TOLD
from manole.agent.answer.summary import summary
from manole.agent.events import (
    Complete,
    ErrorEvent,
    Event,
    Outcome,
    Source,
    StatusEvent,
    Token,
)
from manole.agent.languages import Words, words_of
from manole.agent.turn import GetModel, TurnUsage
from manole.errors import ManoleError
from manole.models.chat.protocol import ChatModel, Completion
from manole.models.chat.rates import Reach, reach_of
from manole.text.counted import counted
from manole.text.periods import Period
from manole.text.question import Question
from manole.tools.base import Confidence, TraceStep, TurnState
from manole.tools.journal import entries_in


class Composer:
    """The composer of one turn's answer. All its parts share one numbering of `[n]`."""

    def __init__(self, state: TurnState, usage: TurnUsage, model: GetModel) -> None:
        self.state = state
        self.usage = usage
        self._get = model
        self._loaded: ChatModel | None = None
        self._parts = Parts(usage)
        self.looks = Looks(state, usage, self._parts, self._model)
        self.reads = False  # whether the parser surely takes the question for one to be read
        self.own = OwnWords(state, self.looks)

    async def say(self, step: TraceStep) -> AsyncIterator[Event]:
        """Use the message of a tool as the answer, without a model."""
        calls = self.state.environment.find(step.tool)
        objects = calls[-1].objects if calls else ()
        text = self._parts.add_message(step, objects)
        self.usage.first("token")
        yield Token(content=f"\n\n{text}" if len(self._parts.texts) > 1 else text)

    async def synthesize(self) -> AsyncIterator[Event]:
        """Let the model answer from the evidence that was shown."""
        question = self.state.question
        if self._parts.texts:
            yield Token(content="\n\n")
        evidence = await self.looks.evidence(await self.reach())
        if not evidence:
            async for event in self.decline(question):
                yield event
            return
        # The model does not know what day it is.
        question = question.explained
        if self.looks.kind == "summary":
            gist = await summary(self.state, question.whole, self.looks.passages())
            ending = self.in_own_words(gist) if gist else self._unclear(question, evidence)
            async for event in ending:
                yield event
            return
        yield StatusEvent(message=f"Reading {counted(len(evidence), 'extract')}.")
        own, chance = await self.own.answer(question, evidence)
        if isinstance(own, Choices):
            for event in self._asked_back(own):
                yield event
            yield Token(content=self._parts.texts[-1])
            return
        if own is not None:
            async for event in self.in_own_words(own, self._believed(chance)):
                yield event
            return
        one, kind = self.state.scope.one, self.looks.kind
        unclear = not (self.looks.given or is_clear(evidence, POSSIBLE if one else CLEAR))
        if unclear and (kind == "lookup" or (kind in TOLD and not one)):
            async for event in self._unclear(question, evidence):
                yield event
            return
        if kind == "list" and (
            items := await listed(self.state, question.whole, self.looks.extracts)
        ):
            async for event in self.in_own_words(items):
                yield event
            return
        async for event in self.read(question, evidence, AGENT):
            yield event

    def _believed(self, chance: float) -> Confidence:
        """Return how sure a sentence of that chance is: not at all where it may be computed."""
        graded = self._graded(told(chance))
        return graded if self.reads else "low"

    async def in_own_words(
        self, own: ExtractiveAnswer, confidence: Confidence = "low"
    ) -> AsyncIterator[Event]:
        """Answer in the files' own words."""
        for event in self.looks.show(own):
            yield event
        self._add(own, confidence=confidence)
        yield Token(content=self._parts.texts[-1])

    def _add(
        self,
        own: ExtractiveAnswer,
        outcome: Outcome = "answered",
        completions: Sequence[Completion] = (),
        confidence: Confidence = "low",
    ) -> None:
        """Use an extractive answer as the answer, after the model calls `completions`."""
        self.usage.first("token")
        text = own.answer(self.looks.extracts.numbers, self._words)
        draft = Draft(
            text,
            outcome=outcome,
            confidence=confidence,
            corrected=bool(completions),
            completions=list(completions),
        )
        self._parts.add_draft(draft, self.looks.extracts.sources(own))

    def _asked_back(
        self, meant: Choices, completions: Sequence[Completion] = ()
    ) -> Iterator[Event]:
        """Let the person say which file is meant, and use what each says as the answer."""
        yield from self.looks.show(meant)
        yield meant.event(self.looks.extracts.numbers, self._words)
        self._add(meant, "choices", completions)

    async def read(
        self,
        question: Question,
        evidence: Sequence[Evidence],
        style: Style = PLAIN,
    ) -> AsyncIterator[Event]:
        """Let the model answer from `evidence`; without a model the best extract is quoted."""
        evidence = without_contested(question, evidence)
        try:
            async for event in self.attempt(question, evidence, style):
                yield event
        except ManoleError as error:
            yield ErrorEvent(message=error.message, suggestion=error.hint)
            if not evidence:
                async for event in self.decline(question):
                    yield event
                return
            text, cited = quote(evidence, question)
            draft = Draft(
                text, found=False, outcome="nearest", confidence="low", corrected=True, cited=cited
            )
            self._parts.add_draft(draft, sources(evidence, cited, f"{question} {text}"))

    async def attempt(
        self,
        question: Question,
        evidence: Sequence[Evidence],
        style: Style,
    ) -> AsyncIterator[Event]:
        """Let the model answer from `evidence`. Raises `ManoleError` when it cannot.

        A fact on which two files may differ is shown once the answer is complete.
        """
        model = await self._model()
        limit = answer_tokens(self.state.settings, await reach_of(model))
        fact = style is AGENT and self.looks.kind == "lookup" and not self.looks.given
        holds = fact and is_disputed(self.looks.extracts.look)
        async for item in write(question, evidence, model, limit, style):
            if isinstance(item, Draft):
                if item.cut:
                    yield cut_after(item.cut)
                if style.strict and item.outcome == "nothing":
                    item = nearest(item, question, evidence)
                    holds = True
                if (
                    fact
                    and item.outcome == "answered"
                    and (meant := rivals(question, item.text, item.cited, self.looks.extracts))
                ):
                    for event in self._asked_back(meant, item.completions):
                        yield event
                    if holds:
                        yield Token(content=self._parts.texts[-1])
                    continue
                if holds and item.text:
                    self.usage.first("token")
                    yield Token(content=item.text)
                cited = [extract for extract in evidence if extract.n in item.cited]
                if style.strict and item.found and self._belied(item, question, cited):
                    withdraw(item, question, cited)
                if style.strict and (note := contradict(item, question, evidence)):
                    yield Token(content=note)
                written = item.text
                item.written = written if item.outcome == "answered" else ""
                found = sources(evidence, item.cited, f"{question} {written}")
                if style.strict and item.outcome == "answered" and self.looks.extracts.passages:
                    found = self._with(item, self.own.quotations(item.text, evidence), found)
                    yield Token(content=item.text[len(written) :])
                    self._doubt(item, written, question, evidence)
                self._parts.add_draft(item, found)
            elif not holds:
                self.usage.first("token")
                yield Token(content=item)

    def _belied(self, draft: Draft, question: Question, cited: Sequence[Evidence]) -> bool:
        """Return whether the sources of a draft say the opposite, or are of other years."""
        passages = (p for n, p in self.looks.extracts.numbered.items() if n in draft.cited)
        return bool(opposite_words(draft.text, cited)) or of_other_years(question, passages)

    def _with(self, draft: Draft, below: Quotations | None, found: list[Source]) -> list[Source]:
        """Put quotations below a draft; return the sources of both."""
        if below is None:
            return found
        text = below.answer(self.looks.extracts.numbers, self._words)
        draft.text = f"{draft.text}\n\n{text}" if draft.text else text
        return merged(draft, found, self.looks.extracts.sources(below))

    def _doubt(
        self, draft: Draft, written: str, question: Question, evidence: Sequence[Evidence]
    ) -> None:
        """Limit the confidence of an answer by all its signals (`confidence.py`)."""
        graded = self._graded(weighed(unmarked(written), question, evidence))
        draft.confidence = least(draft.confidence, graded)

    def _graded(self, signals: dict[str, float]) -> Confidence:
        """Return how sure an answer with these signals is; a reranker only lowers it."""
        likely = relevance(self.looks.extracts.passages)
        self._parts.signals = signals | ({} if likely is None else {"relevance": likely})
        sure = likely is None or likely >= UNLIKELY
        return level(signals["probability"]) if sure else "low"

    async def _unclear(
        self, question: Question, evidence: Sequence[Evidence]
    ) -> AsyncIterator[Event]:
        """Say that it is not stated, with the sentences that come nearest, if any comes near."""
        own = self.own.quotations("", evidence)
        if own is None or own.chance < NEAR:
            async for event in self.decline(question, evidence):
                yield event
            return
        own = own.best_first
        for event in self.looks.show(own):
            yield event
        text = f"{self._words.not_stated} {own.nearest(self._words)}"
        draft = Draft(text, found=False, outcome="nearest", confidence="low")
        self._parts.add_draft(draft, self.looks.extracts.sources(own))
        self.usage.first("token")
        yield Token(content=text)

    async def decline(
        self, question: Question, evidence: Sequence[Evidence] = ()
    ) -> AsyncIterator[Event]:
        """Say that it is not stated, and quote the nearest extract, if one is near."""
        self.usage.first("token")
        near = [e for e in evidence if e.chance is None or e.chance >= NEAR]
        draft = nearest(not_found(Draft(), question), question, near)
        if question.period and not evidence and ranked(self.state):  # all were of other days
            draft, evidence = await self.empty(question, question.period)
        yield Token(content=draft.text)
        self._parts.add_draft(draft, sources(evidence, draft.cited, question.text))

    async def show(
        self,
        text: str,
        question: Question,
        evidence: Sequence[Evidence],
        style: Style,
    ) -> AsyncIterator[Event]:
        """Cite and grade an answer that is already written, and show it."""
        draft = finished(text, question, evidence, style)
        yield self.tell(draft, question, evidence)

    @property
    def next(self) -> int:
        """The next `[n]`."""
        return self._parts.next

    def tell(
        self,
        draft: Draft,
        question: Question,
        evidence: Sequence[Evidence],
    ) -> Token:
        """Use a finished draft as a part of the answer; return what is shown of it."""
        found = sources(evidence, draft.cited, f"{question} {draft.text}")
        self.usage.first("token")
        begun = bool(self._parts.texts)
        self._parts.add_draft(draft, found)
        return Token(content=f"\n\n{draft.text}" if begun else draft.text)

    @property
    def cited(self) -> list[Source]:
        """What the answer cites; nothing where there is none."""
        return self._parts.cited

    def add(self, text: str, source: Source) -> Token:
        """Add a note with what it cites."""
        self._parts.add_draft(Draft(text, confidence="high"), [source])
        return Token(content=f"\n\n{text}")

    def complete(self, answer: str | None = None, *, found: bool = True) -> Complete:
        """Return the last event of the turn; `answer` is used where there is no part."""
        return self._parts.complete(answer or self._words.not_found, found=found)

    async def empty(self, question: Question, period: Period) -> tuple[Draft, list[Evidence]]:
        """Return the sentence for a time without entries, and the entries before and after it."""
        known = await entries_in(self.state)
        before = [e for e in known if period.start and e.date < period.start][-1:]
        after = [e for e in known if period.end and e.date > period.end][:1]
        beside = [of_entry(entry, n) for n, entry in enumerate(before + after, self.next)]
        return without_entries(question, period, beside), beside

    @property
    def _words(self) -> Words:
        """The words of the question's language."""
        return words_of(self.state.question.language)

    async def reach(self) -> Reach:
        """Return how much the model can read; nothing is known before it is loaded."""
        return await reach_of(self._loaded) if self._loaded else Reach()

    async def _model(self) -> ChatModel:
        self._loaded = await self._get()
        return self._loaded
