"""The program's own sentences in an answer, in the question's language.

There is one table for each language (`de.toml`), read when first needed and validated as a whole. A
new language needs a table, and its code in `text/language.py`. `{quote}`, `{file}` and `{n}` are
filled in; extracts are never translated.
"""

from __future__ import annotations

import re
import tomllib
from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from functools import cache, cached_property
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from manole.text.language import LANGUAGES
from manole.text.numbers import decimal_of
from manole.text.periods import Period
from manole.text.words import fold

Noun = tuple[str, str]  # singular and plural


class DossierWords(BaseModel):
    """The words of a dossier."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    head: Noun  # `count` places in `files`; one, several
    sections: dict[str, str]
    coming: dict[str, str]  # what is due: to pay, to do
    status: dict[str, str]
    sender: str  # of `name`
    receiver: str
    forms: str  # `names` that have it
    near: str  # `names` that are spelt alike


class RecurringWords(BaseModel):
    """The words of payments that recur."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    head: str  # `count` of them, `amounts` a month
    ended: str
    units: tuple[str, str, str, str, str]  # week, month, quarter, half year, year


class Words(BaseModel):
    """The words of one language. `code` is ISO 639-1, `name` is English, for prompts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    code: str
    name: str
    group: str  # separator of thousands
    months: tuple[str, ...]  # from January
    weekdays: tuple[str, ...]  # from Monday, short
    day: str  # `{day}`, `{month}`, `{year}`
    lead: str  # how a reply begins (`answer/draft.py`)
    lead_again: str  # the same for a second attempt, after a reply in another language
    declines: tuple[str, ...]  # how a reply begins that has no answer
    not_found: str
    not_stated: str
    not_certain: str
    nowhere: str  # of a `name`
    nearest: str  # `names` or days beside what is not there
    closest: str
    close_too: str
    conflict: str
    which: str
    choices: str
    in_all: str
    more_items: str
    chosen: str
    one: str
    other: str
    # For the results of queries (`plan/verbalize.py`).
    nothing: str
    no: str
    yes: str
    have: Noun  # a count of all there are; one, several
    fits: Noun  # a count of those that meet further conditions
    together: str
    also: str  # joins the last of several
    more: str
    origin: str
    summed: str  # an amount, of all that is `found`
    paid: str  # an amount that went out
    averaged: str
    lacking: Noun  # `count` of `all`, or `found` with their noun; one, several
    untold: Noun  # `count` of papers that do not say whether they are paid
    unpaid: Noun  # `count` of papers that are not
    unknown: str  # stands for a value that is not there
    # For a journal: `{time}` is what `dated` returns, by one of the five forms below.
    no_entry: str
    no_entry_says: str  # what is asked
    apart: str  # what was asked besides
    in_time: str
    on_day: str
    span: str
    since: str
    until: str
    versions: str  # `count` of `names`
    changes: tuple[Noun, Noun, Noun]  # `count` sentences that differ, are new, are gone
    unchanged: str
    otherwise: str  # `quote` of another version, by its `name` and `day`
    # For what is asked of all of a file or a folder (`agent/whole`).
    none_of: str  # of `lines`, of a `place`
    not_read: str
    unheaded: str
    dossier: DossierWords
    recurring: RecurringWords
    nouns: dict[str, Noun]
    columns: dict[str, str]

    def written(self, day: date) -> str:
        """Return a day in words: "5 June 2024"."""
        return self.day.format(day=day.day, month=self.months[day.month - 1], year=day.year)

    def dated(self, period: Period) -> str:
        """Return a period as one speaks of what is dated so: "in 2019", "on 5 June 2024"."""
        start, end = period.start, period.end
        if start is None or end is None:
            form, day = (self.since, start) if start else (self.until, end)
            return form.format(time=self.written(day)) if day else ""
        if start == end:
            return self.on_day.format(time=self.written(start))
        whole = start.day == 1 and end.day == monthrange(end.year, end.month)[1]
        if whole and start.year == end.year and (start.month, end.month) == (1, 12):
            return self.in_time.format(time=start.year)
        if whole and (start.year, start.month) == (end.year, end.month):
            return self.in_time.format(time=f"{self.months[start.month - 1]} {start.year}")
        return self.span.format(first=self.written(start), last=self.written(end))

    def number(self, value: float | Decimal, digits: int = 0) -> str:
        """Return a number in the language's notation: `1.234,50`."""
        return self.notated(f"{value:,.{digits}f}")

    def notated(self, number: str) -> str:
        """Convert a number of the form `1,234.50` to the language's notation."""
        signs = {",": self.group, ".": decimal_of(self.code) or "."}
        return re.sub(r"(?<=\d)[.,](?=\d)", lambda sign: signs[sign[0]], number)

    def many(self, count: int, noun: str) -> str:
        """Return a count with its noun: `1,234 files`. A noun without a translation stays."""
        one, several = self.nouns.get(noun, (noun, f"{noun}s"))
        return f"{self.number(count)} {one if count == 1 else several}"

    def counted(self, count: int, noun: str, *, every: bool) -> str:
        """Return a count as a sentence without its full stop: "You have 21 PDF files"."""
        sentence = (self.have if every else self.fits)[count != 1]
        return sentence.format(found=self.many(count, noun))

    def plural(self, noun: str) -> str:
        """Return the plural of a noun."""
        return self.nouns.get(noun, (noun, f"{noun}s"))[1]

    def column(self, name: str) -> str:
        """Return the name of a column."""
        return self.columns.get(name, name)

    def joined(self, parts: Iterable[str]) -> str:
        """Join parts: `a and b`."""
        return f" {self.also} ".join(parts)

    @cached_property
    def _declines(self) -> re.Pattern[str]:
        return re.compile(rf"\W*(?:{'|'.join(map(re.escape, self.declines))})\b", re.IGNORECASE)

    def begins_declining(self, text: str) -> bool:
        """Return whether a reply in this language says that it has no answer."""
        return bool(self._declines.match(text))


@cache
def words_of(language: str) -> Words:
    """Return the words of a language by its code (ISO 639-1); English where there is no table."""
    code = language if language in LANGUAGES else LANGUAGES[0]
    table = files(__package__).joinpath(f"{code}.toml").read_text("utf-8")
    return Words.model_validate({"code": code, **tomllib.loads(table)})


ENGLISH = words_of(LANGUAGES[0])


@cache
def called_in_all(noun: str) -> frozenset[str]:
    """Return what a thing such as `file` is called, singular and plural, in all languages."""
    return frozenset(fold(word) for code in LANGUAGES for word in words_of(code).nouns[noun])
