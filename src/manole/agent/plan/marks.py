"""What the marks of a parsed question say together, whatever they are found to be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from operator import attrgetter
from typing import TypeVar, get_args

from manole.agent.languages import called_in_all
from manole.agent.plan.choose_sheet import DEEDS
from manole.agent.plan.query import PlanError
from manole.agent.plan.typed import Condition, Given, Test
from manole.agent.plan.values import bare, period_of
from manole.models.parser import Mark, Parsed
from manole.text.date_words import any_of, weekday_of
from manole.text.dates import month_of
from manole.text.lists import listed
from manole.text.numbers import COUNTS, count_of
from manole.text.periods import find_period
from manole.text.statuses import payment_called, status_said
from manole.text.words import LIGHT, STOP, fold, has_digit, stems, words

GIVEN = frozenset(get_args(Given))  # what a plan of this kind can give
COMPARED: dict[str, Test] = {
    "over": "over", "least": "least", "under": "below", "most": "most", "between": "between",
}  # fmt: skip
NUMBERS = frozenset({"number", *COMPARED})
# What of one relation means nothing in another: "list all invoices", "how many files are there?"
_OWN = frozenset({"type", "kind", "ext", "value", "column", "status", "currency"})
PARTIES = frozenset({"party", "recipient"})  # tags of somebody
PLACES = frozenset({"scope", "file", "folder"})  # tags of what is named as a place to look
NAMES = PARTIES | {"topic", "value"}
# Columns whose conditions rather tell the whole of a share than its part, the later the more.
_PARTS = {"date": 1, "modified": 1, "currency": 2, "type": 3, "kind": 3}
_FIGURES = re.compile(r"\d[\d.,]*\s?(?:[kmgt]i?b)?\b", re.IGNORECASE)
_SORTS = (  # tags that name things of one sort
    frozenset({"kind", "ext", "type", "topic"}),
    frozenset({"folder", "file"}),
    NAMES,
)

_LISTED = re.compile(r"\s*[,;/]\s*")  # between words of which either is meant
_ANY_DAY = date(2000, 1, 1)  # as of which a period is read only to see what it bounds
_CODE = 5  # letters and digits from which a word with a digit may stand in one text alone
_ANY = frozenset({"docum", "dokum", "paper", "papie", "unter"})  # how a word for any file begins

_DENIED = re.compile(rf"(?:\b(?:{any_of(listed('denying'))})|n['’]t)(?: \w+)? $", re.IGNORECASE)
_HOW_MANY = re.compile(  # followed by what is counted
    r"\b(?:how many|wie ?viele|combien (?:de|d['’])|cu[aá]nt[oa]s|quant[ie]|hoeveel)\s*(\w+)", re.I
)

_T = TypeVar("_T")


def counted(question: str) -> list[str]:
    """Return the words for what a question asks how many there are of: none where it does not."""
    return _HOW_MANY.findall(question)


def names_any(text: str) -> bool:
    """Return whether a text names any file: `files`, `documents`, `Papiere`."""
    return fold(text) in called_in_all("file") or fold(text)[:5] in _ANY


def alike(one: Mark, other: Mark) -> bool:
    """Return whether two marks may be alternatives: they name things of one sort."""
    return one.tag == other.tag or any({one.tag, other.tag} <= sort for sort in _SORTS)


def alternatives(items: Sequence[_T], joins: Callable[[_T, _T], bool]) -> list[list[_T]]:
    """Return neighbours together where one `joins` the one before it."""
    parts: list[list[_T]] = []
    for item in items:
        if parts and joins(parts[-1][-1], item):
            parts[-1].append(item)
        else:
            parts.append([item])
    return parts


def comparisons(tests: Sequence[Mark], numbers: Sequence[str], column: str) -> Iterator[Condition]:
    """Yield the conditions that compare a column. Raises `PlanError`."""
    if len(numbers) == 2 and [test.tag for test in tests] == ["between"]:
        yield Condition("between", column, tuple(numbers))
        return
    if len(tests) != len(numbers):
        raise PlanError("numbers that are not told apart")
    for test, number in zip(tests, numbers, strict=True):
        yield Condition(COMPARED[test.tag], column, (number,), test.denied)


def compares_columns(question: Asked) -> Test | None:
    """Return how one column is compared with another: "where we spent more than we planned"."""
    tags = [mark.tag for mark in question.marks]
    tests = [tag for tag in tags if tag in COMPARED]
    if question.parsed.labels["op"] != "beyond" or tags.count("column") != 2 or len(tests) != 1:
        return None
    return {"over": "above", "least": "above"}.get(tests[0], "beneath")  # type: ignore[return-value]


def figures(marks: Sequence[Mark]) -> list[str]:
    """Return the numbers that are compared, as they are written. Raises `PlanError`."""
    said = [_in_digits(mark.text) for mark in marks if mark.tag == "number"]
    found = [figure[0].strip() for text in said for figure in _FIGURES.finditer(text)]
    if len(found) < len(said):
        raise PlanError("a number in words")
    return found


def _in_digits(text: str) -> str:
    counted = [str(count_of(word)) for word in words(text) if word in COUNTS]
    return text if _FIGURES.search(text) or not counted else counted[0]


def limit_of(label: str) -> int:
    """Return how many rows are asked for, 0 for all. Raises `PlanError` for an unusual number."""
    if label == "more":
        raise PlanError("an unusual number of rows")
    return int(label) if label.isdecimal() else 0


Conditions = tuple[tuple[Condition, ...], ...]


def apart(given: Given, conditions: Conditions) -> tuple[Conditions, Conditions]:
    """Return what holds for all, and what tells the part of a share or the sides of a difference.

    Raises `PlanError` where that is not clear.
    """
    if given == "share":
        if not conditions:
            raise PlanError("a share of what?")
        ranks = [_PARTS.get(every[0].column, 0) for every in conditions]
        at = ranks.index(min(ranks))
        return conditions[:at] + conditions[at + 1 :], (conditions[at],)
    if given == "diff":
        alike = [
            (one, other)
            for n, one in enumerate(conditions)
            for other in conditions[n + 1 :]
            if (one[0].test, one[0].column) == (other[0].test, other[0].column)
            and not set(one) & set(other)
        ]
        if len(alike) != 1:
            raise PlanError("a difference of what?")
        return tuple(c for c in conditions if c not in alike[0]), alike[0]
    return conditions, ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A parsed question with the marks of those that it leans on, and values that it replaced."""

    parsed: Parsed
    marks: tuple[Mark, ...]
    replaced: tuple[Mark, ...] = ()  # oldest first


