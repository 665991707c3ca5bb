"""A catalog: English sentences as patterns, and what is said instead.

A catalog (`de.toml`, one file a language) maps English sentences to others, with a name in braces
for every value: `"{n} files left" = "noch {n} Dateien"`. A sentence is known by matching it whole
against them, the most literal one first; a text of several sentences is said one by one, and what
no catalog knows stays as it is. Nothing is split or matched inside “…”.

A value of one letter is a number, `{day}` a day, month or year; the names in `_AMOUNTS` are sizes.
Numbers and sizes are written as the language writes them. `{why!t}` says the value itself in the
language, too: another sentence, a phrase of `[words]`, or a list of them; so a value that is a name
or a list of names never has `!t`. Any other value is not looked into and stays what it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

_VALUE = re.compile(r"\{(\w+)(!t)?\}")
_AMOUNT = re.compile(r"[\d,]+(?:\.\d+)? (?:[kMGT]?i?B|s)")
_AMOUNTS = {"free", "memory", "most", "need", "old", "room", "size"}
_COUNT = r"\d[\d,.]*"
_DAY = r"(?:(?:\d\d? )?[A-Z][a-z]+ )?\d{4}(?:-\d\d-\d\d)?"  # or a month, or a year
_ANY = r"(?:“[^”]*”|(?!; )[^“]|“(?![^”]*”))+?"  # what is quoted is one piece of it
_RUN = 4  # sentences that a catalog may have in one
_LONGEST = 2000  # characters of a text; beyond it is no sentence of ours
_DEEPEST = 8  # values in values
_OUTSIDE = r"(?![^“]*”)"  # what is quoted
_ENDS = re.compile(rf"(?<=[.!?])(\s+){_OUTSIDE}")
_CLAUSES = re.compile(f"; {_OUTSIDE}")
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
        return text if len(text) > _LONGEST else self._known(text) or text

    def _known(self, text: str, depth: int = 0) -> str | None:
        """A text as one sentence, as several, or in parts; `None` where nothing of it is known."""
        parts = _ENDS.split(text)
        if len(parts) == 1:
            return self.sentence(text, depth) or self._in_parts(text, depth)
        told, left = self._one_by_one(parts, depth, longest=False)
        if left:
            told, left = self._one_by_one(parts, depth, longest=True)
        return told if left < (len(parts) + 1) // 2 else None

    def _one_by_one(self, parts: Sequence[str], depth: int, *, longest: bool) -> tuple[str, int]:
        """Sentences and the blanks between them, in runs; and how many stayed as they were."""
        told: list[str] = []
        at = left = 0
        while at < len(parts):
            ends = range(at + 1, min(at + 2 * _RUN, len(parts) + 1), 2)
            for end in reversed(ends) if longest else ends:
                known = self.sentence("".join(parts[at:end]), depth)
                if known is not None:
                    break
            else:
                end, known = at + 1, self._in_parts(parts[at], depth)
            left += known is None
            told += [known or parts[at], *parts[end : end + 1]]
            at = end + 1
        return "".join(told), left

    def _in_parts(self, text: str, depth: int) -> str | None:
        parts = _CLAUSES.split(text)
        known = [self.sentence(part, depth) for part in parts]
        if len(parts) == 1 or not any(known):
            return None
        return "; ".join(new or old for new, old in zip(known, parts, strict=True))

    def sentence(self, text: str, depth: int = 0) -> str | None:
        """A text that is one sentence of the catalog; `None` where it is none."""
        return self._whole(text, self._sentences, depth)

    def _whole(self, text: str, patterns: _Patterns, depth: int) -> str | None:
        found = patterns.find(text)
        if found is None:
            return None
        told, values = found

        def value(match: re.Match[str]) -> str:
            name, said = match.groups()
            if len(name) == 1 or (name in _AMOUNTS and _AMOUNT.fullmatch(values[name])):
                return values[name].translate(self._signs)
            return self.phrase(values[name], depth + 1) if said else values[name]

        return _VALUE.sub(value, told)

    def phrase(self, text: str, depth: int = 0) -> str:
        """A value: a sentence, or phrases with joints between them, as far as they are known."""
        if depth > _DEEPEST:
            return text
        if (known := self._known(text, depth)) is not None:
            return known
        for joint in (_PARTS, _PAIRS):
            parts = joint.split(text)
            if len(parts) > 1 and (joint is _PARTS or all(map(self._is_words, parts[::2]))):
                said = (self._joints.get(part) or self.phrase(part, depth) for part in parts)
                return "".join(said)
        return self._whole(text, self._words, depth) or text

    def _is_words(self, text: str) -> bool:
        return self._words.find(text) is not None


class _Patterns:
    """Sentences with values in braces, found by one that has them filled in."""

    def __init__(self, sentences: Mapping[str, str]) -> None:
        self._fixed = {key: told for key, told in sentences.items() if not _VALUE.search(key)}
        open_ = sorted(set(sentences) - set(self._fixed), key=_literal, reverse=True)
        self._open = [(max(_pieces(key), key=len), _pattern(key), sentences[key]) for key in open_]

    def find(self, text: str) -> tuple[str, dict[str, str]] | None:
        if (told := self._fixed.get(text)) is not None:
            return told, {}
        for piece, pattern, told in self._open:
            if piece in text and (match := pattern.fullmatch(text)):
                return told, match.groupdict()
        return None


def _pieces(key: str) -> list[str]:
    """Return the texts between the values of a sentence."""
    return _VALUE.split(key)[::3]


def _literal(key: str) -> int:
    return sum(map(len, _pieces(key)))


def _pattern(key: str) -> re.Pattern[str]:
    """A sentence with its values open.

    A value ends where what follows it, up to the next open one, first stands: this is atomic, as
    with several such values all their ends would be tried with each other.
    """
    parts = _VALUE.split(key)
    chunks = [re.escape(parts[0])]
    for name, rest in zip(parts[1::3], parts[3::3], strict=True):
        kind = _COUNT if len(name) == 1 else _DAY if name.startswith("day") else _ANY
        if kind is _ANY:
            chunks.append("")
        chunks[-1] += f"(?P<{name}>{kind}){re.escape(rest)}"
    inner = (f"(?>{chunk})" for chunk in chunks[1:-1])
    first, last = chunks[0], chunks[-1] if len(chunks) > 1 else ""
    return re.compile(f"{first}{''.join(inner)}{last}", re.DOTALL)
