"""Extracts of dated entries: which day they are of, and what "yesterday" means in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from manole.agent.answering.evidence import Evidence
from manole.documents.journal import day_of_path
from manole.tools.periods import explained, find_period, written

_ASKS_WHEN = re.compile(
    r"(?:and |so )?(?:when\b|since when\b|wann\b|(?:on |in |at |from )?(?:which|what) "
    r"(?:dates?|days?|weeks?|months?|years?|seasons?)\b|how long ago\b)",
    re.IGNORECASE,
)


def dated(
    question: str, chosen: Sequence[Evidence], passages: Sequence[dict[str, Any]], today: date
) -> list[Evidence]:
    """Extracts with their day where a time is asked for, or where it falls into one that is named.

    `passages` are those that the extracts are from.
    """
    days = {p["file"]: date.fromisoformat(p["date"]) for p in passages if p["date"]}
    if asks_when(question):
        return [told_when(item, days.get(item.file)) for item in chosen]
    period = find_period(question, today)
    return [
        replace(item, label=f"{item.label}, {written(days[item.file])}")
        if period is not None and item.file in days and days[item.file] in period
        else item
        for item in chosen
    ]


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
