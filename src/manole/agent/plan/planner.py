"""Turns a question into a checked plan, which is kept so that it is written only once."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.errors import SqlglotError

from manole.agent.events import Decider
from manole.agent.plan.ask_tables import of_tables, overview
from manole.agent.plan.diary_synonyms import called, reworded
from manole.agent.plan.library_facts import facts
from manole.agent.plan.linking import Linker, relation_of
from manole.agent.plan.linking_tables import TABLES
from manole.agent.plan.marks import NAMES, Asked, spelled, with_codes, with_topics
from manole.agent.plan.named import Nowhere, nowhere
from manole.agent.plan.open_catalog import SMALL, filled, sheets, tables_of
from manole.agent.plan.query import PlanError, UnknownWordsError, parse
from manole.agent.plan.query_catalog import checked, found
from manole.agent.plan.subjects import Subjects, is_found, subjects_of
from manole.agent.plan.understand import (
    SURE,
    Read,
    clauses,
    framed,
    is_believed,
    is_clear,
    is_open,
    is_sure,
    kind_of,
    understood,
    understood_before,
)
from manole.agent.plan.value_linking import links
from manole.agent.plan.values import bare
from manole.agent.plan.write import FIND, SELECT, examples, write_plan
from manole.agent.turn import GetModel, TurnUsage
from manole.catalog.catalog import Catalog, CatalogError
from manole.catalog.derived import Derived
from manole.catalog.relations import MONEY
from manole.catalog.sheets import is_sheet
from manole.errors import ManoleError
from manole.text.numbers import UNITS
from manole.text.question import Question
from manole.text.words import words
from manole.tools.base import Confidence, TurnState

_TRIES = 2  # plans that are written, the second with the error of the first
# Relations whose questions may be answered by a table: what was paid, and what there is.
_SAID_IN_TABLES = frozenset({"papers", "files", "entries", "people"})
_MONEY = frozenset({"EUR", "USD"})
_OF_FILES = frozenset({"files", "folders", "papers"})
_PROPERTIES = frozenset({"type", "currency", "status", "kind", "extension", "year", "month"})
_VERSION = 2  # raised when the same words from the model mean something else


@dataclass(frozen=True, slots=True)
class Plan:
    """A query or `FIND`, and who decided it.

    `table` is a file whose table is to be queried; `spoken_of` is one whose table shares words with
    the question.
    """

    written: str = FIND
    by: Decider = "fallback"
    table: str | None = None
    spoken_of: str | None = None
    confidence: Confidence = "low"  # one reading alone
    nowhere: Nowhere | None = None  # what the answer says instead
    settled: bool = False  # a query that needs no second opinion
    framed: float = 0.0  # the lowest probability of what is computed, 0 if words are left out
    then: Plan | None = None  # the query for what else the question asks

    @property
    def is_query(self) -> bool:
        """Whether it is a query over the catalog."""
        return self.written.startswith(SELECT)

    @property
    def is_answer(self) -> bool:
        """Whether it says what to answer from, or that it is nowhere."""
        return self.is_query or self.nowhere is not None


class Planner:
    """Plans the question of one turn."""

    def __init__(self, state: TurnState, model: GetModel, usage: TurnUsage) -> None:
        self._state = state
        self._model = model
        self._usage = usage
        self._kept = Derived(state.library.path)
        self._last: tuple[Question, Plan | None] | None = None  # what was read last, and how

    async def plan(self, *, within: bool = False) -> Plan:
        """Return the plan; `within` if the question names the file or folder that it is about.

        Raises `ManoleError` where a model is needed and there is none.
        """
        state = self._state
        question = await understood(state)
        if question.parsed.tool == "thisday" and not question.parsed.unread:
            query = of_this_day(state.question)
            return Plan(query, "parser", confidence="high", settled=True, framed=1.0)
        if within and (is_open(question) or kind_of(question) == "summary"):
            if query := overview(question, await tables_of(state)):
                return Plan(query, "parser", confidence="medium", settled=True, framed=1.0)
            if is_open(question):
                return Plan(FIND, "parser")  # what stands in it
        read = await self._reading(question)
        computed = question.parsed.computed
        to_read = read is not None and not read.is_query and not (computed and read.nowhere)
        if read is not None and (to_read or read.settled or (read.nowhere and is_sure(question))):
            return read
        if state.scope.one and is_sheet(state.scope.one):
            return Plan(FIND, "auto", state.scope.one)  # the scope names the table
        if is_open(question):
            told = question.marks and is_believed(framed(question))
            said = computed and not question.parsed.unread
            whole = said and read is not None and is_believed(read.framed)
            if read is not None and read.is_query and (told or whole):
                return read  # the library has what is named
            if not computed or relation_of(question) in TABLES:
                return Plan(FIND, "parser")
        try:
            written = await self._checked()
        except ManoleError:
            if read is None or not read.is_query:
                raise
            return replace(read, confidence="low")
        if read is None or not read.is_query:
            return Plan(FIND, "model") if _strays(question, written) else written
        agree = await self._agree(read, written)
        if read.framed:
            return replace(read, confidence="high" if agree else "low")
        return replace(written, then=read.then)  # which the model does not know of

    async def reads(self) -> bool:
        """Return whether the parser reads a plan for the question as it stands."""
        read = await self._reading(await understood(self._state))
        return read is not None and read.is_answer

    async def computes(self) -> bool:
        """Return whether the question asks for what may be computed."""
        question = await understood(self._state)
        read = await self._reading(question) if question.parsed.computed else Plan()
        return read is None or read.is_answer

    async def _reading(self, question: Asked) -> Plan | None:
        """Return what the parser reads of the turn's question, made once."""
        if self._last is None or self._last[0] is not self._state.question:
            read = await self._parsed(question)
            leans = question.parsed.leans or self._state.question.exchanged
            if leans and read is not None and read.is_query and await self._gave_nothing():
                read = Plan(FIND, "parser")  # so is what leans on it
            self._last = self._state.question, read
        return self._last[1]

    async def _gave_nothing(self) -> bool:
        """Return whether the question before is computed, and nothing came of it: it was read."""
        asked = await understood_before(self._state)
        before = await self._parsed(asked) if asked.parsed.computed else None
        if before is None or not before.is_query:
            return asked.parsed.computed
        catalog, query = await checked(self._state, before.written, typed=True)
        return not (await asyncio.to_thread(found, catalog, query)).stands_on

    async def _agree(self, one: Plan, other: Plan) -> bool:
        """Return whether two queries give the same rows, though one may show more of them."""
        if not other.is_query:
            return False
        given = []
        try:
            for plan in (one, other):
                catalog, query = await checked(self._state, plan.written, typed=plan is one)
                rows = (await asyncio.to_thread(found, catalog, query)).rows
                given.append([set(map(str, row)) for row in sorted(rows, key=lambda r: str(r[0]))])
        except (PlanError, CatalogError):
            return False
        mine, its = given
        alike = all(a <= b or a >= b for a, b in zip(mine, its, strict=False))
        return bool(mine) and len(mine) == len(its) and alike

    async def _parsed(self, question: Asked) -> Plan | None:
        """Return the query that the parser reads, `FIND` where surely none is asked.

        `None` where it reads a query that nothing can be made of.
        """
        parsed, open_ = question.parsed, is_open(question)
        times = [mark for mark in question.marks if mark.tag == "period" and not mark.either]
        if relation_of(question) == "entries" and len(times) > 1 and parsed.unread:
            return Plan(FIND, "parser")  # "stressed lately vs last year": each is read
        if relation_of(question) == "papers" and _measures(question):
            return Plan(FIND, "parser")
        if not (open_ or parsed.computed) and (paper := await self._paper(question)):
            return paper
        if open_ or not parsed.computed:
            missing = await nowhere(self._state, question)
            large = len(await self._state.files()) > SMALL
            if missing or not open_ or (large and not parsed.computed):
                return Plan(FIND, "parser", nowhere=missing)
        if parts := clauses(question):
            first, then = [await self._parsed(part) for part in parts]
            if first and then and first.is_query and then.is_query:
                settled, least = first.settled and then.settled, min(first.framed, then.framed)
                return replace(first, settled=settled, framed=least, then=then)
        relation, scope = relation_of(question), self._state.scope.one or ""
        if relation in TABLES or is_sheet(scope):
            rows = parsed.labels["op"] == "rows" and parsed.sure["relation"] >= SURE
            if rows and not is_sheet(scope) and not await sheets(self._state):
                return Plan(FIND, "parser")
            read = await of_tables(self._state, question)
            if read is None and not is_sheet(scope) and (papers := _as_papers(question)):
                read = await self._of_relation(papers, "papers", None)
                return _planned(read and replace(read, confidence="low"))
            if read is None and not is_sheet(scope) and (entries := _as_entries(question)):
                return _planned(await self._of_relation(entries, "entries", None))
            if read is None and not is_sheet(scope) and (tasks := _as_tasks(question)):
                return _planned(await self._of_relation(tasks, "tasks", None))
            return _planned(read)
        if relation == "papers":
            numbers = (await filled(self._state, {relation})).values(relation, "number")
            question = with_codes(question, {bare(number): number for number in numbers})
        whole = with_topics(question)
        subjects = await subjects_of(self._state) if relation == "papers" else None
        read = await self._of_relation(whole or question, relation, subjects)
        table: Read | None = None
        small = len(await self._state.files()) <= SMALL
        if read is None and small and relation in _SAID_IN_TABLES:
            table = await of_tables(self._state, question)
            both = table and table.renamed if parsed.sure["relation"] >= SURE else None
            if both and await self._linked(both, relation, subjects):
                return None  # the library has the name elsewhere too, as the table writes it
            read = table if table and (table.framed or whole is None) else None
        if read is None and whole is not None:
            read = await self._of_relation(question, relation, subjects) or table
        if read is None and relation == "papers":
            read = await self._one_left(question)
        if read is None and (missing := await nowhere(self._state, question)):
            return Plan(FIND, "parser", nowhere=missing)
        return _planned(read)

    async def _paper(self, question: Asked) -> Plan | None:
        """Return the query for the amount of the one paper that is called as a question names it.

        "How much did the dentist cost" is a question to be read, and one for her only bill.
        """
        asked = with_topics(question)
        if asked is None or question.parsed.labels["column"] not in MONEY:
            return None
        read = await self._of_relation(asked, "papers", await subjects_of(self._state))
        if read is None or "mentions(" in read.sql:
            return None
        catalog, query = await checked(self._state, read.sql, typed=True)
        given = await asyncio.to_thread(found, catalog, query)
        one = given.stands_on == 1
        return Plan(read.sql, "parser", confidence=read.confidence, settled=True) if one else None

    async def _of_relation(
        self, question: Asked, relation: str, subjects: Subjects | None
    ) -> Read | None:
        """Return the query over a relation that is no table, if that has all that is named."""
        for asked in spelled(question):
            if not _takes_all(asked) and (sql := await self._linked(asked, relation, subjects)):
                known = framed(asked) if asked.marks else 0.0
                certain = known > 0 and any(mark.tag == "code" for mark in asked.marks)
                sure: Confidence = "medium" if certain or is_clear(asked) else "low"
                return Read(sql, certain or is_sure(asked), known, sure)
        return None

    async def _one_left(self, question: Asked) -> Read | None:
        """Return the query for a figure of the one paper that is left without what it is about.

        What it is about may be said in other words than its own.
        """
        kept = tuple(mark for mark in question.marks if mark.tag != "topic")
        named = {"party", "type", "period"} <= {mark.tag for mark in kept}
        if not named or len(kept) == len(question.marks):
            return None
        sql = await self._linked(replace(question, marks=kept), "papers", None)
        if sql is None:
            return None
        catalog, query = await checked(self._state, sql, typed=True)
        one = (await asyncio.to_thread(found, catalog, query)).stands_on == 1
        return Read(sql, settled=True, framed=framed(question), confidence="low") if one else None

    async def _linked(
        self, question: Asked, relation: str, subjects: Subjects | None
    ) -> str | None:
        """Return a query over a relation that is no table, `None` where it has not all of that."""
        try:
            topics = any(mark.tag == "topic" for mark in question.marks)
            named = {"tags"} if relation == "files" and topics else set()
            catalog = await filled(self._state, {relation, *named})
            linked = Linker(question, catalog, self._state.question.today, subjects)
            typed = await asyncio.to_thread(linked.plan)
            sql = typed.sql()
            catalog, plan = await checked(self._state, sql, typed=True)
            if plan.empty:
                return None  # it may have other words
            given = await asyncio.to_thread(found, catalog, plan)
            if linked.meant and not await is_found(self._state, linked.meant):
                return None
        except (PlanError, CatalogError, SqlglotError):
            return None
        periods = [part for part in typed.conditions if any(t.test == "during" for t in part)]
        doubted = "mentions(" in sql or len(periods) > 1
        return None if doubted and not given.stands_on else sql

    async def _checked(self) -> Plan:
        """Return a query that passes the check, or what to do instead."""
        state = self._state
        small = len(await state.files()) <= SMALL
        catalog = await filled(state, {"papers", "entries"} if small else ())
        tables = await sheets(state) if small else {}
        told = facts(catalog, state.question.today, names=small)
        before: list[tuple[str, str]] = []
        for asked in (*state.question.leans_on, state.question):
            linked = await asyncio.to_thread(links, asked, catalog, tables)
            question = linked.behind(asked.text)
            written = await self._written(question, told, before, asks=linked.asks)
            before.append((question, written))
        before.pop()
        sheet = tables[linked.sheet].file if linked.sheet else None
        tries, insists = 0, False
        while written.startswith(SELECT):
            try:
                await checked(state, written, insists=insists)
            except UnknownWordsError as error:
                other = await self._otherwise(written, error, catalog)
                written, insists = other or written, other is None
            except PlanError as error:
                if file := _sheet(written, catalog):
                    return Plan(FIND, "model", file)  # the prompt for a table shows more of it
                if str(error).startswith("there is no table"):
                    return Plan(FIND, "model")
                if (tries := tries + 1) == _TRIES:
                    break
                refused, again = written, [*before, (question, written)]
                written = await self._written(f"{question} ({error})", told, again)
                insists = written == refused
            else:
                return Plan(written, "model")
        return Plan(FIND, "model", spoken_of=sheet)

    async def _otherwise(
        self, written: str, unknown: UnknownWordsError, catalog: Catalog
    ) -> str | None:
        """Return the query with synonyms of the words that the diary lacks, if it has any."""
        if (diary := catalog.diary) is None:
            return None
        words = " ".join(unknown.words)
        key = f"otherwise:{self._state.settings.model.name}:{diary.language}:{words}"
        said = (await asyncio.to_thread(self._kept.get, [key])).get(key)
        if said is None:
            said, completion = await called(words, diary.language, await self._model())
            self._usage.add(completion)
            await asyncio.to_thread(self._kept.put, {key: said})
        return reworded(written, unknown, said.split(", "), diary)

    async def _written(
        self,
        question: str,
        told: str,
        before: Sequence[tuple[str, str]],
        *,
        asks: bool = False,
    ) -> str:
        """Return what the model writes, or has written for the same prompt."""
        parts = [
            str(_VERSION),
            str(self._state.settings.model.name),
            told,
            *map(str, examples()),
            *map(str, before),
            str(asks),
            question,
        ]
        key = "plan:" + hashlib.sha256("\n".join(parts).encode()).hexdigest()
        if found := (await asyncio.to_thread(self._kept.get, [key])).get(key):
            return found
        written, completion = await write_plan(
            question, told, await self._model(), before, asks=asks
        )
        self._usage.add(completion)
        if written != FIND:
            await asyncio.to_thread(self._kept.put, {key: written})
        return written


