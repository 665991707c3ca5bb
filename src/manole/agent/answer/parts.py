"""Collects the parts of an answer during a turn, and makes the event that completes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from manole.agent.answer.draft import Draft, file_sources, renumbered, row_sources
from manole.agent.events import Complete, Outcome, Source
from manole.agent.usage import TurnUsage
from manole.tools.base import Confidence
from manole.tools.environment import TraceStep
from manole.tools.objects import Found

SURENESS: tuple[Confidence, ...] = ("low", "medium", "high")
_OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)  # best first


def least(*levels: Confidence) -> Confidence:
    """Return the lowest of some levels of confidence; high without any."""
    return min(levels, key=SURENESS.index, default="high")


class Parts:
    """The parts of one answer in order, with one numbering of `[n]`."""

    def __init__(self, usage: TurnUsage) -> None:
        self.usage = usage
        self.next = 1  # the next `[n]`
        self.texts: list[str] = []
        self.drafts: list[Draft] = []
        self.signals: dict[str, float] = {}
        self._sources: list[Source] = []
        self._told: list[Confidence] = []  # of the tools' messages

    def tell(self, step: TraceStep, objects: Sequence[Found]) -> str:
        """Add a tool's message with its sources. Return its text."""
        cited = file_sources(objects, self.next)
        text = f"{step.message} [{cited[0].n}]" if len(cited) == 1 else step.message
        if rows := row_sources(objects, self.next):  # its message cites them, counted from 1
            text = renumbered(step.message, self.next)
            cited = [source for source in rows if f"[{source.n}]" in text]
        self._sources += cited
        self.next += len(cited)
        self.texts.append(text)
        self._told.append(step.confidence)
        return text

    def keep(self, draft: Draft, found: Sequence[Source]) -> None:
        """Add a finished draft with its sources."""
        for completion in draft.completions:
            self.usage.add(completion)
        self.drafts.append(draft)
        self.texts.append(draft.text)
        self._sources += found
        self.next = max([self.next, *(source.n + 1 for source in found)])

    def complete(self, otherwise: str, *, found: bool) -> Complete:
        """Return the last event of the turn; `otherwise` is the answer without any part."""
        drafts = self.drafts
        only = bool(drafts) and len(self.texts) == len(drafts)  # no tool's message
        graded = [*(draft.confidence for draft in drafts), *self._told]
        return Complete(
            answer=("\n".join(self.texts) or otherwise).strip(),
            found=found and (not only or any(draft.found for draft in drafts)),
            outcome=self._outcome(found, only),
            sources=self._sources,
            confidence=least(*graded) if found else "low",
            grounding=min((d.grounding for d in drafts), default=1.0),
            corrected=any(d.corrected for d in drafts),
            signals={name: round(value, 4) for name, value in self.signals.items()},
            timings=self.usage.timings(),
            model_calls=self.usage.calls,
            tokens=self.usage.tokens(),
        )

    def _outcome(self, found: bool, only: bool) -> Outcome:
        if not found:
            return "nothing"
        ends = [draft.outcome for draft in self.drafts]
        return min(ends, key=_OUTCOMES.index) if only else "answered"
