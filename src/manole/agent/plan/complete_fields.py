"""Asks the model for a field of papers in which rules found none (thorough mode).

The model sees a short extract: the lines that may hold such a value, and those above them. The
prompts of all papers share their beginning, and a batch of them is evaluated at once. Each reply
is looked up in the paper; a value that does not occur there is dropped.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import date

from pydantic import TypeAdapter, ValidationError

from manole.agent.answer.injection_filter import gives_orders, inert
from manole.agent.answer.selection import estimate_tokens
from manole.agent.prompts import prompt
from manole.agent.turn import TurnUsage
from manole.catalog.catalog import Catalog
from manole.catalog.derived import Paper, Papers
from manole.catalog.relations import FIELDS
from manole.documents.fields import AnyField, Field, Money, TextLine
from manole.models.chat.protocol import ChatModel, Message
from manole.text.amounts import find_amounts
from manole.text.counted import counted
from manole.text.dates import find_dates
from manole.text.words import fold
from manole.tools.base import Progress

UNSURE = 0.45  # a smaller confidence than a labelled value gets from the rules: ask the model too
CONFIDENCE = 0.6  # of the model's value once found in the paper: above `UNSURE`, so asked once
_VERSION = 2  # raised when the prompt or the extract changes
_TOKENS = 170  # of an extract: some ten lines, so that a batch fits a small context
_ANSWER_TOKENS = 48  # of a reply: JSON around the longest value, 80 characters
_WANTED = {
    "total": "the total amount to pay, with tax",
    "net": "the net amount, without tax",
    "tax": "the tax amount (VAT)",
    "due": "the amount that is still to be paid",
    "date": "the date of the paper",
    "due_date": "the date by which it must be paid",
    "end_date": "the date on which it ends",
    "number": "the number of the paper",
    "issuer": "the name of the company or person that wrote it",
    "recipient": "the name of the person or company to whom it is addressed",
    "notice": "the notice period",
}
_MONEY = frozenset({"total", "net", "tax", "due"})
_DATES = frozenset({"date", "due_date", "end_date"})
_SCHEMA = {
    "type": "object",
    "properties": {"value": {"type": "string", "maxLength": 80}},
    "required": ["value"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class ModelRead:
    """The model's value for a paper; `None` where it gave none that occurs there."""

    paper: Paper
    found: AnyField | None


async def complete(
    catalog: Catalog,
    columns: Sequence[str],
    source: Papers,
    model: ChatModel,
    usage: TurnUsage,
    batch: int,
) -> AsyncIterator[Progress]:
    """Fill these columns of `papers` where rules are unsure. Raises `ManoleError`."""
    files = {file.path: file for file in catalog.files}
    rows = catalog.run("SELECT DISTINCT path FROM papers", limit=None)[1]
    every = await source.read([files[str(path)] for (path,) in rows])
    for column in columns:
        if (field := FIELDS[column]) not in _WANTED:
            continue
        unsure = [p for p in every if _is_unsure(getattr(p.fields, field))]
        lines = [await source.lines(paper.file) for paper in unsure]
        extracts = await asyncio.to_thread(_extracts, lines, field)
        papers = [paper for paper, text in zip(unsure, extracts, strict=True) if text]
        if not papers:
            continue
        yield Progress(f"Asking the model for the {column} of {counted(len(papers), 'paper')}.")
        async for read in read_by_model(papers, field, source, model, usage, batch):
            if read.found is not None:
                await asyncio.to_thread(catalog.complete, read.paper.file.path, column, read.found)


def _extracts(papers: Sequence[Sequence[TextLine]], field: str) -> list[str]:
    return [extract(lines, field) for lines in papers]


def _is_unsure(found: AnyField | None) -> bool:
    return found is None or found.confidence < UNSURE


