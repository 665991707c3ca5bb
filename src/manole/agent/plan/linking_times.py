"""What the marks of a question say of time: a period, a weekday, an age."""

from __future__ import annotations

from calendar import day_name
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from manole.agent.plan.query import PlanError
from manole.agent.plan.typed import Condition, Test, TypedPlan
from manole.agent.plan.values import period_of
from manole.catalog.kinds import kind_meant
from manole.catalog.relations import RELATIONS
from manole.models.parser import Mark
from manole.text.date_words import UNIT_OF, weekday_of
from manole.text.numbers import COUNTS, count_of
from manole.text.spans import step
from manole.text.words import words

_ADDED = frozenset({"count", "sum", "avg"})  # what is given of every such weekday


@dataclass(frozen=True, slots=True)
class Times:
    """Makes conditions on the days of a relation, for a question as of `today`."""

    relation: str
    given: str
    marks: Sequence[Mark]
    today: date

    def _has(self, *tags: str) -> bool:
        return any(mark.tag in tags for mark in self.marks)

    def day(self, column: str) -> str:
        """Return the column with the day that a period is about."""
        if RELATIONS[self.relation].columns.get(column) == "DAY":
            return column
        pictures = any(m.tag == "kind" and kind_meant(m.text) == "picture" for m in self.marks)
        return "date" if pictures else TypedPlan(self.relation).day

    def during(self, mark: Mark, column: str) -> list[Condition]:
        """Return the condition of a period; "on Mondays" is a weekday."""
        period = period_of(mark.text, self.today)
        if self._has("status") and period and period.start == self.today == period.end:
            return []  # as of today
        others = [m for m in self.marks if m.tag == "period" and m is not mark]
        day, each = weekday_of(mark.text)
        if day and (each or self.given in _ADDED) and "weekday" in RELATIONS[self.relation].columns:
            return [Condition("is", "weekday", (day_name[day - 1],), mark.denied)]
        if period is None and any(period_of(other.text, self.today) for other in others):
            return []  # said again in other words: "second half (July to December)"
        return [Condition("during", self.day(column), (mark.text,), mark.denied)]

    def aged(self, mark: Mark, column: str) -> Condition:
        """Return the condition of an age: older, unless the words say newer. Raises `PlanError`."""
        said = words(mark.text)
        unit = next((UNIT_OF[word] for word in said if word in UNIT_OF), None)
        count = next((w for w in said if w.isdigit() or w in COUNTS), "")
        if unit is None:
            raise PlanError(f"“{mark.text}” is no age")
        try:
            cut = step(self.today, unit, -(count_of(count) if count else 1))
        except (ValueError, OverflowError) as error:
            raise PlanError(f"“{mark.text}” is no age") from error
        test: Test = "after" if self._has("under", "most") else "before"
        return Condition(test, self.day(column), (cut.isoformat(),), mark.denied)
