"""Adds metadata to extracts: the date of an entry, the fields of a paper.

A small model cannot calculate with days, nor find the total among the sums of a receipt; but it can
copy what it reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from operator import itemgetter

from manole.agent.answer.evidence import Evidence
from manole.agent.answer.injection_filter import steers
from manole.agent.languages import ENGLISH, Words
from manole.catalog.catalog import paper_type
from manole.catalog.papers import Paper
from manole.documents.fields import AnyField, Money
from manole.documents.journal import day_of_path
from manole.text.periods import find_period, with_plain_dates
from manole.tools.objects import FoundPassage


def known(
    chosen: Sequence[Evidence],
    passages: Sequence[FoundPassage],
    papers: Mapping[str, Paper],
    words: Words = ENGLISH,
) -> list[Evidence]:
    """Return extracts with their metadata.

    `passages` are those that the extracts are from, `papers` are some of their files; days are
    written in the language of `words`.
    """
    days = {p.file: p.date for p in passages if p.date}
    days_told = (told_when(item, days.get(item.file), words) for item in chosen)
    return [told_of(item, papers.get(item.file), words) for item in days_told]


def of_the_day(question: str, passages: Sequence[FoundPassage], today: date) -> list[FoundPassage]:
    """Return the passages of the entry of the one day that a question names, if any."""
    period = find_period(question, today)
    if period is None or period.start is None or period.start != period.end:
        return []
    return [p for p in passages if day_of_path(p.file) == period.start]


def told_when(extract: Evidence, day: date | None, words: Words = ENGLISH) -> Evidence:
    """Return an extract of a dated entry with dates behind words such as "yesterday"."""
    if day is None or day_of_path(extract.file) is None:
        return extract
    label = f"{extract.label}, {words.written(day)}"
    return replace(extract, label=label, text=with_plain_dates(extract.text, day), day=day)


def told_of(extract: Evidence, paper: Paper | None, words: Words = ENGLISH) -> Evidence:
    """Return an extract of a paper with its fields in the label; their lines can be quoted."""
    kind = paper_type(paper.file, paper.fields) if paper else None
    if paper is None or kind is None:
        return extract
    label = f"{extract.label}: {', '.join([kind, *_fields(paper, words)])}"
    quoted = (paper.fields.total, paper.fields.due_date)
    lines = {(f.text, f.line, f.line) for f in quoted if f and f.page == extract.page}
    return replace(extract, label=label, units=(*extract.units, *sorted(lines, key=itemgetter(1))))


def _fields(paper: Paper, words: Words) -> Iterator[str]:
    fields = paper.fields
    fields_told: dict[str, AnyField | None] = {
        "from": fields.issuer, "number": fields.number, "of": fields.date, "due": fields.due_date,
        "ends": fields.end_date, "notice": fields.notice, "tax": fields.tax, "total": fields.total,
    }  # fmt: skip
    for name, found in fields_told.items():
        if found is not None and not steers(value := _said(found.value, words)):
            yield f"{name} {value}"


def _said(value: str | date | Money, words: Words) -> str:
    if isinstance(value, Money):
        return f"{value.amount} {value.currency or ''}".strip()
    return words.written(value) if isinstance(value, date) else value
