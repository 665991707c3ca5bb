"""Lines that have a pattern: literal words, whatever their case and accents, or an expression.

A line is looked at by itself, and with the one below: phrases go on over a line's end, and so do
words behind a hyphen. Blanks between the words of a literal pattern may be of any number and sort.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from manole.text.words import SOFT_HYPHEN, fold

Span = tuple[int, int]  # first character, and the one after the last
LONGEST = 20_000  # characters of a line that are looked at; set by hand
HYPHENS = f"-‐¬{SOFT_HYPHEN}"  # behind which a word may go on in the next line
# What keyboards have for what is printed.
_LOOSE = {"'": "['’‘]", '"': '["“”„«»]', "-": "[-‐‑–—]"}


@dataclass(frozen=True)
class LinePattern:
    """A pattern: literal text, or a regular expression (Python's).

    `exact` compares letters as they are, else case and accents make no difference. `whole` leaves
    out what is part of a longer word.
    """

    text: str
    regex: bool = False
    exact: bool = False
    whole: bool = False

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The expression that plain lines are searched with. Raises `re.error` for none."""
        pattern = self._expression if self.regex else self._literal
        edges = rf"(?<!\w)(?:{pattern})(?!\w)" if self.whole else pattern
        return re.compile(edges, re.MULTILINE if self.exact else re.MULTILINE | re.IGNORECASE)

    @property
    def _literal(self) -> str:
        words = self.plain(self.text).split()
        loose = {} if self.exact else _LOOSE
        return r"\s+".join("".join(loose.get(c) or re.escape(c) for c in word) for word in words)

    @property
    def _expression(self) -> str:
        # Only letters are folded: `\S` in lower case is another expression.
        letters = self.text if self.exact else "".join(map(_unaccented, self.text))
        re.compile(letters)  # by itself: "a)(b" is none
        return letters

    def plain(self, text: str) -> str:
        """Return a text as it is compared."""
        return text if self.exact else fold(text)

    def matches(self, texts: Sequence[str], joints: Iterable[bool]) -> Iterator[Match]:
        """Yield each line with the pattern, and each pair of lines that has it over its joint.

        `joints` tells of each line whether the next one follows it directly.
        """
        texts = [text[:LONGEST] for text in texts]
        whole = self.plain("\n".join(texts))
        if not self.regex and not self._stands(whole):
            return
        plain = whole.split("\n")
        for at, (line, follows) in enumerate(zip(plain, joints, strict=True)):
            if spans := self._spans(line):
                yield Match(at, texts[at], self._placed(spans, texts[at], range(len(texts[at]))))
            elif follows and (match := self._over(at, texts, plain)):
                yield match

    def _stands(self, plain: str) -> bool:
        """Return whether a literal pattern stands in a text at all; quick, and sure where not."""
        hyphened = re.compile(rf"[{HYPHENS}]?[^\S\n]*\n\s*")
        search = self.compiled.search
        return bool(search(plain) or search(hyphened.sub("", plain)))

    def _over(self, at: int, texts: Sequence[str], plain: Sequence[str]) -> Match | None:
        """Return the match that begins in a line and ends in the next."""
        above, below = texts[at], texts[at + 1]
        both = f"{above}\n{below}"
        joint = len(above)
        spans = self._spans(f"{plain[at]}\n{plain[at + 1]}")
        if placed := _across(self._placed(spans, both, range(len(both))), both, joint):
            return Match(at, both, placed)
        bare = above.rstrip()
        if not bare.endswith(tuple(HYPHENS)):
            return None
        start = joint + 1 + len(below) - len(below.lstrip())
        kept = [*range(len(bare) - 1), *range(start, len(both))]
        spans = self._spans(self.plain("".join(both[n] for n in kept)))
        placed = _across(self._placed(spans, both, kept), both, joint)
        return Match(at, both, placed) if placed else None

    def _spans(self, plain: str) -> list[Span]:
        return [m.span() for m in self.compiled.finditer(plain) if m.end() > m.start()]

    def _placed(self, spans: list[Span], text: str, kept: Sequence[int]) -> list[Span]:
        """Return spans of what is compared as spans of a text; `kept` are its compared letters."""
        if self.exact or text.isascii() or not spans:
            return [(kept[start], kept[end - 1] + 1) for start, end in spans]
        places = [n for n in kept for _ in fold(text[n])]
        if spans[-1][1] > len(places):  # letters that are composed
            return [(kept[0], kept[-1] + 1)]
        return [(places[start], places[end - 1] + 1) for start, end in spans]


@dataclass(frozen=True, slots=True)
class Match:
    """A line, or two with a line break between them, and where the pattern stands in `text`."""

    at: int
    text: str
    spans: list[Span]


def _across(spans: list[Span], text: str, joint: int) -> list[Span]:
    """Return the spans with words on both sides of a joint."""
    return [
        (start, end)
        for start, end in spans
        if text[start:joint].strip() and start < joint and text[joint:end].strip()
    ]


def _unaccented(letter: str) -> str:
    return letter if letter.isascii() else fold(letter)
