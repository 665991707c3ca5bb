"""The parts of an answer with their sources, collected during a turn and joined at its end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import get_args

from manole.agent.answer.draft import Draft
from manole.agent.answer.evidence import Evidence
from manole.agent.answer.injection_filter import is_marked
from manole.agent.events import Complete, Outcome, Source
from manole.agent.turn import TurnUsage
from manole.tools.base import Confidence, TraceStep
from manole.tools.objects import Found, FoundFile, FoundRow

SURENESS: tuple[Confidence, ...] = ("low", "medium", "high")
_FILES = 50  # cited at most, as many as a tool returns
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
        self._levels: list[Confidence] = []  # of the tools' messages

    def add_message(self, step: TraceStep, objects: Sequence[Found]) -> str:
        """Add a tool's message with its sources; return its text."""
        cited = file_sources(objects, self.next)
        text = f"{step.message} [{cited[0].n}]" if len(cited) == 1 else step.message
        if rows := row_sources(objects, self.next):  # its message cites them, counted from 1
            text = renumbered(step.message, self.next)
            cited = [source for source in rows if f"[{source.n}]" in text] or rows
        self._sources += cited
        self.next += len(cited)
        self.texts.append(text)
        self._levels.append(step.confidence)
        return text

    def add_draft(self, draft: Draft, found: Sequence[Source]) -> None:
        """Add a finished draft with its sources."""
        for completion in draft.completions:
            self.usage.add(completion)
        self.drafts.append(draft)
        self.texts.append(draft.text)
        self._sources += found
        self.next = max([self.next, *(source.n + 1 for source in found)])

    @property
    def cited(self) -> list[Source]:
        """The sources that an answer cites; none where nothing was found."""
        found = any(draft.outcome == "answered" for draft in self.drafts)
        return [source for source in self._sources if source.cited and found]

    def complete(self, otherwise: str, *, found: bool) -> Complete:
        """Return the last event of the turn; without any part its answer is `otherwise`."""
        drafts = self.drafts
        only = bool(drafts) and len(self.texts) == len(drafts)  # no tool's message
        graded = [*(draft.confidence for draft in drafts), *self._levels]
        return Complete(
            answer=("\n\n".join(self.texts) or otherwise).strip(),
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


def sources(evidence: Sequence[Evidence], cited: Sequence[int], answer: str) -> list[Source]:
    """Return what each `[n]` points to, with the sentence that supports the answer.

    Extracts that are not `cited` are marked as such.
    """
    found = []
    for item in sorted(evidence, key=lambda item: item.n):
        text, line, line_end = item.quote(answer)
        found.append(
            Source(
                n=item.n,
                file=item.file,
                page=item.page,
                line=line,
                line_end=line_end,
                quote=text,
                cited=item.n in cited,
            )
        )
    return found


def merged(draft: Draft, found: Sequence[Source], own: Sequence[Source]) -> list[Source]:
    """Return the sources of a draft with its `own` further ones, which it cites from now on."""
    known = {source.n: source for source in found}
    cited = set(draft.cited)
    for source in own:
        known[source.n] = joined(known[source.n], source) if source.n in cited else source
        draft.cited += [] if source.n in cited else [source.n]
    return sorted(known.values(), key=lambda source: source.n)


def joined(one: Source, other: Source) -> Source:
    """Return two quotations of an extract as one; hidden text is not joined."""
    if is_marked(one.quote) or is_marked(other.quote):
        return one
    if other.quote in one.quote or one.quote in other.quote:
        return max(one, other, key=lambda source: len(source.quote))
    first, last = sorted((one, other), key=lambda source: source.line or 0)
    quote = f"{first.quote}\n{last.quote}"
    return first.model_copy(update={"quote": quote, "line_end": last.line_end})


def file_sources(objects: Sequence[Found], start: int) -> list[Source]:
    """Return the files in a tool's answer as sources, numbered from `start`."""
    files = [found.file for found in objects if isinstance(found, FoundFile)][:_FILES]
    return [Source(n=start + i, file=f) for i, f in enumerate(dict.fromkeys(files))]


def row_sources(objects: Sequence[Found], start: int) -> list[Source]:
    """Return rows as sources, numbered from `start`."""
    return [
        Source(
            n=start + row.n - 1,
            file=row.file,
            page=row.page,
            line=row.line,
            line_end=row.line,
            quote=row.quote,
        )
        for row in objects
        if isinstance(row, FoundRow)
    ]


def renumbered(text: str, start: int) -> str:
    """Return `text` with its `[1]`, `[2]` … numbered from `start`."""
    return re.sub(r"\[(\d+)\]", lambda m: f"[{int(m[1]) + start - 1}]", text)
