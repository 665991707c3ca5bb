"""A query over the catalog: as the model wrote it, and checked so that it may be run."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from manole.catalog.relations import FIELDS, PAPERS, RELATIONS, Relation
from manole.catalog.sandbox import Value

DIALECT = "sqlite"
_FENCE = re.compile(r"```\w*")
_CLOSE = 0.75  # difflib ratio from which a name is another spelling of a column: one letter of four
_DEEP = 60  # levels of a query; one of 120 tokens has some ten
_GROUPS = 50  # rows of a result by groups, up to which only the rows of these groups are told
_WHOLE = ("path", "total", "currency", "issuer", "due", "date")
PAID = ("invoice", "bill", "receipt")  # one paper may be called all of these


class PlanError(ValueError):
    """A plan that cannot be trusted; the message gives the reason."""


class UnknownWordsError(PlanError):
    """A plan for a diary with a phrase whose `words` occur in no note."""

    def __init__(self, phrase: str, words: Sequence[str]) -> None:
        super().__init__(f"no entry has “{' '.join(words)}”")
        self.phrase, self.words = phrase, words


class TextsNeededError(PlanError):
    """A plan that needs the words of files, which are not in the catalog yet."""


@dataclass(frozen=True)
class Query:
    """A query over the catalog as it was written, and the relations that it names."""

    tree: exp.Select
    relations: frozenset[str]


def parse(text: str) -> Query:
    """Return the query in a model's reply. Raises `PlanError`."""
    written = _FENCE.sub("", text).strip().split(";")[0].strip().replace("\\'", "''")
    try:
        tree = sqlglot.parse_one(written, read=DIALECT)
    except (SqlglotError, RecursionError) as error:
        raise PlanError("the query cannot be read") from error
    if depth(tree) > _DEEP:
        raise PlanError("the query is nested too deeply")
    if isinstance(tree, exp.SetOperation):
        columns = [item.alias_or_name or "*" for item in tree.selects]
        tree = exp.select(*columns).from_(tree.subquery("both"))
    if not isinstance(tree, exp.Select) or tree.find(exp.Values):
        raise PlanError("it is no SELECT")
    local = {str(cte.alias).lower() for cte in tree.find_all(exp.CTE)}
    names = tables_of(tree) - local
    if not names:
        raise PlanError("there is no table")
    return Query(tree, frozenset(names))


def reads(tree: exp.Select) -> None:
    """Raise `PlanError` where a text that the model wrote itself is selected."""
    selects = [s for s in tree.find_all(exp.Select) if not isinstance(s.parent, exp.Exists)]
    items = [item for select in selects for item in select.expressions]
    if not all(item.find(exp.Column, exp.Count, exp.Star, exp.Exists) for item in items):
        raise PlanError("it reads no column of a table")


def depth(tree: exp.Expr) -> int:
    """Count the levels of a tree without recursion."""
    levels = 0
    level: list[exp.Expr] = [tree]
    while level:
        levels, level = levels + 1, [child for node in level for child in node.iter_expressions()]
    return levels


