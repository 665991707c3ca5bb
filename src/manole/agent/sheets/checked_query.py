"""A query that a model wrote, read, checked and repaired against the sheet it is about.

A small model writes good queries with small faults: a column that is nearly right, `= 'Bulgaria'`
where the cell says "Bulgaria (BUL)", a value looked for in the wrong column. What can be repaired
beyond doubt is repaired; a value that is nowhere in the sheet makes the query worthless, as its
answer would be about something else.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from manole.agent.sheets.sheet import ROW, Column, Kind, Sheet, day, number
from manole.text.words import fold, stems

TABLE = "t"
LONG_SUM = "long_sum"  # of `Kind.LONG`, exact
DIALECT = "sqlite"
_CLOSE = 0.75  # difflib ratio from which a name is another spelling of a column: one letter of four
_LIKE = 0.8  # the same for a value, where a wrong one is worse: one letter of five
_MOSTLY = 0.8  # share of cells that begin with a digit from which a column is compared by numbers
_FENCE = re.compile(r"```\w*")
_LEADING_DIGIT = re.compile(r"\s*[^\w\s]{0,2}\d")
_ORDERS = (exp.GT, exp.GTE, exp.LT, exp.LTE)
_NUMBERS = (Kind.NUMBER, Kind.LONG)
_DEEP = 60  # levels of a query; one of 120 tokens has some ten


class QueryError(ValueError):
    """A query that cannot be trusted; the message gives the reason."""


@dataclass(frozen=True)
class Query:
    """A checked query over one sheet, named `t`."""

    tree: exp.Select

    @cached_property
    def sql(self) -> str:
        """The query in SQLite's dialect."""
        return self.tree.sql(DIALECT)

    @property
    def selected(self) -> list[exp.Expression]:
        """The selected expressions, without aliases."""
        return [item.unalias() for item in self.tree.expressions]

    @property
    def computes(self) -> bool:
        """Whether the result is calculated, and no cell of the sheet."""
        return not all(isinstance(item, (exp.Column, exp.Star)) for item in self.selected)

    @property
    def counts(self) -> bool:
        """Whether the result is a number of rows."""
        return len(self.selected) == 1 and isinstance(self.selected[0], exp.Count)

    @property
    def grouped(self) -> bool:
        """Whether each row of the result is a group of rows."""
        return bool(self.tree.args.get("group"))

    def rows(self, value: object = None) -> str | None:
        """Return a query for the rows behind the result; `None` where they are unknown.

        For a result by groups, `value` is the first one of a result row, which names the group.
        """
        source = self.tree.args.get("from_")
        if source is None or not isinstance(source.this, exp.Table) or self.tree.find(exp.Union):
            return None
        tree = self.tree.copy()
        tables = {c.table for c in self.selected if isinstance(c, exp.Column)} or {
            source.alias_or_name
        }
        if len(tables) > 1:
            return None
        row = exp.column(ROW, table=tables.pop() or source.this.alias or None)
        tree.set("distinct", None)
        if self.grouped or self.computes:
            for part in ("group", "having", "order", "limit", "offset"):
                tree.set(part, None)
        if self.grouped:
            named = next((s for s in self.selected if isinstance(s, exp.Column)), None)
            if named is None:
                return None
            tree = tree.where(exp.EQ(this=named.copy(), expression=exp.convert(value)))
        elif len(self.selected) == 1 and isinstance(self.selected[0], (exp.Max, exp.Min)):
            best = self.selected[0]
            tree = tree.order_by(
                exp.Ordered(this=best.this.copy(), desc=isinstance(best, exp.Max))
            ).limit(1)
        return tree.select(row, append=False).sql(DIALECT)


