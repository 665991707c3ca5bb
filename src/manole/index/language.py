"""The language of a question, so that its answer is in the same; and those of many passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

# Those that answers can be in (`agent/answering/languages`). Among few, a short question is told
# right far more often: 225 of 225 questions of about eight words in six languages.
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt")


SURE = 0.7  # of 1: a word or two could be of any
OTHER = 0.9  # of 1, among all languages: Swedish is not German because it is none of `LANGUAGES`
UNKNOWN = "unknown"
CERTAIN = 0.95  # of 1, among all languages: tables, names and programs are of none
NONE = ("zxx", "und")  # what py3langid calls text that is in no language, or in one it cannot tell
LETTERS = 60  # of a passage, at least
SAID = 40  # letters of an answer, at least
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
    chances: dict[str, float] = dict(_identifier().rank(text[:CHARACTERS]))
    first = max(chances, key=chances.__getitem__)
    known = {language: chances[language] for language in LANGUAGES}
    best, total = max(known, key=known.__getitem__), sum(known.values())
    other = first not in known and chances[first] >= OTHER
    return best, 0.0 if other or not total else known[best] / total


def _loaded() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # who tells no language needs none

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


@cache
def _identifier() -> LanguageIdentifier:
    return _loaded()


def count_languages(texts: Iterable[str]) -> Counter[str]:
    """How many texts are in each language (ISO 639), of all that are known; or `UNKNOWN`.

    What tells them is loaded (0.4 s, 100 MB for a moment) and let go again.
    """
    known = _loaded()

    def guess(text: str) -> str:
        shown = text[:CHARACTERS]
        if sum(map(str.isalpha, shown)) < LETTERS:
            return UNKNOWN
        language, chance = known.classify(shown)
        sure = chance >= CERTAIN and language not in NONE
        return str(language) if sure else UNKNOWN

    return Counter(map(guess, texts))
