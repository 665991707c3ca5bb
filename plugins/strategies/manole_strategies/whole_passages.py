"""Whole passages as evidence, without selection, for the plain strategies.

Only sentences that give orders are left out (`injection_filter.py`): documents are quotations.
"""

from __future__ import annotations

from collections.abc import Sequence

from manole.agent.answer.evidence import Evidence
from manole.agent.answer.injection_filter import inert
from manole.agent.answer.units import estimate_tokens, told_apart
from manole.tools.objects import FoundPassage

TOP_K = 5  # passages that are retrieved, as the design that is compared prescribes


def whole(passages: Sequence[FoundPassage], budget: float) -> list[Evidence]:
    """Return passages (best first) as numbered evidence, as long as they fit `budget` tokens."""
    found: list[Evidence] = []
    for passage in passages:
        item = as_evidence(passage, inert(passage.text), len(found) + 1)
        budget -= estimate_tokens(item.text) + estimate_tokens(item.label)
        if found and budget < 0:
            break
        found.append(item)
    return found


def as_evidence(passage: FoundPassage, text: str, n: int) -> Evidence:
    """Return a passage as evidence `[n]` with `text`; its quotes are lines of the passage."""
    heading = next((h for h in reversed(passage.headings) if h), "")
    name = passage.file.rsplit("/", 1)[-1]
    lines = enumerate(inert(passage.text).split("\n"), start=passage.line)
    return Evidence(
        n=n,
        file=passage.file,
        page=passage.page,
        line=passage.line,
        line_end=passage.line_end,
        label=f"{name}, {heading[:60]}" if heading else name,
        text=text,
        score=passage.score,
        units=tuple(
            (part, at, at)
            for at, line in lines
            for part in told_apart(line) or [line.strip()]
            if part
        ),
    )
