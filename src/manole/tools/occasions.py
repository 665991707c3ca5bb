"""Occasions as dates: "since the move" becomes "since 1 March 2022" if a document gives the day.

Only what is written counts: a line with the occasion's words and one date, or a document with a
date of its own whose title or name has the words. "First visit after the move" dates the visit, not
the move. Several dates are as good as none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain

from manole.index.search.hybrid import Hit
from manole.text.periods import Period
from manole.text.sentences import sentences
from manole.text.spans import Span, find, read
from manole.text.words import stems
from manole.tools.environment import TurnState

_OCCASION = re.compile(
    r"\b(?:(since|after|before|until) ((?:the|my|our) ([\w-]{3,}(?: [\w-]{3,})?))"
    r"(?=\s*[?.!,;]|\s*$| (?:and|did|do|does|was|were|is|are|have|has|had|we|i|to|in|on|at)\b)|"
    r"(seit|nach|vor|bis) ((?:dem|der|zum|zur|unser\w\w|mein\w\w) ([\w-]{3,}))\b)",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(since|after|before|until|following|seit|nach|vor|bis) (?:the|my|our|de[mr]|\w+er)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Occasion:
    """An occasion that a question counts from: `since`, "the move", and its content words."""

    relation: str
    text: str
    words: str

    def period(self, day: date) -> Period:
        """Return the period that is meant if the occasion was on `day`."""
        text = f"{self.relation} {self.text}"
        if self.relation in {"before", "vor"}:
            return Period(text, None, day - timedelta(days=1))
        if self.relation in {"until", "bis"}:
            return Period(text, None, day)
        after = self.relation in {"after", "nach"}
        return Period(text, day + timedelta(days=1) if after else day, None)


def find_occasion(text: str) -> Occasion | None:
    """Return the occasion that a question counts from; `None` for most questions."""
    match = _OCCASION.search(text)
    if match is None:
        return None
    relation, named, words = (part for part in match.groups() if part)
    if find(words.lower()) or not stems(words):
        return None
    return Occasion(relation.lower(), named, words)


async def day_of(occasion: Occasion, state: TurnState) -> tuple[date, str] | None:
    """Return the day of an occasion and the file that says so; `None` for no or several days."""
    hits = await state.library.search(occasion.words, limit=12, filters=state.scope.filters())
    wanted = stems(occasion.words)
    days: dict[date, str] = {}
    for hit in hits:
        for day in _days_in(hit, wanted):
            days.setdefault(day, hit.passage.path)
    return next(iter(days.items())) if len(days) == 1 else None


def _days_in(hit: Hit, wanted: frozenset[str]) -> set[date]:
    passage = hit.passage
    named = re.sub(r"[_\-./]+", " ", passage.path.rsplit("/", 1)[-1])
    if passage.date and wanted <= stems(f"{named} {passage.title or ''}"):
        return {passage.date}
    found: set[date] = set()
    for line in chain.from_iterable(map(sentences, passage.text.split("\n"))):
        if wanted <= stems(line) and not _BESIDE.search(line):
            days = {span.first for span in _full_days(line)}
            found |= days if len(days) == 1 else set()
    return found


def _full_days(line: str) -> list[Span]:
    spans = [read(m[0], date(2000, 1, 1)) for m in find(line.lower()) if re.search(r"\d{4}", m[0])]
    return [span for span in spans if span and span.first == span.last]