@dataclass
class Checked:
    """A query that may be run, and what is known about it."""

    tree: exp.Select
    source: Relation
    empty: list[str] = field(default_factory=list)  # values without a match
    unsaid: bool = False  # has a kind that the question does not name, or an unknown name
    loose: bool = False  # words of the question were ignored, as no note has them all
    relations: Mapping[str, Relation] = field(default_factory=lambda: RELATIONS)

    @property
    def sql(self) -> str:
        """The query in SQLite's dialect."""
        return self.tree.sql(DIALECT)

    @property
    def outer(self) -> exp.Select:
        """The query itself, or the one inside `EXISTS`."""
        item = self.tree.expressions[0].unalias() if len(self.tree.expressions) == 1 else None
        inner = item.this if isinstance(item, exp.Exists) else None
        return inner if isinstance(inner, exp.Select) else self.tree

    @property
    def asks_whether(self) -> bool:
        """Whether the answer is yes or no."""
        return self.outer is not self.tree

    @property
    def computes(self) -> bool:
        """Whether it aggregates rows."""
        return any(item.find(exp.AggFunc) for item in self.outer.expressions)

    @property
    def in_days(self) -> bool:
        """Whether the result is the days between the last and the first of something."""
        item = self.outer.expressions[0].unalias()
        ends = [item.left, item.right] if isinstance(item, exp.Sub) else []
        alone = len(self.outer.expressions) == 1 and not self.grouped
        kinds = {type(end) for end in ends} if alone else set()
        return kinds == {exp.Max, exp.Min} and all(
            isinstance(end.this, exp.Anonymous) and end.this == ends[0].this for end in ends
        )

    @property
    def grouped(self) -> bool:
        """Whether each row of the result is a group of rows."""
        return bool(self.outer.args.get("group"))

    @property
    def added(self) -> exp.Expr | None:
        """What is added up or averaged, if that is all it computes."""
        items = [item.unalias() for item in self.outer.expressions]
        items = [item.this if isinstance(item, exp.Abs) else item for item in items]
        found = [item for item in items if item.find(exp.AggFunc)]
        alone = len(found) == 1 and isinstance(found[0], (exp.Sum, exp.Avg))
        return found[0].this if alone else None

    def is_answered(self, rows: Sequence[Sequence[Value]]) -> bool:
        """Return whether the result of a query on a sheet can be an answer.

        A count of 0 may be the fault of the query, as may several calculated values where one was
        asked for.
        """
        item = self.tree.expressions[0].unalias()
        alone = len(self.tree.expressions) == 1
        nothing = alone and isinstance(item, exp.Count) and list(rows) == [(0,)]
        many = alone and not isinstance(item, exp.Column) and len(rows) > 1
        return any(v is not None for row in rows for v in row) and not nothing and not many

    def whole(self) -> Checked | None:
        """Return the query with what tells a paper from others, where it lists papers."""
        items = [item.unalias() for item in self.tree.expressions]
        plain = all(isinstance(item, exp.Column) for item in items)
        if self.source is not PAPERS or not plain or self.grouped or self.tree.args.get("distinct"):
            return None
        names = dict.fromkeys(["path", *(item.name for item in items), *_WHOLE])
        return replace(self, tree=self.tree.select(*names, append=False))

    def gives(self, names: Sequence[str], rows: Sequence[Sequence[object]]) -> bool:
        """Return whether some row has the requested field of a paper: the first after its path."""
        asked = next((name for name in names if name not in {"path", "name"}), "")
        if self.source is not PAPERS or asked not in FIELDS or self.computes or not rows:
            return True
        return any(row[list(names).index(asked)] is not None for row in rows)

    def wider(self) -> Checked | None:
        """Return a slightly wider query, if there is one.

        Invoices, bills and receipts become papers of any of these types; notes of some days that
        mention something become all notes of the days.
        """
        tree = self.tree.copy()
        if self.source.name == "entries" and not self.computes:
            named = [test for test in tree.find_all(exp.In) if test.args.get("query")]
            days = any(test.this.name == "date" for test in tree.find_all(exp.LTE, exp.Between))
            for condition in named:
                condition.replace(exp.true())
            return replace(self, tree=tree, empty=[]) if named and days else None
        tests = [t for t in tree.find_all(exp.EQ) if t.this.name == "type"]
        tests = [t for t in tests if t.expression.name in PAID]
        for test in tests:
            values = [exp.Literal.string(name) for name in PAID]
            test.replace(exp.In(this=test.this.copy(), expressions=values))
        return replace(self, tree=tree) if tests else None

    @property
    def base(self) -> tuple[str, Relation] | None:
        """The table whose rows stand behind the result, as alias and relation, if there is one.

        Of joined sheets it is the one of the first selected column.
        """
        joined = [self.outer.args.get("from_"), *self.outer.args.get("joins", ())]
        tables = [part.this for part in joined if part and isinstance(part.this, exp.Table)]
        known = {t.alias_or_name: r for t in tables if (r := self.relations.get(t.name.lower()))}
        if not known or len(known) < len(joined):
            return None
        if len(known) > 1 and any(relation.name in RELATIONS for relation in known.values()):
            return None
        asked = (c.table for item in self.outer.expressions for c in item.find_all(exp.Column))
        return next(((of, known[of]) for of in asked if of in known), next(iter(known.items())))

    def otherwise(self, status: str | None) -> str | None:
        """Return a query for papers with another `status` that fit in all else.

        `None` if no status is asked; a status of `None` is for those that do not say theirs.
        """
        tree = self.outer.copy()
        tests = [t for t in tree.find_all(exp.EQ) if t.this.name == "status"]
        if self.source is not PAPERS or not tests or tests[0].expression.name == status:
            return None
        for part in ("distinct", "group", "having", "order", "limit", "offset"):
            tree.set(part, None)
        for test in tests:
            column = test.this.copy()
            other = exp.Is(this=column, expression=exp.null()) if status is None else None
            test.replace(other or exp.EQ(this=column, expression=exp.Literal.string(status)))
        return tree.select("path", append=False).sql(DIALECT)

    def behind(self, rows: Sequence[Sequence[Value]] = (), *, lacking: bool = False) -> str | None:
        """Return a query for the places of the rows behind the result `rows`; `None` if unknown.

        `lacking`: for those that would be, but have no value that could be added.
        """
        if (base := self.base) is None:
            return None
        tree = self.outer.copy()
        tree.set("distinct", None)
        if self.computes or self.grouped:
            for part in ("group", "having", "order", "limit", "offset"):
                tree.set(part, None)
        best, added = self.outer.expressions[0].unalias(), self.added
        if self.grouped and isinstance(best, exp.Column) and 0 < len(rows) <= _GROUPS:
            groups = [row[0] for row in rows]
            tree = tree if None in groups else tree.where(best.copy().isin(*groups))
        if lacking:
            if not isinstance(added, exp.Column):
                return None
            priced = [t for t in tree.find_all(exp.EQ) if t.this.name == "currency"]
            for test in priced if self.source is PAPERS else ():
                test.replace(exp.true())  # what has no amount has no currency
        if added is not None:  # rows without a value do not count
            missing = exp.Is(this=added.copy(), expression=exp.null())
            tree = tree.where(missing if lacking else exp.Not(this=missing))
        if len(self.outer.expressions) == 1 and isinstance(best, (exp.Max, exp.Min)):
            desc = isinstance(best, exp.Max)
            tree = tree.order_by(exp.Ordered(this=best.this.copy(), desc=desc)).limit(1)
        if self.in_days:
            ends = [tree.select(e.copy(), append=False).subquery() for e in (best.left, best.right)]
            tree = tree.where(best.left.this.isin(*ends)).order_by(best.left.this.copy())
        table, relation = base
        of = table if len(self.outer.args.get("joins") or ()) else None
        where = [exp.column(name, table=of) for name in relation.where]
        return tree.select(*where, append=False).sql(DIALECT)


