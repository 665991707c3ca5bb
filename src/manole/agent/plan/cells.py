"""Repairs what a query asks of sheets: values by likeness to their cells, numbers as numbers.

A small model writes good queries with small faults: `= 'Bulgaria'` where the cell says "Bulgaria
(BUL)", a value looked for in the wrong column. What can be repaired beyond doubt is repaired; a
value that is nowhere in the sheet makes the query worthless, as its answer would be about something
else.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from sqlglot import exp

from manole.agent.plan.query import PlanError, relation_of, source_of
from manole.catalog.catalog import Catalog
from manole.catalog.comparing import LONG_SUM
from manole.catalog.sheets import ROW, Column, Sheet, day, number
from manole.text.question import Question
from manole.text.words import fold, stems

_LIKE = 0.8  # difflib ratio from which a value is meant: one letter of five
_MOSTLY = 0.8  # share of cells that begin with a digit from which a column is compared by numbers
_LEADING_DIGIT = re.compile(r"\s*[^\w\s]{0,2}\d")
_ORDERS = (exp.GT, exp.GTE, exp.LT, exp.LTE)


def mend(tree: exp.Select, catalog: Catalog, question: Question, typed: bool = False) -> None:
    """Repair the conditions of a query on sheets, in place. Raises `PlanError`.

    Those of a `typed` plan are cells already.

    A value of several words that the question does not mention was made up, which makes the query
    worthless; unless it is a cell, and one condition among others: then it was copied from the
    cells in the prompt, and is dropped.
    """
    _Mender(tree, catalog, None if typed else question.stems).mend()


class _Mender:
    """Repairs one query. `asked` are the stems of the question's words, where they matter."""

    def __init__(self, tree: exp.Select, catalog: Catalog, asked: frozenset[str] | None) -> None:
        self.tree, self.catalog, self.asked = tree, catalog, asked

    def mend(self) -> None:
        """Repair the query. Raises `PlanError`."""
        for column in list(self.tree.find_all(exp.Column)):
            self._long(column)
        for among in list(self.tree.find_all(exp.In)):
            self._spread(among)
        for equal in list(self.tree.find_all(exp.EQ, exp.Like)):
            self._value(equal)
        for test in list(self.tree.find_all(*_ORDERS, exp.Between)):
            self._bound(test)
        for ordered in list(self.tree.find_all(exp.Ordered)):
            self._by_number(ordered)
        source = source_of(self.tree, self.tree, self.catalog.relations)
        if (sheet := self.catalog.sheets.get(source.name)) is not None:
            self._select(sheet)

    def _of(self, node: exp.Expr | None) -> tuple[Sheet, Column] | None:
        """Return the column of a sheet that a node is, behind its sheet."""
        relation = relation_of(node, self.catalog.relations) if node else None
        sheet = self.catalog.sheets.get(relation.name) if relation else None
        column = sheet.column(node.name) if sheet and node else None
        return (sheet, column) if sheet and column else None

    def _long(self, column: exp.Column) -> None:
        """Compare long numbers as text and add them with `LONG_SUM`, without any conversion."""
        known = self._of(column)
        if known is None or known[1].kind != "LONG":
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

    def _spread(self, among: exp.In) -> None:
        """Turn several texts into alternatives."""
        texts = [e for e in among.expressions if isinstance(e, exp.Literal) and e.is_string]
        if self._of(among.this) and texts and len(texts) == len(among.expressions):
            tests = [exp.EQ(this=among.this.copy(), expression=text.copy()) for text in texts]
            among.replace(exp.Paren(this=exp.or_(*tests)))

    def _value(self, test: exp.Binary) -> None:
        """Compare with the cells that are meant, in whichever column they are."""
        column, wanted = _sides(test)
        known = self._of(column)
        if column is None or known is None:
            return
        if isinstance(test, exp.Like):
            if wanted.startswith("%") != wanted.endswith("%"):
                return  # the beginning or end of a cell
            wanted = wanted.strip("%")
        if not wanted or "%" in wanted:
            return
        sheet, own = known
        words = wanted.split()
        made_up = self.asked is not None and not self.asked & stems(wanted)
        if own.kind == "TEXT" and len(words) > 1 and made_up:
            both = test.parent
            if isinstance(both, exp.And) and _form(own, wanted) is not None:
                both.replace(both.expression if both.this is test else both.this)
                return
            raise PlanError(f"the question does not speak of “{wanted}”")
        found, form, whole = _where(sheet, own, wanted)
        column = column.copy()
        column.set("this", exp.to_identifier(found.name))
        if whole and not (isinstance(test, exp.Like) and found.kind == "TEXT"):
            test.replace(exp.EQ(this=column, expression=_literal(form, found)))
        else:
            test.replace(exp.Like(this=column, expression=exp.Literal.string(f"%{form}%")))

    def _bound(self, test: exp.Condition) -> None:
        """Compare days with days, and text that begins with numbers by those."""
        sides = [test.this, *(test.args.get(k) for k in ("expression", "low", "high"))]
        columns = [s for s in sides if isinstance(s, exp.Column)]
        known = self._of(columns[0]) if len(columns) == 1 else None
        if known is None:
            return
        _, column = known
        for literal in [s for s in sides if isinstance(s, exp.Literal)]:
            if column.kind == "DAY":
                literal.replace(exp.Literal.string(_as_day(literal.this)))
            elif literal.is_string and number(literal.this) is not None:
                value = exp.convert(number(literal.this))
                long = column.kind == "LONG"
                literal.replace(_literal(literal.this, column) if long else value)
        if _begins_with_numbers(column):
            columns[0].replace(exp.cast(columns[0].copy(), "real"))

    def _by_number(self, ordered: exp.Ordered) -> None:
        """Order text that begins with numbers by those."""
        where, limit = self.tree.args.get("where"), self.tree.args.get("limit")
        before = where.find_all(exp.LT, exp.LTE) if where and limit else ()
        if ordered.this.name == ROW and any(test.this.name == ROW for test in before):
            ordered.set("desc", True)  # the one before is the nearest of those before
        if (known := self._of(ordered.this)) and _begins_with_numbers(known[1]):
            ordered.set("this", exp.cast(ordered.this.copy(), "real"))

    def _select(self, sheet: Sheet) -> None:
        """Select what the rows are about: cells, not their numbers; what they are ordered by."""
        items = [item.unalias() for item in self.tree.expressions]
        plain = all(isinstance(item, exp.Column) for item in items)
        about = next((c.name for c in sheet.columns if c.kind == "TEXT"), None)
        if isinstance(items[0], exp.Star):
            columns = [column.name for column in sheet.columns]
            self.tree.select(*columns, append=False, copy=False)
        elif plain and len(items) == 1 and items[0].name == ROW and about:
            items[0].set("this", exp.to_identifier(about))
        elif _asks_any(items):
            inner = self.tree.select(ROW, append=False)
            whether = exp.Exists(this=inner)
            self.tree.args.clear()
            self.tree.set("expressions", [whether])
            return
        order, limit = self.tree.args.get("order"), self.tree.args.get("limit")
        by = order.expressions[0].this if order and limit else None
        if plain and isinstance(by, exp.Column) and by.name not in {ROW, *(i.name for i in items)}:
            self.tree.select(by.copy(), copy=False)
        if plain and not limit:
            self.tree.set("distinct", None)  # the answer tells the same cells once


