"""What is paid again and again, and to whom, as the answer to a question.

"What do I pay each month, and to whom?" Where a table of the library has the name that is asked
for ("subscriptions"), that table answers.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import date

from manole.agent.languages import Words, words_of
from manole.agent.plan.answered import cited
from manole.agent.plan.marks import Asked
from manole.agent.plan.open_catalog import catalog_of, tables_of
from manole.agent.plan.table_words import name_of
from manole.agent.telling import uncited, unfilled
from manole.catalog.payments import said
from manole.catalog.recurring import Recurring, recurring
from manole.text.words import stems
from manole.tools.base import Action, Inputs, Result, TurnState

RECURRING = "recurring"
_PLAIN = frozenset({"file", "column", "got", "unit"})  # tags that leave no payment out
_CALLED = frozenset({"type", "value", "topic"})  # those by which such payments may be called
_LIKELY = 0.5  # the same where nothing is left unread
_SURE = 0.6  # probability from which a payment that is named is what it is called, by hand
_SURELY = 0.9  # the same where a word is not read, and no payment is meant
_TIMES = (52, 12, 4, 2, 1)  # a year, as the units of a language


class RecurringInputs(Inputs):
    """The words of the question."""

    asked: str = ""


def recurring_asked(question: Asked) -> RecurringInputs | None:
    """Return what asks for all payments that recur; `None` for any other question."""
    parsed = question.parsed
    tags = {mark.tag for mark in question.marks}
    sure = parsed.sure["tool"]
    doubted = parsed.unread and parsed.labels["relation"] != "papers"
    plain = tags <= _PLAIN and sure >= (_SURELY if doubted else _LIKELY)
    called = tags <= _PLAIN | _CALLED and sure >= _SURE and not parsed.unread
    asks = parsed.tool == RECURRING and (plain or called)
    return RecurringInputs(asked=parsed.question) if asks else None


class TellRecurring(Action[RecurringInputs]):
    """Answers with the payments that recur, or with nothing where statements have none."""

    name = RECURRING
    inputs = RecurringInputs

    async def __call__(self, state: TurnState, inputs: RecurringInputs) -> AsyncIterator[Result]:
        """Yield them, each with its last booking."""
        tables, asked = await tables_of(state), stems(inputs.asked)
        bookings = (await catalog_of(state)).bookings
        found = await asyncio.to_thread(recurring, bookings, state.question.today)
        if not found or any(frozenset() < name_of(table) <= asked for table in tables.values()):
            return
        own = words_of(state.question.language)
        places = [one.last.sheet.place(one.last.row) for one in found]
        yield Result(
            objects=cited(places, [_cells(one, own) for one in found]),
            metadata={"rows": len(found)}, name="rows", payload_type="table",
            llm_message=unfilled("\n".join(_told(found, own))), answers=True, confidence="medium",
        )  # fmt: skip


def _cells(one: Recurring, own: Words) -> dict[str, str | int | float | None]:
    return {
        "party": said(one.last.party), "amount": -one.last.amount, "currency": one.last.currency,
        "every": _unit(one, own), "since": one.bookings[0].day, "last": one.last.day,
        "a year": None if one.ended else one.per_year,
        "ended": own.recurring.ended if one.ended else None,
    }  # fmt: skip


def _unit(one: Recurring, own: Words) -> str:
    return own.recurring.units[_TIMES.index(one.times)]


def _told(found: Sequence[Recurring], own: Words) -> Iterator[str]:
    """Yield what they come to in a month, and a line for each; those that ended are apart."""
    active = [one for one in found if not one.ended]
    sums: dict[str, float] = defaultdict(float)
    for one in active:
        sums[one.last.currency] += one.per_year / 12
    amounts = own.joined(f"{own.number(v, 2)} {of}".strip() for of, v in sums.items())
    if active:
        yield own.recurring.head.format(count=len(active), amounts=amounts)
    for n, one in enumerate(found, 1):
        if n == len(active) + 1:
            yield f"{own.recurring.ended}:"
        name = uncited(said(one.last.party))
        amount = f"{own.number(-one.last.amount, 2)} {one.last.currency}".strip()
        days = (own.written(date.fromisoformat(b.day)) for b in (one.bookings[0], one.last))
        yield f"- {name}: {amount} / {_unit(one, own)}, {' – '.join(days)} [{n}]"
