"""A plan that the model wrote, read, checked and mended against the catalog.

Names must exist; values are those of the question or of the catalog, and are turned into what the
relation holds: "photos", "100 kB", "last March", a folder's name, an issuer as papers write him.
The operators `mentions`, `under` and `during` become conditions. What cannot be mended beyond doubt
is a `PlanError`, whose message says what is wrong.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from manole.agent.plan.values import amount_of, named, period_of, size_of, speaks_of, with_unit
from manole.catalog.catalog import Catalog
from manole.catalog.kinds import KINDS, kind_called
from manole.catalog.relations import RELATIONS, Relation
from manole.catalog.sql import depth
from manole.documents.fields.amounts import currency_of
from manole.index.words import fold, words
from manole.tools.periods import find_period

DIALECT = "sqlite"
_CLOSE = 0.75  # of difflib's ratio: another spelling of a column
_DEEP = 60  # levels of a query; one of 120 tokens has some ten
_ORDERS = (exp.GT, exp.GTE, exp.LT, exp.LTE)
_PARTS = {exp.Year: (1, 4), exp.Month: (6, 2), exp.Day: (9, 2)}  # of an ISO day: from, how long
_PAID = ("invoice", "bill", "receipt")  # one paper may be called all of these
# Words that leave something out: English, German, French, Spanish, Italian, Dutch.
_NOT = """
not no non none without except excluding exclude outside neither nor never other
nicht kein keine keinen keiner keinem ohne außer außerhalb weder nie andere anderen
pas sans sauf hors excepté hormis ni autre autres jamais
sin excepto salvo fuera ninguno ninguna tampoco otro otros nunca
senza tranne eccetto fuori nessuno nessuna né altri
niet geen zonder behalve buiten nooit
"""
_DENYING = frozenset(fold(word) for word in _NOT.split())
_NAMES = {
    "issuer",
    "name",
    "path",
    "title",
    "number",
}  # columns whose values are written in many ways


class PlanError(ValueError):
    """A plan that cannot be trusted. The message says why."""


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
    def grouped(self) -> bool:
        """Whether each row of the result stands for a group of rows."""
        return bool(self.outer.args.get("group"))

    def wider(self) -> Checked | None:
        """The query for papers of any name, where it asks for invoices, bills or receipts."""
        tree = self.tree.copy()
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
        if len(self.outer.expressions) == 1 and isinstance(best, (exp.Max, exp.Min)):
            desc = isinstance(best, exp.Max)
            tree = tree.order_by(exp.Ordered(this=best.this.copy(), desc=desc)).limit(1)
        return tree.select(*relation.where, append=False).sql(DIALECT)


def check(
    query: Query,
    catalog: Catalog,
    question: str,
    today: date,
    before: str = "",
    insists: bool = False,
) -> Checked:
    """The query with names and values mended. Raises `PlanError`.

    `before` are the questions that this one may lean on. A model that `insists` wrote it twice:
    then a word such as "without" may be said in another way ("without duplicates").
    """
    spoken = f"{before} {question}"
    _accounts(query, question, spoken, insists)
    return _Mender(query.tree.copy(), catalog, question, spoken, today).mended()


def _accounts(query: Query, question: str, spoken: str, insists: bool) -> None:
    """Each number and each kind of file that the question names has its place in the query."""
    said = [str(literal.this) for literal in query.tree.find_all(exp.Literal)]
    have = {number for text in said for number in _numbers(text)}
    for number in _numbers(question):
        if number not in have:
            raise PlanError(f"it leaves out {number}")
    denied, asked = _denies(query.tree), bool(_DENYING & set(words(question)))
    if denied and not _DENYING & set(words(spoken)):
        raise PlanError("it leaves something out that is asked for")
    if asked and not denied and not insists:
        raise PlanError("it leaves nothing out")
    texts = {word for text in said for word in words(text)}
    kinds = {kind_called(word) for word in texts} | {_kind(text) for text in said}
    for word in words(question):
        kind = kind_called(word)
        if kind is not None and kind not in kinds and word not in texts:
            raise PlanError(f"it leaves out {word}")


def _denies(tree: exp.Expr) -> bool:
    """Whether something is left out by a condition."""
    return any(
        isinstance(node, exp.NEQ) or node.args.get("negate") or isinstance(node, exp.Not)
        for node in tree.find_all(exp.NEQ, exp.Like, exp.Not)
    )


def _numbers(text: str) -> list[str]:
    """The numbers of a text, without what groups or divides their digits."""
    return re.findall(r"\d+", re.sub(r"(?<=\d)[.,'’ ](?=\d)", "", text))


class _Mender:
    def __init__(
        self, tree: exp.Select, catalog: Catalog, question: str, spoken: str, today: date
    ) -> None:
        self.tree = tree
        self.catalog = catalog
        self.question = question
        self.spoken = spoken  # with what was asked before
        self.today = today
        self.aliases = {str(a.alias).lower() for a in tree.find_all(exp.Alias) if a.alias}
        self.empty: list[str] = []

    def mended(self) -> Checked:
        source = self._source(self.tree)
        for kind, place in _PARTS.items():
            for call in list(self.tree.find_all(kind)):
                self._part(call, *place)
        for column in list(self.tree.find_all(exp.Column)):
            self._name(column)
            if column.name.lower() == "words" and "files_words" not in self.catalog.filled:
                raise TextsNeededError("the words of files are counted")
        self._close()
        for name, meaning in self._operators().items():
            for call in _calls(self.tree, name):
                call.replace(exp.Paren(this=meaning(call)))
        for test in list(self.tree.find_all(exp.EQ, exp.NEQ, exp.Like, exp.In)):
            self._equal(test)
        for test in list(self.tree.find_all(*_ORDERS, exp.Between)):
            self._order(test)
        for ordered in list(self.tree.find_all(exp.Ordered)):
            ordered.set("nulls_first", False)
            if isinstance(ordered.this, exp.Column) and not ordered.args.get("desc"):
                self._known(ordered)
        return Checked(self.tree, source, self.empty)

    def _part(self, call: exp.Expr, start: int, length: int) -> None:
        """The year, month or day of an ISO day, as a number."""
        day = call.this.this if isinstance(call.this, exp.Cast) else call.this
        places = [exp.Literal.number(start), exp.Literal.number(length)]
        part = exp.Anonymous(this="substr", expressions=[day.copy(), *places])
        for literal in list(call.parent.find_all(exp.Literal)) if call.parent else ():
            if literal.is_string and str(literal.this).isdecimal():
                literal.replace(exp.Literal.number(int(literal.this)))
        call.replace(exp.cast(part, "integer"))

    def _operators(self) -> dict[str, Callable[[exp.Anonymous], exp.Expr]]:
        return {"mentions": self._mentions, "under": self._under, "during": self._during}

    def _source(self, node: exp.Expr) -> Relation:
        select = node if isinstance(node, exp.Select) else node.parent_select
        table = select.find(exp.Table) if select else None
        relation = RELATIONS.get(table.name.lower()) if table else None
        if relation is None:
            raise PlanError("it asks no relation")
        return relation

    def _name(self, column: exp.Column) -> None:
        """Give a column its real name."""
        name = column.name.lower()
        known = {n for t in self.tree.find_all(exp.Table) if t.name.lower() in RELATIONS
                 for n in RELATIONS[t.name.lower()].columns}  # fmt: skip
        if name in known or name in self.aliases:
            return
        if column.this.args.get("quoted") and not column.table:
            column.replace(exp.Literal.string(column.name))
            return
        close = difflib.get_close_matches(name, sorted(known), n=1, cutoff=_CLOSE)
        if not close:
            raise PlanError(f"there is no column {column.name}")
        column.set("this", exp.to_identifier(close[0]))

    def _close(self) -> None:
        """Of a period that the question names, a single bound is half: put it whole."""
        bounds = [t for t in self.tree.find_all(*_ORDERS) if self._is_day(t.this)]
        period = find_period(self.question, self.today)
        if len(bounds) != 1 or _calls(self.tree, "during") or self.tree.find(exp.Between):
            return
        if period is not None and period.start is not None and period.end is not None:
            test = bounds[0]
            test.replace(exp.Anonymous(this="during", expressions=[
                test.this.copy(), exp.Literal.string(period.text)
            ]))  # fmt: skip

    def _is_day(self, column: exp.Expr) -> bool:
        known = self._source(column).columns if isinstance(column, exp.Column) else {}
        return known.get(column.name.lower()) == "DAY"

    def _known(self, ordered: exp.Ordered) -> None:
        """The least of what is known: a row without a value is not the smallest."""
        select = ordered.parent_select
        if select is not None and ordered.this.name not in self.aliases:
            select.where(exp.Not(this=exp.Is(this=ordered.this.copy(), expression=exp.null())),
                         copy=False)  # fmt: skip

    # Operators.

    def _mentions(self, call: exp.Anonymous) -> exp.Expr:
        return self._stands(_text(call, 0), self._source(call))

    def _stands(self, words: str, relation: Relation) -> exp.Expr:
        """The rows in whose text these words stand."""
        kept = "entries" if relation.name == "entries" else "files"
        key = "rowid" if kept == "entries" else "path"
        if f"{kept}_words" not in self.catalog.filled:
            raise TextsNeededError("the words of files are needed")
        found = self.catalog.mentioning(kept, words)
        if not found:
            self.empty.append(words)
        return self._found(key, self.catalog.search(found))

    def _found(self, key: str, number: int) -> exp.Expr:
        inner = sqlglot.parse_one(f"SELECT key FROM found WHERE search = {number}", read=DIALECT)  # noqa: S608
        return exp.In(this=exp.column(key), query=exp.Subquery(this=inner))

    def _under(self, call: exp.Anonymous) -> exp.Expr:
        return self._within(_text(call, 0))

    def _within(self, wanted: str) -> exp.Expr:
        """Below the folders of that name. Raises `PlanError` where there is none."""
        folders = self._folders(wanted)
        if not folders:
            raise PlanError(f"there is no folder {wanted}")
        tests = [exp.Like(this=exp.column("path"), expression=exp.Literal.string(f"{f}/%"))
                 for f in folders]  # fmt: skip
        return exp.or_(*tests) if len(tests) > 1 else tests[0]

    def _folders(self, wanted: str) -> list[str]:
        paths = self.catalog.values("folders", "path")
        exact = [p for p in paths if fold(p) == fold(wanted.strip("/%"))]
        by_name = {p: p.rsplit("/", 1)[-1] for p in paths}
        names = named(wanted, list(by_name.values()))
        found = exact or [p for p, name in by_name.items() if name in names]
        return [p for p in found if not any(p.startswith(f"{o}/") for o in found)]

    def _during(self, call: exp.Anonymous) -> exp.Expr:
        column = call.expressions[0]
        words = " and ".join(_text(call, n) for n in range(1, len(call.expressions)))
        words = f"between {words}" if len(call.expressions) > 2 else words
        period = period_of(words, self.today)
        if period is None or not isinstance(column, exp.Column):
            raise PlanError(f"“{words}” is no period")
        days = self._days(column)
        if period.start and days and period.start.isoformat() > days[-1]:
            # Without a year, the latest that there is anything of.
            again = period_of(words, date.fromisoformat(days[-1][:10]))
            period = again or period
        tests: list[exp.Expr] = []
        if period.start:
            tests.append(exp.GTE(this=column.copy(), expression=_literal(period.start)))
        if period.end:
            tests.append(exp.LTE(this=column.copy(), expression=_literal(period.end)))
        return exp.and_(*tests)

    def _days(self, column: exp.Column) -> list[str]:
        return sorted(self.catalog.values(self._source(column).name, column.name))

    # Values.

    def _equal(self, test: exp.Expr) -> None:
        column = test.this
        if not isinstance(column, exp.Column):
            return
        literals = [e for e in (*test.args.get("expressions", ()), test.args.get("expression"))
                    if isinstance(e, exp.Literal)]  # fmt: skip
        for literal in literals:
            if literal.is_string:
                self._value(column, literal, test)

    def _value(self, column: exp.Column, literal: exp.Literal, test: exp.Expr) -> None:
        wanted, name = str(literal.this), column.name.lower()
        relation = self._source(test)
        plain = wanted.strip("%")
        if name == "kind":
            self._of_kind(plain, literal, test)
        elif name == "extension":
            bare = plain.lower().lstrip(".")
            if bare not in self.catalog.values("files", name) and kind_called(bare):
                column.set("this", exp.to_identifier("kind"))
                bare = kind_called(bare) or bare
            literal.replace(exp.Literal.string(bare))
        elif name == "currency":
            literal.replace(exp.Literal.string(currency_of(plain) or plain.upper()))
        elif name == "type" and relation.name == "papers":
            self._one_of(plain, self.catalog.values("papers", "type"), literal)
        elif (
            name in {"folder", "parent"} and plain and isinstance(test, (exp.EQ, exp.Like, exp.NEQ))
        ):
            if relation.name == "files":
                self._swap(test, self._within(plain))
            else:
                folders = self._folders(plain)
                literal.replace(exp.Literal.string(folders[0] if folders else plain))
        elif name in _NAMES and (name == "issuer" or wanted in {plain, f"%{plain}%"}):
            self._named(column, plain, test, relation)
        elif relation.columns.get(name) == "DAY" and "%" not in wanted:
            self._day(column, literal, test)
        elif relation.columns.get(name) in {"INTEGER", "REAL"}:
            self._number(literal)

    def _of_kind(self, wanted: str, literal: exp.Literal, test: exp.Expr) -> None:
        """A kind; what is none may be a folder."""
        kind = _kind(wanted)
        if kind is not None:
            literal.replace(exp.Literal.string(kind))
        elif isinstance(test, (exp.EQ, exp.NEQ, exp.Like)):
            self._swap(test, self._within(wanted))
        else:
            raise PlanError(f"there is no kind {wanted}")

    def _named(self, column: exp.Column, wanted: str, test: exp.Expr, relation: Relation) -> None:
        """A name as the catalog writes it. What is no file's name may be a folder's."""
        if isinstance(test, exp.In):
            return
        if not speaks_of(self.spoken, wanted):
            raise PlanError(f"the question does not speak of {wanted}")
        found = named(wanted, self.catalog.values(relation.name, column.name))
        if found:
            values = [exp.Literal.string(name) for name in found]
            self._swap(test, exp.In(this=column.copy(), expressions=values))
        elif relation.name == "files" and self._folders(wanted):
            self._swap(test, self._within(wanted))
        elif column.name.lower() in {"title", "issuer"}:
            self._swap(test, self._stands(wanted, relation))
        else:
            self.empty.append(wanted)

    def _swap(self, test: exp.Expr, meant: exp.Expr) -> None:
        """Put what is meant in the place of a test, denied as the test was."""
        meant = exp.Paren(this=meant)
        negated = isinstance(test, exp.NEQ) or test.args.get("negate")
        test.replace(exp.Not(this=meant) if negated else meant)

    def _one_of(self, wanted: str, values: list[str], literal: exp.Literal) -> None:
        found = named(wanted.removesuffix("s"), values) or named(wanted, values)
        if not found:
            self.empty.append(wanted)
            return
        literal.replace(exp.Literal.string(found[0]))

    def _day(self, column: exp.Column, literal: exp.Literal, test: exp.Expr) -> None:
        period = period_of(str(literal.this), self.today)
        if period and period.start and period.end and isinstance(test, exp.EQ):
            test.replace(exp.Paren(this=exp.Between(
                this=column.copy(), low=_literal(period.start), high=_literal(period.end)
            )))  # fmt: skip

    def _order(self, test: exp.Expr) -> None:
        parts = [test.this, *(test.args.get(k) for k in ("expression", "low", "high"))]
        columns = [p for p in parts if isinstance(p, exp.Column)]
        if len(columns) != 1:
            return
        relation, name = self._source(test), columns[0].name.lower()
        for literal in [p for p in parts if isinstance(p, exp.Literal)]:
            if name == "size":
                bytes_ = size_of(with_unit(str(literal.this), self.spoken))
                if bytes_ is None:
                    raise PlanError(f"“{literal.this}” is no size")
                literal.replace(exp.Literal.number(bytes_))
            elif literal.is_string and relation.columns.get(name) in {"INTEGER", "REAL"}:
                self._number(literal)

    def _number(self, literal: exp.Literal) -> None:
        number = amount_of(str(literal.this))
        if number is None:
            raise PlanError(f"“{literal.this}” is no number")
        literal.replace(exp.Literal.number(str(number)))


def _kind(wanted: str) -> str | None:
    """The kind that a word means: a kind itself, or an extension; `None` for none."""
    word = fold(wanted).strip()
    close = difflib.get_close_matches(word, KINDS, n=1, cutoff=_CLOSE)
    return word if word in KINDS else kind_called(word) or (close[0] if close else None)


def _calls(tree: exp.Expr, name: str) -> list[exp.Anonymous]:
    return [c for c in tree.find_all(exp.Anonymous) if str(c.this).lower() == name]


def _text(call: exp.Anonymous, n: int) -> str:
    part = call.expressions[n] if n < len(call.expressions) else None
    text = str(part.this) if isinstance(part, exp.Literal) else part.name if part else ""
    if not text.strip():
        raise PlanError(f"{call.this} says nothing")
    return text.strip()


def _literal(day: date) -> exp.Literal:
    return exp.Literal.string(day.isoformat())