def of_this_day(question: Question) -> str:
    """Return the query for what a diary says of this day in other years, or those that are named.

    "What was I doing on this day in other years?", "on this day in 2023?"
    """
    years = set(re.findall(r"\b(?:19|20)\d\d\b", question.text))
    day = question.today
    of = f" AND SUBSTR(date, 1, 4) IN ({', '.join(map(repr, sorted(years)))})" if years else ""
    return (
        f"SELECT date, text FROM entries WHERE SUBSTR(date, 6) = '{day:%m-%d}' "  # noqa: S608
        f"AND date < '{day}'{of} ORDER BY date"
    )


def _planned(read: Read | None) -> Plan | None:
    """Return the plan of what the parser reads."""
    if read is None:
        return None
    return Plan(
        read.sql,
        "parser",
        confidence=read.confidence,
        settled=read.settled,
        framed=read.framed,
    )


def _takes_all(question: Asked) -> bool:
    """Return whether all there is would be taken, though a word says what: no reading of it."""
    named = any(mark.tag != "period" for mark in question.marks)
    return bool(question.parsed.unread) and not named


def _strays(question: Asked, plan: Plan) -> bool:
    """Return whether a query takes files or papers by none of what a question names.

    "What is in our big pots in 2024?" is no question for the files of 2024, nor is "the dearest
    bill of the plumber" one for the dearest of all.
    """
    unread = relation_of(question) in TABLES and question.parsed.unread
    named = unread or not NAMES.isdisjoint(mark.tag for mark in question.marks)
    if not (plan.is_query and named):
        return False
    query = parse(plan.written)
    if query.tree.find(exp.Count) and not UNITS.keys().isdisjoint(question.parsed.unread):
        return True  # "how many kWh" counts no rows
    if query.relations == {"papers"} and _measures(question):
        return True  # nor does it add up euros
    compared = (test.this.name.lower() for test in query.tree.find_all(exp.EQ, exp.In))
    told = query.tree.find(exp.Like) or not _PROPERTIES.issuperset(compared)
    said = "mentions(" in plan.written or "under(" in plan.written
    return query.relations <= _OF_FILES and not (told or said)


