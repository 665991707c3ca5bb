"""What Manole says, in the language of whoever reads it.

Inside, every sentence is English: as code writes it, as a conversation and an index keep it, and as
programs, JSON and logs read it. It is said in another language only where it reaches a person, by
`said`. So nothing that is kept has a language, and what was kept long ago is read in any.

A catalog (`de.toml`, one file a language) maps English sentences to others, with a name in braces
for every value: `"{n} files left" = "noch {n} Dateien"`. A sentence is known by matching it whole
against them, the most literal one first; a text of several sentences is said one by one, and what
no catalog knows stays as it is. A value of one letter is a number, `{day}` a day, month or year.
`{why!t}` says the value itself in the language, too: another sentence, a phrase of `[words]`, or a
list of them. Values are never looked into otherwise, so names of files stay what they are; only
numbers and sizes are written as the language writes them.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib.resources import files

LANGUAGES = ("en", "de")
_SPOKEN: ContextVar[str] = ContextVar("spoken", default="en")

_VALUE = re.compile(r"\{(\w+)(!t)?\}")
_AMOUNT = re.compile(r"[\d,]+(?:\.\d+)? (?:[kMGT]?i?B|s)")
_ENDS = re.compile(r"(?<=[.!?])(\s+)")
_COUNT = r"\d[\d,.]*"
_DAY = r"(?:(?:\d\d? )?[A-Z][a-z]+ )?\d{4}(?:-\d\d-\d\d)?"  # or a month, or a year
_ANY = r"(?:“[^”]*”|(?!; ).)+?"
_RUN = 4  # sentences that a catalog may have in one
_LONGEST = 2000  # characters of a text; beyond it is no sentence of ours
_OUTSIDE = r"(?![^“]*”)"  # what is quoted
_PARTS = re.compile(f"(; |, ){_OUTSIDE}")
_PAIRS = re.compile(f"( or | and ){_OUTSIDE}")


class Catalog:
    """The sentences of one language."""

    def __init__(self, given: Mapping[str, Mapping[str, str]]) -> None:
        self._sentences = _Patterns(given["sentences"])
        self._words = _Patterns(given["words"])
        self._joints = given["joints"]
        self._signs = str.maketrans(dict(given["signs"]))
        self.said = lru_cache(4096)(self._said)

    def _said(self, text: str) -> str:
        return self._known(text) or text

    def _known(self, text: str) -> str | None:
        """A text as one sentence, as several, or in parts; `None` where nothing of it is known."""
        parts = _ENDS.split(text)
        if len(parts) == 1:
            return self.sentence(text) or self._in_parts(text)
        told, left = self._one_by_one(parts, longest=False)
        if left:
            told, left = self._one_by_one(parts, longest=True)
        return told if left < (len(parts) + 1) // 2 else None

    def _one_by_one(self, parts: Sequence[str], *, longest: bool) -> tuple[str, int]:
        """Sentences and the blanks between them, in runs; and how many stayed as they were."""
        told: list[str] = []
        at = left = 0
        while at < len(parts):
            ends = range(at + 1, min(at + 2 * _RUN, len(parts) + 1), 2)
            for end in reversed(ends) if longest else ends:
                known = self.sentence("".join(parts[at:end]))
                if known is not None:
                    break
            else:
                end, known = at + 1, self._in_parts(parts[at])
            left += known is None
            told += [known or parts[at], *parts[end : end + 1]]
            at = end + 1
        return "".join(told), left

    def _in_parts(self, text: str) -> str | None:
        parts = text.split("; ")
        known = [self.sentence(part) for part in parts]
        if len(parts) == 1 or not any(known):
            return None
        return "; ".join(new or old for new, old in zip(known, parts, strict=True))

    def sentence(self, text: str) -> str | None:
        """A text that is one sentence of the catalog; `None` where it is none."""
        return self._whole(text, self._sentences)

    def _whole(self, text: str, patterns: _Patterns) -> str | None:
        found = patterns.find(text)
        if found is None:
            return None
        told, values = found
        return _VALUE.sub(lambda m: self._value(m[1], values[m[1]], said=m[2] is not None), told)

    def _value(self, name: str, value: str, *, said: bool) -> str:
        if len(name) == 1 or _AMOUNT.fullmatch(value):
            return value.translate(self._signs)
        return self.phrase(value) if said else value

    def phrase(self, text: str) -> str:
        """A value: a sentence, or phrases with joints between them, as far as they are known."""
        if (known := self._known(text)) is not None:
            return known
        parts = _PARTS.split(text)
        if len(parts) > 1:
            return "".join(self._joints.get(part) or self.phrase(part) for part in parts)
        pairs = _PAIRS.split(text)
        if len(pairs) > 1 and all(self._whole(part, self._words) for part in pairs[::2]):
            return "".join(self._joints.get(part) or self.phrase(part) for part in pairs)
        return self._whole(text, self._words) or text


class _Patterns:
    """Sentences with values in braces, found by one that has them filled in."""

    def __init__(self, sentences: Mapping[str, str]) -> None:
        self._fixed = {key: told for key, told in sentences.items() if not _VALUE.search(key)}
        open_ = sorted(set(sentences) - set(self._fixed), key=_literal, reverse=True)
        self._open = [(max(_pieces(key), key=len), _pattern(key), sentences[key]) for key in open_]

    def find(self, text: str) -> tuple[str, dict[str, str]] | None:
        if (told := self._fixed.get(text)) is not None:
            return told, {}
        if len(text) > _LONGEST:
            return None
        for piece, pattern, told in self._open:
            if piece in text and (match := pattern.fullmatch(text)):
                return told, match.groupdict()
        return None


def _pieces(key: str) -> list[str]:
    """What stands between the values of a sentence."""
    return _VALUE.split(key)[::3]


def _literal(key: str) -> int:
    return sum(map(len, _pieces(key)))


def _pattern(key: str) -> re.Pattern[str]:
    parts = _VALUE.split(key)
    text = re.escape(parts[0])
    for name, rest in zip(parts[1::3], parts[3::3], strict=True):
        kind = _COUNT if len(name) == 1 else _DAY if name.startswith("day") else _ANY
        text += f"(?P<{name}>{kind}){re.escape(rest)}"
    return re.compile(text, re.DOTALL)


@cache
def catalog(language: str) -> Catalog:
    """The catalog of a language other than English."""
    text = files(__name__).joinpath(f"{language}.toml").read_text("utf-8")
    return Catalog(tomllib.loads(text))


def said(text: str) -> str:
    """An English text in the language that is spoken here, as far as it has the sentences."""
    language = _SPOKEN.get()
    return text if language == "en" else catalog(language).said(text)


def speak(language: str) -> None:
    """From here on, in this task and those it begins, `said` speaks this one of `LANGUAGES`."""
    _SPOKEN.set(language)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak a language for a while."""
    before = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(before)


def accepted(header: str) -> str:
    """The language that an `Accept-Language` header likes best of those there are."""
    wishes = (part.partition(";") for part in header.split(","))
    ranked = sorted(((_quality(quality), tag) for tag, _, quality in wishes), key=lambda w: -w[0])
    return _first(tag for quality, tag in ranked if quality > 0)


def of_environment() -> str:
    """The language that the terminal's locale names."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return _first(name for name in [next(filter(None, names), "")])


def _first(tags: Iterable[str]) -> str:
    codes = (re.split(r"[-_.@]", tag.strip().lower())[0] for tag in tags)
    return next((code for code in codes if code in LANGUAGES), "en")


def _quality(text: str) -> float:
    found = re.fullmatch(r"\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*", text)
    return float(found[1]) if found else 1.0