def _asks_any(items: Sequence[exp.Expr]) -> bool:
    """Return whether something is asked like `count(*) > 0`."""
    more = items[0]
    alone = len(items) == 1 and isinstance(more, exp.GT) and isinstance(more.this, exp.Count)
    return alone and more.expression.name == "0" and isinstance(more.this.this, exp.Star)


def _sides(test: exp.Binary) -> tuple[exp.Column | None, str]:
    """Return the column and the text that a test compares, in either order."""
    for part in (test.this, test.expression):
        if isinstance(part, (exp.Lower, exp.Upper, exp.Trim)):
            part.replace(part.this)
    left, right = test.this, test.expression
    if isinstance(left, exp.Literal):
        left, right = right, left
    if isinstance(left, exp.Column) and isinstance(right, exp.Literal) and right.is_string:
        return left, str(right.this)
    return None, ""


def _where(sheet: Sheet, column: Column, wanted: str) -> tuple[Column, str, bool]:
    """Return the column that has `wanted`, and what `_form` returns. Raises `PlanError`."""
    others = [c for c in sheet.columns if c is not column and c.kind == "TEXT"]
    for candidate in (column, *others):
        if (found := _form(candidate, wanted)) is not None:
            return candidate, *found
    cells = {v for v in column.values if isinstance(v, str)}
    close = difflib.get_close_matches(wanted, cells, n=1, cutoff=_LIKE)
    if not close:
        raise PlanError(f"nothing in the table says “{wanted}”")
    return column, close[0], True


def _form(column: Column, wanted: str) -> tuple[str, bool] | None:
    """Return how a column writes `wanted`, and whether as a whole cell; `None` if it does not."""
    if column.is_numeric:
        value = number(wanted)
        return (str(value), True) if value is not None and value in column.values else None
    cells = [v for v in column.values if isinstance(v, str)]
    if column.kind == "DAY":
        form = _as_day(wanted)
        begins = any(cell.startswith(form) for cell in cells)
        return (form, form in cells) if begins else None
    plain = fold(wanted)
    folded = [fold(cell) for cell in cells]
    if plain in folded:
        return wanted, True
    inside = re.compile(rf"(?<!\w){re.escape(plain)}")
    return (wanted, False) if any(map(inside.search, folded)) else None


def _literal(form: str, column: Column) -> exp.Condition:
    value = str(number(form)) if column.is_numeric else form
    return exp.Literal.number(value) if column.kind == "REAL" else exp.Literal.string(value)


def _as_day(text: str) -> str:
    """Return an ISO day where `text` is a day; else the text (`2022`, `2022-06`)."""
    found = day(text)
    return found.isoformat() if found else text


def _begins_with_numbers(column: Column) -> bool:
    """Return whether a text's cells mostly begin with numbers."""
    filled = [v for v in column.values if v is not None]
    digits = sum(isinstance(v, (int, float)) or bool(_LEADING_DIGIT.match(v)) for v in filled)
    return column.kind == "TEXT" and bool(filled) and digits >= _MOSTLY * len(filled)
