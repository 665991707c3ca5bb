"""The action `query`: runs the plan of a question over the catalog."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

from pydantic import Field as Input
from sqlglot import exp

from manole.agent.answer.read_instead import left_out, read_instead
from manole.agent.answer.reckoned import for_a_time
from manole.agent.languages import words_of
from manole.agent.plan.about_paper import charged, figures_of, only_named
from manole.agent.plan.answered import Found, Row
from manole.agent.plan.choose_sheet import DEEDS
from manole.agent.plan.complete_fields import complete
from manole.agent.plan.marks import counted
from manole.agent.plan.open_catalog import filled, with_texts
from manole.agent.plan.query import (
    Checked,
    PlanError,
    TextsNeededError,
    calls_of,
    parse,
    tables_of,
    text_of,
)
from manole.agent.plan.repair import check
from manole.agent.plan.understand import asking_stems
from manole.agent.plan.verbalize import say
from manole.agent.telling import unfilled
from manole.agent.turn import GetModel, TurnUsage
from manole.catalog.catalog import Catalog, CatalogError
from manole.catalog.derived import Papers
from manole.catalog.relations import DIARY, FIELDS, FILES, PAPERS
from manole.catalog.sandbox import MAX_ROWS, Value
from manole.catalog.sheets import Sheet
from manole.errors import ManoleError
from manole.text.question import Question
from manole.text.words import stems, stems_apart
from manole.tools.base import Action, Confidence, Inputs, Progress, Result, TurnState
from manole.tools.objects import Figure

QUERY = "query"
_ROWS = "note file document"  # what the rows of any relation may be called
_FEW = 3  # papers that are shown with all their fields
_WIDER = 12  # rows of a widened query; more of them would be a list and no answer


class QueryInputs(Inputs):
    """A query over the catalog, in SQL."""

    sql: str = Input(min_length=1, max_length=100_000)
    typed: bool = Input(
        default=False, exclude=True, description="whether code made it from a typed plan"
    )
    confidence: Confidence = Input(default="low", exclude=True, description="how far it is trusted")


class QueryCatalog(Action[QueryInputs]):
    """Counts, lists, adds and compares what the catalog knows about files."""

    name = QUERY
    inputs = QueryInputs

    def __init__(self, model: GetModel, usage: TurnUsage) -> None:
        self._model = model
        self._usage = usage

    async def __call__(
        self, state: TurnState, inputs: QueryInputs
    ) -> AsyncIterator[Result | Progress]:
        """Yield the answer, or nothing where the query gives none."""
        try:
            catalog, plan = await checked(state, inputs.sql, typed=inputs.typed)
            if (sheet := catalog.sheets.get(plan.source.name)) is not None:
                yield Progress(f"{sheet.file}: {plan.sql}")
            if state.settings.agent.thorough:
                async for progress in self._completed(state, catalog, plan, inputs.sql):
                    yield progress
            given, widened = await asyncio.to_thread(found, catalog, plan), False
            if not given.stands_on and (wider := plan.wider()) is not None:
                more = await asyncio.to_thread(found, catalog, wider)
                widened = plan.source.name in DIARY
                if not widened or more.total <= _WIDER:
                    plan, given = wider, more
            if plan.in_days and given.stands_on == 1:
                raise PlanError("there is no time between one day and itself")
            if not plan.gives(given.names, given.rows):
                return
            if given.total <= _FEW and (whole := plan.whole()) is not None:
                plan, given = whole, await asyncio.to_thread(found, catalog, whole)
            plan, given, note = await _about(state, plan, given)
        except (PlanError, CatalogError) as error:
            yield Progress(f"{error}. Reading instead.")
            return
        if sheet is not None and not plan.is_answered(given.rows):
            return
        answer = say(plan, given, words_of(state.question.language))
        untold = plan.source.name in DIARY and not plan.computes
        if not answer.text or (untold and plan.loose):
            return
        guessed = not inputs.typed and inputs.confidence == "low"  # nobody bears the model out
        alone = guessed and plan.base is not None and not plan.computes
        if not given.stands_on and (plan.empty or plan.unsaid or untold or alone):
            return
        if _only_mentions(inputs.sql, plan, given):
            yield Progress("it is the total of papers that only mention it. Reading instead.")
            return
        told = _accounted(inputs.sql, state.question.text, plan, given, sheet)
        seeks = _seeks_words(inputs.sql) or (alone and plan.source.name not in DIARY)
        reads = plan.source is PAPERS or sheet is not None or seeks
        asking = DEEDS if sheet is not None else asking_stems()
        # The words of a diary are looked for otherwise (`mentions.py`).
        strict = guessed and plan.source.name not in DIARY
        if strict and (words := left_out(state, asking | asking_stems(), f"{told[0]} {_ROWS}")):
            yield Progress(f"nothing stands for {', '.join(words)}. Reading instead.")
            return
        if reads and (other := await read_instead(state, asking, *told)):
            yield Progress(f"{other} says more of what is asked. Reading instead.")
            return
        # What nothing has leaves nothing out: "except furniture", where no paper says furniture.
        doubtful = widened or plan.loose or plan.empty
        sure = given.stands_on and not doubtful
        text = f"{answer.text}{note}"
        if sheet is not None and (come_to := _for_a_time(state.question, plan, given, sheet)):
            text = f"{come_to}\n\n{text}"
        yield Result(
            objects=answer.objects or [Figure(id=f"query:{plan.sql}")],
            metadata={"sql": plan.sql, "rows": given.total}
            | ({"groups": answer.groups} if answer.groups else {})
            | ({"folded": answer.folded, "behind": given.stands_on} if answer.folded else {}),
            name="rows",
            payload_type="table" if answer.listed else "rows",
            llm_message=unfilled(text),
            answers=True,
            confidence=inputs.confidence if sure else "low",
        )

    async def _completed(
        self, state: TurnState, catalog: Catalog, plan: Checked, sql: str
    ) -> AsyncIterator[Progress]:
        """Let the model read the fields of papers that the plan needs and rules did not find."""
        named = {column.name for column in parse(sql).tree.find_all(exp.Column)}
        columns = [name for name in FIELDS if name in named and plan.source is PAPERS]
        batch = state.settings.model.parallel
        try:
            async for progress in complete(
                catalog, columns, Papers(state.library), await self._model(), self._usage, batch
            ):
                yield progress
        except ManoleError as error:
            yield Progress(f"{error.message} What rules found stands alone.")


def _for_a_time(question: Question, plan: Checked, given: Found, sheet: Sheet) -> str:
    """Return the one figure of a table for the time that is asked: a year, of what is monthly."""
    figures = [v for row in given.rows for v in row if isinstance(v, int | float)]
    named = {column.name.lower() for column in plan.tree.find_all(exp.Column)}
    labels = [column.label for column in sheet.columns if column.name in named]
    if len(figures) != 1 or len(given.rows) != 1 or not plan.computes:
        return ""
    words = words_of(question.language)
    return for_a_time(question, f"{' '.join(labels)}: {figures[0]:.2f}", words)


async def _about(state: TurnState, plan: Checked, given: Found) -> tuple[Checked, Found, str]:
    """Return the figures of a paper, and lines on it, where a list gives what the question names.

    Where its figures are given already they stay, and the lines stand below them.
    """
    path = only_named(plan, given, state.question.text)
    if path is not None:
        catalog = await filled(state, {PAPERS.name})
        figures = figures_of(path, plan)
        paper = await asyncio.to_thread(found, catalog, figures)
        if paper.rows and paper.rows[0][0] is not None:  # it is of a known type
            lines = "".join(f"\n\n“{line}” [1]" for line in await charged(state, paper))
            return (figures, paper, lines) if plan.source is FILES else (plan, given, lines)
    return plan, given, ""


def _only_mentions(written: str, plan: Checked, given: Found) -> bool:
    """Return whether an amount is that of papers of which some name a part of it only in the text.

    A bill for electricity that says how water is heated is none for water.
    """
    tree = parse(written).tree
    calls, counts = calls_of(tree, "mentions"), tree.find(exp.Count)
    if plan.source is not PAPERS or not plan.computes or counts or not given.stands_on:
        return False
    wanted = [stems(text_of(call, 0)) for call in calls]
    named = (stems_apart(" ".join(map(str, row.values()))) for row in given.behind)
    return any(not words & row for row in named for words in wanted)


def _seeks_words(written: str) -> bool:
    """Return whether a query looks for words in files or their names, not only at properties."""
    tree = parse(written).tree
    named = (test.this.name.lower() for test in tree.find_all(exp.Like, exp.EQ))
    seeks = bool(calls_of(tree, "mentions")) or not {"name", "title", "path"}.isdisjoint(named)
    return seeks and not tables_of(tree) & DIARY  # whose entries are what there is to read


def _accounted(
    written: str, question: str, plan: Checked, given: Found, sheet: Sheet | None
) -> tuple[str, frozenset[str], str]:
    """Return what a result accounts for, the files it is based on, and what it should count.

    A count of files is based on none of them, nor does it count what they are about.
    """
    if sheet is not None:
        names = {column.name.lower() for column in plan.tree.find_all(exp.Column)}
        labels = [column.label for column in sheet.columns if column.name in names]
        rows = [str(place["quote"]) for place in given.behind[: _FEW if plan.computes else None]]
        texts = (sheet.file, sheet.table.title or "", plan.sql, *labels, *rows)
        return " ".join(texts), frozenset(sheet.files), ""
    if plan.source is FILES and plan.computes:
        return written, frozenset(), " ".join(counted(question))
    files = frozenset(str(row["path"]) for row in given.behind if row.get("path"))
    told = () if plan.computes or given.total > _FEW else (*given.rows, files)
    return f"{written} {told}", files, ""


def found(catalog: Catalog, plan: Checked) -> Found:
    """Run a plan; return its result and the places of the rows behind it."""
    names, rows, total = _all(catalog, plan.sql)
    given = Found(names, rows, total)
    sheets = [catalog.sheets[n] for n in sorted(tables_of(plan.tree)) if n in catalog.sheets]
    heads = [sheet.place(0) for sheet in sheets]
    whole = replace(given, behind=heads, stands_on=len(heads))
    base, sql = plan.base, plan.behind(rows)
    if base is None or sql is None:
        return whole
    try:
        columns, behind, stands_on = _all(catalog, sql)
        lacking = catalog.count(without) if (without := plan.behind(rows, lacking=True)) else 0
        untold = catalog.count(other) if (other := plan.otherwise(None)) else 0
        unpaid = catalog.count(other) if (other := plan.otherwise("open")) else 0
    except CatalogError:
        return whole
    given = replace(given, stands_on=stands_on, lacking=lacking, untold=untold, unpaid=unpaid)
    if (sheet := catalog.sheets.get(base[1].name)) is None:
        places = [dict(zip(columns, row, strict=True)) for row in behind]
        if plan.source is PAPERS and any(
            c.name == "status" for c in plan.tree.find_all(exp.Column)
        ):
            places = [place | _said(catalog, place) for place in places]
        return replace(given, behind=places)
    numbers = [int(row) for (row,) in behind if row]
    places = [sheet.place(row) for row in numbers]
    if len(numbers) == len(rows) and not plan.computes:
        of = base[0], sheet
        rows = [_as_written(plan, *of, *both) for both in zip(rows, numbers, strict=True)]
    column = sheet.column(plan.added.name) if isinstance(plan.added, exp.Column) else None
    return replace(
        given, rows=rows, behind=places, decimals=sheet.decimals(column) if column else 0
    )


def _said(catalog: Catalog, place: dict[str, Value]) -> dict[str, Value]:
    """Return where a paper says that it is paid or open, if it does."""
    said = catalog.said.get(str(place["path"]))
    return {"page": said.page, "line": said.line, "quote": said.text} if said else {}


def _as_written(plan: Checked, alias: str, sheet: Sheet, row: Row, number: int) -> Row:
    """Return a row of a result with the cells of a sheet, known by `alias`, as written there."""
    items = [item.unalias() for item in plan.outer.expressions]
    cells = list(row)
    for n, item in enumerate(items):
        own = isinstance(item, exp.Column) and item.table in {"", alias}
        column = sheet.column(item.name) if own else None
        if column is not None and cells[n] is not None:
            cells[n] = sheet.cell(number, column)
    return tuple(cells)


def _all(catalog: Catalog, sql: str) -> tuple[list[str], list[Row], int]:
    names, rows = catalog.run(sql)
    return names, rows, len(rows) if len(rows) < MAX_ROWS else catalog.count(sql)


async def checked(
    state: TurnState, sql: str, *, insists: bool = True, typed: bool = False
) -> tuple[Catalog, Checked]:
    """Check a query for the turn's question; return the catalog with its relations, and the query.

    One made from a `typed` plan means what it says. Raises `PlanError`.
    """
    query = parse(sql)
    catalog = await filled(state, query.relations)
    if query.relations & DIARY and catalog.diary is None:
        raise PlanError("there is no table of entries")
    asked = (query, catalog, state.question, insists, typed)
    try:
        return catalog, await asyncio.to_thread(check, *asked)
    except TextsNeededError:
        await with_texts(state)
        return catalog, await asyncio.to_thread(check, *asked)
