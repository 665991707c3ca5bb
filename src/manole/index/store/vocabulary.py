"""The languages of an index, and its words in those that write compounds as one word.

A question is read in these languages, and compounds are looked up among these words. Both are
counted as passages are written, and kept in a file beside the tables (`vocabulary.json`); if that
is missing they are counted anew from the tables. Words of deleted passages stay until then; they
find nothing.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manole.files import read_json, write_file
from manole.text import compounds
from manole.text.analysis import asked, placed_terms, stem
from manole.text.words import fold

if TYPE_CHECKING:
    import pyarrow as pa

    from manole.index.store.lance_tables import LanceTables

FILE = "vocabulary.json"
FORMAT = 1
GROWN = 1.25  # growth in passages after which a sync writes it meanwhile; set by hand
DEFAULT = "en"
FEW = 4  # words, set by hand: with more in a question, fewer compounds are sought for each


@dataclass(frozen=True, slots=True)
class Reading:
    """A question as full-text search reads it, in the languages of the index.

    `exact` are the terms of its words, `related` those of their compounds and parts, each with its
    weight from 0 to 1.
    """

    exact: tuple[str, ...] = ()
    related: tuple[tuple[str, float], ...] = ()
    languages: tuple[str, ...] = ()

    def places(self, text: str) -> list[tuple[int, int, str]]:
        """Return the start, the end and the term of each of its words in a text, in any form."""
        wanted = {*self.exact, *(term for term, _ in self.related)}
        found: list[tuple[int, int, str]] = []
        for start, end, each in placed_terms(text, self.languages):
            which = next((term for term in each if term in wanted), None)
            if which is None:
                continue
            if found and start < found[-1][1]:  # pairs of characters that overlap
                start = found.pop()[0]
            found.append((start, end, which))
        return found


State = tuple[int, int]  # modified time and size of the file


class Vocabulary:
    """The languages and words of the passages of one index."""

    def __init__(
        self,
        languages: Mapping[str, int] | None = None,
        words: Mapping[str, Mapping[str, int]] | None = None,
    ) -> None:
        self.languages = Counter(languages or {})
        self.words = {name: Counter(counts) for name, counts in (words or {}).items()}
        self.written = self.passages  # the number of passages that the file counts
        self._compounds: dict[str, compounds.Compounds] = {}

    @property
    def passages(self) -> int:
        """The number of passages that were counted."""
        return sum(self.languages.values())

    def add(self, languages: Iterable[str | None], texts: Iterable[str | None]) -> None:
        """Count passages, given their languages and their terms (separated by blanks)."""
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
        """Read a question's words as terms of this index."""
        languages = list(self.languages) or [DEFAULT]
        exact = list(dict.fromkeys(form for each in asked(text, languages) for form in each))
        most = compounds.MOST // max(1, len(exact) // FEW)
        related: dict[str, float] = {}
        for language in self.words:
            each = [
                (word[0], fold(typed))
                for typed in dict.fromkeys(text.split())
                for word in asked(typed, [language])
            ]
            known = self._in(language).read([word for word, _ in each])
            for word, typed in each:
                for term, weight in self._related(known, word, typed, most):
                    related[term] = max(weight, related.get(term, 0.0))
        others = tuple(item for item in related.items() if item[0] not in exact)
        return Reading(tuple(exact), others, tuple(languages))

    def _related(
        self, known: compounds.Question, word: str, typed: str, most: int
    ) -> Iterator[tuple[str, float]]:
        """Yield compounds and parts of a word, with their weights beside the word itself.

        A question for `Vertrag` asks for any contract, so a rare compound counts as much as all of
        them together, not as a rare word. BM25 would weigh each by its own rarity.
        """
        found = known.compounds(word, typed)[:most]
        common = self._rarity(sum(known.counts.get(term, 0) for term in (word, *found)))
        for term in found:
            yield term, min(1.0, common / self._rarity(known.counts[term]))
        for term in known.parts(word):
            yield term, 1.0

    def _rarity(self, count: int) -> float:
        """Return the inverse document frequency of BM25 (Lucene's, never below zero)."""
        return math.log1p((max(self.passages - count, 0) + 0.5) / (count + 0.5))

    def _in(self, language: str) -> compounds.Compounds:
        if language not in self._compounds:
            made = compounds.Compounds(self.words[language], partial(stem, language=language))
            self._compounds[language] = made
        return self._compounds[language]

    def to_json(self) -> str:
        """Return the text of the file."""
        return json.dumps(
            {"format": FORMAT, "languages": self.languages, "words": self.words},
            ensure_ascii=False,
            separators=(",", ":"),
        )


def state(folder: Path) -> State | None:
    """Return the state of the file; `None` without one."""
    try:
        found = (folder / FILE).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def save(folder: Path, text: str) -> State | None:
    """Write the file (`Vocabulary.to_json`). Raises `OSError`."""
    write_file(folder / FILE, text)
    return state(folder)


def load(folder: Path) -> Vocabulary | None:
    """Read the file in `folder`; `None` if it is missing or malformed."""
    return read_json(folder / FILE, _read)


def _read(kept: Any) -> Vocabulary:
    if kept["format"] != FORMAT:
        raise ValueError("another format")
    words = {str(name): _counts(counts) for name, counts in kept["words"].items()}
    return Vocabulary(_counts(kept["languages"]), words)


def _counts(kept: Mapping[str, int]) -> dict[str, int]:
    return {str(word): int(count) for word, count in kept.items()}


class KeptVocabulary:
    """The vocabulary of a library's tables, in memory and in its file.

    It is read at the first question, and counted while a writer writes.
    """

    def __init__(self, tables: LanceTables) -> None:
        self._tables = tables
        self._path = tables.path
        self._known: Vocabulary | None = None  # read at the first question
        self._read: State | None = None  # the state of its file that was read
        self._counting = False  # a writer, which knows more than the file

    async def vocabulary(self) -> Vocabulary:
        """Return the vocabulary from memory, from its file, or counted from the tables."""
        now = await asyncio.to_thread(state, self._path)
        if self._known is None or (now != self._read and not self._counting):
            self._known = await asyncio.to_thread(load, self._path)
            self._read = now
        if self._known is None:
            self._known = await self._counted()
        return self._known

    async def begin(self, *, settled: bool) -> None:
        """Begin to count for a writer; unless `settled`, count all that is there first."""
        self._known = await self.vocabulary() if settled else await self._counted()
        self._counting = True

    def end(self) -> None:
        """End the counting for a writer."""
        self._counting = False

    async def learn(self, written: pa.Table) -> None:
        """Count rows that were written; write the file once they are many."""
        known = await self.vocabulary()
        known.add(written["language"].to_pylist(), written["terms"].to_pylist())
        if known.passages > GROWN * known.written:
            await self.keep()

    async def keep(self) -> None:
        """Write the file, if anything has changed."""
        known = self._known
        if known is not None and known.passages != known.written:
            known.written, text = known.passages, known.to_json()
            self._read = await asyncio.to_thread(save, self._path, text)

    async def _counted(self) -> Vocabulary:
        made = Vocabulary()
        query = self._tables["passages"].query().select(["language", "terms"])
        async for batch in await query.to_batches():
            made.add(batch["language"].to_pylist(), batch["terms"].to_pylist())
        return made