async def read_by_model(
    papers: Sequence[Paper],
    field: str,
    source: Papers,
    model: ChatModel,
    usage: TurnUsage,
    batch: int,
) -> AsyncIterator[ModelRead]:
    """Read `field` of each paper, `batch` at a time; kept replies are used again.

    Raises `ManoleError` when the model fails.
    """
    for start in range(0, len(papers), batch):
        part = papers[start : start + batch]
        keys = [_key(paper, field, model.name) for paper in part]
        kept = await asyncio.to_thread(source.kept.get, keys)
        missing = [(p, k) for p, k in zip(part, keys, strict=True) if k not in kept]
        fresh = await asyncio.gather(*(_ask(p, field, source, model, usage) for p, _ in missing))
        adapter = _adapter(field)
        new = {k: adapter.dump_json(f).decode() for (_, k), f in zip(missing, fresh, strict=True)}
        await asyncio.to_thread(source.kept.put, new)
        for paper, key in zip(part, keys, strict=True):
            yield ModelRead(paper, _load(adapter, (kept | new)[key]))


async def _ask(
    paper: Paper, field: str, source: Papers, model: ChatModel, usage: TurnUsage
) -> AnyField | None:
    lines = await source.lines(paper.file)
    text = inert(extract(lines, field))
    asked = prompt("field.user").substitute(wanted=_WANTED[field], text=text)
    messages = [Message("system", prompt("field.system").template), Message("user", asked)]
    completion = await model.complete(messages, max_tokens=_ANSWER_TOKENS, schema=_SCHEMA)
    usage.add(completion)
    try:
        value = json.loads(completion.text)["value"]
    except (ValueError, KeyError, TypeError):
        return None
    return verified(value, lines, field) if isinstance(value, str) else None


def extract(lines: Sequence[TextLine], field: str, budget: float = _TOKENS) -> str:
    """Return the lines worth reading for `field`, in order, about `budget` tokens of them."""
    wanted = [at for at, line in enumerate(lines) if line.text.strip()]
    kept = [at for at in wanted if not gives_orders(lines[at].text)]
    if field in _MONEY:
        holds = [at for at in reversed(kept) if find_amounts(lines[at].text)]
    elif field in _DATES:
        holds = [at for at in kept if find_dates(lines[at].text)]
    else:
        holds = [*kept[:14], *kept[-6:]]  # letterhead and footer
    chosen: set[int] = set()
    spent = 0.0
    for at in holds:
        for near in (at, at - 1):
            if near in chosen or near not in kept:
                continue
            cost = estimate_tokens(lines[near].text) + 1
            if spent + cost > budget:
                break
            chosen.add(near)
            spent += cost
    return "\n".join(" ".join(lines[at].text.split())[:200] for at in sorted(chosen))


def verified(value: str, lines: Sequence[TextLine], field: str) -> AnyField | None:
    """Return the model's `value` as a field if it occurs in the paper, else `None`."""
    if not value.strip():
        return None
    for line in reversed(lines) if field in _MONEY else lines:
        found = _in_line(value, line, field)
        if found is not None:
            text = " ".join(line.text.split())
            return Field(found, text, line.page, line.line, CONFIDENCE)
    return None


def _in_line(value: str, line: TextLine, field: str) -> Money | date | str | None:
    if field in _MONEY:
        said = {a.value for a in find_amounts(value)} or {
            a.value for a in find_amounts(f"{value} EUR")
        }
        return next(
            (Money(a.value, a.currency) for a in find_amounts(line.text) if a.value in said), None
        )
    if field in _DATES:
        days = {d for _, _, d in find_dates(value)}
        return next((d for _, _, d in find_dates(line.text) if d in days), None)
    flat = " ".join(value.split())
    return flat if len(flat) > 1 and fold(flat) in fold(" ".join(line.text.split())) else None


def _key(paper: Paper, field: str, model: str) -> str:
    return f"{paper.file.content_hash or paper.file.id}:{field}:{model}:{_VERSION}"


def _adapter(field: str) -> TypeAdapter[AnyField | None]:
    if field in _MONEY:
        return TypeAdapter(Field[Money] | None)
    return TypeAdapter(Field[date] | None) if field in _DATES else TypeAdapter(Field[str] | None)


def _load(adapter: TypeAdapter[AnyField | None], text: str) -> AnyField | None:
    try:
        return adapter.validate_json(text)
    except ValidationError:
        return None