def asked(parsed: Parsed, before: Asked | None) -> Asked:
    """Return a question with what it takes over from the one before.

    A mark replaces those of its tag, adds to them as an alternative, or excludes beside them. What
    asks another relation keeps the period, place, party and topic.
    """
    parsed = _with_status(_with_spans(_saying(parsed)))
    if before is None or not parsed.leans:
        return Asked(parsed, parsed.marks)
    numbers = any(mark.tag in NUMBERS for mark in parsed.marks)
    elsewhere = parsed.computed and parsed.labels["relation"] != before.parsed.labels["relation"]
    first = {m.tag: m for m in reversed(parsed.marks) if not m.denied}
    replaced = {tag for tag, mark in first.items() if not mark.either}
    # What asks anew does so of all files, though a text was spoken of; "how long is it" does not.
    anew = parsed.computed and any(mark.tag not in {"unit", "column"} for mark in parsed.marks)
    kept = [
        m
        for m in before.marks
        if (m.denied or m.tag not in replaced)
        and not (numbers and m.tag in NUMBERS)
        and not (anew and m.tag == "scope")
        and not (elsewhere and m.tag in _OWN)
    ]
    own = [_dated(mark, before.marks) for mark in parsed.marks]
    gone = (m for m in before.marks if m.tag == "value" and m not in kept)
    return Asked(parsed, (*kept, *own), (*before.replaced, *gone))


def _saying(parsed: Parsed) -> Parsed:
    """Return a question without marks of things that name none: the "est" of "n'est pas payé"."""
    named = NAMES | {"status"}
    kept = (
        mark
        for mark in parsed.marks
        if not (mark.tag in named and mark.text.islower() and STOP.issuperset(words(mark.text)))
    )
    return replace(parsed, marks=tuple(kept))


def _with_spans(parsed: Parsed) -> Parsed:
    """Return a question with periods that make one as that one: "2022 to 2024", "May and June"."""
    text, marks = parsed.question, list[Mark]()
    for mark in parsed.marks:
        last = marks[-1] if marks else mark
        whole = text[last.start : mark.end]
        if {last.tag, mark.tag} == {"period"} and last is not mark:
            first, then, both = (period_of(p, _ANY_DAY) for p in (last.text, mark.text, whole))
            bound = first and then and both and (both.start, both.end) == (first.start, then.end)
            said = find_period(whole, _ANY_DAY)
            if (bound and not mark.either) or (said and said.text == whole.lower()):
                marks[-1] = replace(last, text=whole, end=mark.end)
                continue
        marks.append(mark)
    return replace(parsed, marks=tuple(marks))


