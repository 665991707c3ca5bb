"""What two sentences state, compared: figures of each kind, denials, names and words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from manole.agent.answer.contradictions import figures as kinded
from manole.agent.answer.contradictions import in_full, opposed
from manole.text.date_words import MONTHS, UNIT_OF, WEEKDAYS
from manole.text.figures import Figure, Held, Known, figures
from manole.text.lists import listed
from manole.text.names import capitalised
from manole.text.numbers import COUNTS, NUMBERS, UNITS
from manole.text.words import content_words, fold, has_digit, stem, words

_UNIT_OF = {stem(fold(word)): unit for word, unit in UNIT_OF.items()}
_KNOWN = frozenset({"money", "percent", "date", "clock", *_UNIT_OF.values()})
_PLACED = frozenset({"date", "clock"})  # kinds that are compared in all notations
_YEAR = re.compile(r"(?:19|20)\d\d")
# Words that deny, and those that forbid: "must not" is "is forbidden".
_DENIES = listed("denying")
_SHORT = re.compile(r"n['’]t\b", re.IGNORECASE)
_NO_NAMES = frozenset(map(fold, (*MONTHS, *WEEKDAYS, *UNIT_OF, *UNITS, *listed("titles"))))
_JOINTS = re.compile(
    r"[,;:]\s|\s[–-]\s|\b(?:and|but|which|who|because|while|und|aber|weil|sondern|et|mais|qui|car|en|"
    r"maar|omdat)\b",
    re.IGNORECASE,
)
_CLAUSE = 0.34  # share of a clause's words that a source must have
_STEM, _SHARE = 5, 0.6  # letters, and share of a word, in which two forms of it agree
_ARTICLES = "a an ein eine einem einer un une una um uma een few"
_UNCOUNTED = frozenset([*_ARTICLES.split(), "a few", "ein paar"])  # "the end of a month"
_NUMBERS, _COUNTS = ("|".join(w for w in n if w not in _UNCOUNTED) for n in (NUMBERS, COUNTS))
_COUNTED = re.compile(
    rf"\b(?:(?:{_NUMBERS})\b|(?:{_COUNTS})(?=[\s-]+(?:{'|'.join(UNIT_OF)})\b))", re.IGNORECASE
)
Written = tuple[str, Figure]  # a kind, "" where it has none, and the figure


@dataclass(frozen=True)
class Statement:
    """A sentence, or two; `above` are the words that it stands below."""

    text: str
    above: str = ""
    parts: tuple[str, ...] = ()  # its sentences, if they are two

    @cached_property
    def sentences(self) -> tuple[Statement, ...]:
        """Its sentences."""
        return tuple(Statement(part, self.above) for part in self.parts) or (self,)

    @cached_property
    def plain(self) -> str:
        """Its text with counts in figures: "two months" gives "2 months"."""
        return _COUNTED.sub(lambda m: str(COUNTS.get(m[0].lower(), m[0])), self.text)

    @cached_property
    def figures(self) -> tuple[Written, ...]:
        """Its figures with their kinds."""
        kinds = {figure.start: kind for kind, figure in kinded(self.plain)}
        return tuple(
            (_UNIT_OF.get(kind, kind), figure)
            for figure in figures(self.plain)
            for kind in [kinds.get(figure.start, "")]
        )

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words that carry meaning, without figures."""
        found = (w for w in content_words(self.text) if not has_digit(w) and w not in COUNTS)
        return tuple(w for w in found if w not in _DENIES)

    @cached_property
    def clauses(self) -> tuple[Statement, ...]:
        """Its parts between commas and conjunctions, which each may say something of its own."""
        parts = (Statement(part) for part in _JOINTS.split(self.text))
        return tuple(part for part in parts if len(part.words) > 1)

    @cached_property
    def codes(self) -> frozenset[str]:
        """The words with letters and digits, such as E10."""
        return frozenset(w for w in words(self.text) if has_digit(w) and w[0].isalpha())

    @cached_property
    def names(self) -> frozenset[str]:
        """The words with a capital that may be names."""
        return frozenset(map(fold, capitalised(self.text))) - _NO_NAMES

    @cached_property
    def denies(self) -> bool:
        """Whether it says that something is not."""
        count = len([w for w in words(self.text) if w in _DENIES])
        return bool((count + len(_SHORT.findall(self.text))) % 2)

    @cached_property
    def held(self) -> frozenset[str]:
        """All its words, and those above it."""
        return frozenset(words(f"{self.text} {self.above}"))

    @cached_property
    def known(self) -> Known:
        """The figures of its text."""
        return Known.of([self.plain])

    @cached_property
    def known_above(self) -> Known:
        """The figures of its text, and those above it."""
        return Known.of([self.plain, self.above])


@dataclass(frozen=True, slots=True)
class Difference:
    """What a sentence says otherwise than its source: `said` there, `source` here."""

    said: str
    source: str


