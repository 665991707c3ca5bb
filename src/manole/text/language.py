"""The language of a question, which its answer gets, and the languages of passages."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from manole.text.lists import lines
from manole.text.words import fold, words

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

# The languages of answers (`agent/answer/languages`). Among few, short questions are recognized far
# better: 225 of 225 questions of about eight words in six languages.
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt")

SURE = 0.7  # probability among `LANGUAGES`; a word or two could be of any
MAYBE = 0.5  # the same where no word decides
OTHER = 0.9  # probability of another language: Swedish must not be taken for German
CERTAIN = 0.95  # probability among all languages; tables, names and programs stay below
UNKNOWN = "unknown"
NONE = ("zxx", "und")  # py3langid's names for text in no language, or in an unknown one
LETTERS = 60  # of a passage, at least
SAID = 40  # letters of an answer, at least
NOT_LATIN = "\u0370"  # the first letter after the Latin ones
CHARACTERS = 600  # of a passage that are looked at: 0.1 ms
_LOADING = threading.Lock()


def language_of(text: str) -> str:
    """Return the likeliest of `LANGUAGES` (ISO 639-1) for a text.

    Of a few words ("hoe oud is Ida") those decide that every sentence needs: of 9,650 questions of
    up to five words 9,339 are told right by them, 8,890 without. English in doubt, and for a text
    in any other language.
    """
    language, chance = _likeliest(text)
    if chance >= SURE:
        return language
    said = [fold(word) for word in words(text)]
    held = {code: sum(word in _function_words(code) for word in said) for code in LANGUAGES}
    most = [code for code, count in held.items() if count == max(held.values()) > 0]
    if language in most or (not most and chance >= MAYBE):
        return language
    return most[0] if len(most) == 1 else LANGUAGES[0]


def certain_language(text: str) -> str | None:
    """Return the certain one of `LANGUAGES` for a text of at least `SAID` letters, if any."""
    if sum(map(str.isalpha, text)) < SAID:
        return None
    language, chance = _likeliest(text)
    return language if chance >= CERTAIN else None


@cache
def _function_words(language: str) -> frozenset[str]:
    return frozenset(fold(word) for line in lines("stop", language) for word in line)


def _likeliest(text: str) -> tuple[str, float]:
    """Return the likeliest of `LANGUAGES` and its probability; 0 if another one is likelier."""
    if not any(map(str.isalpha, text)):
        return LANGUAGES[0], 0.0
    try:
        chances: dict[str, float] = dict(_identifier().rank(text[:CHARACTERS]))
    except OSError:  # the model is unpacked into a file, and the disk is full
        return LANGUAGES[0], 0.0
    first = max(chances, key=chances.__getitem__)
    known = {language: chances[language] for language in LANGUAGES}
    best, total = max(known, key=known.__getitem__), sum(known.values())
    other = first not in known and chances[first] >= OTHER
    return best, 0.0 if other or not total else known[best] / total


def _identifier() -> LanguageIdentifier:
    with _LOADING:
        return _loaded()


@cache
def _loaded() -> LanguageIdentifier:
    """Load the model, which takes 0.4 s and 74 MB."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # only where it is needed

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def be_ready() -> None:
    """Load the model before a question needs it."""
    with contextlib.suppress(OSError):
        _identifier()


def count_languages(texts: Iterable[str]) -> Counter[str]:
    """Count the texts in each language (ISO 639) of all known ones, or `UNKNOWN`."""
    return Counter(_certain(text) or UNKNOWN for text in texts)


def languages_of(texts: Sequence[str]) -> list[str]:
    """Return the language (ISO 639) of each passage of a file, of all known languages.

    An uncertain passage gets the language of most others; if none is certain, the likeliest of
    `LANGUAGES` for the file's beginning, English in doubt. A passage in other letters than Latin
    keeps its own, because few languages share such letters.
    """
    found = [_certain(text) or _by_letters(text) for text in texts]
    most = Counter(filter(None, found)).most_common(1)
    rest = most[0][0] if most else language_of("\n".join(texts)[:CHARACTERS])
    return [language or rest for language in found]


def _certain(text: str) -> str | None:
    if sum(map(str.isalpha, text[:CHARACTERS])) < LETTERS:
        return None
    return _classified(text, CERTAIN)


def _by_letters(text: str) -> str | None:
    """Return the likeliest language of a text that is mostly in other letters than Latin."""
    letters = list(filter(str.isalpha, text[:CHARACTERS]))
    if 2 * sum(letter >= NOT_LATIN for letter in letters) <= len(letters):
        return None
    return _classified(text, SURE)


def _classified(text: str, least: float) -> str | None:
    """Return the language of a text if its probability is at least this."""
    language, chance = _identifier().classify(text[:CHARACTERS])
    return str(language) if chance >= least and language not in NONE else None
