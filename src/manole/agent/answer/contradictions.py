"""Contradictions between an answer and what was found.

* The source says the opposite (South for North). Embeddings do not help: opposites are nearly the
  same to them, and a model of 1.5 B parameters says yes to a reversed sentence as readily as to the
  right one. Words of place, order, size and permission are few, and come in pairs
  (`opposites.txt`, one pair or group per line). Where an answer has one word of a pair and the
  sentence it resembles most has only the other, the answer is withdrawn and the source quoted.
* The source is of other years than the question, and of none of its own.
* Another file gives another figure. A contract says that the rent is 980 euros, a later letter says
  1,025, and the model answers with one of them. Code then looks for a sentence of another file that
  has as many of the question's words as the cited one, and another figure of the same kind: an
  amount of money, a percentage, a day, a time, or a count of one unit (months). It is quoted below
  the answer; nothing is averaged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from manole.agent.answer.evidence import Evidence
from manole.agent.answer.ranking import context
from manole.agent.languages import ENGLISH, Words
from manole.text.figures import Figure, Known
from manole.text.figures import figures as written
from manole.text.question import Question
from manole.text.words import has_digit, stem, stems, words
from manole.tools.objects import FoundPassage

# Share of the question's content words in a sentence that may contradict another, set by hand.
ENOUGH = 0.75
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NEAR = 12  # characters around a figure that decide its kind: the longest are "per cent" and so on
_SIGN = r"(?:€|\$|£|\b(?:eur|usd|gbp|chf)\b|\b(?:euros?|dollars?|pounds?|francs?)\b)"
_BEFORE = re.compile(rf"{_SIGN}\s?$", re.IGNORECASE)
_AFTER = re.compile(
    rf"\s?(?:(?P<money>{_SIGN})|(?P<percent>%|per\s?cent\b))|[\s-](?P<unit>[^\W\d_]{{3,}})",
    re.IGNORECASE,
)


def opposite_words(answer: str, evidence: Sequence[Evidence]) -> tuple[str, str] | None:
    """Return a word of an answer and its opposite in the source; `None` without any.

    `evidence` are the extracts that the answer cites.
    """
    own = stems(answer)
    units = [text for item in evidence for text, _, _ in item.units]
    return opposed(answer, max(units, key=lambda text: len(own & stems(text)), default=""))


def of_other_years(question: Question, passages: Iterable[FoundPassage]) -> bool:
    """Return whether passages, with what stands above them, are all of years not asked about."""
    asked = set(_YEAR.findall(question.text))
    told = [set(_YEAR.findall(f"{context(p)} {p.file} {p.date or ''} {p.text}")) for p in passages]
    return bool(asked and told) and all(years and not years & asked for years in told)


def is_of_another_year(question: Question, passage: FoundPassage) -> bool:
    """Return whether a file is called by years, and by none that the question names."""
    asked, called = (
        set(_YEAR.findall(text)) for text in (question.text, f"{passage.file} {passage.title}")
    )
    return bool(asked and called) and not asked & called


def opposed(text: str, source: str) -> tuple[str, str] | None:
    """Return a word of a text whose opposite stands in its source instead; `None` without any."""
    answered, stated = frozenset(words(text)), frozenset(words(source))
    for word in sorted(answered & _opposites().keys() - stated):
        for other in sorted(_opposites()[word] & stated - answered):
            return word, other
    return None


@cache
def _opposites() -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in files(__package__).joinpath("opposites.txt").read_text("utf-8").splitlines():
        group = frozenset(words(line))
        for word in group:
            found[word] = found.get(word, frozenset()) | (group - {word})
    return found


@dataclass(frozen=True, slots=True)
class Conflict:
    """A sentence of another file that gives another figure; `n` is its extract's number."""

    n: int
    file: str
    quote: str

    def sentence(self, words: Words = ENGLISH) -> str:
        """Return the conflict in words."""
        name = self.file.rsplit("/", 1)[-1]
        return words.conflict.format(file=name, quote=" ".join(self.quote.split()), n=self.n)


def conflict(
    question: Question, answer: str, cited: Sequence[int], evidence: Sequence[Evidence]
) -> Conflict | None:
    """Return the extract that contradicts `answer`, if any. `cited` are the answer's own `[n]`.

    Only an answer with one figure that the question does not have can be contradicted.
    """
    asked, given = question.stems, figure_of(answer, question)
    own = [e for e in evidence if e.n in cited]
    if given is None or not asked or not own:
        return None
    own_files = {e.file for e in own}
    exact = {word for word in asked if has_digit(word)}  # a year that is asked for
    cover = max((_covered(asked, e.quote(answer)[0]) for e in own), default=0.0)
    for other in evidence:
        if other.file in own_files:
            continue
        for text in _sentences(other):
            same = same_figures(text, given)
            if not same or any(same) or not exact <= stems(f"{other.label} {text}"):
                continue
            if _covered(asked, text) >= max(ENOUGH, cover):
                return Conflict(other.n, other.file, text)
    return None


def figure_of(answer: str, question: Question) -> tuple[str, Figure] | None:
    """Return the figure of an answer with its kind, if it has one that the question has not.

    Of several it is the only amount of money: a day stands beside it.
    """
    in_question = Known.of([question.text])
    given = [(k, f) for k, f in figures(answer) if not in_question.holds(f)]
    given = [(k, f) for k, f in given if k == "money"] or given
    return given[0] if len({(k, f.readings) for k, f in given}) == 1 else None


def same_figures(text: str, given: tuple[str, Figure]) -> list[bool]:
    """Return of each figure of a text that is of the kind of a given one whether it is the same."""
    kind, figure = given
    return [not {*f.readings}.isdisjoint(figure.readings) for k, f in figures(text) if k == kind]


def figures(text: str) -> Iterator[tuple[str, Figure]]:
    """Yield the figures of a text with their kinds: "money", "percent", "date", "clock", a unit."""
    for figure in written(text):
        after = _AFTER.match(text, figure.end, figure.end + 4 * _NEAR)
        if figure.day is not None and not figure.text.isdigit():
            if figure.day.day is not None:
                yield "date", figure
        elif ":" in figure.readings[0]:
            yield "clock", figure
        elif (after and after["money"]) or _BEFORE.search(
            text, max(0, figure.start - _NEAR), figure.start
        ):
            yield "money", figure
        elif after:
            yield "percent" if after["percent"] else stem(words(after["unit"])[0]), figure


def in_full(text: str) -> Iterator[tuple[str, str]]:
    """Yield the figures of a text as they are written, with sign or unit, and their kinds."""
    for kind, figure in figures(text):
        sign = _BEFORE.search(text, max(0, figure.start - _NEAR), figure.start)
        unit = _AFTER.match(text, figure.end, figure.end + 4 * _NEAR)
        start, end = sign.start() if sign else figure.start, unit.end() if unit else figure.end
        yield kind, text[start:end] if kind not in {"date", "clock"} else figure.text


def _covered(asked: frozenset[str], text: str) -> float:
    return len(asked & stems(text)) / len(asked)


def _sentences(item: Evidence) -> list[str]:
    return [text for text, _, _ in item.units] or [item.text]
