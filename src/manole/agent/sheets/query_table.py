"""The action `query_table`: the model writes a query over a sheet, and code runs it.

Code chooses the table that the question is about. The prompt has its columns and a few cells, never
the whole table: of each column cells that share words with the question, so that the model writes a
value as the table does, and the first ones. That is some 200 tokens, however long the table is.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import PurePosixPath

from pydantic import Field as Input
from sqlglot import exp

from manole.agent.answer.injection_filter import inert
from manole.agent.answer.read_instead import read_instead
from manole.agent.prompts import prompt
from manole.agent.sheets.checked_query import Query, QueryError, read_query
from manole.agent.sheets.outcome import Outcome, cited_rows, row_objects, run, verbalized
from manole.agent.sheets.sheet import JOINTS, Column, Kind, Sheet
from manole.agent.turn import GetModel, TurnUsage
from manole.catalog.derived import Papers
from manole.documents.detect import extension
from manole.documents.formats import DELIMITED_EXTENSIONS, SHEETS
from manole.documents.tables import tables_in
from manole.errors import ManoleError
from manole.models.chat.protocol import ChatModel, Completion, Message
from manole.text.words import content_words, fold, stem, words
from manole.tools.base import Action, Error, Inputs, Progress, Result, TurnState
from manole.tools.objects import FoundPassage

QUERY_TABLE = "query_table"
MAX_ROWS = 50_000  # of one table: a larger one takes seconds to read for each question
FILES = 3  # whose tables are read for a question: each is read anew
_SHEET_EXTENSIONS = SHEETS.union(DELIMITED_EXTENSIONS) - {"xltx"}  # templates are left out
_BARS = re.compile(r"^\s*\|.*\|\s*$", re.MULTILINE)
_FIGURES = re.compile(
    r"\b(how (much|many|high|large|big)|what (is|was|were|are) the|which|total|sum|average|mean|"
    r"differences?|change[ds]?|increased?|decreased?|percent\w*|ratio|proportion|highest|lowest|"
    r"largest|smallest|most|least|wie ?viele?|wie hoch|summe|anteil|prozent)\b",
    re.IGNORECASE,
)
_REASONS = re.compile(r"^\W*(why|how come|warum|wieso|weshalb)\b|\breasons?\b", re.IGNORECASE)

_SPEAKS = 0.34  # share of the question's words that a sheet must have: a third, by hand
_SPEAKS_IN_TEXT = 0.6  # the same for a table in a text, by hand: the text may answer as well
# Words that say what to do with a table, and are not looked for in one.
_DEED_WORDS = """
total number sum count amount most least highest lowest largest smallest biggest longest shortest
best worst maximum minimum max min average mean first last next previous after before between above
below than more less fewer top bottom earliest latest newest oldest table row rows column listed
name names same different only time times year years date combined overall together added
difference change percentage percent increase decrease proportion ratio anzahl summe gesamt
höchste niedrigste größte kleinste meisten wenigsten erste letzte durchschnitt tabelle zeile
spalte insgesamt
"""
DEEDS = frozenset(stem(fold(word)) for word in _DEED_WORDS.split())
SLOT = "table"
_TOKENS = 110  # of a query; simple ones have some thirty
_COLUMNS, _CELLS, _CELL = 16, 3, 40  # columns, cells of each, characters of one: the 200 tokens
_TYPES = {Kind.NUMBER: "REAL", Kind.LONG: "INTEGER", Kind.DATE: "DATE", Kind.TEXT: "TEXT"}


class TableInputs(Inputs):
    """The question, and the files whose tables may answer it, best first."""

    question: str = Input(min_length=1, max_length=4000)
    files: tuple[str, ...] = Input(min_length=1)
    meant: bool = False  # whether one of their tables is known to be meant
    sql: str = Input(default="", max_length=4000)  # a query over `t` that is already written


class QueryTable(Action[TableInputs]):
    """The action that answers from one table: the model writes a query, code runs and cites it."""

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
        if not _is_answer(query, outcome):
            return
        cited = cited_rows(query, outcome)
        accounted = _accounted(query, sheet, cited)
        if other := await read_instead(state, DEEDS, accounted, {sheet.file}):
            yield Progress(f"{other} says more of what is asked. Reading instead.")
            return
        yield Result(
            objects=row_objects(cited, sheet),
            metadata={"file": sheet.file, "sql": query.sql, "rows": len(outcome.rows or ())},
            name="rows",
            payload_type="rows",
            llm_message=verbalized(inputs.question, query, outcome, sheet),
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


def _is_answer(query: Query, outcome: Outcome) -> bool:
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
        tables = await asyncio.to_thread(tables_in, lines, file.format or "", path)
        sheets += [Sheet.read(path, table) for table in tables if len(table.rows) <= MAX_ROWS]
    return sheets


def is_sheet(file: str) -> bool:
    """Return whether a file consists of tables."""
    return extension(file) in _SHEET_EXTENSIONS


def shows_table(text: str) -> bool:
    """Return whether a passage has rows of a table between bars (Markdown, Office files)."""
    return len(_BARS.findall(text)) > 2


def likely_files(question: str, passages: Sequence[FoundPassage]) -> list[str]:
    """Return the sheets among the files of a search (best first), if they lead its ranking.

    They do if the best passage is of a sheet, or two of the first three are; or if the question has
    two words of a sheet's name, which then comes first.
    """
    files = [passage.file for passage in passages]
    sheets = list(dict.fromkeys(file for file in files if is_sheet(file)))
    asked = {stem(word) for word in content_words(question)}
    named = [file for file in sheets if len(asked & _name_words(file)) > 1]
    leading = [is_sheet(file) for file in files[:3]]
    if not named and not (leading and (leading[0] or sum(leading) > 1)):
        return []
    return list(dict.fromkeys([*named, *sheets]))[:FILES]


def file_with_table(question: str, passages: Sequence[FoundPassage]) -> str | None:
    """Return the file of the best passage if it shows a table and figures are asked for."""
    if not passages or not shows_table(passages[0].text):
        return None
    if not _FIGURES.search(question) or _REASONS.search(question):
        return None
    return passages[0].file


def _name_words(file: str) -> set[str]:
    return {stem(part) for word in words(PurePosixPath(file).stem) for part in JOINTS.split(word)}


def best_sheet(question: str, sheets: Sequence[Sheet], *, known: bool = False) -> Sheet | None:
    """Return the sheet that has most of the question's words.

    Return `None` when none has enough of them, unless it is `known` that one of them is meant.
    """
    asked = [stem(word) for word in content_words(question)]
    asked = [word for word in asked if word not in DEEDS]
    scored = [(_share(asked, sheet), -n, sheet) for n, sheet in enumerate(sheets) if sheet.rows]
    best = max(scored, key=lambda s: s[:2], default=None)
    if best is None:
        return None
    share, _, sheet = best
    if is_sheet(sheet.file):
        return sheet if known or share >= _SPEAKS else None
    return sheet if share >= _SPEAKS_IN_TEXT else None


def _share(asked: Sequence[str], sheet: Sheet) -> float:
    if not asked:
        return 1.0
    return sum(word in sheet.stems for word in asked) / len(asked)


async def write_query(
    question: str, sheet: Sheet, model: ChatModel
) -> tuple[Query | QueryError, Completion]:
    """Return the model's query, checked, or why it is of no use; and the call's cost.

    Raises `ModelError`.
    """
    messages = [
        Message("system", prompt("table.system").template),
        Message("user", described(question, sheet)),
    ]
    completion = await model.complete(messages, max_tokens=_TOKENS, stop=(";",), slot=SLOT)
    try:
        return read_query(completion.text, sheet, question), completion
    except QueryError as error:
        return error, completion


def described(question: str, sheet: Sheet) -> str:
    """Return the user message: the columns of the sheet and the question."""
    asked = {stem(word) for word in content_words(question)}
    shown = sheet.columns
    if len(shown) > _COLUMNS:
        best = sorted(shown, key=lambda c: -_shared(asked, c))[:_COLUMNS]
        shown = tuple(c for c in shown if c in best)
    return prompt("table.user").substitute(
        title=_plain(sheet.table.title or sheet.file.rsplit("/", 1)[-1]),
        rows=len(sheet.rows),
        columns="\n".join(f"  {c.name} {_TYPES[c.kind]}, -- {_examples(asked, c)}" for c in shown),
        question=" ".join(question.split()),
    )


def _examples(asked: set[str], column: Column) -> str:
    distinct = list(dict.fromkeys(str(v) for v in column.values if v is not None))
    if column.kind is not Kind.TEXT:
        return ", ".join(distinct[:2])
    alike = [(_alike(asked, cell), cell) for cell in distinct]
    near = [cell for score, cell in sorted(alike, key=lambda s: -s[0]) if score][:2]
    chosen = list(dict.fromkeys([*near, *distinct[:2]]))[:_CELLS]
    return ", ".join(f"'{_plain(cell)}'" for cell in chosen)


def _alike(asked: set[str], cell: str) -> float:
    """Return how many words of a cell are in the question; long cells count less."""
    return sum(stem(w) in asked for w in words(cell)) / (1 + len(cell) / 60)


def _shared(asked: set[str], column: Column) -> float:
    cells = {v for v in column.values if isinstance(v, str)}
    return 2.0 * _alike(asked, column.label) + max((_alike(asked, c) for c in cells), default=0.0)


def _plain(text: str) -> str:
    return inert(" ".join(text.split()))[:_CELL].replace("'", "’")
