"""A query over the catalog that the model wrote, read; and one that may be run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from manole.catalog.relations import FIELDS, PAPERS, RELATIONS, Relation
from manole.catalog.sql import depth

DIALECT = "sqlite"
_DEEP = 60  # levels of a query; one of 120 tokens has some ten
_WHOLE = ("path", "issuer", "number", "date", "due", "tax", "total", "currency")
_PAID = ("invoice", "bill", "receipt")  # one paper may be called all of these


class PlanError(ValueError):
    """A plan that cannot be trusted. The message says why."""


class UnknownWordsError(PlanError):
    """A plan that asks a diary for a phrase with `words` that no note of it has."""

    def __init__(self, phrase: str, words: Sequence[str]) -> None:
        super().__init__(f"no entry has “{' '.join(words)}”")
        self.phrase, self.words = phrase, words


class TextsNeededError(PlanError):
    """A plan that looks for words, before the words of files are at hand."""


@dataclass(frozen=True)
class Query:
    """A query over the catalog, as it was written. `relations` are those it names."""

    tree: exp.Select
    relations: frozenset[str]


def parse(text: str) -> Query:
    """The query in a model's reply. Raises `PlanError`."""
    written = text.strip().split(";")[0].strip().replace("\\'", "''")
    try:
        tree = sqlglot.parse_one(written, read=DIALECT)
    except (SqlglotError, RecursionError) as error:
        raise PlanError("the query cannot be read") from error
    if not isinstance(tree, exp.Select) or tree.find(exp.Values):
        raise PlanError("it is no SELECT")
    if depth(tree) > _DEEP:
        raise PlanError("the query is nested too deeply")
    local = {str(cte.alias).lower() for cte in tree.find_all(exp.CTE)}
    names = {table.name.lower() for table in tree.find_all(exp.Table)} - local
    unknown = names - RELATIONS.keys()
    if unknown or not names:
        raise PlanError(f"there is no table {', '.join(sorted(unknown))}")
    return Query(tree, frozenset(names))


