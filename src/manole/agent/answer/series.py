"""What several files say alike, taken together: three bills, each with the kWh of its year.

Where a sum, a mean, or the most or least is asked and no table or paper has it, `choices.py` may
find the same sentence in several files, with another figure in each. Code then adds up what else
would be asked back. Of a row of months the figure is the one that is the sum of the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

from manole.agent.answer.choices import MOST, Choices, Held
from manole.agent.answer.confidence import NEAR
from manole.agent.answer.contradictions import figures, in_full
from manole.agent.answer.extracts import Extracts
from manole.agent.answer.injection_filter import is_quotable
from manole.agent.answer.said import Said, answering
from manole.agent.answer.selection import Look
from manole.agent.answer.units import Unit
from manole.agent.answer.wording import worded
from manole.agent.languages import ENGLISH, Words
from manole.text.amounts import currency_in, find_amounts
from manole.text.dates import find_dates
from manole.text.figures import Known
from manole.text.figures import figures as numbers_of
from manole.text.question import Question
from manole.text.words import stem
from manole.tools.objects import FoundPassage

_ADDED = frozenset({"sum", "count", "beyond", "avg"})  # what is done with figures: they are added,
_PICKED = frozenset({"max", "min"})  # or one of them is meant
_LINES = 3  # that begin with a day, from which they are a record
_CELLS = 4  # figures of a row from which one may be the sum of the others
_PLAIN = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Series:
    """Sentences of several files, with the figure of each and what is done with them."""

    held: Sequence[Held]
    values: Sequence[Decimal]
    unit: str
    op: str

    def holders(self) -> Iterator[Held]:
        """Yield each passage with its sentence."""
        return iter(self.held)

    def answer(self, numbers: dict[str, int], words: Words = ENGLISH) -> str:
        """Return what they come to, and a line for each."""
        lines = (
            f"- {passage.file}: “{worded(passage, unit)}” [{numbers[passage.id]}]"
            for passage, unit in self.held
        )
        return "\n".join([self._outcome(words), "", *lines])

    def _outcome(self, words: Words) -> str:
        places = max(-int(value.as_tuple().exponent) for value in self.values)
        said = [words.number(value, places) for value in self.values]
        if self.op in _PICKED:
            pick = max if self.op == "max" else min
            at = pick(range(len(said)), key=self.values.__getitem__)
            return f"**{f'{said[at]} {self.unit}'.rstrip()}**, {self.held[at][0].file}"
        total, shown = sum(self.values, Decimal(0)), " + ".join(said)
        if self.op == "avg":
            total, shown = total / len(said), f"({shown}) ÷ {len(said)}"
        return f"**{f'{words.number(total, places)} {self.unit}'.rstrip()}** ({shown})"


def series(question: Question, op: str, meant: Choices, extracts: Extracts) -> Series | None:
    """Return what the sentences that may be meant come to; `None` where no one figure is asked.

    A count is of things, unless the question names the unit of the figures.
    """
    if op not in _ADDED | _PICKED or len(meant.held) >= MOST:
        return None
    held = sorted(meant.held, key=lambda one: one[0].file)
    told = [_telling(question, passage, unit, extracts) for passage, unit in held]
    known = [one for one in told if one is not None]
    units = {figure.unit for _, figure in known}
    if len(known) < len(held) or len(units) > 1:
        return None
    (unit,) = units
    if op == "count" and not _is_named(unit, question):
        return None
    said = [(passage, one) for (passage, _), (one, _) in zip(held, known, strict=True)]
    return Series(said, [figure.value for _, figure in known], unit, op)


def dated(question: Question, op: str, look: Look) -> Said | None:
    """Return the last, or first, dated line of the file in which the weightiest sentence stands.

    A vet's record has a line for each visit; those of days to come are no visits yet.
    """
    if op not in {"first", "last"} or not len(look.scores):
        return None
    top = int(look.scores.argmax())
    file = look.passages[look.units[top].passage].file
    days = {
        day: unit
        for unit, chance in zip(look.units, look.chances, strict=True)
        if chance >= NEAR and look.passages[unit.passage].file == file and is_quotable(unit.text)
        for start, _, day in find_dates(unit.text)[:1]
        if start == 0 and day <= question.today
    }
    if len(days) < _LINES:
        return None
    unit = days[max(days) if op == "last" else min(days)]
    return Said(look.passages[unit.passage], unit, float(look.chances[top]), False)


class _Figure(NamedTuple):
    value: Decimal
    unit: str  # a currency's code, or as it is written; "" for none


def _telling(
    question: Question, passage: FoundPassage, unit: Unit, extracts: Extracts
) -> tuple[Unit, _Figure] | None:
    """Return the sentence of a unit that answers, and its figure; `None` where two might."""
    told = [
        (replace(unit, parts=((text, first),)), figure)
        for text, first, _ in answering(question, passage, unit, extracts).sentences
        if (figure := _figure(text, question)) is not None
    ]
    return told[0] if len(told) == 1 else None


def _figure(text: str, question: Question) -> _Figure | None:
    """Return the one figure of a sentence, or else the one that is the sum of all others in a row.

    Those of the unit that the question names count alone, else amounts of money, else all.
    """
    asked = Known.of([question.text])
    told = [
        _Figure(Decimal(figure.readings[0]), whole.replace(figure.text, "").strip())
        for (kind, figure), (_, whole) in zip(figures(text), in_full(text), strict=True)
        if kind not in {"date", "clock", "money"} and not asked.holds(figure)
    ]
    named = [one for one in told if _is_named(one.unit, question)]
    money = [_Figure(amount.value, amount.currency or "") for amount in find_amounts(text)]
    if len(one := named or money or told) == 1 and re.search(r"[^\W\d_]", text):
        return one[0]
    cells = [Decimal(m[0]) for f in numbers_of(text) if (m := _PLAIN.fullmatch(f.readings[0]))]
    total = max(cells, default=Decimal(0))
    row = len(cells) >= _CELLS and 2 * total == sum(cells)
    return _Figure(total, currency_in(text) or "") if row else None


def _is_named(unit: str, question: Question) -> bool:
    return bool(unit) and stem(unit.lower()) in question.stems
