"""Finds the table that a parsed question is about, and makes the plan of it.

It is the one that is named, or the only one that has all that the question names: by the words of
its columns and cells, else by likeness of meaning. Tables of the same columns in several files are
asked as one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from manole.agent.plan.likeness import Likeness
from manole.agent.plan.link_table import GUESSED, PLACES, VALUES, TableLink
from manole.agent.plan.marks import GIVEN, Asked, compares_columns
from manole.agent.plan.query import PlanError
from manole.agent.plan.table_words import (
    cells_called,
    column_called,
    columns_spoken,
    name_of,
    words_in,
)
from manole.agent.plan.typed import TypedPlan
from manole.agent.plan.values import bare, name_stems, named, parts_of, without_umlauts
from manole.catalog.families import Family
from manole.catalog.relations import MONEY
from manole.catalog.sheets import Sheet
from manole.models.parser import Mark
from manole.text.amounts import currency_of
from manole.text.words import stems, words

TABLES = frozenset({"sheet", "records"})  # relations that are tables of files
_MONEY = MONEY | {"amount"}  # labels of the column with what was paid
_SPOKEN = 0.5  # what a header that the question says without a mark weighs, set by hand


@dataclass(frozen=True, slots=True)
class Linked:
    """The plan of a question over a table, and how far it accounts for the question.

    `likeness` is 1 where words found all, else that of the least like. `unread` are words of the
    question that nothing of the table has. `marks` are those of the question, with names as the
    table writes them.
    """

    plan: TypedPlan
    likeness: float
    unread: tuple[str, ...]
    marks: tuple[Mark, ...]


class TableLinker:
    """Makes the plan of one question over the table that it is about.

    Where the parser took the question for one of files, papers or a diary, every mark must be found
    in the table: nothing else says that it is meant.
    """

    def __init__(
        self,
        question: Asked,
        tables: Mapping[str, Sheet],
        today: date,
        scope: str = "",
        like: Likeness | None = None,
    ) -> None:
        self._question, self._today, self._like = question, today, like
        self._marks, self._labels = question.marks, question.parsed.labels
        self._tables = {n: s for n, s in tables.items() if not scope or s.file == scope}
        self._strict = not scope and question.parsed.labels["relation"] not in TABLES

    def plan(self) -> Linked:
        """Return the plan. Raises `PlanError` where none of this kind says what is asked."""
        if self._labels["op"] not in GIVEN and not compares_columns(self._question):
            raise PlanError("no single plan gives this")
        known, told = self._known()
        self._why = PlanError("it is not said which table")
        linked, known = self._tried(known, told, names=False)
        if not linked:
            linked, known = self._tried(known, told, names=True)
        if not linked and self._like:
            if not told and len(known) > 1:
                meant = self._like.likest({name: self._tables[name] for name in known})
                told = bool(meant) and not self._strict
                known = meant if meant or self._strict else known
            linked, _ = self._tried(known, told, names=True, like=self._like)
        most = max((weight for weight, _ in linked), default=0.0)
        best = {plan.plan.relation: plan for weight, plan in linked if weight == most}
        if len(best) > 1 and self._like:
            meant = self._like.likest({name: self._tables[name] for name in best})
            best = {name: replace(best[name], likeness=GUESSED) for name in meant}
        if len(best) == 1:
            return best.popitem()[1]
        raise self._why

    def _tried(
        self, known: Sequence[str], told: bool, *, names: bool, like: Likeness | None = None
    ) -> tuple[list[tuple[float, Linked]], list[str]]:
        """Return the plans over the tables that have what is named, and tables to look at next.

        It is found by its words, by other `names` of it, or by likeness: what words find in some
        tables is found by nothing else in others.
        """
        linked: list[tuple[float, Linked]] = []
        having: list[str] = []
        for name in known:
            sheet = self._tables[name]
            try:
                link = TableLink(sheet, name, self._question, self._today, told, names, like)
                having.append(name)
                linked.append(self._linked(link, name, told))
            except PlanError as error:
                self._why = error if len(known) == 1 else self._why
        return linked, having or list(known)

    def _linked(self, link: TableLink, name: str, told: bool) -> tuple[float, Linked]:
        """Return the plan over one table, behind how much of the question that has."""
        link.keep(self._question.replaced)
        plan = link.plan()
        if self._strict:
            if not (link.cells or link.named or link.is_said):
                raise PlanError("nothing says that this table is meant")
            summed = plan.given in {"sum", "avg"} and self._labels["relation"] == "papers"
            units = [m.text for m in self._marks if m.tag == "unit" and not currency_of(m.text)]
            asks = (self._labels["column"] in _MONEY and not units) or summed
            if asks and not link.has_money(plan.column):
                raise PlanError("the table has no amounts")
        unread = link.unread()
        if any(part.isdecimal() for word in unread for part in words(word)):
            raise PlanError("a number that is not read")
        whole = not (link.narrows or plan.order or plan.group or plan.sides)
        content = [mark for mark in self._marks if mark.tag in VALUES | {"column"}]
        listed = plan.given in {"rows", "count", "exists"}
        if whole and (not content or (self._strict and listed)):
            unread = (*unread, *link.untold())
            if unread and listed:
                raise PlanError(f"nothing of the table is {unread[0]}")
        if whole and link.likeness < GUESSED:
            raise PlanError("what is only like the name of a table does not ask for all of it")
        weight = self._weight(name) if link.likeness == 1 else link.likeness
        likeness = min(link.likeness, GUESSED) if self._places() and not told else link.likeness
        return weight, Linked(plan, likeness, unread, link.marks)

    def _places(self) -> list[str]:
        return [m.text for m in self._marks if m.tag in PLACES and not m.denied]

    def _known(self) -> tuple[list[str], bool]:
        """Return the tables that may be meant, and whether a file or folder tells them."""
        families = {n: s for n, s in self._tables.items() if isinstance(s, Family)}
        known = [name for name in self._tables if name not in families]
        told = False
        for text in self._places():
            found = self._called(text, known)
            told = told or bool(found)
            if len(found) == 1:
                return found, True
            if not found and self._strict:
                raise PlanError(f"no table is of {text}")
            known = found or known
        of = [self._tables[name] for name in known]
        whole = {n: s for n, s in families.items() if all(p in of for p in s.parts)}
        parts = [part for family in whole.values() for part in family.parts]
        return [*(n for n in known if self._tables[n] not in parts), *whole], told

    def _called(self, text: str, known: Sequence[str]) -> list[str]:
        """Return the tables whose name, file or title has all of a text, else most of its words."""
        parts = set(parts_of(text))
        found = [n for n in known if parts <= set(parts_of(n.replace("_", " ")))]
        found = found or named(text, known) or [n for n in known if _alike(text, self._tables[n])]
        own = {name: len(name_stems(text) & name_of(self._tables[name])) for name in known}
        most = max(own.values(), default=0)
        return found or [name for name in known if most and own[name] == most]

    def _weight(self, name: str) -> float:
        """Return how much of the question a table has."""
        sheet, asked = self._tables[name], self._question.parsed.question
        columns, weight = sheet.columns, 0.0
        for mark in self._marks:
            if mark.tag == "column":
                weight += 1.0 if column_called(mark.text, columns) else -0.5
            elif mark.tag in VALUES:
                has = cells_called(mark.text, words_in(sheet)) or column_called(mark.text, columns)
                weight += 1.0 if has else -1.0
        weight += _SPOKEN * len(columns_spoken(asked, self._marks, columns))
        own = stems(name.replace("_", " "))
        return weight + 1.5 * len(own & stems(asked)) / max(1, len(own))


def _alike(text: str, sheet: Sheet) -> bool:
    said = without_umlauts(bare(text))
    names = (sheet.file, sheet.table.title or "")
    return any(said in without_umlauts(bare(name)) for name in names)
