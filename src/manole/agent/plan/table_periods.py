"""Finds the period of a question in a table: in its days, or in the year that its file is of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise

from manole.agent.plan.query import PlanError
from manole.agent.plan.table_words import cells_named, words_in
from manole.agent.plan.typed import Condition
from manole.agent.plan.values import name_stems, period_of
from manole.catalog.families import Family, year_of
from manole.catalog.sheets import Column, Sheet
from manole.models.parser import Mark
from manole.text.periods import Period

_YEAR = re.compile(r"\b[12]\d{3}\b")
_LATE = timedelta(days=31)  # what a table may begin after a period that it is added up for
_YEARS = range(1000, 2200)
_MOSTLY = 0.5  # share of the days from which those tell the year, not the file's name


def has_years(column: Column) -> bool:
    """Return whether a column has years."""
    filled = [v for v in column.values if v is not None]
    return (
        column.is_numeric
        and bool(filled)
        and all(isinstance(v, int | float) and v == int(v) and int(v) in _YEARS for v in filled)
    )


def during(
    marks: Sequence[Mark], sheet: Sheet, day: str, today: date, *, whole: bool
) -> Iterator[tuple[Condition, ...]]:
    """Yield the conditions of periods, which must be those that the table is of.

    `day`: the column of days that is meant, "" for none. `whole`: what is added up must not begin
    long before the table does. Raises `PlanError`.
    """
    days = _column(sheet, day) if day else None
    of = year_of(sheet)
    if isinstance(sheet, Family) and sheet.years:
        for denied in (False, True):
            own = [mark for mark in marks if mark.denied == denied]
            known = {int(v) for v in _column(sheet, sheet.years).values if isinstance(v, int)}
            if years := sorted({y for mark in own for y in _years(mark, today, known)}):
                yield (Condition("is", sheet.years, tuple(map(str, years)), denied),)
    elif of is not None and not (days and _share(days, of) > _MOSTLY):
        for mark in marks:
            if mark.denied or not _is_year(mark, today, of):
                yield (_of_cells(mark, sheet),)
    elif days:
        if of is not None and _covers(days, of):  # its rows without a day are of it, too
            marks = [mark for mark in marks if mark.denied or not _is_year(mark, today, of)]
        tests = [_of_days(mark, days, today, whole) for mark in marks]
        apart = len(tests) > 1 and not any(mark.denied for mark in marks) and _apart(marks, today)
        yield from [tuple(tests)] if apart else ((test,) for test in tests)
    else:
        yield from ((_of_cells(mark, sheet),) for mark in marks)


def _column(sheet: Sheet, name: str) -> Column:
    return next(column for column in sheet.columns if column.name == name)


def _years(mark: Mark, today: date, known: set[int]) -> set[int]:
    """Return the whole years that a period is of, those `known` where it is open.

    Raises `PlanError` where it is no such period, or where one of them is not known.
    """
    said = {int(year) for year in _YEAR.findall(mark.text)}
    period = period_of(mark.text, today)
    if period is not None:
        first = period.start or date(min(known), 1, 1)
        last = period.end or date(max(known), 12, 31)
        if (first.month, first.day, last.month, last.day) != (1, 1, 12, 31):
            raise PlanError(f"{mark.text} is no whole year")
        said |= set(range(first.year, last.year + 1))
    if not said or not said <= known:
        raise PlanError(f"no table is of {mark.text}")
    return said


def _is_year(mark: Mark, today: date, year: int) -> bool:
    """Return whether a period is this whole year."""
    try:
        return _years(mark, today, {year}) == {year}
    except PlanError:
        return False


def _share(column: Column, year: int) -> float:
    """Return the share of a column's days that are of a year."""
    days = [str(v) for v in column.values if v is not None]
    return sum(day.startswith(str(year)) for day in days) / max(1, len(days))


def _covers(column: Column, year: int) -> bool:
    """Return whether all days of a column are of a year, from about its beginning."""
    first = min((str(v) for v in column.values if v is not None), default="")
    return _share(column, year) == 1 and first <= str(date(year, 1, 1) + _LATE)


def _of_days(mark: Mark, column: Column, today: date, whole: bool) -> Condition:
    days = sorted(str(v) for v in column.values if v is not None and str(v)[:4].isdecimal())
    period = period_of(mark.text, today)
    if period is not None and days:
        first, last = date.fromisoformat(days[0]), date.fromisoformat(days[-1])
        if period.start and period.start > last and not _YEAR.search(mark.text):
            period = period_of(mark.text, last) or period  # of the last year that there is
        if not any(date.fromisoformat(day) in period for day in days):
            raise PlanError(f"no row is of {mark.text}")
        if whole and not mark.denied and period.start and period.start + _LATE < first:
            if period.end:
                raise PlanError(f"the table begins on {first}")
            return Condition("after", column.name, (days[0],))  # "since 2022": since there is any
    return Condition("during", column.name, (mark.text,), mark.denied)


def _apart(marks: Sequence[Mark], today: date) -> bool:
    """Return whether no two periods have a day in common: then any of them is meant."""
    read = [period_of(mark.text, today) for mark in marks]
    spans = sorted((p.start, p.end) for p in read if isinstance(p, Period) and p.start and p.end)
    return len(spans) == len(marks) and all(a[1] < b[0] for a, b in pairwise(spans))


def _of_cells(mark: Mark, sheet: Sheet) -> Condition:
    years = [c for c in sheet.columns if has_years(c)]
    if len(years) == 1 and (said := re.search(_YEAR, mark.text)):
        return Condition("is", years[0].name, (said[0],), mark.denied)
    if found := cells_named(name_stems(mark.text), words_in(sheet)):
        return Condition("is", found[0].name, found[1], mark.denied)
    raise PlanError(f"no column is of {mark.text}")
