"""Check of sentences against a library: stated, contradicted, or not found; without a chat model.

Each sentence is searched for, and compared with the sentences of the passages that fit best
(`answer/statements.py`). A wrong "stated" or "contradicted" costs more than ten "not found", so all
of this must hold:

* *stated*: one or two sentences of a file have every figure, each of its kind (an amount, a day, so
  many months); both deny, or neither does; its names stand there or above, and so do most words;
* *contradicted*: the same, but one figure is missing, and there is one other of its kind; or only
  one of both denies; or one has the opposite word.

The reader and the embedder, which also rank what answers a question, find them near. The least
values were set on twenty sentences over three people's folders, and measured on twenty others.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

import numpy as np

from manole.agent.answer.injection_filter import is_quotable
from manole.agent.answer.ranking import Senses, rare_shares, standing_above, weigh
from manole.agent.answer.statements import (
    Difference,
    Statement,
    clauses_held,
    covered,
    differs,
    is_held,
    is_misplaced,
    is_of_another,
    missing,
    names_held,
)
from manole.agent.answer.units import units_of
from manole.errors import UsageError
from manole.index.search.duplicates import Find
from manole.index.search.scope import WHOLE, Scope
from manole.index.store.records import PassageRecord
from manole.library import Library
from manole.text.question import Question
from manole.text.sentences import sentences
from manole.text.words import content_words, words
from manole.tools.objects import FoundPassage

Verdict = Literal["stated", "contradicted", "not found"]
MOST, _SENTENCES, _LONG = 50_000, 200, 1000  # characters of a text, sentences, characters of one
_PASSAGES, _UNITS = 8, 12  # that a sentence is compared with
_HEAD = 500  # characters of a file's beginning: a letterhead, an address, a subject
_SAYS = 2  # content words from which a sentence states something


@dataclass(frozen=True, slots=True)
class _Least:
    """The least likeness in meaning, chance by the reader, and shares of the words."""

    meaning: float
    chance: float
    words: float
    own: float  # of the words, without those above
    both: float = 0.0  # meaning and words together


_STATED = _Least(0.58, 0.5, 0.4, 0.4, 1.0)
_BARE = _Least(0.7, 0.5, 0.8, 0.7)  # of a sentence without figures
_OTHERWISE = _Least(0.55, 0.5, 0.65, 0.5, 1.4)
_DENIED = _Least(0.6, 0.45, 0.8, 0.6)
_SAME = 0.85  # likeness from which the reader, which was taught with questions, is not asked
_NEAR = 0.5  # likeness from which the nearest passage is named


@dataclass(frozen=True, slots=True)
class Checked:
    """A sentence and what the library says of it; of one not found, the nearest passage if any.

    `differs` is what the sentence says and what its source says instead.
    """

    sentence: str
    verdict: Verdict
    quote: str | None = None
    file: str | None = None
    page: int | None = None
    line: int | None = None
    differs: Difference | None = None


async def check(library: Library, text: str, today: date, scope: Scope = WHOLE) -> list[Checked]:
    """Return what the library says of each sentence of a text that states something.

    Raises `UsageError` for a text that is too long.
    """
    said = statements(text)
    senses: Senses | None = None
    found = []
    for sentence in said:
        question = Question(sentence, today)
        hits = await library.search(sentence, limit=_PASSAGES, filters=scope.filters())
        heads = await _heads(library, hits)
        senses = senses or Senses(library.embedder)
        found.append(await asyncio.to_thread(_checked, question, hits, heads, senses))
    return found


def statements(text: str) -> list[str]:
    """Return the sentences of a text that state something: no questions, no greetings.

    Raises `UsageError` for a text that is too long.
    """
    if len(text) > MOST:
        raise UsageError(
            f"The text has {len(text):,} characters; {MOST:,} can be checked at once.",
            "Check it in parts.",
        )
    whole = (" ".join(one.split()) for one in sentences(text))
    said = [s for s in whole if len(content_words(s)) >= _SAYS and not s.endswith("?")]
    if len(said) > _SENTENCES or any(len(s) > _LONG for s in said):
        raise UsageError(
            f"At most {_SENTENCES} sentences of {_LONG:,} characters can be checked at once.",
            "Check it in parts.",
        )
    return said


async def _heads(library: Library, hits: Sequence[Find]) -> dict[str, str]:
    """Return the beginning of each file."""
    store = await library.reader()
    files = list(dict.fromkeys(hit.passage.file_id for hit in hits))
    passages = await store.passages_of(files)
    return {key: _beginning(own) for key, own in passages.items()}


def _beginning(passages: Sequence[PassageRecord]) -> str:
    first = passages[0] if passages else None
    return f"{first.path} {first.title or ''} {first.text[:_HEAD]}" if first else ""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One or two sentences of a passage, and how near they are to a sentence that is checked."""

    passage: FoundPassage
    line: int
    text: str
    statement: Statement
    around: str  # where names may stand
    single: bool
    chance: float
    meaning: float = 0.0
    words: float = 0.0
    own: float = 0.0

    def fits(self, least: _Least) -> bool:
        """Return whether it is near enough."""
        return (
            self.meaning >= least.meaning
            and (self.chance >= least.chance or self.meaning >= _SAME)
            and self.words >= least.words
            and self.own >= least.own
            and self.meaning + self.words >= least.both
        )


