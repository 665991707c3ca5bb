"""What is due, as the answer to a question: "what do I have to pay this month?"."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import date, timedelta

from manole.agent.due.found import due_in
from manole.agent.due.model import SOON, Due
from manole.agent.languages import Words, words_of
from manole.agent.plan.marks import Asked
from manole.agent.plan.understand import unasked
from manole.agent.plan.values import period_of
from manole.agent.telling import Told
from manole.text.question import Question
from manole.tools.base import Action, Inputs, Result, TurnState
from manole.tools.objects import shorten

DUE = "due"
_SHOWN = 20  # lines of an answer
_LONGEST = timedelta(days=366)  # that a question looks ahead
_QUOTE = 160  # characters of a line
_PLAIN = frozenset({"period", "column", "status"})  # tags that name nothing of which it is due


class DueInputs(Inputs):
    """The first and the last day; `events`: appointments, too."""

    first: date
    last: date
    events: bool = True


def due_asked(asked: Asked, question: Question) -> DueInputs | None:
    """Return the days for which a question asks what is due, whatever it is; `None` for others."""
    tags = {mark.tag for mark in asked.marks}
    if asked.parsed.tool != DUE or not tags <= _PLAIN or unasked(asked):
        return None
    today = question.today
    said = [period_of(mark.text, today) for mark in asked.marks if mark.tag == "period"]
    named = question.period or next(filter(None, said), None)
    if named is None and "period" in tags:
        return None  # it is not understood
    first = (named.start if named else None) or today
    last = (named.end if named else None) or first + timedelta(days=SOON)
    events = asked.parsed.labels["relation"] != "papers"
    short = first <= last <= first + _LONGEST
    return DueInputs(first=first, last=last, events=events) if short else None


class TellDue(Action[DueInputs]):
    """Answers with what is due between two days, or with nothing where nothing is."""

    name = DUE
    inputs = DueInputs

    async def __call__(self, state: TurnState, inputs: DueInputs) -> AsyncIterator[Result]:
        """Yield the list, if there is one."""
        today = state.question.today
        today = today if inputs.first <= today <= inputs.last else inputs.first
        days = (inputs.last - today).days
        found = await due_in(state.library, state.settings, today, days)
        found = [
            one
            for one in found
            if one.day >= inputs.first and state.scope.holds(one.file, one.day)
            if inputs.events or one.kind != "event"
        ]
        if not found:
            return
        words = words_of(state.question.language)
        told = Told(DUE, [words.in_all.format(count=words.number(len(found))), ""])
        for one in found[:_SHOWN]:
            mark = told.mark(one.file, one.page, one.line, one.quote, one.text)
            told.lines.append(f"- {_line(one, words)} {mark}")
        if more := len(found) - len(told.rows):
            told.lines.append(f"- {words.more.format(count=words.number(more))}")
        yield told.result("medium" if all(one.sure for one in found) else "low", DUE)


def _line(one: Due, words: Words) -> str:
    """Return what is due in words: "12 December 2024: to pay: 290.96 EUR, Thermaro"."""
    amount = words.number(one.amount, 2) if one.amount is not None else ""
    money = f"{amount} {one.currency or ''}".strip()
    text = shorten(", ".join(filter(None, (money, one.text))), _QUOTE)
    lead = words.dossier.coming.get(one.kind)
    when = " ".join(filter(None, (words.written(one.day), one.time)))
    return ": ".join(filter(None, (when, lead, text))).replace("[", "(").replace("]", ")")
