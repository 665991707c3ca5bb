"""Finds in the library what the words of a parsed question name, and makes the plan of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import chain

from manole.agent.languages import called_in_all
from manole.agent.plan.choose_sheet import DEEDS
from manole.agent.plan.linking_papers import (
    SPENT,
    of_owner,
    of_payment,
    of_type,
    of_types,
    paper_marks,
    tells_status,
)
from manole.agent.plan.linking_times import Times
from manole.agent.plan.marks import (
    COMPARED,
    GIVEN,
    NUMBERS,
    Asked,
    alike,
    alternatives,
    apart,
    comparisons,
    figures,
    limit_of,
    names_any,
)
from manole.agent.plan.query import PlanError
from manole.agent.plan.subjects import Subjects
from manole.agent.plan.typed import TIMES, Condition, Given, Test, TypedPlan
from manole.agent.plan.values import bare, called, name_stems, named, parts_of, period_of
from manole.catalog.catalog import Catalog
from manole.catalog.kinds import extensions_of, kind_begun, kind_called, kind_meant
from manole.catalog.relations import DIARY, MONEY, RELATIONS
from manole.models.parser import Mark
from manole.text.amounts import currency_in, currency_of
from manole.text.language import language_of
from manole.text.lexicon import synonyms
from manole.text.numbers import UNITS
from manole.text.statuses import status_called
from manole.text.words import fold, stems, words

_ADDED = frozenset({"sum", "avg", "share", "diff"})
_EMPTY = {"files": "size", "folders": "files"}  # of which an empty one has none
_MEASURED = {"papers": "total", "files": "size", "folders": "files"}  # where nothing else is named
_SINGLE = frozenset({"kind", "ext", "type", "currency"})  # tags of which a row has one value
_WHO = {"papers": "issuer", "messages": "sender"}
_TO = {"papers": "recipient", "messages": "recipients"}


def relation_of(question: Asked) -> str:
    """Return the relation that has what is asked."""
    labels, tags = question.parsed.labels, {mark.tag for mark in question.marks}
    if labels["relation"] == "folders" and labels["op"] == "sum":
        return "files"  # a folder has the sizes of those below it
    return "papers" if labels["relation"] == "files" and "currency" in tags else labels["relation"]


class Linker:
    """Makes the plan of one question from a catalog whose relation is filled."""

    def __init__(
        self, question: Asked, catalog: Catalog, today: date, subjects: Subjects | None = None
    ) -> None:
        """`subjects` are the library's papers by what they are for, where that is asked."""
        self._subjects = subjects
        self.meant: list[str] = []  # papers that only the likeness of their names tells
        self._labels = question.parsed.labels
        self._catalog = catalog
        self._today = today
        self._relation = relation_of(question)
        papers = self._relation == "papers"
        self._marks = paper_marks(question) if papers else question.marks
        self._times = Times(self._relation, self._labels["op"], self._marks, today)
        self._status = "status" if papers and tells_status(question) else ""
        self._language = language_of(question.parsed.question)

    def plan(self) -> TypedPlan:
        """Return the plan. Raises `PlanError` where none of this kind says what is asked."""
        labels, relation = self._labels, self._relation
        if relation not in RELATIONS:
            raise PlanError(f"{relation} are asked of a model")
        if labels["op"] not in GIVEN:
            raise PlanError("no single plan gives this")
        given: Given = labels["op"]  # type: ignore[assignment]
        column, unit = self._column(), ""
        if column == "status" and given == "exists":
            given = "rows"  # "did we pay the painter?": the paper says it
        if relation in {"entries", "people"} and (column == "amount" or self._texts("unit")):
            column, unit = "", self._unit()
        if relation in {"entries", "people"} and given in {"sum", "avg", "max", "min"} and not unit:
            raise PlanError("a quantity without a unit")
        group = self._group()
        if relation == "people" and given in {"rows", "distinct"} and not group:
            given, group = "count", "name"
        if given == "distinct" and relation == "files" and not (column or group):
            given = "rows"  # "what documents do you have?"
        if given == "distinct":
            column = column or {"extension": group, "kind": group}.get(group, group)
            group = ""
            column = column or _WHO.get(relation, "")
            if column not in RELATIONS[relation].columns:
                raise PlanError("it is not said what is to differ")
        if given in {"sum", "avg"} and not (column or unit):
            column = _MEASURED.get(relation, "")
            if not column:
                raise PlanError("it is not said what is added")
        conditions, sides = apart(given, _disjoint(self._conditions(given, column)))
        tests = {test.test for every in conditions for test in every}
        if relation == "files" and given == "rows" and not column and tests == {"mentions"}:
            raise PlanError("what stands somewhere is searched for")
        plain = given == "rows" and labels["order"] == "-"
        if plain and column in MONEY and tests == {"mentions"}:
            raise PlanError("an amount of papers that only mention it")
        if given == "rows" and not column and tests == {"has"} and relation != "files":
            raise PlanError("a paper that is named is read")
        return TypedPlan(
            relation,
            given,
            column,
            unit,
            group,
            labels["order"].replace("-", ""),  # type: ignore[arg-type]
            limit_of(labels["limit"]),
            conditions,
            sides=sides,
        )

    def _texts(self, tag: str) -> list[str]:
        return [mark.text for mark in self._marks if mark.tag == tag]

    def _column(self) -> str:
        """Return the catalog's name of the column."""
        said = self._labels["column"]
        known = RELATIONS[self._relation].columns
        pictures = any(kind_meant(text) == "picture" for text in self._texts("kind"))
        made = "date" if pictures or self._relation != "files" else "modified"
        names = {"-": "", "recipient": _TO.get(self._relation, ""), "created": made}
        names["status"] = self._status
        names["due"] = "date" if self._relation == "events" else "due"
        name = names.get(said, said)
        if name == "name" and self._texts("copies"):
            raise PlanError("equal names are no equal files")
        if name == "copies" or (name == "name" and self._relation != "people"):
            name = ""
        if name == "date" and "date" not in known and self._relation == "files":
            name = "modified"
        if name in {"amount", ""} or name in known:
            return name
        raise PlanError(f"{self._relation} have no {name}")

    def _unit(self) -> str:
        for text in self._texts("unit"):
            if fold(text) in UNITS or text.lower() in UNITS:
                return text.lower()
        raise PlanError("a quantity without a known unit")

    def _group(self) -> str:
        said = self._labels["group"]
        name = {"-": "", "ext": "extension", "person": "name"}.get(said, said)
        known = RELATIONS[self._relation].columns
        if not name or name in TIMES or name in known or (name == "top" and "path" in known):
            return name
        raise PlanError(f"{self._relation} are not grouped by {said}")

    def _conditions(self, given: Given, column: str) -> Iterator[tuple[Condition, ...]]:
        """Yield the conditions, of each its alternatives."""
        marks = [mark for mark in self._marks if mark.tag not in NUMBERS]
        parts = alternatives(
            marks,
            lambda last, mark: (
                given != "diff"
                and last.denied == mark.denied
                and ((mark.either and alike(last, mark)) or self._excludes(last, mark))
            ),
        )
        typed = False
        for part in parts:
            typed |= self._relation == "papers" and any(mark.tag == "type" for mark in part)
            every = [self._tests(mark, column) for mark in part]
            tests = tuple(chain.from_iterable(every))
            if len(part) > 1 and tests and not part[0].denied:
                yield tests
                continue
            for own in every:
                if own and all(test.denied for test in own):
                    yield tuple(own)  # denied together: one of them may hold
                else:
                    yield from ((test,) for test in own)
        if (
            self._relation == "events"
            and self._labels["order"] == "asc"
            and not any(mark.tag == "period" for mark in marks)
        ):
            yield (Condition("after", "date", (self._today.isoformat(),)),)  # "the next"
        added = given in _ADDED or self._texts("status")
        if self._relation == "papers" and added and not typed:
            yield from ((test,) for test in of_types(self._catalog, SPENT))
        yield from ((test,) for test in self._compared(column))

    def _excludes(self, one: Mark, other: Mark) -> bool:
        """Return whether nothing can be both: then one or the other is meant."""
        if one.tag != other.tag or one.denied:
            return False
        if one.tag == "period":
            read = (period_of(mark.text, self._today) for mark in (one, other))
            whole = sorted((p.start, p.end) for p in read if p and p.start and p.end)
            return len(whole) == 2 and whole[0][1] < whole[1][0]
        single = one.tag in _SINGLE or (one.tag == "party" and self._relation in _WHO)
        return single and one.text.lower() != other.text.lower()

    def _tests(self, mark: Mark, column: str) -> list[Condition]:
        """Return the conditions of one mark: several where both must hold."""
        text, relation = mark.text, self._relation
        match mark.tag:
            case "kind":
                return self._of_kind(mark)
            case "ext" if relation == "files":
                known = tuple(e.lstrip(".") for e in extensions_of(text))
                return [self._on("is", "extension", known, mark)]
            case "type":
                return self._of_type(mark)
            case "folder":
                return self._in_folder(mark)
            case "file":
                return self._named(mark)
            case "party" | "recipient":
                return self._of_party(mark)
            case "period":
                return self._times.during(mark, column)
            case "age":
                return [self._times.aged(mark, column)]
            case "copies":
                return [self._on("over", "copies", ("1",), mark)] if relation == "files" else []
            case "empty":
                return self._missing(mark, column)
            case "currency":
                code = currency_of(text)
                if code is None or "currency" not in RELATIONS[relation].columns:
                    raise PlanError(f"{text} is no currency")
                return [self._on("is", "currency", (code,), mark)]
            case "status" if relation == "tasks":
                return self._of_status(mark)
            case "status" if relation == "papers":
                return of_payment(mark, self._marks, self._today)
            case "code":
                return [self._on("is", "number", (text,), mark)]
            case "own" | "got" if relation == "papers":
                return of_owner(self._catalog, mark, self._marks)
            case "tag" if relation == "files":
                return [self._on("tagged", "", (text.lstrip("#").lower(),), mark)]
            case "topic" if relation != "files" and stems(text) <= DEEDS:
                return []  # "in total"
            case "topic" | "value" | "ext" | "tag":
                return [self._about(mark)]
            case "unit" | "column":
                return []
        raise PlanError(f"{text} is asked of a model")

    @staticmethod
    def _on(test: Test, column: str, values: tuple[str, ...], mark: Mark) -> Condition:
        return Condition(test, column, values, mark.denied)

    def _about(self, mark: Mark) -> Condition:
        if self._relation == "files" and (kind := kind_called(mark.text)):
            return self._on("is", "kind", (kind,), mark)
        if self._relation == "files" and self._labels["column"] == "name":
            return self._on("has", "name", (mark.text,), mark)
        if self._relation == "files" and fold(mark.text) in self._catalog.values("tags", "tag"):
            return self._on("tagged", "", (fold(mark.text),), mark)
        if self._relation == "files" and bare(mark.text) in map(bare, self._folders()):
            return self._on("under", "", (mark.text,), mark)
        return self._said(mark.text, mark)

    def _of_status(self, mark: Mark) -> list[Condition]:
        status = status_called(mark.text)
        if status != "overdue":
            return [self._on("is", "status", (status,), mark)]
        today = (self._today.isoformat(),)
        return [self._on("before", "due", today, mark), Condition("is", "status", ("open",))]

    def _of_kind(self, mark: Mark) -> list[Condition]:
        if self._relation != "files" or names_any(mark.text):
            return []  # "mails", "notes": the relation itself
        kinds = [kind for word in (mark.text, *parts_of(mark.text)) if (kind := kind_meant(word))]
        if kind := next(iter(kinds), kind_begun(mark.text)):
            return [self._on("is", "kind", (kind,), mark)]
        known = extensions_of(mark.text)
        others = (m for m in self._marks if m.tag in {"kind", "ext"} and m is not mark)
        if len(known) > 1 or f".{fold(mark.text)}" in self._extensions():
            return [self._on("is", "extension", tuple(e.lstrip(".") for e in known), mark)]
        if any(m.tag == "ext" or kind_meant(m.text) for m in others):
            return []  # "PDF reports"
        return [self._about(mark)]

    def _extensions(self) -> set[str]:
        return {f".{extension}" for extension in self._catalog.values("files", "extension")}

    def _of_type(self, mark: Mark) -> list[Condition]:
        found = of_type(self._catalog, mark, self._said) if self._relation == "papers" else []
        return found or ([] if names_any(mark.text) else [self._about(mark)])

    def _said(self, text: str, mark: Mark) -> Condition:
        """Return a condition for a word of no known sort: a currency, an issuer, or in the text."""
        code = currency_of(text) or currency_in(text)
        if code and "currency" in RELATIONS[self._relation].columns:
            return self._on("is", "currency", (code,), mark)
        who = _WHO.get(self._relation, "")
        found = named(text, self._catalog.values(self._relation, who)) if who else []
        if mark.tag == "topic":  # "which shop" is none of "Shopping Ltd"
            found = [n for n in found if bare(n) == bare(text) or {*words(text)} <= {*parts_of(n)}]
        if found:
            return self._on("is", who, tuple(found), mark)
        if self._subjects and (papers := self._subjects.of(text)):
            self.meant += papers
            return self._on("is", "path", papers, mark)
        diary = self._catalog.diary if self._relation in DIARY else None
        if diary is not None and diary.unknown(text):
            others = synonyms(text, self._language)
            text = next((name for name in others if not diary.unknown(name)), text)
        return self._on("mentions", "", (text,), mark)

    def _in_folder(self, mark: Mark) -> list[Condition]:
        said = fold(mark.text)
        if said in called_in_all("folder"):
            return []
        folders = self._folders()
        if named(mark.text, folders) or mark.text in self._catalog.values("folders", "path"):
            return [self._on("under", "", (mark.text,), mark)]
        others = set(map(bare, synonyms(mark.text, self._language)))
        if called_so := [name for name in folders if bare(name) in others]:
            return [self._on("under", "", (called_so[0],), mark)]
        if currency_of(mark.text) or currency_in(mark.text):
            return [self._said(mark.text, mark)]  # "the dearest in euros"
        return self._named(mark)

    def _folders(self) -> list[str]:
        """Return the names of the folders, without those above them."""
        return [path.rpartition("/")[2] for path in self._catalog.values("folders", "path")]

    def _named(self, mark: Mark) -> list[Condition]:
        paths = self._catalog.values("files", "path")
        if spelled := [p for p in paths if mark.text in {p, p.rpartition("/")[2]}]:
            return [self._on("is", "path", tuple(spelled), mark)]
        if called(mark.text, paths):
            return [self._on("has", "path", (word,), mark) for word in words(mark.text)]
        if len(titled := self._titled(name_stems(mark.text))) == 1:
            return [self._on("is", "path", tuple(titled), mark)]
        told = self._about(mark)
        if told.test == "mentions":
            raise PlanError(f"{mark.text} is nowhere among files")
        return [told]

    def _titled(self, own: frozenset[str]) -> list[str]:
        """Return the files whose name and title together have all these stems."""
        _, files = self._catalog.run("SELECT path, title FROM files", None)
        return [str(p) for p, title in files if own and own <= name_stems(f"{p} {title or ''}")]

    def _of_party(self, mark: Mark) -> list[Condition]:
        relation = self._relation
        columns = [names.get(relation, "") for names in (_WHO, _TO)]
        for column in columns[mark.tag == "recipient" :]:
            known = self._catalog.values(relation, column) if column else []
            if found := named(mark.text, known):
                return [self._on("is", column, tuple(found), mark)]
        if any(columns) and called(mark.text, self._catalog.values(relation, "path")):
            return [self._on("has", "path", (word,), mark) for word in words(mark.text)]
        return [self._about(mark)]

    def _missing(self, mark: Mark, column: str) -> list[Condition]:
        if (empty := _EMPTY.get(self._relation)) and column in {"", empty}:
            return [self._on("is", empty, ("0",), mark)]
        if not column:
            raise PlanError(f"what is missing is asked of a model: {mark.text}")
        return [Condition("missing", column)]

    def _compared(self, column: str) -> Iterator[Condition]:
        """Yield the conditions on numbers."""
        tests = [m for m in self._marks if m.tag in COMPARED]
        numbers = figures(self._marks)
        if not numbers:
            if tests and not self._texts("age"):
                raise PlanError("a comparison without a number")
            return
        measured = RELATIONS[self._relation].columns.get(column) in {"INTEGER", "REAL"}
        of = column if measured else _MEASURED.get(self._relation, "")
        sized = any(re.search(r"b$", n, re.IGNORECASE) for n in numbers)
        if self._relation == "files" and sized:
            of = "size"
        elif of == "size" and not measured:
            raise PlanError("a number of what?")
        if not of:
            raise PlanError("it is not said what is compared")
        if of == "size" and len(numbers) == 2 and [m.tag for m in tests] == ["between"]:
            unit = re.sub(r"[\d.,\s]", "", numbers[1])
            numbers = [n if n[-1:].isalpha() else f"{n} {unit}" for n in numbers]
        if tests:
            yield from comparisons(tests, numbers, of)
            return
        same = "number" if self._relation == "papers" and column != of else of
        yield Condition("is", same, tuple(numbers))


def _disjoint(conditions: Iterable[tuple[Condition, ...]]) -> tuple[tuple[Condition, ...], ...]:
    """Return conditions on files as alternatives of one, where no file can meet them all.

    "Bike, plumber and dentist in 2022" are the papers of each of them.
    """
    every = tuple(conditions)
    files = [part for part in every if all(t.test == "is" and t.column == "path" for t in part)]
    sets = [{value for test in part for value in test.values} for part in files]
    denied = any(test.denied for part in files for test in part)
    if denied or len(files) < 2 or set.intersection(*sets):
        return every
    first = files[0]
    merged = tuple(chain.from_iterable(files))
    return tuple(merged if part is first else part for part in every if part not in files[1:])