def _checked(
    question: Question, hits: Sequence[Find], heads: dict[str, str], senses: Senses
) -> Checked:
    one = Statement(question.text)
    candidates = _weighed(one, list(_candidates(question, hits, heads, senses)), senses)
    named = {
        hit.passage.path: frozenset(words(standing_above(FoundPassage.of(hit)))) for hit in hits
    }
    same = [
        c
        for c in candidates
        if names_held(one, c.around)
        and not is_of_another(one, c.statement)
        and not _names_another(one, c, named)
    ]
    for candidate in same:
        if _states(one, candidate):
            return _result(one, "stated", candidate)
    if otherwise := _otherwise(one, same):
        return _result(one, "contradicted", *otherwise)
    best = next((c for c in candidates if c.meaning >= _NEAR), None)
    return _result(one, "not found", best)


def _names_another(
    one: Statement, candidate: _Candidate, named: Mapping[str, frozenset[str]]
) -> bool:
    """Return whether a statement has a word that another file is called by, and not this one."""
    own = candidate.statement.held
    others = (there for file, there in named.items() if file != candidate.passage.file)
    lacking = [word for word in one.words if not is_held(word, own)]
    return any(word in there for there in others for word in lacking)


def _states(one: Statement, candidate: _Candidate) -> bool:
    source = candidate.statement
    near = candidate.fits(_STATED if one.figures else _BARE) and clauses_held(one, source.held)
    return near and not (missing(one, source) or differs(one, source) or is_misplaced(one, source))


def _otherwise(
    one: Statement, candidates: Sequence[_Candidate]
) -> tuple[_Candidate, Difference] | None:
    """Return what contradicts a statement; nothing where files differ in what they say instead."""
    found = [
        (candidate, difference)
        for candidate in candidates
        if candidate.single
        and candidate.fits(_OTHERWISE if missing(one, candidate.statement) else _DENIED)
        and (difference := differs(one, candidate.statement))
    ]
    return found[0] if len({difference.source for _, difference in found}) == 1 else None


def _result(
    one: Statement,
    verdict: Verdict,
    found: _Candidate | None,
    difference: Difference | None = None,
) -> Checked:
    if found is None:
        return Checked(one.text, verdict)
    passage = found.passage
    return Checked(
        one.text, verdict, found.text, passage.file, passage.page, found.line, difference
    )


def _candidates(
    question: Question, hits: Sequence[Find], heads: dict[str, str], senses: Senses
) -> Iterator[_Candidate]:
    """Yield the sentences of the units that fit best, each alone and with the next."""
    passages = [FoundPassage.of(hit) for hit in hits]
    units = [u for at, passage in enumerate(passages) for u in units_of(at, passage, question)]
    if not units:
        return
    scores, chances = weigh(question, passages, units, senses)
    for at in np.argsort(-scores, kind="stable")[:_UNITS].tolist():
        unit, passage = units[at], passages[units[at].passage]
        above = standing_above(passage)
        around = f"{above} {passage.text} {heads[hits[unit.passage].passage.file_id]}"
        after = units[at + 1].sentences[:1] if _follows(units, at) else ()
        parts = [(text, line) for text, line, _ in (*unit.sentences, *after)]
        own = len(unit.sentences)
        for n, (text, line) in enumerate(parts[:own]):
            for count in (1, 2):
                both = [text for text, _ in parts[n : n + count]]
                joined = "\n".join(both)
                if n + count > len(parts) or not is_quotable(joined):
                    continue
                if count == 1 or not any(Statement(part).denies for part in both):
                    source = Statement(_flat(joined), f"{above} {_day(passage)}", tuple(both))
                    chance = float(chances[at])
                    yield _Candidate(passage, line, joined, source, around, count == 1, chance)


def _follows(units: Sequence[Any], at: int) -> bool:
    return at + 1 < len(units) and units[at + 1].passage == units[at].passage


def _day(passage: FoundPassage) -> str:
    return passage.date.isoformat() if passage.date else ""


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _weighed(one: Statement, candidates: Sequence[_Candidate], senses: Senses) -> list[_Candidate]:
    """Return candidates with their likeness in meaning and words, the nearest first."""
    if not candidates:
        return []
    vectors = senses.embed([one.text, *(c.statement.text for c in candidates)])
    meanings = vectors[1:] @ vectors[0]
    wanted = dict.fromkeys(one.words, 1.0)
    whole = rare_shares(wanted, [covered(one, c.statement.held) for c in candidates])
    own = rare_shares(wanted, [covered(one, Statement(c.statement.text).held) for c in candidates])
    made = [
        replace(c, meaning=float(m), words=w, own=o)
        for c, m, w, o in zip(candidates, meanings, whole, own, strict=True)
    ]
    return sorted(made, key=lambda c: -c.meaning)
