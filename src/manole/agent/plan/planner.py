"""Turns a question into a checked plan, which is kept so that it is written only once."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from manole.agent.events import Decider
from manole.agent.plan.carry_over import lost
from manole.agent.plan.coverage import narrowing
from manole.agent.plan.diary_synonyms import called, reworded
from manole.agent.plan.known import known
from manole.agent.plan.library_facts import facts
from manole.agent.plan.linking import Linker
from manole.agent.plan.linking_tables import TableLinker
from manole.agent.plan.open_catalog import SMALL, filled, sheets
from manole.agent.plan.query import DIALECT, PlanError, UnknownWordsError, parse
from manole.agent.plan.query_catalog import checked, found
from manole.agent.plan.understand import is_clear, is_sure, understood
from manole.agent.plan.value_linking import links
from manole.agent.plan.write import FIND, SELECT, examples, write_plan
from manole.agent.turn import GetModel, TurnUsage
from manole.catalog.catalog import Catalog, CatalogError
from manole.catalog.derived import Derived
from manole.catalog.sheets import is_sheet
from manole.tools.base import TurnState

_LEANING = 5  # content words up to which a question may be a follow-up that keeps conditions
_TRIES = 2  # plans that are written, the second with the error of the first
_NAMES = frozenset({"party", "recipient"})  # marks that are the same in all languages
_TABLES = frozenset({"sheet", "records"})  # relations that are tables of files
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
    clear: bool = True  # whether it is more than a guess

    @property
    def is_query(self) -> bool:
        """Whether it is a query over the catalog."""
        return self.written.startswith(SELECT)


class Planner:
    """Plans the question of one turn."""

    def __init__(self, state: TurnState, model: GetModel, usage: TurnUsage) -> None:
        self._state = state
        self._model = model
        self._usage = usage
        self._kept = Derived(state.library.path)

    async def plan(self) -> Plan:
        """Return the plan.

        Raises `ManoleError` where a model is needed and there is none.
        """
        state = self._state
        if sure := known(state.question.text):
            return Plan(sure, "examples")
        if planned := await self._parsed():
            return planned
        if state.scope.one and is_sheet(state.scope.one):
            return Plan(FIND, "auto", state.scope.one)  # the scope names the table
        return await self._checked()

    async def _parsed(self) -> Plan | None:
        """Return the plan that the parser is sure of, `None` for none."""
        question = await understood(self._state)
        if not is_sure(question):
            return None
        if not question.parsed.computed:
            return Plan(FIND, "parser")
        relation, scope = question.parsed.labels["relation"], self._state.scope.one or ""
        try:
            if relation in _TABLES or is_sheet(scope):
                linked: Linker | TableLinker = TableLinker(
                    question, await sheets(self._state), scope
                )
            else:
                catalog = await filled(self._state, {relation})
                linked = Linker(question, catalog, self._state.question.today)
            sql = (await asyncio.to_thread(linked.plan)).sql()
            catalog, plan = await checked(self._state, sql, typed=True)
            names = {mark.text for mark in question.marks if mark.tag in _NAMES}
            if plan.empty and not (plan.asks_whether and names.issuperset(plan.empty)):
                raise PlanError(f"nothing has {plan.empty[0]}")  # it may have other words
            given = await asyncio.to_thread(found, catalog, plan)
            doubted = "mentions(" in sql or sql.count("during(") > 1
            if not given.stands_on and doubted and not plan.empty:
                raise PlanError("nothing has all of that")
        except (PlanError, CatalogError):
            return None
        return Plan(sql, "parser", clear=is_clear(question))

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
        doubts: dict[str, int] = {}  # queries, and how much of the question they leave out
        while written.startswith(SELECT):
            try:
                if not tries and before and len(state.question.content_words) <= _LEANING:
                    self._still(written, *before[-1])
                _, plan = await checked(state, written, insists=insists)
                if plan.left_out:
                    doubts[written] = len(plan.left_out)
                    raise PlanError(f"{plan.left_out[0]} must be in it")
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
                return Plan(await self._narrowed(written), "model")
        if doubts:  # the model has nothing better
            return Plan(min(doubts, key=doubts.__getitem__), "model")
        return Plan(FIND, "model", spoken_of=sheet)

    async def _narrowed(self, written: str) -> str:
        """Return the query with the words that narrow its kind of file, if it lacks any.

        Where no file of the kind has them, it has to be searched for what is like them.
        """
        tree = parse(written).tree
        if not (lacking := narrowing(tree, self._state.question.text)):
            return written
        inner = tree.find(exp.Exists)
        select = inner.this if inner is not None else tree
        for word in lacking:
            said = exp.Anonymous(this="mentions", expressions=[exp.Literal.string(word)])
            select.where(said, copy=False)
        sql: str = tree.sql(DIALECT, normalize_functions=False)
        try:
            catalog, plan = await checked(self._state, sql)
        except PlanError:
            return FIND
        return sql if (await asyncio.to_thread(found, catalog, plan)).stands_on else FIND

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

    @staticmethod
    def _still(written: str, asked: str, before: str) -> None:
        """Raise `PlanError` where a short follow-up drops a condition of the previous plan."""
        if gone := lost(written, before, asked):
            raise PlanError(f"still {gone}?")

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


def _sheet(written: str, catalog: Catalog) -> str | None:
    """Return the file of the sheet that a query names, if any."""
    try:
        named = parse(written).relations
    except PlanError:
        return None
    return next((catalog.sheets[n].file for n in sorted(named) if n in catalog.sheets), None)
