"""A field of every paper, not of the best few: `collect_fields` (coverage).

"List all invoices and their totals", "sum of the electricity bills in 2023", "which contracts end
this year": every file that may be meant is found (`candidates`), the field is read from each
(`manole.documents.fields`), and code counts, adds and compares (`tally`). A file that gives nothing
is listed with the reason. `look_up_field` answers the same of one paper, where an identifier or a
name leads to it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from pydantic import Field as Input

from manole.agent.coverage.asked import Asked, understand_asked
from manole.agent.coverage.candidates import find_papers, narrow, nearest
from manole.agent.coverage.reader import UNSURE, read_by_model, worth_asking
from manole.agent.coverage.store import Paper, Papers
from manole.agent.coverage.tally import Row, day_of, name_of, order, plural, show, summary
from manole.agent.routed import AskingTool, RoutedTool
from manole.documents.fields import SURE, Field, Money
from manole.documents.model import Status
from manole.errors import ManoleError
from manole.tools.base import Error, Inputs, Progress, Result
from manole.tools.environment import TurnState
from manole.tools.search import anchored
from manole.tools.wording import when

COLLECT, LOOK_UP = "collect_fields", "look_up_field"


class PaperInputs(Inputs):
    """The question as it was asked, and the files that are meant, where they are known."""

    question: str = Input(min_length=1, max_length=4000)
    files: tuple[str, ...] = ()


class CollectFields(AskingTool[PaperInputs]):
    """Reads one field of many papers and calculates with it."""

    name = COLLECT
    description = "a field of many papers: totals of all invoices, sums, largest, average"
    available_when = "the router is sure of it"
    inputs = PaperInputs

    async def __call__(
        self, state: TurnState, inputs: PaperInputs
    ) -> AsyncIterator[Result | Error | Progress]:
        """Yield the table, or nothing when no paper is meant."""
        asked = understand_asked(inputs.question, state.today, force=state.settings.agent.thorough)
        if asked is None:
            return
        papers = Papers(state.library)
        found = await find_papers(state, asked, papers)
        found = await narrow(found, asked.words, papers)
        if inputs.files:
            found = [p for p in found if p.file.path in inputs.files]
        dated, undated = _in_period(found, asked)
        rows = {paper.file.id: _row(paper, asked) for paper in dated}
        async for item in self._complete(rows, asked, papers, state.settings.model.parallel):
            if isinstance(item, Row):
                rows[item.paper.file.id] = item
            else:
                yield item
        kept = order([r for r in rows.values() if _within(r, asked)], asked)
        if kept:
            yield table(kept, asked, undated)

    async def _complete(
        self, rows: dict[str, Row], asked: Asked, papers: Papers, batch: int
    ) -> AsyncIterator[Row | Progress]:
        """Rows that the model fills where the rules found nothing, or are unsure."""
        unsure = [
            row.paper
            for row in rows.values()
            if (row.found is None or row.found.confidence < UNSURE)
            and await worth_asking(row.paper, asked.field, papers)
        ]
        if not unsure:
            return
        yield Progress(f"Asking the model for the {name_of(asked.field)} of {len(unsure)} papers.")
        try:
            model = await self._model()
            done = 0
            async for read in read_by_model(
                unsure, asked.field, papers, model, self._ledger, batch
            ):
                done += 1
                if read.found is not None:
                    yield Row(read.paper, read.found, by="model")
                if done % (batch * 2) == 0 and done < len(unsure):
                    yield Progress(f"{done} of {len(unsure)} papers read.")
        except ManoleError as error:
            yield Progress(f"{error.message} What the rules found stands alone.")


def table(rows: Sequence[Row], asked: Asked, undated: int = 0) -> Result:
    """The rows as a result whose message is the answer."""
    about = plural(asked.paper)
    if asked.words:
        about += f" ({' '.join(asked.words)})"
    if asked.period and asked.period_of == "date":
        about += f" {when(asked.period)}"
    said = summary(rows, asked, about)
    if undated:
        said += f" {undated} without a date left out."
    objects = [as_object(row, asked.field, n) for n, row in enumerate(rows, start=1)]
    lines = "\n".join(_line(row, asked, n) for n, row in enumerate(rows, start=1))
    return Result(
        objects=objects,
        metadata={"field": asked.field, "paper": asked.paper, "missing": _missing(rows)},
        name="fields",
        payload_type="table",
        llm_message=f"{said}\n\n{lines}",
        answers=True,
    )


def as_object(row: Row, field: str, n: int) -> dict[str, Any]:
    """A row as the environment keeps it: `kind` "row", the paper, the value and its place."""
    fields, found = row.paper.fields, row.found
    money = row.money
    return {
        "id": f"row:{row.paper.file.id}:{field}",
        "kind": "row",
        "n": n,
        "file": row.paper.file.path,
        "page": found.page if found else None,
        "line": found.line if found else None,
        "issuer": fields.issuer.value if fields.issuer else None,
        "date": row.day.isoformat() if row.day else None,
        "number": fields.number.value if fields.number else None,
        "field": field,
        "value": show(found.value) if found else None,
        "amount": str(money.amount) if money else None,
        "currency": money.currency if money else None,
        "quote": found.text if found else "",
        "by": row.by if found else None,
        "confidence": found.confidence if found else None,
        "reason": row.reason or None,
    }


def _line(row: Row, asked: Asked, n: int) -> str:
    """A row as text: `- 2018-03-12: 343.95 MYR, issuer, number, file [1]`."""
    fields = row.paper.fields
    value = show(row.found.value) if row.found else f"no {name_of(asked.field)} ({row.reason})"
    parts = [value]
    if fields.issuer:
        parts.append(fields.issuer.value)
    if fields.number:
        parts.append(fields.number.value)
    parts.append(row.paper.file.path)
    head = f"{row.day.isoformat()}: " if row.day else ""
    extra = [f for f in asked.fields[1:] if f not in {"date", "issuer", "number"}]
    more = [f"{name_of(f)} {show(v.value)}" for f in extra if (v := getattr(fields, f))]
    return f"- {head}{', '.join([*parts[:1], *more, *parts[1:]])} [{n}]"


def _in_period(papers: Sequence[Paper], asked: Asked) -> tuple[list[Paper], int]:
    """The papers of the period, and how many have no date to tell by."""
    period = asked.period if asked.period_of == "date" else None
    if not asked.years and period is None:
        return list(papers), 0
    days = [(paper, day_of(paper)) for paper in papers]
    kept = [
        paper
        for paper, day in days
        if day and (day.year in asked.years if asked.years else period and day in period)
    ]
    return kept, sum(day is None for _, day in days)


def _within(row: Row, asked: Asked) -> bool:
    """Whether the row's value lies within what the question asks for."""
    if asked.period and asked.period_of != "date":
        return row.found is None or row.found.value in asked.period
    if asked.above is None and asked.below is None:
        return True
    if row.money is None:
        return False
    return (asked.above is None or row.money.amount > asked.above) and (
        asked.below is None or row.money.amount < asked.below
    )


