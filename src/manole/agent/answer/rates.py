"""What is paid so often, told for another time: 65 euros a month are 780 a year.

The sentence has the amount and how often it is paid, the question for what time it is asked: code
multiplies, and shows by what. A sentence with several rates, or none beside an amount, is left.
"""

from __future__ import annotations

import re
from datetime import date

from manole.agent.languages import Words
from manole.text.amounts import Amount, find_amounts
from manole.text.lists import numbered
from manole.text.question import Question
from manole.text.words import fold

_OFTEN = {fold(said): times for said, times in numbered("rates").items()}  # times a year
_ANY = "|".join(map(re.escape, sorted(_OFTEN, key=len, reverse=True)))
_SAID = re.compile(rf"(?<!\w)(?:{_ANY})(?!\w)")
_BESIDE = 30  # characters between an amount and how often it is paid, set by hand


def for_a_time(question: Question, sentence: str, words: Words) -> str:
    """Return the amount of a sentence for the time that is asked, in Markdown; "" if none is."""
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


def _times(text: str) -> set[int]:
    return {_OFTEN[found] for found in _SAID.findall(text)}


def _is_of_a_year(question: Question) -> bool:
    """Return whether a question is about one whole year."""
    period = question.period
    if period is None or period.start is None or period.end is None:
        return False
    year = period.start.year
    return (period.start, period.end) == (date(year, 1, 1), date(year, 12, 31))


def _beside(sentence: str) -> Amount | None:
    """Return the amount before what says how often it is paid, else the one behind it."""
    said, amounts = next(_SAID.finditer(sentence)), find_amounts(sentence)
    before = [a for a in amounts if 0 <= said.start() - a.end <= _BESIDE]
    behind = [a for a in amounts if 0 <= a.start - said.end() <= _BESIDE]
    return before[-1] if before else next(iter(behind), None)
