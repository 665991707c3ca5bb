"""The languages that an index holds, and its words in those that write compounds as one.

A question is read in these languages, and compounds are looked for among these words. Both are
counted as passages are written and kept in a file beside the tables (`vocabulary.json`); where that
is lost, or was never written, it is counted anew from the tables. Words of passages that are gone
stay until then: they find nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from manole.index import compounds, durability
from manole.index.analysis import asked, placed_terms, stem
from manole.index.words import fold

FILE = "vocabulary.json"
FORMAT = 1
GROWN = 1.25  # times as many passages, after which it is written though a sync goes on
DEFAULT = "en"


@dataclass(frozen=True, slots=True)
class Reading:
    """A question as full-text search reads it, in the languages of the index.

    `exact` are the terms of its words, `related` those of their compounds and parts.
    """

    exact: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    def places(self, text: str) -> list[tuple[int, int, str]]:
        """Where its words stand in a text, in other forms and compounds, too, and which it is."""
        wanted = {*self.exact, *self.related}
        found: list[tuple[int, int, str]] = []
        for start, end, each in placed_terms(text, self.languages):
            which = next((term for term in each if term in wanted), None)
            if which is None:
                continue
            if found and start < found[-1][1]:  # pairs of characters that overlap
                start = found.pop()[0]
            found.append((start, end, which))
        return found


State = tuple[int, int]  # when its file was changed, and its size


class Vocabulary:
    """What is known of the passages of one index."""

    def __init__(
        self,
        languages: Mapping[str, int] | None = None,
        words: Mapping[str, Mapping[str, int]] | None = None,
    ) -> None:
        self.languages = Counter(languages or {})
        self.words = {name: Counter(counts) for name, counts in (words or {}).items()}
        self.written = self.passages  # in the file
        self._compounds: dict[str, compounds.Compounds] = {}

    @property
    def passages(self) -> int:
        """Number of passages that were counted."""
        return sum(self.languages.values())

    def add(self, languages: Iterable[str | None], texts: Iterable[str | None]) -> None:
        """Count passages: their languages, and their terms, separated by blanks."""
        for language, text in zip(languages, texts, strict=True):
            if not language:
                continue
            self.languages[language] += 1
            if language in compounds.LANGUAGES:
                words = (term for term in set((text or "").split()) if term.isalpha())
                counts = self.words.setdefault(language, Counter())
                counts.update(term for term in words if len(term) >= compounds.HEAD)
                self._compounds.pop(language, None)

    def read(self, text: str) -> Reading:
        """What a question's words are here."""
        languages = list(self.languages) or [DEFAULT]
        exact = list(dict.fromkeys(form for each in asked(text, languages) for form in each))
        more: dict[str, None] = {}
        for language in self.words:
            known = self._in(language)
            for typed in text.split():
                for form, *_ in asked(typed, [language]):
                    more |= dict.fromkeys([*known.of(form, fold(typed)), *known.parts(form)])
        related = tuple(term for term in more if term not in exact)
        return Reading(tuple(exact), related, tuple(languages))

    def _in(self, language: str) -> compounds.Compounds:
        if language not in self._compounds:
            made = compounds.Compounds(self.words[language], partial(stem, language=language))
            self._compounds[language] = made
        return self._compounds[language]

    def to_json(self) -> str:
        """The text of the file."""
        return json.dumps(
            {"format": FORMAT, "languages": self.languages, "words": self.words},
            ensure_ascii=False,
            separators=(",", ":"),
        )

    def save(self, folder: Path) -> None:
        """Write the file. Raises `OSError`."""
        durability.write_file(folder / FILE, self.to_json())
        self.written = self.passages


def state(folder: Path) -> State | None:
    """Which state the file is in; `None` where there is none."""
    try:
        found = (folder / FILE).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def load(folder: Path) -> Vocabulary | None:
    """What the file in `folder` says; `None` where there is none, or none that makes sense."""
    try:
        kept = json.loads((folder / FILE).read_text("utf-8"))
        if kept["format"] != FORMAT:
            return None
        languages = {str(name): int(count) for name, count in kept["languages"].items()}
        words = {str(name): _counts(counts) for name, counts in kept["words"].items()}
        return Vocabulary(languages, words)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _counts(kept: Mapping[str, int]) -> dict[str, int]:
    return {word: int(count) for word, count in kept.items()}