def _row(paper: Paper, asked: Asked) -> Row:
    found: Field[Any] | None = getattr(paper.fields, asked.field)
    if found is None and asked.field == "due":
        found = paper.fields.total
    return Row(paper, found, "" if found else _why_not(paper))


def _why_not(paper: Paper) -> str:
    """Why a file gives no value, for people."""
    if paper.file.status in {Status.SKIPPED, Status.FAILED}:
        return paper.file.reason or paper.file.status.value
    return "nothing that says so" if paper.file.passages else "no text"


def _missing(rows: Sequence[Row]) -> list[str]:
    return [row.paper.file.path for row in rows if not row.found]


class LookUpField(RoutedTool[PaperInputs]):
    """Reads one field of the one paper that an identifier or a name leads to."""

    name = LOOK_UP
    description = "a field of one paper: the total of invoice 4711"
    available_when = "the router is sure of it"
    inputs = PaperInputs

    async def __call__(
        self, state: TurnState, inputs: PaperInputs
    ) -> AsyncIterator[Result | Error]:
        """Yield the value, or nothing where paper or value are not sure."""
        asked = understand_asked(inputs.question, state.today)
        if asked is None:
            return
        papers = Papers(state.library)
        if inputs.files:
            files = [f for f in await state.files() if f.path in inputs.files]
            found = await papers.read(files)
        else:
            found = await _identified(state, inputs.question, papers)
            if not found:
                found = await _meant(await find_papers(state, asked, papers), asked, papers)
        if len(found) != 1:
            return
        row = _row(found[0], asked)
        if row.found is None or row.found.confidence < SURE:
            return
        yield Result(
            objects=[as_object(row, asked.field, 1)],
            metadata={"field": asked.field, "paper": asked.paper},
            name="field",
            payload_type="field",
            llm_message=_sentence(row, asked),
            answers=True,
        )


async def _meant(candidates: Sequence[Paper], asked: Asked, papers: Papers) -> list[Paper]:
    """The candidates of the period that the question's words speak of."""
    dated = _in_period(candidates, asked)[0]
    found = await narrow(dated, asked.words, papers) if asked.words else []
    if not found and asked.words and asked.period and asked.period.start == asked.period.end:
        found = await nearest(dated, asked.words, papers)
    return found


async def _identified(state: TurnState, question: str, papers: Papers) -> list[Paper]:
    """The papers that hold an identifier of the question; whose own number it is, before others."""
    paths = await anchored(state, question)
    found = await papers.read([f for f in await state.files() if f.path in paths])
    squashed = _squash(question)
    own = [
        p
        for p in found
        if p.fields.number and len(n := _squash(p.fields.number.value)) > 3 and n in squashed
    ]
    return own or found


def _squash(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


def _sentence(row: Row, asked: Asked) -> str:
    fields, found = row.paper.fields, row.found
    number = f" {fields.number.value}" if fields.number and asked.field != "number" else ""
    issuer = f" from {fields.issuer.value}" if fields.issuer and asked.field != "issuer" else ""
    day = f" of {row.day.isoformat()}" if row.day and asked.field != "date" else ""
    value = show(found.value) if found else ""
    paper = f"{asked.paper}{number}{issuer}{day}"
    if asked.field == "notice":  # a sentence of the paper's own
        return f"The {paper} says: {value.rstrip('.')} [1]."
    text = f"The {name_of(asked.field)} of {paper} is {value}"
    due = fields.due
    if asked.field == "total" and due and isinstance(found and found.value, Money):
        text += f"; {show(due.value)} of it is still to be paid"
    return f"{text} [1]."
