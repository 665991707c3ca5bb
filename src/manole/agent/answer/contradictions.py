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
* Another person says it. In files such as chats, whose lines begin with a speaker (`Ann: ...`), a
  question about one speaker is answered by what this person says about themselves, or by what is
  said to them ("your"). Where lines of somebody else about *their own* life fit clearly better, the
  question names the wrong person, and a model would answer it all the same. Each line is scored by
  the share of the question's words in it, rare ones counting more, and by meaning; once there is an
  answer, by the share of the answer's new words, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from manole.agent.answer.evidence import Evidence
from manole.agent.answer.ranking import context, rare_shares
from manole.agent.languages import ENGLISH, Words
from manole.documents.journal import SPEAKER
from manole.models.encode.embedder import Embed
from manole.text.figures import Figure, Known
from manole.text.figures import figures as written
from manole.text.question import Question
from manole.text.words import LIGHT, all_stems, has_digit, stem, stems, words
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

# How much better a line of somebody else must fit the question, and the question with its answer;
# both margins and the weight of the answer's new words were found on a sample of chat questions.
MARGIN, ANSWER_MARGIN = 0.1, 0.25
_ANSWER_WEIGHT = 4.0
_MOST = 70  # lines that are compared, more than the passages shown have
_CHARS = 400  # characters of a line that are embedded: a long message
_OWN = re.compile(r"\b(?:I|I['’]m|I['’]ve|I['’]d|me|my|mine|we|our|us|ich|mein\w*|wir|uns\w*)\b")
_YOURS = re.compile(r"\b(?:you|your|yours|you['’]re|you['’]ve|you['’]d|dein\w*|du|dir)\b", re.I)


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


class Chat:
    """The lines of a conversation, and the speaker whom a question is about."""

    def __init__(
        self, question: Question, person: str, lines: Sequence[tuple[str, str]], embed: Embed
    ) -> None:
        self._person = person
        self._lines = lines
        self._held = [all_stems(text) for _, text in lines]
        self._wanted = {stem(w) for w in question.content_words if w not in LIGHT}
        self._wanted -= all_stems(person)
        unnamed = re.sub(rf"\b{re.escape(person)}\b(?:['’]s)?", "", question.text)
        vectors = embed([unnamed, *(text[:_CHARS] for _, text in lines)])
        shares = self._shares(self._wanted)
        meaning = (vectors[1:] @ vectors[0]).tolist()
        self._scores = [0.5 * share + near for share, near in zip(shares, meaning, strict=True)]

    @classmethod
    def about(
        cls, question: Question, passages: Sequence[FoundPassage], embed: Embed
    ) -> Chat | None:
        """Return the conversation in passages; `None` unless the question names one speaker."""
        lines = [line for p in passages for line in _lines(p.text)][:_MOST]
        names = {name for name, _ in lines}
        asked = [n for n in names if re.search(rf"\b{re.escape(n)}\b", question.text)]
        if len(names) < 2 or len(asked) != 1:
            return None
        return cls(question, asked[0], lines, embed)

    def another_fits(self) -> bool:
        """Return whether lines of another speaker about themselves fit the question better."""
        return self._lead(self._scores) > MARGIN

    def another_said(self, answer: str) -> bool:
        """Return whether an answer comes from lines of another speaker about themselves."""
        shares = self._shares(stems(answer) - self._wanted - all_stems(self._person))
        scores = [
            _ANSWER_WEIGHT * share + score
            for share, score in zip(shares, self._scores, strict=True)
        ]
        return self._lead(scores) > ANSWER_MARGIN

    def _lead(self, scores: Sequence[float]) -> float:
        """Return by how much the best line about another exceeds the best about the person."""
        own = other = 0.0
        for (name, text), score in zip(self._lines, scores, strict=True):
            says_own, says_yours = bool(_OWN.search(text)), bool(_YOURS.search(text))
            if name == self._person:
                own = max(own, score)
                if says_yours and not says_own:
                    other = max(other, score)
                continue
            if says_yours:
                own = max(own, score if not says_own else 0.9 * score)
            if says_own or not says_yours:
                other = max(other, score)
        return other - own

    def _shares(self, wanted: Iterable[str]) -> list[float]:
        """Return the share of some stems in each line, rare ones counting more."""
        return rare_shares(dict.fromkeys(wanted, 1.0), self._held)


def _lines(text: str) -> list[tuple[str, str]]:
    """Return the lines that begin with a speaker, as pairs of speaker and text."""
    matches = ((SPEAKER.match(line), line) for line in text.split("\n"))
    return [(match[1], line[match.end() :]) for match, line in matches if match]