def missing(one: Statement, source: Statement) -> list[Written]:
    """Return the figures of a statement that its source lacks, or has of another kind."""
    return [written for written in one.figures if not _has(source, *written)]


def _has(source: Statement, kind: str, figure: Figure) -> bool:
    if kind in _PLACED or kind not in _KNOWN:
        above = kind == "date" or figure.day is not None or bool(_YEAR.fullmatch(figure.text))
        return (source.known_above if above else source.known).holds(figure) is not Held.NO
    readings = {*figure.readings}
    return any(
        k in {kind, ""} and not readings.isdisjoint(other.readings) for k, other in source.figures
    )


def differs(one: Statement, source: Statement) -> Difference | None:
    """Return the one thing in which a statement differs from a source about the same, if any."""
    lacking = missing(one, source)
    if not lacking:
        if one.denies != source.denies:
            return Difference(*("denied" if s.denies else "not denied" for s in (one, source)))
        other = opposed(one.text, source.text)
        return Difference(*other) if other else None
    kind, figure = lacking[0]
    if len(lacking) > 1 or kind not in _KNOWN or one.denies != source.denies:
        return None
    others = [f for k, f in source.figures if k == kind and one.known.holds(f) is Held.NO]
    if len({f.readings for f in others}) != 1:
        return None
    return Difference(_full(one, figure), _full(source, others[0]))


def _full(statement: Statement, figure: Figure) -> str:
    """Return a figure with its sign or unit."""
    found = (text for _, text in in_full(statement.plain) if figure.text in text)
    return next(found, figure.text)


def is_of_another(one: Statement, source: Statement) -> bool:
    """Return whether a statement is of a tenant and its source of a landlord, and so on."""
    said = frozenset(words(one.text))
    for sentence in source.sentences:
        there = frozenset(words(sentence.text))
        if any(
            said & group and not there & group and any(there & other for other in groups)
            for groups in _apart()
            for group in groups
        ) and (len(source.sentences) == 1 or len(missing(one, sentence)) < len(one.figures)):
            return True
    return False


@cache
def _apart() -> tuple[tuple[frozenset[str], ...], ...]:
    """Return the groups of words of which one is not the other (`apart.txt`)."""
    lines = files(__package__).joinpath("apart.txt").read_text("utf-8").splitlines()
    return tuple(tuple(frozenset(words(group)) for group in line.split("|")) for line in lines)


def is_misplaced(one: Statement, source: Statement) -> bool:
    """Return whether a statement's figures belong to something else that its source speaks of.

    "Two years" of "ten years on the motor and two years on all other parts" are not the motor's.
    """
    parts = [Statement(part) for part in _JOINTS.split(source.text)]
    contested = []
    for kind, figure in one.figures:
        own = [any(_is_same(figure, f) for k, f in p.figures if k == kind) for p in parts]
        values = {f.readings for p in parts for k, f in p.figures if k == kind}
        if kind not in _KNOWN or len(values) < 2 or not any(own):
            continue
        contested.append(own)
        shared = [len(covered(one, words(p.text))) for p in parts]
        has = [any(k == kind for k, _ in p.figures) for p in parts]
        best = max(n for n, mine in zip(shared, own, strict=True) if mine)
        if any(n > best for n, any_ in zip(shared, has, strict=True) if any_):
            return True
    return len(contested) > 1 and not any(map(all, zip(*contested, strict=True)))


def _is_same(one: Figure, other: Figure) -> bool:
    return not {*one.readings}.isdisjoint(other.readings)


def names_held(one: Statement, text: str) -> bool:
    """Return whether all names and codes of a statement stand in a text."""
    there = frozenset(words(text))
    return one.codes <= there and all(is_held(name, there) for name in one.names)


def covered(one: Statement, held: Iterable[str]) -> frozenset[str]:
    """Return the words of a statement that are among others, in any form."""
    there = frozenset(held)
    return frozenset(word for word in one.words if is_held(word, there))


def clauses_held(one: Statement, held: frozenset[str]) -> bool:
    """Return whether no part of a statement goes beyond some words."""
    return all(len(covered(c, held)) >= _CLAUSE * len(c.words) for c in one.clauses)


def is_held(word: str, there: frozenset[str]) -> bool:
    """Return whether a word is among others: itself, in another form, or in a compound."""
    return word in there or any(_is_form(word, other) for other in _begun_alike(word, there))


def _begun_alike(word: str, there: Iterable[str]) -> Sequence[str]:
    own = stem(word)
    return [other for other in there if other[:2] == word[:2] or own in other]


def _is_form(word: str, other: str) -> bool:
    if stem(word) == stem(other):
        return True
    short, long = sorted((word, other), key=len)
    if len(short) >= _STEM and short in long:
        return True
    same = next(
        (n for n, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), len(short)
    )
    return same >= max(_STEM, _SHARE * len(long))