def aliases_of(tree: exp.Select) -> set[str]:
    """Return the aliases of a query, in lower case."""
    return {str(alias.alias).lower() for alias in tree.find_all(exp.Alias) if alias.alias}


def tables_of(tree: exp.Expr) -> set[str]:
    """Return the names of the tables of a query."""
    return {table.name.lower() for table in tree.find_all(exp.Table)}


def source_of(tree: exp.Select, node: exp.Expr, relations: Mapping[str, Relation]) -> Relation:
    """Return the relation of the query around a node. Raises `PlanError`."""
    select = node if isinstance(node, exp.Select) else node.parent_select or tree
    if asked := _asked(select, relations):
        return next(iter(asked.values()))
    raise PlanError("it asks no relation")


def relation_of(column: exp.Expr, relations: Mapping[str, Relation]) -> Relation | None:
    """Return the relation that has a column, of those around it, if there is one."""
    select = column.parent_select if isinstance(column, exp.Column) else None
    while select is not None:
        asked = _asked(select, relations)
        own = [asked[column.text("table")]] if column.text("table") in asked else asked.values()
        for relation in own:
            if column.name.lower() in relation.columns:
                return relation
        select = select.parent_select
    return None


def _asked(select: exp.Select, relations: Mapping[str, Relation]) -> dict[str, Relation]:
    """Return the relations of a query by their aliases, outer ones first."""
    tables = [t for t in select.find_all(exp.Table) if t.name.lower() in relations]
    return {t.alias_or_name: relations[t.name.lower()] for t in tables}


def rename(column: exp.Column, known: Sequence[str], aliases: Collection[str]) -> bool:
    """Give a column the nearest of the `known` names; turn a quoted name of none into a text.

    Return whether there was one.
    """
    name = column.name.lower()
    if name in known or name in aliases:
        return True
    if column.this.args.get("quoted") and not column.table:
        column.replace(exp.Literal.string(column.name))
        return True
    close = difflib.get_close_matches(name, known, n=1, cutoff=_CLOSE)
    if close:
        column.set("this", exp.to_identifier(close[0]))
    return bool(close)


def calls_of(tree: exp.Expr, name: str) -> list[exp.Anonymous]:
    """Return the calls of an operator, such as `mentions`."""
    return [c for c in tree.find_all(exp.Anonymous) if str(c.this).lower() == name]


def text_of(call: exp.Anonymous, n: int) -> str:
    """Return the n-th argument of an operator as text. Raises `PlanError` if it is empty."""
    part = call.expressions[n] if n < len(call.expressions) else None
    text = str(part.this) if isinstance(part, exp.Literal) else part.name if part else ""
    if not text.strip():
        raise PlanError(f"{call.this} says nothing")
    return text.strip()
