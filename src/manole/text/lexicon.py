"""What things are called in six languages (`lists/lexicon.tsv`), and so what else a text may say.

A line has one thing, a cell for each of `LANGUAGES`, the usual name first, others behind `|`. The
same lines teach the encoders of `training/`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import chain, pairwise

from manole.text.lists import LEXICON
from manole.text.words import SAME, STOP, content_words, fold, singular, stem, words

LANGUAGES = "en", "de", "fr", "es", "it", "nl"

_ASKS_DEGREE = frozenset({"how", "wie", "hoe"})  # before an adjective
_MEANINGS = 2  # things that a word may stand for

Thing = dict[str, tuple[str, ...]]  # its names by language


@cache
def things() -> tuple[Thing, ...]:
    """Return all things."""
    rows = (line.split("\t") for line in LEXICON.read_text("utf-8").splitlines())
    return tuple(
        {lang: tuple(cell.split("|")) for lang, cell in zip(LANGUAGES, row, strict=True)}
        for row in rows
    )


@lru_cache(maxsize=256)  # a question and its marks are asked of each table
def names_by_word(text: str, language: str = "en") -> Mapping[str, tuple[str, ...]]:
    """Return for each content word of `text` other names of what it means, without its own words.

    They are single words of any language. Words that count as equal (`SAME`) are among them,
    because the index stems each language by its own rules. A word that asks for a degree has none:
    "how high is the deposit" is about no height.
    """
    asked = content_words(text)
    degrees = {word for before, word in pairwise(words(text)) if before in _ASKS_DEGREE}
    same = _same()
    own = {*asked, *map(singular, asked)}
    return {
        word: tuple(
            other
            for other in (*_called(singular(word), language), *same.get(stem(word), ()))
            if singular(other) not in own
        )
        for word in asked
        if word not in degrees
    }


def synonyms(text: str, language: str = "en") -> tuple[str, ...]:
    """Return the names of `names_by_word`, each once, as full-text search looks for them."""
    return tuple(dict.fromkeys(chain.from_iterable(names_by_word(text, language).values())))


def whole_names(word: str, language: str = "en") -> tuple[str, ...]:
    """Return all names of the things that a word stands for, of one word or several, folded.

    The word is of that language, or else of any.
    """
    known = (_owners(lang).get(singular(fold(word))) for lang in (language, *LANGUAGES))
    numbers = next(filter(None, known), ())
    cells = (cell for number in numbers for cell in things()[number].values())
    return tuple(dict.fromkeys(fold(name) for cell in cells for name in cell))


@cache
def _same() -> dict[str, tuple[str, ...]]:
    return {stem(word): group for group in SAME for word in group}


def _called(name: str, language: str) -> Iterator[str]:
    """Yield all names of the things that a word stands for, those of the language first."""
    numbers = _owners(language).get(name, ())
    for lang in (language, *LANGUAGES) if numbers else ():
        for number in numbers:
            for other in _words(number, lang):
                if number in _owners(lang)[singular(other)]:
                    yield other


@cache
def _owners(language: str) -> dict[str, tuple[int, ...]]:
    """Return for each name the first things that are usually called so, then those that may be."""
    owners: dict[str, dict[int, None]] = {}
    for most in (1, None):
        for number, thing in enumerate(things()):
            if thing["en"][0] not in STOP:
                for name in _words(number, language)[:most]:
                    owners.setdefault(singular(name), {})[number] = None
    return {name: tuple(found)[:_MEANINGS] for name, found in owners.items()}


@cache
def _words(number: int, language: str) -> tuple[str, ...]:
    """Return the names of a thing in one word."""
    named = (fold(name).removeprefix("to ") for name in things()[number].get(language, ()))
    return tuple(name for name in named if " " not in name)
