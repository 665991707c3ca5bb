"""Days that a length of time leads to: "within 14 days of this letter", "8 weeks before the trip".

What is counted from is a day in the same sentence, else the day of the sentence that speaks of the
same thing ("the operation takes place on 14 January"), else the one end or event that the text has;
or the text's own day. What the counted day is for is told as that of any other
(`models/encode/days.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date

from manole.documents.notes.ahead import day_in, is_ahead, said_of
from manole.documents.notes.calendar import Counted, Event
from manole.documents.notes.said import EXAMPLE, Length, Sentence, lengths_with_places
from manole.text.dates import Mention, mentions
from manole.text.words import stems

_BEFORE = re.compile(
    r"['’]?\s?(?:in advance )?(?:before|prior to|ahead of|vor|avant|antes del?|voor|prima d\S+)\b"
)
_AFTER = re.compile(
    r"\s(?:after|from|of|following|nach|ab|seit|apres|a compter|a partir|de la|suivant|despues|"
    r"desde|na|vanaf|dopo|dall?a?)\b"
)
_WITHIN = re.compile(
    r"\b(?:within|in the next|innerhalb|binnen|dans|sous|dentro|en (?:un|el) plazo|entro)"
    r"(?: \S+){0,2} $"
)
_OWN = re.compile(  # the day of the text itself
    r"\b(?:this|today|invoice|receipt|receiving|\w*rechnungs\w*|heute|erhalt|zugang|zustellung|"
    r"eingang|dies\w+|reception|presente?|facture|recepcion|recibo|esta|dagtekening|ontvangst|"
    r"factuur\w*|vandaag|ricevimento|ricezione|oggi|fattura|emission\w*|date|datum|data|fecha)\b"
)
_END = re.compile(
    r"\b(?:end\w*|expir\w+|renewal|last|ablauf\w*|letzt\w+|fin\w*|echeance|dernier|scadenza|ultim\w+|"
    r"vencimiento|termin\w*|eind\w*|laatste)\b"
)
_LONG = 4  # letters of a word that tells what is spoken of
_CLAUSE, _LEAD = 60, 40  # characters behind a length, and before it, that say from when


@dataclass(frozen=True)
class _Text:
    """The sentences of a text with their days, its own day, and its days by what they are for."""

    dated: Sequence[tuple[Sentence, Sequence[Mention]]]
    written: date
    known: Mapping[str, Collection[date]]

    def day(self, said: Sentence, at: Mention) -> date | None:
        return day_in(said.plain, at, self.written)

    def spoken_of(self, clause: str, own: Sentence) -> date | None:
        """Return the last day of the other sentence that shares most words with a clause."""
        wanted, best, found = {s for s in stems(clause) if len(s) >= _LONG}, 1, set[date]()
        for said, days in self.dated:
            shared = len(wanted & stems(said.text))
            read = [day for at in days if (day := self.day(said, at)) and day > self.written]
            if said is not own and read and shared >= best:
                found = (found if shared == best else set()) | {read[-1]}
                best = shared
        return found.pop() if len(found) == 1 else None

    def only(self, clause: str) -> date | None:
        """Return the one end, or the one event, that a text has."""
        purposes = ("ends", "renews") if _END.search(clause) else ("event",)
        days = {day for purpose in purposes for day in self.known.get(purpose, ())}
        return days.pop() if len(days) == 1 else None


def counted_days(
    sentences: Sequence[Sentence], written: date, known: Mapping[str, Collection[date]]
) -> Iterator[Event]:
    """Yield the days after `written` that lengths of time lead to, each with its sentence.

    `known` are the days of the text by what they are for.
    """
    text = _Text([(said, mentions(said.text)) for said in sentences], written, known)
    for said in sentences:
        if EXAMPLE.search(said.plain):
            continue
        for start, end, length in lengths_with_places(said.plain):
            with suppress(OverflowError, ValueError):  # of lengths that lead past the year 9999
                found = _counted(text, said, start, end, length)
                if found is not None and is_ahead(found[0], written):
                    here = Mention(start, end, ())
                    event = said_of(said, here, (), found[0], "", sure=True)
                    yield replace(event, counted=found[1])


def _counted(
    text: _Text, said: Sentence, start: int, end: int, length: Length
) -> tuple[date, Counted] | None:
    """Return the day that a length leads to, and how; `None` where it is not said from when."""
    behind = said.plain[end : end + _CLAUSE]
    clause = re.split(r"[;.]", behind)[0]
    before, after = _BEFORE.match(behind), _AFTER.match(behind)
    if not (before or after or _WITHIN.search(said.plain[max(0, start - _LEAD) : start])):
        return None
    own = next((at for at in mentions(said.text) if end <= at.start < end + _CLAUSE), None)
    base = text.day(said, own) if own else None
    if base is None and not before and (_OWN.search(clause) or not after):
        base = text.written
    base = base or text.spoken_of(clause, said) or (text.only(clause) if before else None)
    if base is None:
        return None
    if before:
        return length.before(base), Counted("ends", base, length)
    return length.after(base), Counted("written", base, length)
