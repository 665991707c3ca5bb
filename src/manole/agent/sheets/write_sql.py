"""Lets the model write a query: the prompt has the columns and a few cells, never the whole table.

Of each column it has cells that share words with the question, so that the model writes a value as
the table does, and the first ones. That is some 200 tokens, however long the table is.
"""

from __future__ import annotations

from manole.agent.answer.injection_filter import inert
from manole.agent.prompts import prompt
from manole.agent.sheets.checked_query import Query, QueryError, read_query
from manole.agent.sheets.sheet import Column, Kind, Sheet
from manole.models.chat.protocol import ChatModel, Completion, Message
from manole.text.words import content_words, stem, words

SLOT = "table"
_TOKENS = 110  # of a query; simple ones have some thirty
_COLUMNS, _CELLS, _CELL = 16, 3, 40  # columns, cells of each, characters of one: the 200 tokens
_TYPES = {Kind.NUMBER: "REAL", Kind.LONG: "INTEGER", Kind.DATE: "DATE", Kind.TEXT: "TEXT"}


async def write_query(
    question: str, sheet: Sheet, model: ChatModel
) -> tuple[Query | QueryError, Completion]:
    """Return the model's query, checked, or why it is of no use; and the cost of the call.

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
