"""The action `query_table`: the model writes a query over a sheet, and code runs it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from pydantic import Field as Input
from sqlglot import exp

from manole.agent.answer.read_instead import read_instead
from manole.agent.sheets.checked_query import Query, QueryError, read_query
from manole.agent.sheets.choose_sheet import DEEDS, best_sheet
from manole.agent.sheets.run import Outcome, run
from manole.agent.sheets.sheet import Sheet
from manole.agent.sheets.verbalize_rows import cited_rows, row_objects, said
from manole.agent.sheets.write_sql import write_query
from manole.agent.turn import GetModel
from manole.agent.usage import TurnUsage
from manole.catalog.papers import Papers
from manole.documents.tables import read_tables
from manole.errors import ManoleError
from manole.tools.base import Error, Inputs, Progress, Result
from manole.tools.environment import TurnState
from manole.tools.tool import Action

QUERY_TABLE = "query_table"
MAX_ROWS = 50_000  # of one table: a larger one takes seconds to read for each question


class TableInputs(Inputs):
    """The question, and the files whose tables may answer it, best first."""

    question: str = Input(min_length=1, max_length=4000)
    files: tuple[str, ...] = Input(min_length=1)
    meant: bool = False  # whether one of their tables is known to be meant
    sql: str = Input(default="", max_length=4000)  # a query over `t` that is already written


class QueryTable(Action[TableInputs]):
    """Answers from one table by a query that the model writes and code checks, runs and cites."""

    name = QUERY_TABLE
    inputs = TableInputs

    def __init__(self, model: GetModel, usage: TurnUsage) -> None:
        self._model = model
        self._usage = usage

    async def __call__(
        self, state: TurnState, inputs: TableInputs
    ) -> AsyncIterator[Result | Error | Progress]:
        """Yield the answer, or nothing where the tables give no certain one."""
        sheets = await sheets_of(state, inputs.files)
        meant = inputs.meant or state.scope.one in inputs.files  # the scope names the file
        sheet = await asyncio.to_thread(best_sheet, inputs.question, sheets, known=meant)
        if sheet is None:
            return
        try:
            query = await self._query(inputs, sheet)
        except ManoleError as error:
            yield Error(error.message)
            return
        if isinstance(query, QueryError):
            yield Progress(f"{sheet.file}: {query}. Reading instead.")
            return
        yield Progress(f"{sheet.file}: {query.sql}")
        try:
            outcome = await asyncio.to_thread(run, query, sheet)
        except QueryError as error:
            yield Progress(f"{sheet.file}: {error}. Reading instead.")
            return
        if not _says_something(query, outcome):
            return
        cited = cited_rows(query, outcome)
        told = _accounted(query, sheet, cited)
        if other := await read_instead(state, DEEDS, told, {sheet.file}):
            yield Progress(f"{other} says more of what is asked. Reading instead.")
            return
        yield Result(
            objects=row_objects(cited, sheet),
            metadata={"file": sheet.file, "sql": query.sql, "rows": len(outcome.rows or ())},
            name="rows",
            payload_type="rows",
            llm_message=said(inputs.question, query, outcome, sheet),
            answers=True,
            confidence="medium",  # the figures are sure, the reading of the question is not
        )

    async def _query(self, inputs: TableInputs, sheet: Sheet) -> Query | QueryError:
        """Return the query that is already written, if it is usable; else the model's.

        Raises `ManoleError`.
        """
        if inputs.sql:
            try:
                return read_query(inputs.sql, sheet, inputs.question)
            except QueryError:
                pass  # the prompt for a table shows more of it
        query, completion = await write_query(inputs.question, sheet, await self._model())
        self._usage.add(completion)
        return query


def _says_something(query: Query, outcome: Outcome) -> bool:
    """Return whether the outcome can be an answer.

    A count of 0 may be the fault of the query, as may several calculated values where one was asked
    for.
    """
    nothing = query.counts and outcome.values == ((0,),)
    many = query.computes and len(query.selected) == 1 and len(outcome.values) > 1
    found = any(value is not None for row in outcome.values for value in row)
    return found and not nothing and not many


def _accounted(query: Query, sheet: Sheet, cited: Sequence[int]) -> str:
    """Return the text that a result accounts for: of its table, query and rows."""
    names = {column.name.lower() for column in query.tree.find_all(exp.Column)}
    labels = [column.label for column in sheet.columns if column.name in names]
    cells = [cell for row in cited for cell in sheet.rows[row - 1].cells]
    texts = (sheet.file, sheet.table.title or "", query.sql, *labels, *cells)
    return " ".join(texts)


async def sheets_of(state: TurnState, paths: Sequence[str]) -> list[Sheet]:
    """Return the tables of files, in their order."""
    papers = Papers(state.library)
    files = {file.path: file for file in await state.files()}
    sheets: list[Sheet] = []
    for path in paths:
        if (file := files.get(path)) is None:
            continue
        lines = await papers.lines(file)
        tables = await asyncio.to_thread(read_tables, lines, file.format or "")
        sheets += [Sheet.read(path, table) for table in tables if len(table.rows) <= MAX_ROWS]
    return sheets
