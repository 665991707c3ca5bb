"""Days that a length of time leads to: "within 14 days of this letter", "8 weeks before the trip".

What is counted from is a day in the same sentence; the day named last ("a week before that day");
the text's own day; the one of the sentence that speaks of the same thing ("12 months from the day
you joined": "you joined us on 15 February"); the one end or event that the text has; or the one day
since which something runs. What the counted day is for is told as that of any other
(`models/encode/days.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import islice
from math import ceil

from manole.documents.notes.ahead import days_named, is_ahead, said_of
from manole.documents.notes.calendar import Counted, Event
from manole.documents.notes.said import EXAMPLE, Sentence
from manole.text.date_words import MONTHS, UNIT_OF, WEEKDAYS, WHICH, any_of
from manole.text.lengths import Length, lengths_with_places
from manole.text.lists import listed
from manole.text.relative import Named
from manole.text.words import STOP, fold, placed_words

_BEFORE = re.compile(
    r"['’]?\s?(?:in advance )?(?:before(?:hand)?|prior to|ahead of|in advance|vor|vorher|zuvor|"
    r"avant|auparavant|antes(?: del?)?|voor|prima(?: d\S+)?|ervoor|van tevoren|de antelacion)\b"
)
_AFTER = re.compile(
    r"(?: \w+){0,2}? (?:after|from|of|following|nach|ab|seit|apres|a compter|a partir|de la|"
    r"(?:qui )?suiv\w+|despues|desde|na|vanaf|dopo|da|dall?a?)\b"
)
_TO = re.compile(r" (?:zum|zur|to|tegen|per|para|pour)\b")  # behind a time of notice
_SINCE = re.compile(  # before a length
    r"\b(?:from|ab|vanaf|a compter|a partir|desde|dal|dalla|as of)\b([^.;:]*)$"
)
_WITHIN = re.compile(
    r"\b(?:within|in the next|innerhalb|binnen|dans|sous|dentro|en (?:un|el) plazo|entro)"
    r"(?: \S+){0,2} $"
)
_ABOUT = re.compile(rf"(?<!\w)(?:{any_of(listed('time_ahead'))}) $")
_ENGLISH = re.compile(r"over \S+ (?:days|weeks|months|years)$")  # "over two weeks": more than
_OWN = re.compile(  # the day of the text itself
    r"\b(?:this|today|now|invoice|receipt|receiving|\w*rechnungs\w*|heute|erhalt|zugang|zustellung|"
    r"eingang|dies(?:es|er) (?:brief|schreib|mail|bescheid|rechnung|mitteilung)\w*|briefdatum|"
    r"reception|presente?|facture|aujourd|cette lettre|ce courrier|recepcion|recibo|hoy|esta carta|"
    r"dagtekening|ontvangst|factuur\w*|vandaag|ricevimento|ricezione|oggi|fattura|emission\w*)\b"
)
_DATE = re.compile(
    rf"\b(?:{any_of(listed('date'))}|esta|dies\w+)\b"
)  # of the text, if of nothing else
_END = re.compile(
    r"\b(?:end\w*|expir\w+|renewal|last|ablauf\w*|letzt\w+|fin\w*|echeance|dernier|scadenza|ultim\w+|"
    r"vencimiento|termin\w*|eind\w*|laatste|verloop\w*|verval\w*)\b"
)
_NOTICE = re.compile(r"\b(?:notice|\w*frist|preavis|preaviso|opzegtermijn|preavviso)\b")
_POINTING = re.compile(
    rf"^\W*(?:(?:{any_of(listed('pointing'))})\b|$|[,;:)]| (?:or|oder|ou|o|of)\b)"
)
_BEGINNING = re.compile(rf"\b(?:{any_of(listed('beginnings'))})\b")
_RUNNING = re.compile(rf"\b(?:{any_of(listed('running_since'))})(?: \w+)? $")
_EMPTY = (
    STOP
    | set(map(fold, (*MONTHS, *UNIT_OF, *WEEKDAYS, *WHICH)))
    | listed("date")
    | listed("ends_of")
)
_LONG = 4  # letters of a word that tells what is spoken of, at least
_ALIKE = 0.7  # share of the shorter of two words with which both begin: "souscrit", "souscription"
_FIRST = re.compile(r"\s*(\w+ \w+ \w+)\b")  # "before we go up": "we go up on Friday"
_MANY = 300  # sentences with days that are compared, and lengths of time that are, at most
_CLAUSE, _LEAD = 60, 40  # characters behind a length, and before it, that say from when


@dataclass
class _Text:
    """The sentences of a text with their days, its own day, and its days by what they are for.

    `counted` are the days that lengths of time led to, by the sentence.
    """

    sentences: Sequence[Sentence]
    written: date
    known: Mapping[str, Collection[date]]
    counted: dict[int, date]

    @cached_property
    def days(self) -> list[list[Named]]:
        return [days_named(said, self.written) for said in self.sentences]

    @cached_property
    def told(self) -> list[list[tuple[int, int, str]]]:
        return [_telling(said.plain) for said in self.sentences]

    def pointed(self, at: int, start: int) -> date | None:
        """Return the day that was named last before a place in a sentence."""
        if own := [one.day for one in self.days[at] if one.end <= start]:
            return own[-1]
        before = [self.counted[at - 1]] if at - 1 in self.counted else []
        before = before or [one.day for one in self.days[at - 1]] if at else []
        return before[-1] if before else None

    def spoken_of(self, clause: str, at: int, past: bool) -> date | None:
        """Return the day beside the words of another sentence that shares most with a clause.

        Counted days, too, but for what may lie in the `past`. `None` where several do.
        """
        wanted = [w for _, _, w in _telling(clause)]
        best, found = 1, set[date]()
        for n in self._others(at) if wanted else ():
            places = [p for p, _, w in self.told[n] if any(_alike(w, o) for o in wanted)]
            near = self._near(n, places, past)
            if near is not None and len(places) >= best:
                found = (found if len(places) == best else set()) | {near}
                best = len(places)
        return found.pop() if len(found) == 1 else None

    def _others(self, at: int) -> Iterator[int]:
        """Yield the other sentences that have days, so many at most."""
        dated = (n for n, days in enumerate(self.days) if n != at and (days or n in self.counted))
        return islice(dated, _MANY)

    def repeated(self, clause: str, at: int) -> date | None:
        """Return the day of the one other sentence that has the first words of a clause, too."""
        if (first := _FIRST.match(clause)) is None:
            return None
        same = re.compile(rf"\b{re.escape(first[1])}\b")
        days = {
            near
            for n in self._others(at)
            for found in same.finditer(self.sentences[n].plain)
            if (near := self._near(n, [found.start()], past=False)) is not None
        }
        return days.pop() if len(days) == 1 else None

    def _near(self, n: int, places: Sequence[int], past: bool) -> date | None:
        """Return the day of a sentence that is nearest to one of some places, behind it if any."""
        days = [one for one in self.days[n] if past or one.day > self.written]
        if not places:
            return None
        if not days:
            return None if past else self.counted.get(n)
        apart = ((min(_apart(one, place) for place in places), one.day) for one in days)
        return min(apart)[1]

    def only(self, clause: str) -> date | None:
        """Return the one end, or the one event, that a text has."""
        purposes = ("ends", "renews") if _END.search(clause) else ("event",)
        days = {day for purpose in purposes for day in self.known.get(purpose, ())}
        return days.pop() if len(days) == 1 else None

    def begun(self, clause: str) -> date | None:
        """Return the one day since which something runs, where a clause speaks of a beginning."""
        if not _BEGINNING.search(clause):
            return None
        days = {
            one.day
            for said, named in zip(self.sentences, self.days, strict=True)
            for one in named
            if one.day <= self.written and _RUNNING.search(said.plain[: one.start])
        }
        return days.pop() if len(days) == 1 else None


def _telling(text: str) -> list[tuple[int, int, str]]:
    """Return the words of a text that tell what it speaks of, with their places."""
    return [one for one in placed_words(text) if len(one[2]) >= _LONG and one[2] not in _EMPTY]


def _alike(one: str, other: str) -> bool:
    """Return whether two words begin alike."""
    least = max(_LONG, ceil(_ALIKE * min(len(one), len(other))))
    return one[:least] == other[:least]


def _apart(day: Named, place: int) -> tuple[bool, int]:
    return (day.start < place, abs(day.start - place))


def counted_days(
    sentences: Sequence[Sentence], written: date, known: Mapping[str, Collection[date]]
) -> Iterator[Event]:
    """Yield the days after `written` that lengths of time lead to, each with its sentence.

    `known` are the days of the text by what they are for.
    """
    text = _Text(sentences, written, known, {})
    for at, start, end, length in islice(_lengths(text), _MANY):
        with suppress(OverflowError, ValueError):  # of lengths that lead past the year 9999
            found = _counted(text, at, start, end, length)
            if found is not None and is_ahead(found[0], written):
                text.counted[at] = found[0]
                event = said_of(sentences[at], Named(start, end, found[0], found[2]))
                yield replace(event, counted=found[1])


def _lengths(text: _Text) -> Iterator[tuple[int, int, int, Length]]:
    """Yield the lengths of time of each sentence that are no part of a day: "a week today"."""
    for at, said in enumerate(text.sentences):
        for start, end, length in lengths_with_places(said.plain):
            inside = any(day.start <= start and end <= day.end for day in text.days[at])
            if not inside and not EXAMPLE.search(said.plain):
                yield at, start, end, length


def _counted(
    text: _Text, at: int, start: int, end: int, length: Length
) -> tuple[date, Counted, bool] | None:
    """Return the day that a length leads to, how, and whether that is sure.

    `None` where it is not said from when.
    """
    said = text.sentences[at]
    behind, lead = said.plain[end : end + _CLAUSE], said.plain[max(0, start - _LEAD) : start]
    if before := _BEFORE.match(behind) or (_NOTICE.search(lead) and _TO.match(behind)):
        base = _base_before(text, at, start, end + before.end())
        return (length.before(base), Counted("ends", base, length), True) if base else None
    if (base := _base_after(text, at, end, behind, lead)) is not None:
        return length.after(base), Counted("written", base, length), True
    about = _ABOUT.search(lead) and not _ENGLISH.search(said.plain[:end])
    if not about:
        return None
    return length.after(text.written), Counted("written", text.written, length), False


def _clause(behind: str) -> str:
    return re.split(r"[;.]", behind)[0]


def _named(text: _Text, at: int, end: int) -> date | None:
    """Return the first day that a sentence names soon behind a place."""
    return next((d.day for d in text.days[at] if end <= d.start < end + _CLAUSE), None)


def _base_before(text: _Text, at: int, start: int, end: int) -> date | None:
    """Return the day that a time before it is counted from."""
    clause = _clause(text.sentences[at].plain[end : end + _CLAUSE])
    if (base := _named(text, at, end)) is not None:
        return base
    if _POINTING.match(clause):
        return text.pointed(at, start)
    repeated = text.repeated(clause, at)
    return repeated or text.spoken_of(clause, at, past=False) or text.only(clause)


def _base_after(text: _Text, at: int, end: int, behind: str, lead: str) -> date | None:
    """Return the day from which on a time is counted."""
    after, clause = _AFTER.match(behind), _clause(behind)
    if not (after or _WITHIN.search(lead)):
        since = _SINCE.search(lead)
        return since and (text.begun(since[1]) or text.spoken_of(since[1], at, past=True))
    if (base := _named(text, at, end)) is not None:
        return base
    if not after or _OWN.search(clause):
        return text.written
    if _POINTING.match(clause := clause[after.end() :]):
        return text.pointed(at, 0)
    base = text.begun(clause) or text.spoken_of(clause, at, past=True)
    return base or (text.written if _DATE.search(clause) else None)
