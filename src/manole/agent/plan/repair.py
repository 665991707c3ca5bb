"""Checks a query that the model wrote, and replaces names and values by those of the catalog.

Names must exist; values come from the question or the catalog: "photos", "100 kB", "last March", a
folder's name, an issuer as papers write it. The operators `mentions`, `under` and `during` become
conditions. What cannot be repaired beyond doubt is a `PlanError`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from sqlglot import exp

from manole.agent.languages import words_of
from manole.agent.plan import cells
from manole.agent.plan.mentions import Mentions
from manole.agent.plan.query import (
    Checked,
    PlanError,
    Query,
    aliases_of,
    calls_of,
    reads,
    relation_of,
    rename,
    source_of,
    tables_of,
    text_of,
)
from manole.agent.plan.shape import shape
from manole.agent.plan.values import (
    called,
    folders_said,
    named,
    period_of,
    size_of,
    speaks_of,
    with_unit,
)
from manole.catalog.catalog import Catalog
from manole.catalog.kinds import kind_called, kind_meant
from manole.catalog.relations import FILES, FOLDERS, NAMED, PAPERS, Relation
from manole.documents.fields.kinds import types_named
from manole.text.amounts import currency_in, currency_of
from manole.text.dates import month_of
from manole.text.numbers import first_number
from manole.text.question import Question
from manole.text.words import fold, words

_ORDERS = (exp.GT, exp.GTE, exp.LT, exp.LTE)
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_PARTS = {exp.Year: (1, 4), exp.Month: (6, 2), exp.Day: (9, 2)}  # of an ISO day: from, how long


def check(
    query: Query, catalog: Catalog, question: Question, insists: bool = False, typed: bool = False
) -> Checked:
    """Return the query as it may be run. Raises `PlanError`, whose message says what is wrong.

    A model that `insists` wrote it twice. Of a query from a `typed` plan only values are replaced.
    """
    tree = query.tree.copy()
    if unknown := query.relations - catalog.relations.keys():
        raise PlanError(f"there is no table {', '.join(sorted(unknown))}")
    if not typed:
        shape(tree)
    return _Mender(tree, catalog, question, insists or typed, typed).mended()


@dataclass
class _Mender:
    """Repairs one query in place."""

    tree: exp.Select
    catalog: Catalog
    question: Question
    insists: bool
    typed: bool = False
    unsaid: bool = False

    def __post_init__(self) -> None:
        self.aliases = aliases_of(self.tree)
        self.mentions = Mentions(self.tree, self.catalog)
        self.spoken = " ".join(map(str, (*self.question.leans_on, self.question)))

    def mended(self) -> Checked:
        """Return the query that may be run. Raises `PlanError`."""
        if not self.typed:
            self._of_folder()
        source = source_of(self.tree, self.tree, self.catalog.relations)
        self._of_date()
        for kind, place in _PARTS.items():
            for call in list(self.tree.find_all(kind)):
                self._part(call, *place)
        for column in list(self.tree.find_all(exp.Column)):
            self._name(column)
            if column.name.lower() == "words" and self._relation(column) is FILES:
                self.mentions.need_texts()
        if not self.typed:
            self._close()
        for call in calls_of(self.tree, "under"):
            call.replace(exp.Paren(this=self._within(text_of(call, 0))))
        for call in calls_of(self.tree, "during"):
            call.replace(exp.Paren(this=self._during(call)))
        self.mentions.resolve(self.question, self.insists, self.typed)
        for test in list(self.tree.find_all(exp.EQ, exp.NEQ, exp.Like, exp.In)):
            self._equal(test)
        for test in list(self.tree.find_all(*_ORDERS, exp.Between)):
            self._order(test)
        for less in list(self.tree.find_all(exp.Sub)):
            for day in [c for c in less.find_all(exp.Column) if self._is_day(c)]:
                if not isinstance(day.find_ancestor(exp.Where, exp.Case, exp.Sub), exp.Sub):
                    continue  # it is compared, not subtracted
                day.replace(exp.Anonymous(this="julianday", expressions=[day.copy()]))
        for ordered in list(self.tree.find_all(exp.Ordered)):
            ordered.set("nulls_first", False)
            if isinstance(ordered.this, exp.Column) and not ordered.args.get("desc"):
                self._known(ordered)
        cells.mend(self.tree, self.catalog, self.question, self.typed)
        reads(self.tree)
        return Checked(
            self.tree, source, self.mentions.empty, unsaid=self.unsaid, loose=self.mentions.loose,
            relations=self.catalog.relations,
        )  # fmt: skip

    def _relation(self, column: exp.Expr) -> Relation | None:
        return relation_of(column, self.catalog.relations)

    def _of_sheet(self, column: exp.Expr) -> bool:
        relation = self._relation(column)
        return relation is not None and relation.name in self.catalog.sheets

    def _of_folder(self) -> None:
        """Query folders where the question asks for one, or names the path of one."""
        named = [t for t in self.tree.find_all(exp.EQ) if t.this.name == "path"]
        columns = {column.name.lower() for column in self.tree.find_all(exp.Column)} - self.aliases
        if tables_of(self.tree) != {"files"} or not columns <= FOLDERS.columns.keys():
            return
        paths = {fold(path) for path in self.catalog.values("folders", "path")}
        of_paths = named and all(fold(t.expression.name.strip("/")) in paths for t in named)
        nouns = map(fold, words_of(self.question.language).nouns["folder"])
        asked = not set(nouns).isdisjoint(self.question.words) and not calls_of(self.tree, "under")
        if not self.tree.find(exp.Count) and (of_paths or (asked and self.tree.args.get("order"))):
            for table in self.tree.find_all(exp.Table):
                table.set("this", exp.to_identifier(FOLDERS.name))

    def _of_date(self) -> None:
        """Read `year = 2024` as the year of the date."""
        parts = {kind.key: kind for kind in _PARTS if kind.key not in self._columns()}
        for column in list(self.tree.find_all(exp.Column)):
            if (name := column.name.lower()) in parts and name not in self.aliases:
                column.replace(parts[name](this=exp.column("date")))

    def _part(self, call: exp.Expr, start: int, length: int) -> None:
        """Replace a call by the year, month or day of an ISO day, as a number."""
        day = call.this.this if isinstance(call.this, exp.Cast) else call.this
        places = [exp.Literal.number(start), exp.Literal.number(length)]
        part = exp.Anonymous(this="substr", expressions=[day.copy(), *places])
        for literal in list(call.parent.find_all(exp.Literal)) if call.parent else ():
            if literal.is_string and str(literal.this).isdecimal():
                literal.replace(exp.Literal.number(int(literal.this)))
        call.replace(exp.cast(part, "integer"))

    def _name(self, column: exp.Column) -> None:
        """Give a column its real name."""
        if not rename(column, self._columns(), self.aliases):
            raise PlanError(f"there is no column {column.name}")

    def _columns(self) -> list[str]:
        relations = self.catalog.relations
        asked = [relations[name] for name in tables_of(self.tree) if name in relations]
        return sorted({column for relation in asked for column in relation.columns})

    def _close(self) -> None:
        """Replace a single bound by the whole period that the question names."""
        bounds = [t for t in self.tree.find_all(*_ORDERS)
                  if self._is_day(t.this) and not self._of_sheet(t.this)]  # fmt: skip
        period = self.question.period
        if len(bounds) != 1 or calls_of(self.tree, "during") or self.tree.find(exp.Between):
            return
        if period is not None and period.start is not None and period.end is not None:
            test = bounds[0]
            test.replace(exp.Anonymous(this="during", expressions=[
                test.this.copy(), exp.Literal.string(period.text)
            ]))  # fmt: skip

    def _is_day(self, column: exp.Expr) -> bool:
        return self._type_of(column) == "DAY"

    def _type_of(self, column: exp.Expr) -> str | None:
        relation = self._relation(column)
        return relation.columns.get(column.name.lower()) if relation else None

    def _known(self, ordered: exp.Ordered) -> None:
        """Leave out rows without a value from an ascending order."""
        select = ordered.parent_select
        named = ordered.this.name in self.aliases or self._of_sheet(ordered.this)
        if select is not None and not named:
            select.where(exp.Not(this=exp.Is(this=ordered.this.copy(), expression=exp.null())),
                         copy=False)  # fmt: skip

    # Operators.

    def _within(self, wanted: str) -> exp.Expr:
        """Return a condition for files below folders of that name. Raises `PlanError` for none."""
        folders = self._folders(wanted)
        if folders and not self.insists and not speaks_of(self.spoken, wanted):
            raise PlanError(f"the question does not speak of {wanted}")
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
        column, today = call.expressions[0], self.question.today
        parts = [text_of(call, n) for n in range(1, len(call.expressions))]
        said = f"between {' and '.join(parts)}" if len(parts) > 1 else "".join(parts)
        period = next(filter(None, (period_of(text, today) for text in (said, *parts))), None)
        if period is None or not isinstance(column, exp.Column):
            raise PlanError(f"“{said}” is no period")
        days = self._days(column)
        floats = not self.typed or any(month_of(word) for word in words(said))
        if floats and period.start and days and period.start.isoformat() > days[-1]:
            # Without a year, the latest one with any rows.
            again = period_of(said, date.fromisoformat(days[-1][:10]))
            period = again or period
        tests: list[exp.Expr] = []
        if period.start:
            tests.append(exp.GTE(this=column.copy(), expression=_literal(period.start)))
        if period.end:
            tests.append(exp.LTE(this=column.copy(), expression=_literal(period.end)))
        return exp.and_(*tests)

    def _days(self, column: exp.Column) -> list[str]:
        relation = self._relation(column)
        days = self.catalog.values(relation.name, column.name) if relation else []
        return sorted(day for day in days if _ISO.match(day))  # a sheet may say "soon"

    # Values.

    def _equal(self, test: exp.Expr) -> None:
        column = test.this
        if not isinstance(column, exp.Column) or self._of_sheet(column):
            return
        literals = [e for e in (*test.args.get("expressions", ()), test.args.get("expression"))
                    if isinstance(e, exp.Literal)]  # fmt: skip
        for literal in literals:
            if literal.is_string:
                self._value(column, literal, test)

    def _value(self, column: exp.Column, literal: exp.Literal, test: exp.Expr) -> None:
        wanted, name = str(literal.this), column.name.lower()
        plain = wanted.strip("%")
        if (relation := self._relation(column)) is None:
            return
        if name == "kind":
            self._of_kind(plain, literal, test)
        elif name == "extension":
            bare = plain.lower().lstrip(".")
            if bare not in self.catalog.values("files", name) and kind_called(bare):
                column.set("this", exp.to_identifier("kind"))
                bare = kind_called(bare) or bare
            literal.replace(exp.Literal.string(bare))
        elif name == "currency":
            self._currency(plain, literal, test)
        elif name == "tag":
            self._tag(plain, literal, test, relation)
        elif name == "type" and relation.name == "papers":
            self._type(plain, literal, test)
        elif (
            name in {"folder", "parent"} and plain and isinstance(test, (exp.EQ, exp.Like, exp.NEQ))
        ):
            if relation.name == "files":
                self._swap(test, self._within(plain))
            else:
                folders = self._folders(plain)
                literal.replace(exp.Literal.string(folders[0] if folders else plain))
        elif name in NAMED and (name == "issuer" or wanted in {plain, f"%{plain}%"}):
            self._named(column, plain, test, relation)
        elif relation.columns.get(name) == "DAY" and "%" not in wanted:
            self._day(column, literal, test)
        elif relation.columns.get(name) in {"INTEGER", "REAL"}:
            self._number(literal)

    def _currency(self, wanted: str, literal: exp.Literal, test: exp.Expr) -> None:
        """Replace a currency by its code; drop a currency that the question does not mention."""
        spoken = {currency_of(word) for word in (*words(self.spoken), *self.spoken.split())}
        known = self.insists or currency_in(self.spoken) is not None
        if spoken == {None} and not known and isinstance(test, exp.EQ):
            test.replace(exp.true())
        else:
            literal.replace(exp.Literal.string(currency_of(wanted) or wanted.upper()))

    def _tag(self, wanted: str, literal: exp.Literal, test: exp.Expr, relation: Relation) -> None:
        """Compare a tag without its `#`; with each of those of a task."""
        tag = wanted.removeprefix("#")
        if relation.name != "tasks" or not isinstance(test, (exp.EQ, exp.NEQ)):
            literal.replace(exp.Literal.string(str(literal.this).replace("#", "")))
            return
        own = exp.func("coalesce", test.this.copy(), exp.Literal.string(""))
        sides = [exp.Literal.string(", "), own, exp.Literal.string(",")]
        joined = exp.DPipe(this=exp.DPipe(this=sides[0], expression=sides[1]), expression=sides[2])
        self._swap(test, exp.Like(this=joined, expression=exp.Literal.string(f"%, {tag},%")))

    def _of_kind(self, wanted: str, literal: exp.Literal, test: exp.Expr) -> None:
        """Replace a kind by the catalog's; an unknown one may be a folder."""
        kind = kind_meant(wanted)
        if kind is not None:
            spoken = words(self.spoken)
            self.unsaid |= kind not in {*spoken, *map(kind_called, spoken)}
            literal.replace(exp.Literal.string(kind))
        elif not self._folders(wanted) and (said := folders_said(self.question, self.catalog)):
            self._swap(test, self._within(said[0]))  # the invoices of the folder of that name
        elif isinstance(test, (exp.EQ, exp.NEQ, exp.Like)):
            self._swap(test, self._within(wanted))
        else:
            raise PlanError(f"there is no kind {wanted}")

    def _named(self, column: exp.Column, wanted: str, test: exp.Expr, relation: Relation) -> None:
        """Replace a name by the spellings in the catalog. An unknown one may be a folder's."""
        if isinstance(test, exp.In):
            return
        if not (self.typed or speaks_of(self.spoken, wanted) or self._folders(wanted)):
            raise PlanError(f"the question does not speak of {wanted}")
        found, of = named(wanted, self.catalog.values(relation.name, column.name)), column.copy()
        if not found and relation.name == "papers":
            of = exp.column("path")  # a file may be called so: "invoice plumber"
            found = called(wanted, self.catalog.values(relation.name, "path"))
        if found:
            values = [exp.Literal.string(name) for name in found]
            self._swap(test, exp.In(this=of, expressions=values))
        elif relation.name == "files" and self._folders(wanted) and not test.find_ancestor(exp.Or):
            self._swap(test, self._within(wanted))
        elif "number" in {item.name for item in self.tree.expressions}:
            raise PlanError(f"no paper is from {wanted}")  # no other word identifies the paper
        elif column.name.lower() in {"title", "issuer", "subject"}:
            self.unsaid = True  # no match does not mean that there is none
            self._swap(test, self.mentions.stands(wanted, relation))
        else:
            self.mentions.empty.append(wanted)

    def _swap(self, test: exp.Expr, meant: exp.Expr) -> None:
        """Replace a test by the meant condition, negated if the test was."""
        meant = exp.Paren(this=meant)
        negated = isinstance(test, exp.NEQ) or test.args.get("negate")
        test.replace(exp.Not(this=meant) if negated else meant)

    def _type(self, wanted: str, literal: exp.Literal, test: exp.Expr) -> None:
        """Replace a type of paper by the catalog's; an unknown one has to stand in the paper."""
        types = self.catalog.values("papers", "type")
        found = named(wanted.removesuffix("s"), types) or named(wanted, types)
        if found:
            literal.replace(exp.Literal.string(found[0]))
        elif isinstance(test, exp.In) or types_named(words(wanted)):
            self.mentions.empty.append(wanted)
        else:
            self.unsaid = True  # no match does not mean that there is none
            self._swap(test, self.mentions.stands(wanted, PAPERS))

    def _day(self, column: exp.Column, literal: exp.Literal, test: exp.Expr) -> None:
        period = period_of(str(literal.this), self.question.today)
        if period and period.start and period.end and isinstance(test, exp.EQ):
            test.replace(exp.Paren(this=exp.Between(
                this=column.copy(), low=_literal(period.start), high=_literal(period.end)
            )))  # fmt: skip

    def _order(self, test: exp.Expr) -> None:
        parts = [test.this, *(test.args.get(k) for k in ("expression", "low", "high"))]
        columns = [p for p in parts if isinstance(p, exp.Column)]
        if len(columns) != 1 or self._of_sheet(columns[0]):
            return
        name, numbers = columns[0].name.lower(), self._type_of(columns[0]) in {"INTEGER", "REAL"}
        for literal in [p for p in parts if isinstance(p, exp.Literal)]:
            if name == "size":
                bytes_ = size_of(with_unit(str(literal.this), self.spoken))
                if bytes_ is None:
                    raise PlanError(f"“{literal.this}” is no size")
                literal.replace(exp.Literal.number(bytes_))
            elif literal.is_string and numbers:
                self._number(literal)

    def _number(self, literal: exp.Literal) -> None:
        number = first_number(str(literal.this))
        if number is None:
            raise PlanError(f"“{literal.this}” is no number")
        literal.replace(exp.Literal.number(str(number)))


def _literal(day: date) -> exp.Literal:
    return exp.Literal.string(day.isoformat())
