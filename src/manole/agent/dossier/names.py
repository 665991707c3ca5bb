"""Names as they are written: which words of a text name somebody or something.

A word counts without regard to case and accents (`Müller`, `MUELLER`), with a genitive's s. A word
that nobody is called also counts in its other forms and in compounds (`Heizung`,
`Heizungen`, `Heizungswartung`). Of several words (`Jonas Linde`) all stand beside each other, in
any order; one alone counts too where nobody else has it.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

from manole.agent.dossier.model import Other
from manole.documents.fields.issuers import LEGAL_FORM
from manole.text import compounds
from manole.text.analysis import forms as stems_of
from manole.text.analysis import stem
from manole.text.lists import listed
from manole.text.names import names
from manole.text.words import STOP, fold, path_words

MOST = 4  # words of a name
_TITLES = listed("titles") | {"und", "and", "et"}
_ARTICLES = listed("articles")
_WORD = re.compile(r"[^\W_]+")
_ADDRESS = re.compile(r"\S+@\S+|(?:https?://|www\.)\S+")  # written small, whoever it is of
_JOINED = re.compile(r"\s(?:and|und|et|y|e|en)\s")
_SPELT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_BETWEEN = 2  # places from one word to the next: "Jonas M. Linde"
_LEAST = 4  # letters of a word that has compounds, or others that are spelt alike
_ALIKE, _NEAR = 0.8, 0.7  # likeness of names beside the one that is there, and where none is
_SHOWN = 5  # of such names


@lru_cache(maxsize=100_000)
def spellings(word: str) -> tuple[str, ...]:
    """Return a word folded, and as it is written without umlauts: `muller`, `mueller`."""
    plain = fold(word)
    return (plain,) if word.isascii() else tuple({plain, fold(word.lower().translate(_SPELT))})


def tokens(text: str) -> list[str]:
    """Return the words of a text as written; signs, `_` and apostrophes part them."""
    return _WORD.findall(text)


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name as written, without titles, legal forms and small words."""
    bare = LEGAL_FORM.sub(" ", name)
    own = [word for word in tokens(bare) if fold(word) not in _TITLES | _ARTICLES]
    return tuple(word for word in own if fold(word) not in STOP and len(word) > 1)


def _bare(name: str) -> tuple[str, ...]:
    """Return the words of a name that is made of small words, such as `Will` or `May`."""
    return tuple(w for w in tokens(name) if len(w) > 1 and fold(w) not in _TITLES | _ARTICLES)


def identity(name: str) -> frozenset[str]:
    """Return what a name is compared by: its words in one spelling."""
    return frozenset(fold(word.lower().translate(_SPELT)) for word in words_of(name))


@dataclass
class Spoken:
    """The words of a library.

    `counts` by folded word; `lower` are those that stand somewhere without a capital or behind an
    article; `german` those of texts in languages with compounds. `known` are names with a place of
    their own: of firms, senders, people, contacts.
    """

    counts: Counter[str] = field(default_factory=Counter)
    lower: set[str] = field(default_factory=set)
    german: Counter[str] = field(default_factory=Counter)
    languages: set[str] = field(default_factory=set)
    known: Counter[str] = field(default_factory=Counter)

    def add(self, text: str, language: str) -> None:
        """Count the words of a text."""
        before = ""
        for word in tokens(_ADDRESS.sub(" ", text)):
            for form in spellings(word):
                self.counts[form] += 1
                if word[0].islower() or before in _ARTICLES:
                    self.lower.add(form)
                if language in compounds.LANGUAGES:
                    self.german[form] += 1
            before = word.lower()

    @property
    def called(self) -> frozenset[str]:
        """The words of known names, in all spellings."""
        words = (word for name in self.known for word in words_of(name))
        return frozenset(form for word in words for form in spellings(word))

    def forms(self, word: str, called: frozenset[str], genitive: bool) -> frozenset[str]:
        """Return the words that name the same as `word`; `called` are those of known names."""
        base = set(spellings(word))
        found = base | {f"{form}s" for form in base if genitive and f"{form}s" not in called}
        if not base & called and (base & self.lower or not base & self.counts.keys()):
            found |= self._inflected(base, called)
        return frozenset(found)

    def _inflected(self, base: Collection[str], called: frozenset[str]) -> set[str]:
        found = set[str]()
        for language in self.languages:
            ends = {s for form in base for s in stems_of(form, language)}
            alike = (w for w in self.counts for form in base if w[:3] == form[:3])
            found |= {w for w in alike if ends & set(stems_of(w, language))}
            if language in compounds.LANGUAGES:
                found |= self._compounds(base, partial(stem, language=language))
        return found - called

    def _compounds(self, base: Collection[str], stemmed: compounds.Stem) -> set[str]:
        by_stem: dict[str, set[str]] = {}
        for word in self.german:
            by_stem.setdefault(stemmed(word), set()).add(word)
        known = compounds.Compounds({s: len(of) for s, of in by_stem.items()}, stemmed)
        asked = {stemmed(form): form for form in base if len(form) >= _LEAST}
        question = known.read(asked)
        held = (one for s, form in asked.items() for one in question.compounds(s, form))
        return {word for one in held for word in by_stem.get(one, ())}


