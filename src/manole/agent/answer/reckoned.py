"""What follows from a sentence by one step of arithmetic, which code takes and shows.

65 euros a month are 780 a year; who was born on a day is so old; what is due on another one is so
many days late. The sentence has the amount and how often it is paid, or one day; the question says
for what time it is asked, or that it asks for an age, or the time since or until the day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from dateutil.relativedelta import relativedelta

from manole.agent.answer.confidence import NEAR
from manole.agent.answer.injection_filter import is_quotable
from manole.agent.answer.ranking import context_stems
from manole.agent.answer.said import Said
from manole.agent.answer.selection import Look
from manole.agent.answer.units import Unit
from manole.agent.languages import ENGLISH, Words
from manole.text.amounts import Amount, find_amounts
from manole.text.date_words import UNIT_OF, any_of
from manole.text.dates import find_dates
from manole.text.lists import lines, numbered
from manole.text.question import Question
from manole.text.words import fold, stems
from manole.tools.objects import FoundPassage

_OFTEN = {fold(said): times for said, times in numbered("rates").items()}  # times a year
_RATE = re.compile(rf"(?<!\w)(?:{any_of(_OFTEN)})(?!\w)")
_TRIED, _LIKELY = 8, 0.7  # sentences that are tried; share of the best one's weight; set by hand
_BESIDE = 30  # characters between an amount and how often it is paid, set by hand
_SAID = {
    name: re.compile(rf"(?<!\w)(?:{any_of(said)})(?!\w)") for name, *said in lines("since")
}  # what a question asks, and what a sentence says that answers it
_UNIT = {fold(word): unit.removesuffix("s") for word, unit in UNIT_OF.items()}


@dataclass(frozen=True, slots=True)
class Reckoned:
    """What is `told`, above the sentence from which it follows."""

    told: str
    sentence: Said

    @property
    def chance(self) -> float:
        """The reader's, that the sentence answers."""
        return self.sentence.chance

    def holders(self) -> Iterator[tuple[FoundPassage, Unit]]:
        """Yield the passage with the sentence."""
        return self.sentence.holders()

    def answer(self, numbers: dict[str, int], words: Words = ENGLISH) -> str:
        """Return what follows, and below it the sentence with its `[n]`."""
        return f"{self.told}\n\n{self.sentence.answer(numbers, words)}"


def reckoned(question: Question, sentence: str, words: Words) -> str:
    """Return what a sentence comes to, in Markdown; "" where nothing is to be reckoned."""
    return for_a_time(question, sentence, words) or since_or_until(question, sentence, words)


def as_read(question: Question) -> Question:
    """Return a question for an age as one for the day of birth, which is what is written down."""
    whose = _whose(question)
    return question if whose is None else question.saying(f"born when{whose}")


def _whose(question: Question) -> str | None:
    """Return a question for an age without what asks for one; `None` for any other."""
    plain = fold(question.text)
    if (age := _SAID["age"].search(plain)) is None:
        return None
    text = question.text if len(plain) == len(question.text) else plain
    return text[: age.start()] + text[age.end() :]


def reckonable(question: Question, look: Look, words: Words) -> Reckoned | None:
    """Return the first of the likeliest sentences from which follows what is asked, if any does.

    An age is that of whom the sentence, or what stands above it, names.
    """
    whose = stems(_whose(question) or "")
    least = _LIKELY * float(look.scores.max(initial=0.0))
    for at in np.argsort(-look.scores, kind="stable")[:_TRIED].tolist():
        unit = look.units[at]
        likely = look.scores[at] >= least and look.chances[at] >= NEAR
        passage = look.passages[unit.passage]
        named = whose <= stems(unit.text) | context_stems(passage)
        if not (likely and named and is_quotable(unit.text)):
            continue
        for said, first, _ in unit.sentences:
            if told := reckoned(question, said, words):
                lines = tuple((line, n) for n, line in enumerate(said.split("\n"), first))
                chance = float(look.chances[at])
                return Reckoned(told, Said(passage, Unit(unit.passage, lines), chance, False))
    return None


def for_a_time(question: Question, sentence: str, words: Words) -> str:
    """Return the amount of a sentence for the time that is asked; "" if it has none, or several."""
    text, sentence = fold(question.text), fold(sentence)
    asked, said = times_a_year(text), times_a_year(sentence)
    if len(asked) != 1 or len(said) != 1 or asked == said:
        return ""
    (wanted,), (given,) = asked, said
    amount = _beside(sentence)
    times, rest = divmod(given, wanted) if given > wanted else divmod(wanted, given)
    if amount is None or rest or (amount.currency and _SAID["many"].search(text)):
        return ""  # how many of a thing: no money
    sign, value = ("×", amount.value * times) if given > wanted else ("÷", amount.value / times)
    told = f"{words.number(value, 2)} {amount.currency or ''}".rstrip()
    return f"**{told}** ({words.number(amount.value, 2)} {sign} {times})"


def since_or_until(question: Question, sentence: str, words: Words) -> str:
    """Return the time between today and the one day of a sentence; "" if that is not asked.

    An age follows from what says of a birth, a delay from what is due, a time since from what
    began; a time until a day follows from any day to come.
    """
    asked, said, today = fold(question.text), fold(sentence), question.today
    asks = {name: pattern.search(asked) for name, pattern in _SAID.items()}
    long = asks["long"] or asks["many"]
    late = long and asks["late"]
    if not (asks["age"] or late or (long and (asks["until"] or asks["since"]))):
        return ""
    days = {day for _, _, day in find_dates(sentence)}
    if len(days) != 1:
        return ""
    (day,) = days
    follows = (
        (asks["age"] and _SAID["born"].search(said) and day < today)
        or (late and _SAID["due"].search(said) and day < today)
        or (long and asks["until"] and day > today)
        or (long and asks["since"] and not late and _SAID["begun"].search(said) and day < today)
    )
    if not follows:
        return ""
    first, last = sorted((day, today))
    apart = relativedelta(last, first)
    by_unit = {
        "year": apart.years, "month": 12 * apart.years + apart.months,
        "week": (last - first).days // 7, "day": (last - first).days,
    }  # fmt: skip
    unit = _unit(asked[asks["many"].end() :]) if asks["many"] and not asks["age"] else ""
    if not unit and not (asks["age"] or asks["long"]):
        return ""  # of other things
    unit = unit or next((name for name, count in by_unit.items() if count > 1), "day")
    if unit not in by_unit:
        return ""  # quarters
    told = words.many(by_unit[unit], unit)
    return f"**{told}** ({words.written(first)} – {words.written(last)})"


def _unit(text: str) -> str:
    """Return the unit of time with which a text begins, "" where it is none."""
    first = re.match(r"\W*([^\W\d_]+)", text)
    return _UNIT.get(first[1], "") if first else ""


def times_a_year(text: str) -> set[int]:
    """Return how often in a year something is paid, by the words of a folded text that say so."""
    return {_OFTEN[found] for found in _RATE.findall(text)}


def _beside(sentence: str) -> Amount | None:
    """Return the amount before what says how often it is paid, else the one behind it."""
    said, amounts = next(_RATE.finditer(sentence)), find_amounts(sentence)
    before = [a for a in amounts if 0 <= said.start() - a.end <= _BESIDE]
    behind = [a for a in amounts if 0 <= a.start - said.end() <= _BESIDE]
    return before[-1] if before else next(iter(behind), None)
