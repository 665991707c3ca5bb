"""Puts the answer of a turn together, clause by clause: its text, sources and confidence."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from manole.agent.answering.answer import (
    AGENT,
    NOT_FOUND,
    Draft,
    Style,
    file_sources,
    finished,
    quote,
    renumbered,
    row_sources,
    sources,
    write,
)
from manole.agent.answering.answerable import answerable
from manole.agent.answering.conflicts import conflict
from manole.agent.answering.evidence import UNSUPPORTED, Evidence, relevant, select, support
from manole.agent.answering.speakers import Chat
from manole.agent.events import Complete, ErrorEvent, Event, Source, StatusEvent, Token
from manole.agent.ledger import Ledger
from manole.agent.turn import GetModel
from manole.agent.understanding.rules import Route
from manole.documents.journal import day_of_path
from manole.errors import ManoleError
from manole.tools.base import Confidence
from manole.tools.environment import TraceStep, TurnState
from manole.tools.periods import explained, find_period, iso_dated, written

_ASKS_WHEN = re.compile(
    r"(?:and |so )?(?:when\b|since when\b|wann\b|(?:on |in |at |from )?(?:which|what) "
    r"(?:dates?|days?|weeks?|months?|years?|seasons?)\b|how long ago\b)",
    re.IGNORECASE,
)
_ORDER = ("low", "medium", "high")


class Composer:
    """The answer of one turn. `[n]` are numbered through all its clauses."""

    def __init__(self, state: TurnState, ledger: Ledger, model: GetModel) -> None:
        self.state = state
        self.ledger = ledger
        self._model = model
        self._parts: list[str] = []
        self._sources: list[Source] = []
        self._drafts: list[Draft] = []
        self._said: list[Confidence] = []  # of what tools answered

    async def say(self, step: TraceStep) -> AsyncIterator[Event]:
        """Let a tool's own message be the answer to its clause: no model."""
        entries = self.state.environment.find(step.tool) or []
        objects = entries[-1]["objects"] if entries else []
        first = len(self._sources) + 1
        cited = file_sources(objects, first)
        text = f"{step.message} [{cited[0].n}]" if len(cited) == 1 else step.message
        rows = row_sources(objects, first)
        if rows:  # its message cites them already, counted from 1
            cited, text = rows, renumbered(step.message, first)
        self._sources += cited
        self.ledger.first_token()
        yield Token(content=f"\n{text}" if self._parts else text)
        self._parts.append(text)
        self._said.append(step.confidence)

    async def synthesize(self, planned: Route) -> AsyncIterator[Event]:
        """Select evidence for a clause and let the model answer from it."""
        question = self._question(planned)
        started = time.perf_counter()
        evidence = await asyncio.to_thread(self._evidence, question, planned)
        self.ledger.spent("evidence", time.perf_counter() - started)
        if self._parts:
            yield Token(content="\n")
        first = len(self._sources) + 1
        evidence = nearest = [replace(e, n=n) for n, e in enumerate(evidence, start=first)]
        # A clause about a file that is already known is not measured against the question.
        given = self._meant(planned) or planned.tool == "read_document"
        dated = iso_dated(question)
        if not given:
            evidence = relevant(dated, evidence)
        backed = support(dated, evidence)
        supported = evidence and (given or backed >= UNSUPPORTED)
        chat = None if given else await asyncio.to_thread(self._chat, question)
        if not supported or (chat and chat.another_fits()):
            async for event in self.decline(question, nearest):
                yield event
            return
        evidence = [replace(e, n=n) for n, e in enumerate(evidence, start=first)]
        yield StatusEvent(message=f"Reading {len(evidence)} extracts.")
        # The model does not know what day it is.
        question = explained(question, self.state.today)
        if not given and not await self._answerable(question, evidence, backed):
            async for event in self.decline(question, nearest):
                yield event
            return
        async for event in self.read(question, evidence, chat=chat):
            yield event

    async def _answerable(self, question: str, evidence: Sequence[Evidence], backed: float) -> bool:
        """Whether the model leans to yes; without a model the extract may still be quoted."""
        try:
            yes, completion = await answerable(question, evidence, backed, await self._model())
        except ManoleError:
            return True
        if completion is not None:
            self.ledger.add(completion)
        return yes

    async def read(
        self,
        question: str,
        evidence: Sequence[Evidence],
        style: Style = AGENT,
        chat: Chat | None = None,
    ) -> AsyncIterator[Event]:
        """Let the model answer from `evidence`; without a model the best extract is quoted."""
        try:
            async for event in self.attempt(question, evidence, style, chat):
                yield event
        except ManoleError as error:
            yield ErrorEvent(message=error.message, suggestion=error.hint)
            if not evidence:
                async for event in self.decline(question, ()):
                    yield event
                return
            text, cited = quote(evidence)
            draft = Draft(text=text, confidence="low", corrected=True, cited=cited)
            self._keep(draft, sources(evidence, cited, f"{question} {text}"))

    async def attempt(
        self,
        question: str,
        evidence: Sequence[Evidence],
        style: Style,
        chat: Chat | None = None,
    ) -> AsyncIterator[Event]:
        """Let the model answer from `evidence`. Raises `ManoleError` when it cannot.

        From a conversation an answer is shown when it is whole, and only if it is about the
        person that was asked about.
        """
        limit = self.state.settings.agent.answer_tokens
        held = ""
        async for item in write(question, evidence, await self._model(), limit, style):
            if isinstance(item, Draft):
                if chat and item.found and chat.another_said(item.text):
                    item, held = not_found(item), NOT_FOUND
                if held:
                    self.ledger.first_token()
                    yield Token(content=held)
                if style.strict and (token := contradict(item, question, evidence)):
                    yield token
                self._keep(item, sources(evidence, item.cited, f"{question} {item.text}"))
            elif chat:
                held += item
            else:
                self.ledger.first_token()
                yield Token(content=item)

    async def decline(self, question: str, nearest: Sequence[Evidence]) -> AsyncIterator[Event]:
        """Say that nothing was found, with the nearest extracts as uncited sources."""
        self.ledger.first_token()
        yield Token(content=NOT_FOUND)
        self._keep(not_found(Draft()), sources(nearest, (), question))

    async def show(
        self, text: str, question: str, evidence: Sequence[Evidence], style: Style
    ) -> AsyncIterator[Event]:
        """Take over an answer that is written already: cite and grade it."""
        draft = finished(text, question, evidence, style)
        self.ledger.first_token()
        yield Token(content=draft.text)
        self._keep(draft, sources(evidence, draft.cited, f"{question} {draft.text}"))

    def complete(self, answer: str | None = None, *, found: bool = True) -> Complete:
        """The turn's last event; `answer` stands in where no clause was answered."""
        drafts = self._drafts
        graded = [*(draft.confidence for draft in drafts), *self._said]
        return Complete(
            answer=(answer or "\n".join(self._parts) or NOT_FOUND).strip(),
            found=found and (not drafts or len(self._parts) > len(drafts) or _any_found(drafts)),
            sources=self._sources,
            confidence=min(graded, key=_ORDER.index, default="high") if found else "low",
            grounding=min((d.grounding for d in drafts), default=1.0),
            corrected=any(d.corrected for d in drafts),
            timings=self.ledger.timings(),
            model_calls=self.ledger.calls,
            tokens=self.ledger.tokens(),
        )

    def _question(self, planned: Route) -> str:
        """What the model is asked: the clause alone once an earlier one has been answered."""
        if not self._parts or not planned.clause:
            return self.state.question
        files = planned.inputs.get("files")
        return f"{planned.clause} (in {files[0]})" if files else planned.clause

    def _evidence(self, question: str, planned: Route) -> list[Evidence]:
        passages = list(self.state.environment.objects("passage"))
        wanted = self._meant(planned)
        if wanted:
            passages = [p for p in passages if p["file"] in wanted] or passages
        passages = of_the_day(question, passages, self.state.today) or passages
        chosen = select(
            iso_dated(question),
            passages,
            self.state.library.embedder.embed,
            budget=self.state.settings.agent.evidence_tokens,
        )
        days = {p["file"]: date.fromisoformat(p["date"]) for p in passages if p["date"]}
        if asks_when(question):
            return [told_when(e, days.get(e.file)) for e in chosen]
        period = find_period(question, self.state.today)
        if period is None:
            return chosen
        return [
            replace(e, label=f"{e.label}, {written(days[e.file])}")
            if e.file in days and days[e.file] in period
            else e
            for e in chosen
        ]

    def _chat(self, question: str) -> Chat | None:
        passages = list(self.state.environment.objects("passage"))
        return Chat.about(question, passages, self.state.library.embedder.embed)

    def _meant(self, planned: Route) -> tuple[str, ...]:
        """The files a clause is known to speak of: those found before, or by an identifier."""
        anchors: tuple[str, ...] = self.state.environment.hidden_environment.get("anchored", ())
        return planned.inputs.get("files") or anchors

    def _keep(self, draft: Draft, found: list[Source]) -> None:
        for completion in draft.completions:
            self.ledger.add(completion)
        self._drafts.append(draft)
        self._parts.append(draft.text)
        self._sources += found


