"""The language of a question, so that its answer is in the same; and those of many passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

# Those that answers can begin in (`agent/answering/lead.py`). Among few, a short question is told
# right far more often: 153 of 153 questions of about eight words in six languages.
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt")


SURE = 0.7  # of 1: a word or two could be of any
UNKNOWN = "unknown"
CERTAIN = 0.95  # of 1, among all languages: tables, names and programs are of none
NONE = ("zxx", "und")  # what py3langid calls text that is in no language, or in one it cannot tell
LETTERS = 60  # of a passage, at least
OTHER = "\u0370"  # the first letter after the Latin ones
CHARACTERS = 600  # of a passage that are looked at: 0.1 ms


def language_of(text: str) -> str:
    """The likeliest of `LANGUAGES` (ISO 639-1), by the letters of a text; English in doubt."""
    language, chance = _identifier().classify(text)
    return str(language) if chance >= SURE else LANGUAGES[0]


def _loaded() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # who tells no language needs none

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


@cache
def _identifier() -> LanguageIdentifier:
    known = _loaded()
    known.set_languages(list(LANGUAGES))
    return known


def count_languages(texts: Iterable[str]) -> Counter[str]:
    """How many texts are in each language (ISO 639), of all that are known; or `UNKNOWN`.

    What tells them is loaded (0.4 s, 100 MB for a moment) and let go again.
    """
    known = _loaded()
    return Counter(_certain(text, known) or UNKNOWN for text in texts)


def languages_of(texts: Sequence[str]) -> list[str]:
    """The language of each passage of a file (ISO 639), of all that are known.

    One that is not certain has that of most others; where none is, the likeliest of `LANGUAGES`
    by what the file begins with, English in doubt. In other letters than Latin it has its own, for
    these leave few. What tells them stays until `forget`.
    """
    told = [_certain(text, None) or _by_letters(text) for text in texts]
    most = Counter(filter(None, told)).most_common(1)
    rest = most[0][0] if most else _likeliest("\n".join(texts)[:CHARACTERS])
    return [language or rest for language in told]


def forget() -> None:
    """Let go of what tells languages: 100 MB."""
    _every.cache_clear()


def _certain(text: str, known: LanguageIdentifier | None) -> str | None:
    shown = text[:CHARACTERS]
    if sum(map(str.isalpha, shown)) < LETTERS:
        return None
    language, chance = (known or _every()).classify(shown)
    return str(language) if chance >= CERTAIN and language not in NONE else None


def _by_letters(text: str) -> str | None:
    """The likeliest language of a text that is mostly in other letters than Latin."""
    letters = list(filter(str.isalpha, text[:CHARACTERS]))
    if 2 * sum(letter >= OTHER for letter in letters) <= len(letters):
        return None
    language, chance = _every().classify(text[:CHARACTERS])
    return str(language) if chance >= SURE and language not in NONE else None


def _likeliest(text: str) -> str:
    if not any(map(str.isalpha, text)):
        return LANGUAGES[0]
    chances = {name: chance for name, chance in _every().rank(text) if name in LANGUAGES}
    best = max(chances, key=lambda name: chances[name])
    return best if chances[best] >= SURE * sum(chances.values()) else LANGUAGES[0]


@cache
def _every() -> LanguageIdentifier:
    return _loaded()
