"""The action `query_table`: the model writes a query over a sheet that a search led to.

Code chooses the table that the question is about. The prompt has its columns and a few cells, never
the whole table: of each column cells that share words with the question, so that the model writes a
value as the table does, and the first ones. That is some 200 tokens, however long the table is.
There the sheet is called `t`; its query runs as any other over the catalog.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Set

from pydantic import Field as Input
from sqlglot import exp

from manole.agent.answer.injection_filter import inert
from manole.agent.plan.choose_sheet import best_sheet
from manole.agent.plan.open_catalog import sheets_in
from manole.agent.plan.query import DIALECT, PlanError, parse
from manole.agent.plan.query_catalog import QueryCatalog, QueryInputs
from manole.agent.prompts import prompt
from manole.agent.turn import GetModel, TurnUsage
from manole.catalog.sheets import Column, Sheet
from manole.errors import ManoleError
from manole.models.chat.protocol import ChatModel, Completion, Message
from manole.text.question import Question
from manole.text.words import stem, words
from manole.tools.base import Action, Error, Inputs, Progress, Result, TurnState

QUERY_TABLE = "query_table"
SLOT, TABLE = "table", "t"
_TOKENS = 110  # of a query; simple ones have some thirty
_COLUMNS, _CELLS, _CELL = 16, 3, 40  # columns, cells of each, characters of one: the 200 tokens


class TableInputs(Inputs):
    """The question, and the files whose tables may answer it, best first."""

    question: str = Input(min_length=1, max_length=4000)
    files: tuple[str, ...] = Input(min_length=1)
    meant: bool = False  # whether one of their tables is known to be meant


class QueryTable(Action[TableInputs]):
    """The action that answers from one table: the model writes a query, code runs and cites it."""

    name = QUERY_TABLE
    inputs = TableInputs

    def __init__(self, model: GetModel, usage: TurnUsage) -> None:
        self._model = model
        self._usage = usage
        self._query = QueryCatalog(model, usage)

    async def __call__(
        self, state: TurnState, inputs: TableInputs
    ) -> AsyncIterator[Result | Error | Progress]:
        """Yield the answer, or nothing where the tables give no certain one."""
        sheets = await sheets_in(state, inputs.files)
        meant = inputs.meant or state.scope.one in inputs.files  # the scope names the file
        every = list(sheets.values())
        question = state.question.saying(inputs.question)
        sheet = await asyncio.to_thread(best_sheet, question, every, known=meant)
        if sheet is None:
            return
        name = next(name for name, other in sheets.items() if other is sheet)
        try:
            written, completion = await write_query(question, sheet, await self._model())
            self._usage.add(completion)
            query = QueryInputs.model_construct(sql=over(name, written), confidence="low")
        except ManoleError as error:
            yield Error(error.message)
        except PlanError as error:
            yield Progress(f"{sheet.file}: {error}. Reading instead.")
        else:
            async for outcome in self._query(state, query):
                yield outcome


def over(name: str, written: str) -> str:
    """Return a query over `t` as one over the sheet of that name. Raises `PlanError`."""
    tree = parse(written).tree
    outside = any(c.parent_select is tree for c in tree.find_all(exp.Column, exp.Count))
    if outside and tree.args.get("from_") is None:
        tree.from_(TABLE, copy=False)
    for table in tree.find_all(exp.Table):
        if table.name.lower() == TABLE:
            alias = exp.TableAlias(this=exp.to_identifier(table.alias or TABLE))
            table.replace(exp.Table(this=exp.to_identifier(name), alias=alias))
    sql: str = tree.sql(DIALECT, normalize_functions=False)
    return sql


async def write_query(question: Question, sheet: Sheet, model: ChatModel) -> tuple[str, Completion]:
    """Return what the model writes, and the call's cost. Raises `ModelError`."""
    messages = [
        Message("system", prompt("table.system").template),
        Message("user", described(question, sheet)),
    ]
    completion = await model.complete(messages, max_tokens=_TOKENS, stop=(";",), slot=SLOT)
    return completion.text, completion


def described(question: Question, sheet: Sheet) -> str:
    """Return the user message: the columns of the sheet and the question."""
    asked = question.stems
    shown = sheet.columns
    if len(shown) > _COLUMNS:
        best = sorted(shown, key=lambda c: -_shared(asked, c))[:_COLUMNS]
        shown = tuple(c for c in shown if c in best)
    types = {"LONG": "INTEGER", "DAY": "DATE"}  # as a model knows them
    lines = (f"  {c.name} {types.get(c.kind, c.kind)}, -- {_examples(asked, c)}" for c in shown)
    return prompt("table.user").substitute(
        title=_plain(sheet.table.title or sheet.file.rsplit("/", 1)[-1]),
        rows=len(sheet.rows),
        columns="\n".join(lines),
        question=" ".join(question.text.split()),
    )


def _examples(asked: Set[str], column: Column) -> str:
    distinct = list(dict.fromkeys(str(v) for v in column.values if v is not None))
    if column.kind != "TEXT":
        return ", ".join(distinct[:2])
    alike = [(_alike(asked, cell), cell) for cell in distinct]
    near = [cell for score, cell in sorted(alike, key=lambda s: -s[0]) if score][:2]
    chosen = list(dict.fromkeys([*near, *distinct[:2]]))[:_CELLS]
    return ", ".join(f"'{_plain(cell)}'" for cell in chosen)


def _alike(asked: Set[str], cell: str) -> float:
    """Return how many words of a cell are in the question; long cells count less."""
    return sum(stem(w) in asked for w in words(cell)) / (1 + len(cell) / 60)


def _shared(asked: Set[str], column: Column) -> float:
    cells = {v for v in column.values if isinstance(v, str)}
    return 2.0 * _alike(asked, column.label) + max((_alike(asked, c) for c in cells), default=0.0)


def _plain(text: str) -> str:
    return inert(" ".join(text.split()))[:_CELL].replace("'", "’")
