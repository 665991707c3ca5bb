"""Passages for the screen: whole, with the deciding sentences highlighted.

Nothing is left out. A possible instruction to the model is not given to it beside a plain sentence
(`dictation.py`), but a person sees it in its place, marked as such.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple

from manole.agent.answer.injection_filter import orders_in
from manole.agent.answer.units import Unit
from manole.agent.events import Extract
from manole.tools.objects import FoundPassage


def extract(passage: FoundPassage, n: int, deciding: Sequence[Unit]) -> Extract:
    """Return a passage as extract `[n]`."""
    return Extract(
        n=n,
        file=passage.file,
        page=passage.page,
        line=passage.line,
        line_end=passage.line_end,
        headings=[heading for heading in passage.headings if heading],
        text=passage.text,
        marks=places(passage, deciding),
        orders=orders_in(passage.text),
        boxes=[astuple(box) for box in passage.boxes or ()],
    )


def places(passage: FoundPassage, deciding: Sequence[Unit]) -> list[tuple[int, int]]:
    """Return the places of units in the text of a passage; for a changed piece the whole line."""
    lines = passage.text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found: list[tuple[int, int]] = []
    for unit in deciding:
        for piece, number in unit.parts:
            at = min(max(number - passage.line, 0), len(lines) - 1)
            within = lines[at].find(piece)
            begin = starts[at] + max(within, 0)
            end = begin + len(piece) if within >= 0 else starts[at] + len(lines[at])
            if found and begin <= found[-1][1] + 1:
                found[-1] = (found[-1][0], max(end, found[-1][1]))
            else:
                found.append((begin, end))
    return found