@dataclass
class Checked:
    """A query that may be run, and what it means."""

    tree: exp.Select
    source: Relation
    empty: list[str] = field(default_factory=list)  # values that nothing has
    unsaid: bool = False  # asks for a kind that the question does not name, or a name unknown here
    loose: bool = False  # whether words of the question were left out, as no note has them all

    @property
    def sql(self) -> str:
        """The query as SQLite reads it."""
        return self.tree.sql(DIALECT)

    @property
    def outer(self) -> exp.Select:
        """The query itself, or the one whose rows `EXISTS` asks for."""
        item = self.tree.expressions[0].unalias() if len(self.tree.expressions) == 1 else None
        inner = item.this if isinstance(item, exp.Exists) else None
        return inner if isinstance(inner, exp.Select) else self.tree

    @property
    def asks_whether(self) -> bool:
        """Whether the answer is yes or no."""
        return self.outer is not self.tree

    @property
    def computes(self) -> bool:
        """Whether something is counted or calculated over several rows."""
        return any(item.find(exp.AggFunc) for item in self.outer.expressions)

    @property
    def least(self) -> int:
        """How many rows it has to stand on: two for what lies between the first and the last."""
        apart = (difference.find_all(exp.Max, exp.Min) for difference in self.tree.find_all(exp.Sub))
        return max((min(len(list(ends)), 2) for ends in apart), default=0)

    @property
    def grouped(self) -> bool:
        """Whether each row of the result stands for a group of rows."""
        return bool(self.outer.args.get("group"))

    def whole(self) -> Checked | None:
        """The query with all that is known of a paper, where it lists some."""
        items = [item.unalias() for item in self.tree.expressions]
        plain = all(isinstance(item, exp.Column) for item in items)
        if self.source is not PAPERS or not plain or self.grouped or self.tree.args.get("distinct"):
            return None
        names = dict.fromkeys(["path", *(item.name for item in items), *_WHOLE])
        return replace(self, tree=self.tree.select(*names, append=False))

    def gives(self, names: Sequence[str], rows: Sequence[Sequence[object]]) -> bool:
        """Whether some row has the field of a paper that is asked for: the first after its path."""
        asked = next((name for name in names if name not in {"path", "name"}), "")
        if self.source is not PAPERS or asked not in FIELDS or self.computes or not rows:
            return True
        return any(row[list(names).index(asked)] is not None for row in rows)

    def wider(self) -> Checked | None:
        """The query that asks for a little more.

        For papers of any name, where it asks for invoices, bills or receipts; for all notes of the
        days, where it asks for those that mention something.
        """
        tree = self.tree.copy()
        if self.source.name == "entries" and not self.computes:
            named = [test for test in tree.find_all(exp.In) if test.args.get("query")]
            days = any(test.this.name == "date" for test in tree.find_all(exp.LTE, exp.Between))
            for condition in named:
                condition.replace(exp.true())
            return replace(self, tree=tree, empty=[]) if named and days else None
        tests = [t for t in tree.find_all(exp.EQ) if t.this.name == "type"]
        tests = [t for t in tests if t.expression.name in _PAID]
        for test in tests:
            values = [exp.Literal.string(name) for name in _PAID]
            test.replace(exp.In(this=test.this.copy(), expressions=values))
        return replace(self, tree=tree) if tests else None

    def behind(self) -> str | None:
        """A query for where the rows stand that the result comes from; `None`: cannot be told."""
        source = self.outer.args.get("from_")
        if source is None or not isinstance(source.this, exp.Table) or self.outer.args.get("joins"):
            return None
        relation = RELATIONS.get(source.this.name.lower())
        if relation is None:
            return None
        tree = self.outer.copy()
        tree.set("distinct", None)
        if self.computes or self.grouped:
            for part in ("group", "having", "order", "limit", "offset"):
                tree.set(part, None)
        best = self.outer.expressions[0].unalias()
        if isinstance(best, (exp.Sum, exp.Avg)):  # rows without a value have no part in it
            tree = tree.where(exp.Not(this=exp.Is(this=best.this.copy(), expression=exp.null())))
        if len(self.outer.expressions) == 1 and isinstance(best, (exp.Max, exp.Min)):
            desc = isinstance(best, exp.Max)
            tree = tree.order_by(exp.Ordered(this=best.this.copy(), desc=desc)).limit(1)
        return tree.select(*relation.where, append=False).sql(DIALECT)


def aliases_of(tree: exp.Select) -> set[str]:
    """The names that a query gives to what it selects."""
    return {str(alias.alias).lower() for alias in tree.find_all(exp.Alias) if alias.alias}


def tables_of(tree: exp.Expr) -> set[str]:
    """The relations that a query asks."""
    return {table.name.lower() for table in tree.find_all(exp.Table)}


def source_of(tree: exp.Select, node: exp.Expr) -> Relation:
    """The relation that the query around a node asks. Raises `PlanError`."""
    select = node if isinstance(node, exp.Select) else node.parent_select or tree
    table = select.find(exp.Table)
    relation = RELATIONS.get(table.name.lower()) if table else None
    if relation is None:
        raise PlanError("it asks no relation")
    return relation


def calls_of(tree: exp.Expr, name: str) -> list[exp.Anonymous]:
    """The calls of an operator, such as `mentions`."""
    return [c for c in tree.find_all(exp.Anonymous) if str(c.this).lower() == name]


def text_of(call: exp.Anonymous, n: int) -> str:
    """What an operator is given as its n-th argument. Raises `PlanError` where that is nothing."""
    part = call.expressions[n] if n < len(call.expressions) else None
    text = str(part.this) if isinstance(part, exp.Literal) else part.name if part else ""
    if not text.strip():
        raise PlanError(f"{call.this} says nothing")
    return text.strip()