def _with_status(parsed: Parsed) -> Parsed:
    """Return a question with the mark of a word that may be a status.

    Of papers: "need paying"; of tasks: "how many are done".
    """
    relation = parsed.labels["relation"]
    if relation not in {"papers", "tasks"} or any(mark.tag == "status" for mark in parsed.marks):
        return parsed
    said = parsed.unread if relation == "papers" else parsed.question.strip(" ?.!").split()
    called = payment_called if relation == "papers" else status_said
    word = next((word for word in said if called(word)), "")
    if not word:
        return parsed
    at = parsed.question.find(word)
    if relation == "tasks" and (denied := _DENIED.search(parsed.question[:at])):
        at, word = denied.start(), parsed.question[denied.start() : at + len(word)]
    marks = sorted(
        (*parsed.marks, Mark("status", word, at, at + len(word))), key=attrgetter("start")
    )
    unread = tuple(other for other in parsed.unread if other != word)
    return replace(parsed, marks=tuple(marks), unread=unread)


def spelled(question: Asked) -> Iterator[Asked]:
    """Yield a question with names side by side as one, then as the parser has torn them."""
    yield from filter(None, (whole_names(question), question))


def with_codes(question: Asked, codes: Mapping[str, str]) -> Asked:
    """Return a question with the marks of `codes`, by what `bare` makes of them, that it has.

    A number of a paper is certain, whatever the parser took it for, but for a year in a period.
    """
    times = [(m.start, m.end) for m in question.marks if m.tag == "period"]
    parsed, found = question.parsed, list[Mark]()
    at = 0
    for word in parsed.question.split():
        start = parsed.question.find(word, at)
        at = start + len(word)
        year = any(first <= start and at <= last for first, last in times) and word.isdecimal()
        if not year and (code := codes.get(bare(word))) and has_digit(code):
            found.append(Mark("code", code, start, at))
    if not found:
        return question
    kept = [
        m for m in question.marks if not any(m.start < c.end and c.start < m.end for c in found)
    ]
    said = {bare(code.text) for code in found}
    unread = tuple(word for word in parsed.unread if bare(word) not in said)
    return replace(question, parsed=replace(parsed, unread=unread), marks=(*kept, *found))


def with_topics(question: Asked) -> Asked | None:
    """Return a question whose unread words are topics, or days of the week.

    `None` where it has none, or one is a figure.
    """
    text = question.parsed.question
    marks, at = list(question.marks), 0
    for word in question.parsed.unread:
        start = text.find(word, at)
        if start < 0 or (has_digit(word) and len(bare(word)) < _CODE):
            return None
        listed = at > 0 and _LISTED.fullmatch(text[at:start]) is not None
        at = start + len(word)
        said = word.lower() in STOP | LIGHT or word.lower() in COUNTS
        if not (said or names_any(word) or stems(word) <= DEEDS):
            tag = "period" if weekday_of(word)[0] else "topic"
            marks.append(Mark(tag, word, start, at, either=listed))
    if not question.parsed.unread:
        return None
    parsed = replace(question.parsed, unread=())
    return replace(question, parsed=parsed, marks=tuple(sorted(marks, key=attrgetter("start"))))


def unmarked(question: str, marks: Sequence[Mark]) -> list[str]:
    """Return the parts of a question between its marks."""
    own = (m for m in marks if question[m.start : m.end] == m.text)  # not of one before it
    parts, at = [], 0
    for mark in sorted(own, key=lambda m: m.start):
        parts.append(question[at : mark.start])
        at = mark.end
    return [*parts, question[at:]]


def whole_names(question: Asked) -> Asked | None:
    """Return a question with names that stand side by side as one, `None` where none do.

    The parser may tear a name: "markthalle" and "süd".
    """
    text, marks = question.parsed.question, list[Mark]()
    for mark in question.marks:
        last = marks[-1] if marks else None
        beside = last is not None and {last.tag, mark.tag} <= NAMES and not mark.either
        if (
            last
            and beside
            and last.denied == mark.denied
            and not text[last.end : mark.start].strip()
        ):
            marks[-1] = replace(last, text=text[last.start : mark.end], end=mark.end)
        else:
            marks.append(mark)
    return replace(question, marks=tuple(marks)) if len(marks) < len(question.marks) else None


def _dated(mark: Mark, before: Sequence[Mark]) -> Mark:
    """Return a month with the year that was spoken of."""
    years = [
        y for m in before if m.tag == "period" for y in re.findall(r"\b(?:19|20)\d\d\b", m.text)
    ]
    if mark.tag != "period" or not years or re.search(r"\d{4}", mark.text):
        return mark
    named = [word for word in words(mark.text) if month_of(word)]
    return replace(mark, text=f"{mark.text} {years[-1]}") if named else mark