def _as_papers(question: Asked) -> Asked | None:
    """Return what was spent in a time as a question for papers, where no table tells it."""
    parsed = question.parsed
    spent = parsed.labels["op"] == "sum" and parsed.labels["column"] == "amount"
    alone = not parsed.unread and {mark.tag for mark in question.marks} == {"period"}
    if not (spent and alone):
        return None
    labels = {**parsed.labels, "relation": "papers", "column": "total"}
    return replace(question, parsed=replace(parsed, labels=labels))


def _as_entries(question: Asked) -> Asked | None:
    """Return a quantity as a question for a diary, where no table has it: kilos of tomatoes."""
    marks = [
        replace(mark, tag="unit" if mark.text.lower() in UNITS else "topic")
        if mark.tag in {"column", "value"}
        else mark
        for mark in question.marks
    ]
    if question.parsed.labels["op"] != "sum" or not any(mark.tag == "unit" for mark in marks):
        return None
    labels = {**question.parsed.labels, "relation": "entries", "column": "amount"}
    return replace(question, parsed=replace(question.parsed, labels=labels), marks=tuple(marks))


def _as_tasks(question: Asked) -> Asked | None:
    """Return what is done or not as a question for tasks, where no table has it: ticked boxes."""
    if {mark.tag for mark in question.marks} != {"file", "status"}:
        return None
    labels = {**question.parsed.labels, "relation": "tasks"}
    return replace(question, parsed=replace(question.parsed, labels=labels))


def _measures(question: Asked) -> bool:
    """Return whether a question names a unit that is no money: no paper comes to that."""
    bases = {UNITS[word][0] for word in words(question.parsed.question) if word in UNITS}
    return not bases <= _MONEY


def _sheet(written: str, catalog: Catalog) -> str | None:
    """Return the file of the sheet that a query names, if any."""
    try:
        named = parse(written).relations
    except PlanError:
        return None
    return next((catalog.sheets[n].file for n in sorted(named) if n in catalog.sheets), None)
