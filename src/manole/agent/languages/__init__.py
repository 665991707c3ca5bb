"""What an answer says besides the model's words and the files' own, in the question's language.

One table a language (`de.toml`), read when it is first needed and checked as a whole. A further
language is a further table, and its code in `text/language.py`. `{quote}`, `{file}` and `{n}` are
filled in; extracts stay as they are in their file, so none of this ever changes one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from functools import cache, cached_property
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from manole.text.language import LANGUAGES, language_of
from manole.text.numbers import decimal_of

Noun = tuple[str, str]  # of one, of several


class Words(BaseModel):
    """The words of one language. `code` is ISO 639-1, `name` what a model calls it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    code: str
    name: str
    group: str  # sign between thousands
    months: tuple[str, ...]  # from January
    day: str  # `{day}`, `{month}`, `{year}`
    lead: str  # how a reply begins (`answer/response_prefix.py`)
    lead_again: str  # and the second one, where the first came in another language
    declines: tuple[str, ...]  # how a reply begins that has no answer
    not_found: str
    not_stated: str
    not_certain: str
    closest: str
    conflict: str
    which: str
    choices: str
    in_all: str
    more_items: str
    chosen: str
    one: str
    other: str
    # Of what a query gives (`plan/verbalize.py`).
    nothing: str
    no: str
    yes: str
    together: str
    also: str  # joins the last of several
    more: str
    origin: str
    nouns: dict[str, Noun]
    columns: dict[str, str]

    def written(self, day: date) -> str:
        """A day in words: "5 June 2024"."""
        return self.day.format(day=day.day, month=self.months[day.month - 1], year=day.year)

    def number(self, value: float | Decimal, digits: int = 0) -> str:
        """A number as the language writes it: `1.234,50`."""
        return self.notated(f"{value:,.{digits}f}")

    def notated(self, number: str) -> str:
        """A number of the form `1,234.50` as the language writes it."""
        signs = {",": self.group, ".": decimal_of(self.code) or "."}
        return re.sub(r"(?<=\d)[.,](?=\d)", lambda sign: signs[sign[0]], number)

    def many(self, count: int, noun: str) -> str:
        """So many of a thing: `1,234 files`. What the table does not name stays as it is."""
        one, several = self.nouns.get(noun, (noun, f"{noun}s"))
        return f"{self.number(count)} {one if count == 1 else several}"

    def plural(self, noun: str) -> str:
        """Several of a thing."""
        return self.nouns.get(noun, (noun, f"{noun}s"))[1]

    def column(self, name: str) -> str:
        """What a column is called."""
        return self.columns.get(name, name)

    def joined(self, parts: Iterable[str]) -> str:
        """`a and b`."""
        return f" {self.also} ".join(parts)

    @cached_property
    def _declines(self) -> re.Pattern[str]:
        return re.compile(rf"\W*(?:{'|'.join(map(re.escape, self.declines))})\b", re.IGNORECASE)

    def begins_declining(self, text: str) -> bool:
        """Whether a reply in this language says that it has no answer."""
        return bool(self._declines.match(text))


@cache
def words_of(language: str) -> Words:
    """The words of a language by its code (ISO 639-1); the English ones where there is no table."""
    code = language if language in LANGUAGES else LANGUAGES[0]
    table = files(__package__).joinpath(f"{code}.toml").read_text("utf-8")
    return Words.model_validate({"code": code, **tomllib.loads(table)})


def words_for(question: str) -> Words:
    """The words of the question's own language."""
    return words_of(language_of(question))


ENGLISH = words_of(LANGUAGES[0])
