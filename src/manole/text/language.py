"""The language of a question, so that its answer is in the same; and those of many passages."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

# Those that answers can be in (`agent/answer/languages`). Among few, a short question is told
# right far more often: 225 of 225 questions of about eight words in six languages.
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt")


SURE = 0.7  # of 1: a word or two could be of any
OTHER = 0.9  # of 1, among all languages: Swedish is not German because it is none of `LANGUAGES`
UNKNOWN = "unknown"
CERTAIN = 0.95  # of 1, among all languages: tables, names and programs are of none
NONE = ("zxx", "und")  # what py3langid calls text that is in no language, or in one it cannot tell
LETTERS = 60  # of a passage, at least
SAID = 40  # letters of an answer, at least
NOT_LATIN = "\u0370"  # the first letter after the Latin ones
_LOADING = threading.Lock()
CHARACTERS = 600  # of a passage that are looked at: 0.1 ms


def language_of(text: str) -> str:
    """The likeliest of `LANGUAGES` (ISO 639-1), by the letters of a text.

    English in doubt, and where the text is in a language that is none of them.
    """
    language, chance = _likeliest(text)
    return language if chance >= SURE else LANGUAGES[0]


def certain_language(text: str) -> str | None:
    """The one of `LANGUAGES` that a text of some `SAID` letters is in beyond doubt, if one is."""
    if sum(map(str.isalpha, text)) < SAID:
        return None
    language, chance = _likeliest(text)
    return language if chance >= CERTAIN else None


def _likeliest(text: str) -> tuple[str, float]:
    """The likeliest of `LANGUAGES` with its chance among them: 0 where another one is likelier."""
    if not any(map(str.isalpha, text)):
        return LANGUAGES[0], 0.0
    try:
        chances: dict[str, float] = dict(_identifier().rank(text[:CHARACTERS]))
    except OSError:  # it is unpacked into a file, and no disk takes one
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
    """What tells languages: 0.4 s to load, 74 MB."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # who tells no language needs none

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def be_ready() -> None:
    """Load what tells languages, where a question will soon ask."""
    with contextlib.suppress(OSError):
        _identifier()


def count_languages(texts: Iterable[str]) -> Counter[str]:
    """How many texts are in each language (ISO 639), of all that are known; or `UNKNOWN`."""
    return Counter(_certain(text) or UNKNOWN for text in texts)


def languages_of(texts: Sequence[str]) -> list[str]:
    """The language of each passage of a file (ISO 639), of all that are known.

    One that is not certain has that of most others; where none is, the likeliest of `LANGUAGES`
    by what the file begins with, English in doubt. In other letters than Latin it has its own, for
    these leave few.
    """
    told = [_certain(text) or _by_letters(text) for text in texts]
    most = Counter(filter(None, told)).most_common(1)
    rest = most[0][0] if most else language_of("\n".join(texts)[:CHARACTERS])
    return [language or rest for language in told]


def _certain(text: str) -> str | None:
    shown = text[:CHARACTERS]
    if sum(map(str.isalpha, shown)) < LETTERS:
        return None
    language, chance = _identifier().classify(shown)
    return str(language) if chance >= CERTAIN and language not in NONE else None


def _by_letters(text: str) -> str | None:
    """The likeliest language of a text that is mostly in other letters than Latin."""
    letters = list(filter(str.isalpha, text[:CHARACTERS]))
    if 2 * sum(letter >= NOT_LATIN for letter in letters) <= len(letters):
        return None
    language, chance = _identifier().classify(text[:CHARACTERS])
    return str(language) if chance >= SURE and language not in NONE else None
