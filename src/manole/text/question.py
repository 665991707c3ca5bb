"""A question, made once at the door; each thing that is read of it is read when first needed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property

from manole.text import figures, lexicon, names, periods, words
from manole.text.date_words import any_of
from manole.text.language import certain_language, language_of
from manole.text.lists import listed

_ASKING = "|".join(sorted(listed("asking")))
_OPENING = re.compile(rf"^(?:\w+\s+)?(?:{any_of(listed('openings'))})(?!\w)", re.IGNORECASE)
_OWNER = re.compile(
    r"\b(?!(?:what|who|when|where|how|why|it|that|there|here|let|he|she)\b)(\w{3,})['’]s\b", re.I
)
# "… and until when is it good": a word such as "until" may stand before the one that asks.
_NEXT_PART = re.compile(
    rf",?\s+(?:and|und|et|y|e|en)\s+(?=(?:\w+\s+)?(?P<asks>{_ASKING})\b)", re.IGNORECASE
)


@dataclass(frozen=True)
class Question:
    """What is asked on a day. `leans_on` are the questions without which it is not understood.

    `instead_of` is the one in which rules exchanged a thing for that which this one names.
    """

    text: str
    today: date = field(default_factory=date.today)
    leans_on: tuple[Question, ...] = ()
    instead_of: Question | None = None

    language = cached_property(lambda own: own._language())  # which its answer gets
    words = cached_property(lambda own: tuple(words.words(own.text)))
    content_words = cached_property(lambda own: tuple(words.content_words(own.text)))
    stems = cached_property(lambda own: frozenset(map(words.stem, own.content_words)))
    names_by_word = cached_property(lambda own: lexicon.names_by_word(own.text, own.language))
    synonyms = cached_property(lambda own: lexicon.synonyms(own.text, own.language))
    names = cached_property(lambda own: tuple(names.capitalised(own.text)))  # their words
    owners = cached_property(lambda own: own._owners())  # the stems of whose something is
    numbers = cached_property(lambda own: frozenset(figures.numbers(own.text)))
    period = cached_property(lambda own: periods.find_period(own.text, own.today))  # the first

    @cached_property
    def codes(self) -> frozenset[str]:
        """The words with digits behind a letter, such as E07, as stems; else those it leans on."""
        known = (word for word in self.content_words if word[0].isalpha())
        own = frozenset(words.stem(word) for word in known if words.has_digit(word))
        return own or frozenset().union(*(asked.codes for asked in self.leans_on))

    def _owners(self) -> frozenset[str]:
        """Return the stems of names behind which 's stands: "emil's birthday", no "dog's"."""
        said = (match[1] for match in _OWNER.finditer(self.text))
        return frozenset(words.stem(w.lower()) for w in said if not lexicon.synonyms(w))

    def _language(self) -> str:
        """Return its own language where that is certain, else that of the talk."""
        own = certain_language(self.text) if self.leans_on else None
        return own or language_of(self.whole.text)

    def __str__(self) -> str:
        return self.text

    def saying(self, text: str) -> Question:
        """Return the question in other words."""
        return self if text == self.text else replace(self, text=text)

    @cached_property
    def whole(self) -> Question:
        """The question with those that it leans on behind it, as search and the reader take it."""
        before = " ".join(f"({asked})" for asked in self.leans_on)
        return replace(self, text=f"{self} {before}", leans_on=()) if before else self

    @cached_property
    def exchanged(self) -> Question | None:
        """The question before, where this asks the same of another thing: "and for juniors?"."""
        before = self.leans_on[-1] if self.leans_on else None
        said = words.words(_OPENING.sub("", words.fold(self.text)))
        return self.instead_of or (before if listed("asking").isdisjoint(said) else None)

    @cached_property
    def parts(self) -> tuple[Question, ...]:
        """The questions that one asks about one thing, each with what says about what.

        "where is it kept, and until when is it good": the second one with the first in brackets,
        as the reader takes what leans on another. "when and where is it": both with all that is
        behind them. Itself alone, if it asks one thing, or leans on another question.
        """
        cuts = list(_NEXT_PART.finditer(self.text))
        if not cuts or self.leans_on:
            return (self,)
        first, later = self.text[: cuts[0].start()].strip(), self.text[cuts[0].end() :].strip()
        if not set(words.words(first)) - listed("asking"):
            behind = later[cuts[0].end("asks") - cuts[0].end() :]
            return self.saying(f"{first}{behind}"), self.saying(later)
        ends = [cut.start() for cut in cuts[1:]] + [len(self.text)]
        rest = (self.text[cut.end() : end].strip() for cut, end in zip(cuts, ends, strict=True))
        return self.saying(first), *(self.saying(f"{part} ({first})") for part in rest)

    @cached_property
    def undated(self) -> str:
        """Its text without the period."""
        return self.period.outside(self.text) if self.period else self.text

    @cached_property
    def iso_dated(self) -> Question:
        """The question with its days in ISO form, as tables and file names write them."""
        return self.saying(periods.iso_dated(self.text))

    @cached_property
    def explained(self) -> Question:
        """The question with plain dates behind a period that counts from today."""
        return self.saying(periods.explained(self.text, self.today))