@dataclass(frozen=True)
class Name:
    """A name that is looked for: for each of its words those that are it, and which count alone."""

    typed: tuple[str, ...]
    words: tuple[frozenset[str], ...]
    alone: frozenset[int] = frozenset()

    @classmethod
    def read(cls, name: str, spoken: Spoken, *, genitive: bool = True) -> Name:
        """Return a name as this library writes it; without words it names nothing.

        In the cell of a table there is no `genitive`: `Kramers` there is somebody else.
        """
        typed = words_of(name)[:MOST] or _bare(name)[:MOST]
        called = spoken.called
        words = tuple(spoken.forms(word, called, genitive) for word in typed)
        if len(words) < 2:
            return cls(typed, words)
        asked = identity(name)
        others = [own for other in spoken.known if (own := identity(other))]
        alone = {
            n for n, word in enumerate(typed)
            if words[n] & spoken.counts.keys() and not words[n] & spoken.lower
            and all(own <= asked or asked <= own for own in others if identity(word) <= own)
        }  # fmt: skip
        return cls(typed, words, frozenset(alone))

    def stands(self, text: str) -> bool:
        """Return whether a text names it."""
        at: list[list[int]] = [[] for _ in self.words]
        for place, word in enumerate(tokens(text)):
            for n, forms in enumerate(self.words):
                if not forms.isdisjoint(spellings(word)):
                    if len(self.words) == 1 or n in self.alone:
                        return True
                    at[n].append(place)
        return bool(at) and all(at) and _close(at)

    def surface(self, texts: Iterable[str], spoken: Spoken) -> str:
        """Return the name as it is mostly written: in a place of its own, else in these texts."""
        whole = not self.alone  # else a word may be none of the name: "Pippa the cat"
        own = [o for o in spoken.known if self.stands(o) and len(identity(o)) == len(self.words)]
        if own and len(self.words) > 1:
            return max(own, key=lambda one: (not one.isupper(), spoken.known[one]))
        each = [Counter[str]() for _ in self.words]
        for word in (word for text in texts for word in tokens(text)):
            for n, typed in enumerate(self.typed):
                if not set(spellings(typed)).isdisjoint(spellings(word)):
                    each[n][word] += 1
        kept = [n for n in range(len(each)) if whole or n in self.alone]
        return " ".join(max(each[n], key=each[n].__getitem__, default=self.typed[n]) for n in kept)


def _close(at: Sequence[Sequence[int]]) -> bool:
    """Return whether words follow each other, one more between them at most, or reversed."""
    for first in at[0]:
        places, back = [first], [first]
        for own in at[1:]:
            places += [p for p in own if 0 < p - places[-1] <= _BETWEEN][:1]
            back += [p for p in own if back[-1] - p == 1][:1]
        if len(at) in {len(places), len(back)}:
            return True
    return False


def fuller(name: Name, spoken: Spoken, texts: Iterable[str]) -> list[Other]:
    """Return the longer names that have this one, most frequent first: persons of one surname."""
    said = Counter(m[0] for text in texts for m in names(text, whole=True)
                   if "\n" not in m[0] and name.stands(m[0]))  # fmt: skip
    written: dict[frozenset[str], Counter[str]] = {}
    for other, count in (*spoken.known.items(), *said.items()):
        own = identity(other)
        sure = other in spoken.known or count > 1
        if len(own) > len(name.words) and sure and name.stands(other):
            written.setdefault(own, Counter())[" ".join(other.split())] += count
    for own, called in list(written.items()):  # "Mara and Jonas Linde" are two
        if len(written) > 1 and all(_JOINED.search(one) for one in called):
            del written[own]
    found = (Other(c.most_common(1)[0][0], c.total()) for c in written.values())
    return sorted(found, key=lambda o: (-o.count, o.name))[:_SHOWN]


def near(name: str, spoken: Spoken, paths: Iterable[str] = ()) -> list[Other]:
    """Return other names that are spelt like this one, the likest first.

    `paths` are of files, whose names count too where nothing has the name itself.
    """
    typed = [form for word in words_of(name) for form in spellings(word)]
    own = {word: other for other in spoken.known for word in _folded(words_of(other))}
    proper = {w for w in spoken.counts if w not in spoken.lower and w.isalpha()}
    there = any(word in spoken.counts for word in typed)
    known = own if there else {w: w.capitalize() for w in proper | _in(paths)} | own
    found: dict[str, Other] = {}
    for word in typed:
        like = [w for w in known if len(w) >= _LEAST and w not in typed and w[:1] == word[:1]]
        for one in difflib.get_close_matches(word, like, _SHOWN, _ALIKE if there else _NEAR):
            shown = known[one]
            found.setdefault(shown, Other(shown, spoken.counts[one] or 1))
    return list(found.values())[:_SHOWN]


def _folded(words: Iterable[str]) -> set[str]:
    return {fold(word) for word in words}


def _in(paths: Iterable[str]) -> set[str]:
    return {w for path in paths for w in _folded(tokens(path_words(path))) if len(w) >= _LEAST}