def read_query(text: str, sheet: Sheet, question: str) -> Query:
    """Return the query in a model's reply, repaired where needed. Raises `QueryError`.

    A value that neither question nor sheet has makes it worthless, as does one of several words
    that the question does not mention: the model made it up. Where it is a cell of the sheet, and
    one condition among others, it was copied from the cells in the prompt, and is dropped.
    """
    tree = select_in(_FENCE.sub("", text))
    local = {str(cte.alias).lower() for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if table.name.lower() not in {TABLE, *local}:
            raise QueryError(f"it asks a table {table.name}")
    _Mender(sheet, tree, stems(question)).mend()
    _reads(tree)
    return Query(tree)


def select_in(text: str) -> exp.Select:
    """Return the first statement of a text, a SELECT. Raises `QueryError`."""
    written = text.strip().split(";")[0].strip().replace("\\'", "''")
    try:
        tree = sqlglot.parse_one(written, read=DIALECT)
    except (SqlglotError, RecursionError) as error:
        raise QueryError("the query cannot be read") from error
    if not isinstance(tree, exp.Select):
        raise QueryError("it is no SELECT")
    if depth(tree) > _DEEP:
        raise QueryError("the query is nested too deeply")
    return tree


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


def _reads(tree: exp.Select) -> None:
    """Raise `QueryError` where something selected is no part of the table.

    A text that the model wrote itself is no answer of the table. `EXISTS` selects nothing.
    """
    selects = [s for s in tree.find_all(exp.Select) if not isinstance(s.parent, exp.Exists)]
    items = [item for select in selects for item in select.expressions]
    read = all(item.find(exp.Column, exp.Count, exp.Star) for item in items)
    asked = any(table.name.lower() == TABLE for table in tree.find_all(exp.Table))
    if not (read and asked) or tree.find(exp.Values):
        raise QueryError("it reads no column of the table")


class _Mender:
    """Repairs one query. `asked` are the stems of the question's words."""

    def __init__(self, sheet: Sheet, tree: exp.Select, asked: frozenset[str]) -> None:
        self.asked = asked
        self.sheet = sheet
        self.tree = tree
        self.aliases = {str(a.alias).lower() for a in tree.find_all(exp.Alias) if a.alias}

    def mend(self) -> None:
        """Repair the query; raise `QueryError` for what cannot be repaired."""
        for column in list(self.tree.find_all(exp.Column)):
            self._name(column)
        outside = any(
            c.parent_select is self.tree for c in self.tree.find_all(exp.Column, exp.Count)
        )
        if outside and self.tree.args.get("from_") is None:
            self.tree.from_(TABLE, copy=False)
        for column in list(self.tree.find_all(exp.Column)):
            self._long(column)
        for equal in list(self.tree.find_all(exp.EQ, exp.NEQ, exp.Like)):
            self._value(equal)
        for among in list(self.tree.find_all(exp.In)):
            self._values(among)
        for order in list(self.tree.find_all(*_ORDERS, exp.Between)):
            self._bound(order)
        for ordered in list(self.tree.find_all(exp.Ordered)):
            self._ordered(ordered)
        self._no_bare_row()
        self._select_order()

    def _select_order(self) -> None:
        """Select the column that a limited result is ordered by, too."""
        order, limit = self.tree.args.get("order"), self.tree.args.get("limit")
        by = order.expressions[0].this if order and limit else None
        plain = all(isinstance(item, exp.Column) for item in self.tree.expressions)
        selected = {item.name for item in self.tree.expressions}
        if isinstance(by, exp.Column) and plain and by.name not in {ROW, *selected}:
            self.tree.select(by.copy(), copy=False)

    def _looks_back(self) -> bool:
        """Return whether a limited number of rows before another one is asked for."""
        where, limit = self.tree.args.get("where"), self.tree.args.get("limit")
        before = where.find_all(exp.LT, exp.LTE) if where else ()
        return limit is not None and any(test.this.name == ROW for test in before)

    def _no_bare_row(self) -> None:
        """Select the first text of a row instead of its number."""
        selected = [item.unalias() for item in self.tree.expressions]
        about = next((c for c in self.sheet.columns if c.kind is Kind.TEXT), None)
        if len(selected) != 1 or about is None or self.tree.args.get("group"):
            return
        if isinstance(selected[0], exp.Column) and selected[0].name == ROW:
            selected[0].set("this", exp.to_identifier(about.name))

    def _name(self, column: exp.Column) -> None:
        """Give a column its real name."""
        names = [c.name for c in self.sheet.columns]
        if not rename(column, names, {ROW, *self.aliases}):
            raise QueryError(f"there is no column {column.name}")

    def _long(self, column: exp.Column) -> None:
        """Compare long numbers as text and add them with `LONG_SUM`, without any conversion."""
        known = self.sheet.column(column.name)
        if known is None or known.kind is not Kind.LONG:
            return
        if isinstance(column.parent, exp.Cast):
            column.parent.replace(column)
        test = column.parent
        if isinstance(test, exp.Sum):
            test.replace(exp.Anonymous(this=LONG_SUM, expressions=[column]))
        elif isinstance(test, (exp.EQ, exp.NEQ, exp.Between, exp.In, *_ORDERS)):
            for side in list(test.iter_expressions()):
                bare = side.this if isinstance(side, exp.Neg) else side
                if isinstance(bare, exp.Literal) and not bare.is_string:
                    minus = "-" if bare is not side else ""
                    side.replace(exp.Literal.string(f"{minus}{bare.this}"))

    def _value(self, test: exp.Binary) -> None:
        column, literal = _sides(test)
        known = self.sheet.column(column.name) if column else None
        if column is None or literal is None or known is None:
            return
        wanted = literal.this
        if isinstance(test, exp.Like):
            if wanted.startswith("%") != wanted.endswith("%"):
                return  # the beginning or end of a cell
            wanted = wanted.strip("%")
        if isinstance(test, exp.NEQ) or not wanted or "%" in wanted:
            return
        if known.kind is Kind.TEXT and len(wanted.split()) > 1 and not self.asked & stems(wanted):
            if isinstance(test.parent, exp.And) and _form(known, wanted) is not None:
                _drop(test, test.parent)
                return
            raise QueryError(f"the question does not speak of “{wanted}”")
        found, form = self._where(known, wanted)
        target = column.copy()
        target.set("this", exp.to_identifier(found.name))
        as_like = exp.Like(this=target, expression=exp.Literal.string(f"%{form}%"))
        exact = exp.EQ(this=target.copy(), expression=_literal(form, found))
        if isinstance(test, exp.Like):
            whole = found.kind is not Kind.TEXT and _holds(found, form)
            test.replace(exact if whole else as_like)
        else:
            test.replace(exact if _holds(found, form) else as_like)

    def _values(self, among: exp.In) -> None:
        column = among.this
        known = self.sheet.column(column.name) if isinstance(column, exp.Column) else None
        texts = [e for e in among.expressions if isinstance(e, exp.Literal) and e.is_string]
        if known is None or not texts or len(texts) != len(among.expressions):
            return
        tests: list[exp.Expression] = []
        for text in texts:
            test = exp.EQ(this=column.copy(), expression=text.copy())
            holder = exp.Paren(this=test)
            self._value(test)
            tests.append(holder.this)
        among.replace(exp.Paren(this=exp.or_(*tests)))

    def _where(self, column: Column, wanted: str) -> tuple[Column, str]:
        """Return the column that has `wanted`, and how it is written there. Raises `QueryError`."""
        others = [c for c in self.sheet.columns if c is not column and c.kind is Kind.TEXT]
        for candidate in (column, *others):
            form = _form(candidate, wanted)
            if form is not None:
                return candidate, form
        cells = {str(v): v for v in column.values if isinstance(v, str)}
        close = difflib.get_close_matches(wanted, list(cells), n=1, cutoff=_LIKE)
        if not close:
            raise QueryError(f"nothing in the table says “{wanted}”")
        return column, close[0]

    def _bound(self, test: exp.Condition) -> None:
        """Compare days with days, and text that begins with numbers by those."""
        sides = [test.this, *(test.args.get(k) for k in ("expression", "low", "high"))]
        columns = [s for s in sides if isinstance(s, exp.Column)]
        known = self.sheet.column(columns[0].name) if len(columns) == 1 else None
        if known is None:
            return
        for literal in [s for s in sides if isinstance(s, exp.Literal)]:
            if known.kind is Kind.DATE:
                literal.replace(exp.Literal.string(_as_day(literal.this)))
            elif literal.is_string and number(literal.this) is not None:
                value = exp.convert(number(literal.this))
                literal.replace(_literal(literal.this, known) if known.kind is Kind.LONG else value)
        if known.kind is Kind.TEXT and _begins_with_numbers(known):
            columns[0].replace(exp.cast(columns[0].copy(), "real"))

    def _ordered(self, ordered: exp.Ordered) -> None:
        ordered.set("nulls_first", False)
        if ordered.this.name == ROW and not ordered.args.get("desc") and self._looks_back():
            ordered.set("desc", True)  # the one before is the nearest of those before
        by = ordered.this
        known = self.sheet.column(by.name) if isinstance(by, exp.Column) else None
        if known and known.kind is Kind.TEXT and _begins_with_numbers(known):
            ordered.set("this", exp.cast(ordered.this.copy(), "real"))


def _drop(test: exp.Condition, both: exp.And) -> None:
    """Replace a conjunction by its other side."""
    both.replace(both.expression if both.this is test else both.this)


def _sides(test: exp.Binary) -> tuple[exp.Column | None, exp.Literal | None]:
    """Return the column and the text that a test compares, in either order."""
    for part in (test.this, test.expression):
        if isinstance(part, (exp.Lower, exp.Upper, exp.Trim)):
            part.replace(part.this)
    left, right = test.this, test.expression
    if isinstance(left, exp.Literal):
        left, right = right, left
    if isinstance(left, exp.Column) and isinstance(right, exp.Literal) and right.is_string:
        return left, right
    return None, None


def _form(column: Column, wanted: str) -> str | None:
    """Return how a column writes `wanted`: as a cell, a number, a day, or a part of a cell."""
    if column.kind is Kind.DATE:
        form = _as_day(wanted)
        if any(isinstance(v, str) and v.startswith(form) for v in column.values):
            return form
        return None
    if column.kind in _NUMBERS:
        value = number(wanted)
        return str(value) if value is not None and value in column.values else None
    folded = fold(wanted)
    cells = [(v, fold(v)) for v in column.values if isinstance(v, str)]
    whole = next((cell for cell, plain in cells if plain == folded), None)
    if whole is not None:
        return whole
    inside = re.compile(rf"(?<!\w){re.escape(folded)}")
    for cell, plain in cells:
        if at := inside.search(plain):
            return cell[at.start() : at.end()] if len(plain) == len(cell) else wanted
    return None


def _holds(column: Column, form: str) -> bool:
    return any(str(value) == form for value in column.values if value is not None)


def _literal(form: str, column: Column) -> exp.Condition:
    if column.kind not in _NUMBERS:
        return exp.Literal.string(form)
    value = str(number(form))
    return exp.Literal.number(value) if column.kind is Kind.NUMBER else exp.Literal.string(value)


def _as_day(text: str) -> str:
    """Return an ISO day where `text` is a day; else the text (`2022`, `2022-06`)."""
    found = day(text)
    return found.isoformat() if found else text


def _begins_with_numbers(column: Column) -> bool:
    filled = [v for v in column.values if v is not None]
    digits = sum(isinstance(v, (int, float)) or bool(_LEADING_DIGIT.match(v)) for v in filled)
    return bool(filled) and digits >= _MOSTLY * len(filled)


def depth(tree: exp.Expr) -> int:
    """Count the levels of a tree without recursion."""
    levels = 0
    level: list[exp.Expr] = [tree]
    while level:
        levels, level = levels + 1, [child for node in level for child in node.iter_expressions()]
    return levels
