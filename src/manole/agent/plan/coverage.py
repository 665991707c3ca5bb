"""Checks that a query covers the numbers, kinds and negations of its question."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from sqlglot import exp

from manole.agent.followups.rules import names_in
from manole.agent.plan.query import PlanError, tables_of
from manole.agent.plan.values import name_stems, period_of
from manole.agent.plan.write import asking_stems
from manole.catalog.kinds import KINDS, kind_called
from manole.catalog.relations import DIARY, RELATIONS
from manole.documents.fields.kinds import types_named
from manole.text.amounts import currency_of
from manole.text.dates import find_dates
from manole.text.periods import find_period
from manole.text.words import content_words, fold, stem, stems, words

_CLOSE = 0.75  # difflib ratio from which a word is another spelling of a kind: one letter of four
# Words that leave something out: English, German, French, Spanish, Italian, Dutch.
_NOT = """
not no non none without except excluding exclude outside neither nor never other
nicht kein keine keinen keiner keinem ohne außer außerhalb weder nie andere anderen
pas sans sauf hors excepté hormis ni autre autres jamais
sin excepto salvo fuera ninguno ninguna tampoco otro otros nunca
senza tranne eccetto fuori nessuno nessuna né altri
niet geen zonder behalve buiten nooit
"""
_NEAR = 2  # words behind one of these: "not the photos"
_PROPERTIES = frozenset({"kind", "type", "extension", "folder", "parent"})
_ABBREVIATED = re.compile(r"\bno\.(?=\s)", re.IGNORECASE)  # number
# The first and the last in time, in the same languages.
_FIRST_WORDS = """
first earliest oldest erste ersten erstes erster erstmals älteste ältesten ältestes ältester
premier première primera primer prima primo eerste oudste
"""
_LAST_WORDS = """
last latest newest letzte letzten letztes letzter zuletzt neueste neuesten neuestes neuester
dernier dernière última último ultima ultimo laatste laatst nieuwste
"""
_FIRST = frozenset(fold(word) for word in _FIRST_WORDS.split())
_LAST = frozenset(fold(word) for word in _LAST_WORDS.split())
_OF = frozenset(["of", "about", "with", "showing", "von", "vom", "mit", "uber"])  # folded
# Columns whose names have no other meaning in a question.
_TELLING = frozenset(
    {"size", "pages", "words", "copies", "depth", "notice", "tax", "net", "weekday"}
)
_DENYING = frozenset(fold(word) for word in _NOT.split())


def account(tree: exp.Select, question: str, spoken: str, today: date, insists: bool) -> None:
    """Raise `PlanError` where the query lacks a number, a kind or a negation of the question.

    A model that `insists` wrote the query twice: then a word such as "without" may be expressed in
    another way ("without duplicates").
    """
    said = [str(literal.this) for literal in tree.find_all(exp.Literal)]
    have = {number for text in said for number in numbers_of(text)}
    days = find_dates(question)
    undated = " ".join(question[a:b] for a, b in _between(days, len(question)))
    for number in numbers_of(undated):
        if number not in have:
            raise PlanError(f"{number} must be in it")
    for _, _, day in days:
        if not any(day in period for text in said if (period := period_of(text, today))):
            raise PlanError(f"{day} must be in it")
    years = {year for text in said for year in re.findall(r"\b(?:19|20)\d\d\b", text)}
    made_up = years - set(numbers_of(spoken))
    if made_up and not insists and find_period(spoken, today) is None:
        raise PlanError(f"the question does not speak of {min(made_up)}")
    denied, asked = bool(_denials(tree)), denies(question)
    if denied and not denies(spoken):
        raise PlanError("NOT is too much")
    if asked and not (denied or tree.find(exp.Is)) and not insists:  # IS NULL: "without a date"
        raise PlanError("NOT must be in it")
    if asked:
        _polarity(tree, question, insists)
    if (column := _unused(tree, question)) and not insists:
        raise PlanError(f"the column {column} must be in it")
    if (meant := _turned(tree, question)) and not insists:
        raise PlanError(f"it asks for {meant}")
    if _lists_all(tree) and (names := [n for n in names_in(question) if not _is_known(n)]):
        raise PlanError(f"{names[0]} must be in it")
    said = [] if tables_of(tree) & DIARY else said  # which has no files
    texts = {word for text in said for word in words(text)}
    kinds = {kind_called(word) for word in texts} | {kind_meant(text) for text in said}
    kinds |= {"mail"} if tables_of(tree) == {"messages"} else set()
    for word in words(question):
        kind = kind_called(word)
        if kind is not None and kind not in kinds and word not in texts:
            raise PlanError(f"{word} must be in it: files have kind = '{kind}'")


def left_out(trees: Iterable[exp.Select], folders: Iterable[str]) -> tuple[str, ...]:
    """Return the names of those `folders` of the question that no form of its query has.

    Words with which people ask ("photos", "invoices") are no names.
    """
    told = (str(part.this) for tree in trees for part in tree.find_all(exp.Literal, exp.Identifier))
    known = asking_stems() | name_stems(" ".join(told))
    names = dict.fromkeys(path.rsplit("/", 1)[-1] for path in folders)
    return tuple(name for name in names if not _is_type(name) and not name_stems(name) <= known)


def narrowing(tree: exp.Select, question: str) -> list[str]:
    """Return words that narrow a kind of file and that its query lacks: `photos of the beach`.

    They stand behind a preposition of content: "from" may name a sender or a time.
    """
    spoken = words(question)
    at = next((n for n, w in enumerate(spoken[:-1]) if kind_called(w) and spoken[n + 1] in _OF), -1)
    if at < 0 or tables_of(tree) != {"files"} or denies(question):
        return []
    told = (str(part.this) for part in tree.find_all(exp.Literal))
    known = asking_stems() | name_stems(" ".join(told))
    behind = content_words(" ".join(spoken[at + 2 :]))
    return [w for w in behind if stem(w) not in known and not w.isdecimal() and not kind_called(w)]


def _is_type(name: str) -> bool:
    return kind_called(name) is not None or bool(types_named(words(name)))


def is_one_of(text: str) -> bool:
    """Return whether a text asks for the first or the last of something."""
    return not (_FIRST | _LAST).isdisjoint(words(text))


def _turned(tree: exp.Select, question: str) -> str | None:
    """Return what is asked for where the query confuses first and last, else `None`."""
    said = set(words(question))
    first, last = bool(said & _FIRST), bool(said & _LAST)
    if first == last:
        return None
    days = {n for r in RELATIONS.values() for n, kind in r.columns.items() if kind == "DAY"}
    falls = [
        (test.this.name, isinstance(test, exp.Max)) for test in tree.find_all(exp.Max, exp.Min)
    ]
    falls += [(o.this.name, bool(o.args.get("desc"))) for o in tree.find_all(exp.Ordered)]
    if any(name in days and late == first for name, late in falls):
        return "the first: min" if first else "the last: max"
    return None


def _unused(tree: exp.Select, question: str) -> str | None:
    """Return a column that the question names and the query does not."""
    said = set(words(question))
    named = " ".join(str(part.this) for part in tree.find_all(exp.Identifier, exp.Literal)).lower()
    known = [RELATIONS[name] for name in tables_of(tree) if name in RELATIONS]
    told = (name for relation in known for name in relation.columns if name in _TELLING)
    return next((c for c in told if c in said and c.removesuffix("s") not in named), None)


def _lists_all(tree: exp.Select) -> bool:
    """Return whether a query lists a whole relation."""
    parts = ("where", "group", "limit", "order")
    return not any(tree.args.get(part) for part in parts) and not tree.find(exp.AggFunc, exp.Exists)


def _is_known(name: str) -> bool:
    """Return whether a name is a kind, a currency, or in capitals, as column names may be."""
    parts = name.split()
    return name.isupper() or any(kind_called(part) or currency_of(part) for part in parts)


def denies(text: str) -> bool:
    """Return whether a text has a word that excludes something."""
    return not _DENYING.isdisjoint(words(_ABBREVIATED.sub(" ", text)))


def _denials(tree: exp.Expr) -> list[exp.Expr]:
    """Return the conditions that exclude something."""
    return [
        node
        for node in tree.find_all(exp.NEQ, exp.Like, exp.Not)
        if isinstance(node, (exp.NEQ, exp.Not)) or node.args.get("negate")
    ]


def _polarity(tree: exp.Select, question: str, insists: bool) -> None:
    """Raise `PlanError` where a query excludes what a question asks for, or the reverse.

    What stands before the first word that excludes something is not excluded: "which invoices are
    not ...". A kind of file right behind such a word is: "that are not photos".
    """
    spoken = words(question)
    at = next((n for n, word in enumerate(spoken) if word in _DENYING), len(spoken))
    excluded = [str(x.this) for node in _denials(tree) for x in node.find_all(exp.Literal)
                if _asks_property(x)]  # fmt: skip
    before, behind = stems(" ".join(spoken[:at])), stems(" ".join(spoken[at:]))
    for text in excluded:
        if (own := stems(text)) and own <= before and own.isdisjoint(behind):
            raise PlanError(f"NOT is not about {text}")
    kinds = {kind_meant(text) for text in excluded}
    for word in spoken[at + 1 : at + 1 + _NEAR]:
        if (kind := kind_called(word)) is not None and kind not in kinds and not insists:
            raise PlanError(f"{word} must be left out: kind != '{kind}'")


def _asks_property(literal: exp.Expr) -> bool:
    """Return whether a literal is a kind, a type or a folder, and no name or word to search for."""
    test = literal.parent
    named = test.this.name.lower() if isinstance(test, exp.Binary | exp.In) else ""
    return named in _PROPERTIES or (isinstance(test, exp.Anonymous) and test.name == "under")


def _between(spans: Sequence[tuple[int, int, date]], length: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the text between the spans."""
    at = 0
    for start, end, _ in spans:
        yield at, start
        at = end
    yield at, length


def numbers_of(text: str) -> list[str]:
    """Return the digits of each number in a text, without separators; none within a word."""
    return re.findall(r"(?<![^\W\d_])\d+", re.sub(r"(?<=\d)[.,'’ ](?=\d)", "", text))


def kind_meant(wanted: str) -> str | None:
    """Return the kind of file that a word means: a kind or an extension; `None` for neither."""
    word = fold(wanted).strip()
    close = difflib.get_close_matches(word, KINDS, n=1, cutoff=_CLOSE)
    return word if word in KINDS else kind_called(word) or (close[0] if close else None)
