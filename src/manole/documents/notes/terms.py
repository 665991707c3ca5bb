"""Days that follow from what a text agrees: extensions, days to cancel, guarantees, yearly dues.

"Is extended by a year if it is not ended one month before" has such a day in each year. It is
counted from the end that the text names, else from the beginning: a contract that begins on 1 May
ends its year on 30 April. "Three years from the date of purchase" is counted from that date,
"within 14 days" from the day of the invoice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from itertools import zip_longest
from typing import Literal

from manole.documents.fields.days import read_end_date
from manole.documents.fields.model import TextLine
from manole.documents.notes.said import (
    BY,
    CANCEL,
    EXAMPLE,
    PAY,
    YEARLY,
    Sentence,
    one_line,
    plain,
)
from manole.text.dates import date_of, mentions
from manole.text.lengths import Length, lengths

From = Literal["ends", "begins", "bought", "written", "yearly"]
Sort = Literal["renews", "cancel", "ends", "pay"]
_RENEWS = re.compile(
    r"\b(?:extend\w*|renew(?:s|ed|al)?|prolong\w*|verlanger\w*|renouvel\w*|reconduction|reconduit\w*|"
    r"prorog\w*|prorrog\w*|renueva\w*|renovara\w*|verlengd?|rinnov\w*)\b"
)
_ENDLESS = re.compile(
    r"month (?:by|to) month|monthly|unbestimmte|unlimited|indefinite|indetermine\w*|indefinid\w*|"
    r"monatlich|de mois en mois|mes a mes|unbefristet"
)
_BEGINS = re.compile(
    r"\b(?:begin\w*|start\w*|commenc\w*|\w*beginn|beginnt|debut\w*|prend effet|effet|empieza|"
    r"comienza|"
    r"efecto|inicio|effective|hauptfalligkeit|ingangsdatum|gaat in|decorrenza)\b"
)
_NOT_BEGUN = re.compile(r"\b(?:first registration|delivery|erstzulassung)\b")
_GUARANTEE = re.compile(
    r"\b(?:guarant\w+|warrant\w*|garanti\w*|garantia|gewahrleist\w+|garantie\w*)\b"
)
_BOUGHT = re.compile(
    r"\b(?:purchase\w*|sold|bought|\w*kaufdatum|gekauft|verkauft|achat|achete\w*|vendu\w*|compra\w*|"
    r"vendid\w*|aankoop\w*|gekocht|acquisto)\b"
)
_DELIVERED = re.compile(
    r"\b(?:deliver\w*|lieferung|\w*geliefert|livraison|livre\w*|entrega\w*|consegna\w*|geleverd|"
    r"levering)\b"
)
_WITHIN = re.compile(
    r"\b(?:within|innerhalb(?: von)?|binnen|dans(?: un delai| les)?(?: de)?|sous|en (?:un|"
    r"el) plazo de|"
    r"dentro de(?: los)?|entro|payment terms?:?|zahlungsziel:?|zahlungsfrist:?)\s+"
    r"(?:the next |the |den nachsten |der nachsten |los )?\S+(?: \S+)?$"
)
_NET = re.compile(r"^\s?(?:net\b|netto\b|ohne abzug|nach (?:erhalt|rechnung))")
_DISCOUNT = re.compile(r"skonto|discount|escompte|descuento|korting|%")
_IS_BILL = re.compile(r"\b\w*(?:invoice|rechnung|facture|factura)\b")
_NO_ENDS = re.compile(
    r"\bend of (?:a|the|any) (?:calendar )?month\b|monatsende|ende (?:eines|des) monats"
)
_AT = re.compile(
    r"(?:\b(?:zum|auf den|to|on|at|for|am|au|al|le|el|per|tegen|the|of|year|du|del?)|,|:|;)\s*$"
)
_LONG = 300  # characters of a sentence
_HEAD = 15  # lines in which a bill says that it is one
_LONG_AGO = 2000  # a year before those of what is due
_NEAR = 60  # characters between words that belong together
_YEAR, _TIMES, _MANY = Length(1, "years"), 200, 3  # extensions looked at; days of one sentence
_IS_CONTRACT = re.compile(
    r"contract|agreement|policy|lease|terms|vertrag|versicherung|police|abonnement|ordnung|satzung|"
    r"bail|contrat|assurance|conditions|contrato|poliza|seguro|suscripcion|overeenkomst|verzekering"
)
_FREE = re.compile(r"free of charge|kostenlos|gratuit\w*|gratis|sin coste")
_BEFORE = re.compile(
    r"^(?:['’]?s? (?:prior |written )?notice| (?:before|prior|in advance|vor|avant|antes|voor|"
    r"de preavis|"
    r"de antelacion|de anticipacion|de preaviso|al vencimiento|vorher|zuvor|auparavant)\b)"
)
_OF_NOTICE = re.compile(
    r"\b(?:notice(?: period)?|period of notice|\w*frist|preavis|preaviso|opzegtermijn|"
    r"preavviso|antelacion)\b"
)


@dataclass(frozen=True, slots=True)
class Term:
    """Something that comes on `day`, and again after each time `every`.

    It was counted by `length` from `base`; `of` tells what that day is. `quote` is the sentence.
    """

    sort: Sort
    day: date
    of: From
    base: date
    line: TextLine
    quote: str
    length: Length | None = None
    every: Length | None = None

    def days(self, first: date, last: date) -> Iterator[tuple[date, date]]:
        """Yield its days from `first` to `last`, each with the day that it was counted from."""
        for n in range(_TIMES if self.every else 1):
            again = Length(n * self.every.count, self.every.unit) if self.every else None
            day = again.after(self.day) if again else self.day
            if day > last:
                return
            if day >= first:
                yield day, again.after(self.base) if again and self.of == "ends" else self.base


@dataclass(frozen=True)
class _Text:
    """What a text says of itself. `written` is `None` if its day is not known."""

    lines: Sequence[TextLine]
    sentences: Sequence[Sentence]
    written: date | None
    year: int  # of days that lack it
    is_bill: bool
    is_contract: bool

    @cached_property
    def ends(self) -> date | None:
        found = read_end_date([one for one in self.lines if not EXAMPLE.search(plain(one.text))])
        return found.value if found else None

    @cached_property
    def begins(self) -> tuple[date, Length] | None:
        """Return when a contract begins and how long it first runs."""
        for said in self.sentences:
            cue = _BEGINS.search(said.plain)
            if cue and not _NOT_BEGUN.search(said.plain) and not EXAMPLE.search(said.plain):
                for day, at in _days(said):
                    if day is not None and cue.start() - _NEAR < at < cue.end() + _NEAR:
                        told = [one for one in lengths(said.plain) if one != _notice(said)]
                        long = [one for _, one in told if one.after(day) >= _YEAR.after(day)]
                        return day, long[0] if long else _YEAR
        return None

    def got(self, guaranteed: Sentence) -> date | None:
        """Return the day from which a guarantee runs: of the purchase, or of the delivery."""
        delivered = _DELIVERED.search(guaranteed.plain) is not None
        cue = _DELIVERED if delivered else _BOUGHT
        for said in self.sentences:
            if found := cue.search(said.plain):
                told = [(at < found.start(), at, day) for day, at in _days(said) if day]
                if told:
                    return min(told)[2]
        return self.written if self.is_bill and not delivered else None


def terms_in(
    lines: Sequence[TextLine], sentences: Sequence[Sentence], written: date | None
) -> list[Term]:
    """Return what follows from the terms of a text. Nothing raises.

    `written` is its day, if that is known.
    """
    head = plain(" ".join(line.text for line in lines[:_HEAD]))
    text = _Text(
        lines,
        sentences,
        written,
        written.year if written else _LONG_AGO,
        bool(_IS_BILL.search(head)),
        bool(_IS_CONTRACT.search(head)),
    )
    found: list[Term] = []
    for said, after in zip_longest(sentences, sentences[1:]):
        if not EXAMPLE.search(said.plain):
            with suppress(OverflowError, ValueError):  # of lengths that lead past the year 9999
                found += _of_sentence(text, said, after)
    return found


def _of_sentence(text: _Text, said: Sentence, after: Sentence | None) -> Iterator[Term]:
    if _RENEWS.search(said.plain) and not _ENDLESS.search(said.plain):
        yield from _renewal(text, said, after)
    elif CANCEL.search(said.plain):
        yield from _to_cancel(text, said)
    if PAY.search(said.plain):
        yield from _yearly(text, said)
        yield from _within(text, said)
    if _GUARANTEE.search(said.plain):
        yield from _guarantee(text, said)


def _term(said: Sentence, sort: Sort, day: date, of: From, base: date, **more: Length) -> Term:
    return Term(sort, day, of, base, said.line(), one_line(said.text, 0, 1, _LONG), **more)


def _days(said: Sentence, year: int | None = None) -> Iterator[tuple[date | None, int]]:
    """Yield the days of a sentence with their places; `year` is that of days without one."""
    for mention in mentions(said.text):
        day = mention.readings[0]
        if day.day is not None and (day.year or year):
            yield date_of(day.year or year or 0, day.month, day.day), mention.start


def _notice(said: Sentence) -> tuple[int, Length] | None:
    """Return the time before an end by which a sentence wants notice, and its place."""
    for at, length in lengths(said.plain):
        before = said.plain[max(0, at - _NEAR) : at]
        if _BEFORE.search(said.plain[at : at + 40]) or _OF_NOTICE.search(before):
            return at, length
    return None


def _renewal(text: _Text, said: Sentence, after: Sentence | None) -> Iterator[Term]:
    """Yield when a contract that goes on by itself does so, and the last day to cancel it."""
    where, notice = said, _notice(said)
    if notice is None and after is not None and CANCEL.search(after.plain):
        where, notice = after, _notice(after)
    if notice is None:
        return
    at, length = notice
    others = [one for _, one in lengths(said.plain) if one != length]
    every = next((one for one in others if one.unit != "days"), _YEAR)
    named = [day for day, place in _days(where, text.year) if day and place >= at]
    if end := next(iter(named), None) or text.ends:
        how: tuple[From, date] = ("ends", end)
    elif begun := text.begins:
        end, how = begun[1].after(begun[0]) - timedelta(days=1), ("begins", begun[0])
    else:
        return
    yield _term(said, "cancel", length.before(end), *how, length=length, every=every)
    yield _term(said, "renews", end, *how, every=every)


def _to_cancel(text: _Text, said: Sentence) -> Iterator[Term]:
    """Yield the last day to cancel by, of an end or a day that comes in each year."""
    notice = _notice(said)
    for mention in mentions(said.text):
        day = mention.readings[0]
        date_ = date_of(day.year or text.year, day.month, day.day or 0)
        if date_ is None or _NO_ENDS.search(said.plain):
            continue
        each = {} if day.year else {"every": _YEAR}
        if notice is not None:
            _, length = notice
            last = length.before(date_)
            yield _term(said, "cancel", last, "ends", date_, length=length, **each)
            return
        by = re.search(rf"{BY}\s+(?:\S+\s+)?$|\b(?:reach)\b.{{0,30}}$", said.plain[: mention.start])
        if by and each and text.is_contract and not _FREE.search(said.plain):
            yield _term(said, "cancel", date_, "yearly", date_, every=_YEAR)
            return


def _yearly(text: _Text, said: Sentence) -> Iterator[Term]:
    """Yield what is paid on the same days of each year."""
    days = [
        date_of(text.year, m.readings[0].month, m.readings[0].day)
        for m in mentions(said.text)
        if m.readings[0].year is None and m.readings[0].day is not None
        and _AT.search(said.plain[: m.start])
    ]  # fmt: skip
    if YEARLY.search(said.plain) or len(days) >= _MANY:
        for day in filter(None, days):
            yield _term(said, "pay", day, "yearly", day, every=_YEAR)


def _within(text: _Text, said: Sentence) -> Iterator[Term]:
    """Yield when a time to pay ends that begins with the day of a bill."""
    if text.written is None or not text.is_bill:
        return
    for at, length in lengths(said.plain):
        begin = max(said.plain.rfind(sign, 0, at) for sign in ",;") + 1
        clause = re.split("[,;]", said.plain[begin:])[0]
        named = _WITHIN.search(said.plain[:at], max(0, at - _NEAR)) or _NET.search(said.plain[at:])
        if named and not _DISCOUNT.search(clause):
            yield _term(
                said, "pay", length.after(text.written), "written", text.written, length=length
            )
            return


def _guarantee(text: _Text, said: Sentence) -> Iterator[Term]:
    """Yield when a guarantee ends that runs from the day of purchase."""
    told = [length for _, length in lengths(said.plain) if length.unit != "days"]
    if told and not any(True for _ in _days(said)) and (day := text.got(said)):
        yield _term(said, "ends", told[0].after(day), "bought", day, length=told[0])
