"""A question, made once at the door: its words and what they mean, each read when first needed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property

from manole.text import figures, names, words
from manole.text.language import language_of
from manole.text.periods import Period, explained, find_period, iso_dated


@dataclass(frozen=True)
class Question:
    """What is asked on a day. `leans_on` are the questions without which it is not understood."""

    text: str
    today: date = field(default_factory=date.today)
    leans_on: tuple[Question, ...] = ()

    def __str__(self) -> str:
        return self.text

    def saying(self, text: str) -> Question:
        """Return the question in other words."""
        return self if text == self.text else replace(self, text=text)

    @cached_property
    def language(self) -> str:
        """Its language (ISO 639-1), which its answer gets."""
        return language_of(self.text)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its words and numbers in order, folded."""
        return tuple(words.words(self.text))

    @cached_property
    def content_words(self) -> tuple[str, ...]:
        """The words that carry meaning, in order, each once."""
        return tuple(word for word in dict.fromkeys(self.words) if word not in words.STOP)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the words that carry meaning."""
        return frozenset(map(words.stem, self.content_words))

    @cached_property
    def synonyms(self) -> tuple[str, ...]:
        """Other words for those that carry meaning, for full-text search."""
        return words.synonyms(self.text)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The words of the names in it, as written."""
        return tuple(names.capitalised(self.text))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """All possible values of its figures and of their parts."""
        return frozenset(figures.numbers(self.text))

    @cached_property
    def period(self) -> Period | None:
        """The first period that it names."""
        return find_period(self.text, self.today)

    @cached_property
    def undated(self) -> str:
        """Its text without the period."""
        return self.period.outside(self.text) if self.period else self.text

    @cached_property
    def iso_dated(self) -> Question:
        """The question with its days in ISO form, as tables and file names write them."""
        return self.saying(iso_dated(self.text))

    @cached_property
    def explained(self) -> Question:
        """The question with plain dates behind a period that counts from today."""
        return self.saying(explained(self.text, self.today))
