"""What follows from a sentence by one step of arithmetic, which code takes and shows.

65 euros a month are 780 a year; who was born on a day is so old; what is due on another one is so
many days late. The sentence has the amount and how often it is paid, or one day; the question says
for what time it is asked, or that it asks for an age, or the time since or until the day.
"""

from __future__ import annotations

import re
from datetime import date

from dateutil.relativedelta import relativedelta

from manole.agent.languages import Words
from manole.text.amounts import Amount, find_amounts
from manole.text.date_words import UNIT_OF, any_of
from manole.text.dates import find_dates
from manole.text.lists import lines, numbered
from manole.text.question import Question
from manole.text.words import fold

_OFTEN = {fold(said): times for said, times in numbered("rates").items()}  # times a year
_RATE = re.compile(rf"(?<!\w)(?:{any_of(_OFTEN)})(?!\w)")
_BESIDE = 30  # characters between an amount and how often it is paid, set by hand
_ASKED = {
    name: re.compile(rf"(?<!\w)(?:{any_of(said)})(?!\w)") for name, *said in lines("since")
}  # an age, a length, a number of units, and what goes with the two
_UNIT = {fold(word): unit.removesuffix("s") for word, unit in UNIT_OF.items()}


def reckoned(question: Question, sentence: str, words: Words) -> str:
    """Return what a sentence comes to, in Markdown; "" where nothing is to be reckoned."""
    return for_a_time(question, sentence, words) or since_or_until(question, sentence, words)


def for_a_time(question: Question, sentence: str, words: Words) -> str:
    """Return the amount of a sentence for the time that is asked; "" if it has none, or several."""
    sentence = fold(sentence)
    asked, said = _times(fold(question.text)), _times(sentence)
    if not asked and _is_of_a_year(question):
        asked = {1}
    if len(asked) != 1 or len(said) != 1 or asked == said:
        return ""
    (wanted,), (given,) = asked, said
    amount = _beside(sentence)
    times, rest = divmod(given, wanted) if given > wanted else divmod(wanted, given)
    if amount is None or rest:
        return ""
    sign, value = ("×", amount.value * times) if given > wanted else ("÷", amount.value / times)
    told = f"{words.number(value, 2)} {amount.currency or ''}".rstrip()
    return f"**{told}** ({words.number(amount.value, 2)} {sign} {times})"


def since_or_until(question: Question, sentence: str, words: Words) -> str:
    """Return the time between today and the one day of a sentence; "" if that is not asked."""
    asked, today = fold(question.text), question.today
    days = {day for _, _, day in find_dates(sentence)}
    said = {name: pattern.search(asked) for name, pattern in _ASKED.items()}
    if len(days) != 1 or not (said["age"] or (said["far"] and (said["long"] or said["many"]))):
        return ""
    (day,) = days
    if said["age"] and day > today:
        return ""
    first, last = sorted((day, today))
    apart = relativedelta(last, first)
    by_unit = {
        "year": apart.years, "month": 12 * apart.years + apart.months,
        "week": (last - first).days // 7, "day": (last - first).days,
    }  # fmt: skip
    unit = _unit(asked[said["many"].end() :]) if said["many"] and not said["age"] else ""
    if not unit and said["many"] and not (said["age"] or said["long"]):
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


def _times(text: str) -> set[int]:
    return {_OFTEN[found] for found in _RATE.findall(text)}


def _is_of_a_year(question: Question) -> bool:
    """Return whether a question is about one whole year."""
    period = question.period
    if period is None or period.start is None or period.end is None:
        return False
    year = period.start.year
    return (period.start, period.end) == (date(year, 1, 1), date(year, 12, 31))


def _beside(sentence: str) -> Amount | None:
    """Return the amount before what says how often it is paid, else the one behind it."""
    said, amounts = next(_RATE.finditer(sentence)), find_amounts(sentence)
    before = [a for a in amounts if 0 <= said.start() - a.end <= _BESIDE]
    behind = [a for a in amounts if 0 <= a.start - said.end() <= _BESIDE]
    return before[-1] if before else next(iter(behind), None)