def not_found(draft: Draft) -> Draft:
    """The draft without what it says, at the cost it had."""
    return Draft(
        text=NOT_FOUND, found=False, confidence="low", corrected=bool(draft.text),
        completions=draft.completions,
    )  # fmt: skip


def contradict(draft: Draft, question: str, evidence: Sequence[Evidence]) -> Token | None:
    """Put what another source says otherwise below an answer, which is then not certain."""
    found = conflict(question, draft.text, draft.cited, evidence) if draft.found else None
    if found is None:
        return None
    note = f"\n{found}"
    draft.text += note
    draft.cited.append(found.n)
    draft.confidence = min(draft.confidence, "medium", key=_ORDER.index)
    return Token(content=note)


def of_the_day(
    question: str, passages: Sequence[dict[str, Any]], today: date
) -> list[dict[str, Any]]:
    """The passages of the entry of the one day that a question names, if there are some."""
    period = find_period(question, today)
    if period is None or period.start is None or period.start != period.end:
        return []
    return [p for p in passages if day_of_path(p["file"]) == period.start]


def told_when(extract: Evidence, day: date | None) -> Evidence:
    """An extract of a dated entry, with plain dates behind words such as "yesterday".

    A small model cannot reckon with days; what it reads it can copy.
    """
    if day is None or day_of_path(extract.file) is None:
        return extract
    sentences = re.split(r"(?<=[.!?])(\s+)", extract.text)
    text = "".join(explained(part, day) if part.strip() else part for part in sentences)
    return replace(extract, label=f"{extract.label}, {written(day)}", text=text)


def asks_when(question: str) -> bool:
    """Whether a time is asked for."""
    return bool(_ASKS_WHEN.match(question.strip()))


def _any_found(drafts: list[Draft]) -> bool:
    return any(draft.found for draft in drafts)
