"""A plan as data: all that a question about files, papers, mails, a diary or a table can ask.

Code makes the query from it. Nothing in it is SQL or a pattern: values are words of the question,
or what they were found to be in the library.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from sqlglot import exp, parse_one
from sqlglot.dialects.sqlite import SQLite

from manole.agent.plan.notation import PERCENT
from manole.catalog.relations import MONEY

Given = Literal[
    "rows", "count", "sum", "avg", "max", "min", "first", "last", "exists", "distinct", "share",
    "diff",
]  # fmt: skip
Test = Literal[
    "is", "has", "mentions", "under", "tagged", "during", "before", "after",
    "over", "least", "below", "most", "between", "missing", "above", "beneath",
]  # fmt: skip
_TESTS: dict[Test, type[exp.Binary]] = {
    "is": exp.EQ, "has": exp.Like, "over": exp.GT, "least": exp.GTE, "below": exp.LT,
    "most": exp.LTE, "before": exp.LT, "after": exp.GTE, "above": exp.GT, "beneath": exp.LT,
}  # fmt: skip
TIMES = {  # groups of time, of the ISO day `{}`
    "year": "SUBSTR({}, 1, 4)",
    "quarter": "SUBSTR({0}, 1, 4) || '-Q' || ((CAST(SUBSTR({0}, 6, 2) AS INTEGER) + 2) / 3)",
    "month": "SUBSTR({}, 1, 7)",
    "week": "STRFTIME('%Y-W%W', {})",
    "day": "SUBSTR({}, 1, 10)",
}
_WORDS = SQLite.Tokenizer.KEYWORDS
_TOP = "SUBSTR(path, 1, INSTR(path, '/') - 1)"  # the folder at the top, '' for none
_WASTED = "size * (copies - 1) / copies"  # bytes of a file that one copy would not need
_AGGREGATES = {"sum": exp.Sum, "avg": exp.Avg, "max": exp.Max, "min": exp.Min}
_DAYS = {"files": "modified", "tasks": "due"}  # the usual day of a row, where it is not `date`
_SHOWN = {  # columns of a listed row
    "files": ("path",),
    "folders": ("path", "files", "size"),
    "papers": ("path", "issuer", "date", "total", "currency"),
    "messages": ("path", "subject", "date", "sender"),
    "entries": ("date", "text"),
    "people": ("date", "text"),
    "events": ("date", "start", "title", "place", "notes"),
    "tasks": ("text", "status", "due", "path"),
}
_COUNTED = {"entries": "date", "people": "name"}  # what is counted once, however often it occurs
_NAMED = {"files": "files", "papers": "papers", "messages": "messages", "folders": "folders"}


@dataclass(frozen=True, slots=True)
class Condition:
    """One test of a column, met by any of `values`; `denied` if by none of them.

    What is `above` or `beneath` is so beside another column, which is the value.
    """

    test: Test
    column: str
    values: tuple[str, ...] = ()
    denied: bool = False


@dataclass(frozen=True, slots=True)
class TypedPlan:
    """What is asked: of a relation, what is `given`, by group and order, under conditions.

    All `conditions` must hold, of each at least one alternative. `column` is what is measured,
    ordered by or asked back, in `unit` where it is a quantity in a text. `limit` 0 is no limit.
    """

    relation: str
    given: Given = "rows"
    column: str = ""
    unit: str = ""
    group: str = ""
    order: Literal["", "asc", "desc"] = ""
    limit: int = 0
    conditions: tuple[tuple[Condition, ...], ...] = ()
    shown: tuple[str, ...] = ()  # columns of a listed row, where they are not the usual ones
    dated: str = ""  # the column with the day of a row, where it is not the usual one
    sides: tuple[tuple[Condition, ...], ...] = ()  # the part of a share, the two of a difference
    mixed: bool = False  # amounts of several currencies, which are never added up
    unsigned: bool = False  # what was spent is told, and ordered, without the minus of a statement

    @property
    def day(self) -> str:
        """The day of a row."""
        return self.dated or _DAYS.get(self.relation, "date")

    @property
    def measure(self) -> exp.Expr:
        """What is measured: a column, or quantities in a text."""
        if self.unit:
            call = [exp.column("text"), exp.Literal.string(self.unit)]
            return exp.Anonymous(this="value", expressions=call)
        tested = {test.column for every in self.conditions for test in every}
        if self.column == "size" and self.given == "sum" and "copies" in tested:
            return parse_one(_WASTED, read="sqlite")
        return exp.column(self.column or self.day)

    @property
    def _in_currencies(self) -> bool:
        """Whether its amounts are of the currency that a column of that name has."""
        return self.mixed or (self.column in MONEY and self.relation == "papers")

    def sql(self) -> str:
        """Return the query, with the operators of `prompts/plan.system.txt`."""
        query = self._asked()
        for alternatives in self.conditions:
            query = query.where(exp.or_(*map(self._condition, alternatives)), copy=False)
        if self.given == "exists":
            query = exp.select(exp.Exists(this=query))
        return query.sql("sqlite", normalize_functions=False)

    def _condition(self, test: Condition) -> exp.Expr:
        """Return a condition as SQL; what a diary does not mention, no note of that day does."""
        if not (test.denied and test.test == "mentions" and self.relation == "entries"):
            return _condition(test)
        met = _condition(replace(test, denied=False))
        days = exp.select("date").from_(self.relation).where(met)
        return exp.not_(exp.In(this=exp.column("date"), query=exp.Subquery(this=days)))

    def _asked(self) -> exp.Select:
        """Return the query without its conditions."""
        query = exp.select().from_(self.relation)
        if self.given == "exists":
            return query.select("path" if "path" in self._shown() else "1")
        if self.sides:
            return self._compared(query)
        if self.group:
            return self._grouped(query)
        if self.given in {"first", "last"}:
            return self._ends(query)
        if self.given == "count":
            return query.select(_counted(self.relation))
        if self.given == "distinct":
            known = exp.Not(this=exp.Is(this=exp.column(self.column), expression=exp.null()))
            return query.select(exp.column(self.column)).distinct().where(known)
        alone = self.given in {"max", "min"}  # shown with the row that it is of
        if self.given in _AGGREGATES and not alone:
            return self._added(query, self._in_currencies)
        first = {"max": "desc", "min": "asc"}.get(self.given, self.order)
        first = {"desc": "asc", "asc": "desc"}.get(first, "") if self.unsigned else first
        query = query.select(*self._items())
        if first:
            by = self.measure if self.column or self.unit else exp.column(self.day)
            query = query.order_by(exp.Ordered(this=by, desc=first == "desc"))
        limit = 1 if alone else self.limit
        return query.limit(limit) if limit else query

    def _compared(self, query: exp.Select) -> exp.Select:
        """Return a share in percent, or a difference."""
        measured = self.measure if self.column or self.unit else exp.Literal.number(1)
        parts: list[exp.Expr] = []
        for side in self.sides:
            part = exp.Case().when(exp.or_(*map(_condition, side)), measured.copy(), copy=False)
            parts.append(exp.Sum(this=part.else_(exp.Literal.number(0), copy=False)))
        if self.given == "diff":
            figure: exp.Expr = exp.Abs(this=exp.Sub(this=parts[0], expression=parts[1]))
            query = query.where(
                exp.or_(*(_condition(t) for s in self.sides for t in s)), copy=False
            )
        else:
            whole = exp.Mul(this=exp.Literal.number("100.0"), expression=parts[0])
            figure = exp.Div(this=whole, expression=exp.Sum(this=measured.copy()))
        name = "difference" if self.given == "diff" else PERCENT
        query = query.select(exp.alias_(figure, name))
        return query.select("currency").group_by("currency") if self._in_currencies else query

    def _shown(self) -> tuple[str, ...]:
        usual = self.shown or _SHOWN.get(self.relation, ("*",))
        extra = (self.column,) if self.column and not self.unit else ()
        if usual == ("*",):
            return usual
        alone = (tests[0] for tests in self.conditions if len(tests) == 1)
        said = {t.column for t in alone if t.test == "is" and len(t.values) == 1 and not t.denied}
        said = said if self.shown or self.relation == "tasks" else set()
        rest = (name for name in usual[1:] if name not in said)
        return tuple(dict.fromkeys([usual[0], *extra, *rest]))

    def _items(self) -> list[exp.Expr]:
        return [exp.Star() if name == "*" else self._named(name) for name in self._shown()]

    def _named(self, name: str) -> exp.Column:
        """Return a column; one of a table may be called as a word of SQL is."""
        return exp.column(name, quoted=name in self.shown and name.upper() in _WORDS)

    def _added(self, query: exp.Select, money: bool) -> exp.Select:
        query = query.select(exp.alias_(self._figure(), self.unit or self.column))
        return query.select("currency").group_by("currency") if money else query

    def _figure(self) -> exp.Expr:
        most = {"max": "min", "min": "max"} if self.unsigned else {}
        figure: exp.Expr = _AGGREGATES[most.get(self.given, self.given)](this=self.measure)
        return exp.Abs(this=figure) if self.unsigned else figure

    def _ends(self, query: exp.Select) -> exp.Select:
        """Return when something was first or last."""
        end = exp.Min if self.given == "first" else exp.Max
        if self.relation in {"entries", "people"}:
            return query.select(exp.alias_(end(this=exp.column("date")), "date"))
        by = exp.column(self.column or self.day)
        ordered = exp.Ordered(this=by, desc=self.given == "last")
        return query.select(*self._items()).order_by(ordered).limit(1)

    def _grouped(self, query: exp.Select) -> exp.Select:
        """Return a figure for each group."""
        own = self.group in self.shown  # a table's column, though it be called "year"
        times = self.group == self.dated or (self.group in TIMES and not own)
        day = self.column if self.column in {"modified", "due"} else self.day
        made = None if own else {**TIMES, "top": _TOP}.get(self.group)
        key = parse_one(made.format(day), read="sqlite") if made else self._named(self.group)
        money = self._in_currencies
        if self.given in _AGGREGATES:
            figure, name = self._figure(), self.unit or self.column
        else:
            figure, name = _counted(self.relation), _NAMED.get(self.relation, "times")
        query = query.select(exp.alias_(key, self.group), exp.alias_(figure, name))
        groups: list[exp.Expr] = [self._named(self.group)]
        if money and self.given in _AGGREGATES:
            query, groups = query.select("currency"), [*groups, exp.column("currency")]
        by = exp.column(self.group if times and not self.limit else name)
        falls = self.order == "desc" or (not self.order and not times)
        query = query.group_by(*groups).order_by(exp.Ordered(this=by, desc=falls))
        return query.limit(self.limit) if self.limit else query


def _counted(relation: str) -> exp.Count:
    if (column := _COUNTED.get(relation)) is not None:
        return exp.Count(this=exp.Distinct(expressions=[exp.column(column)]))
    return exp.Count(this=exp.Star())


def _condition(test: Condition) -> exp.Expr:
    """Return a condition as SQL."""
    if test.test == "missing":
        met: exp.Expr = exp.Is(this=exp.column(test.column), expression=exp.null())
    elif test.test == "between":
        low, high = map(exp.Literal.string, test.values)
        met = exp.Between(this=exp.column(test.column), low=low, high=high)
    elif test.test == "is" and len(test.values) > 1:
        met = exp.column(test.column).isin(*test.values)
    else:
        met = exp.or_(*(_single(test, value) for value in test.values))
    if not test.denied:
        return exp.paren(met) if len(test.values) > 1 and test.test != "between" else met
    return exp.not_(exp.paren(met))


def _single(test: Condition, value: str) -> exp.Expr:
    said = exp.Literal.string(f"%{value}%" if test.test == "has" else value)
    if test.test in {"above", "beneath"}:
        return _TESTS[test.test](this=exp.column(test.column), expression=exp.column(value))
    if test.test == "tagged":
        tagged = exp.select("path").from_("tags").where(exp.column("tag").eq(said))
        return exp.In(this=exp.column("path"), query=exp.Subquery(this=tagged))
    if test.test in {"mentions", "under"}:
        return exp.Anonymous(this=test.test, expressions=[said])
    if test.test == "during":
        return exp.Anonymous(this="during", expressions=[exp.column(test.column), said])
    return _TESTS[test.test](this=exp.column(test.column), expression=said)
