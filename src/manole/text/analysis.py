"""The terms of full-text search: the stems of a text's words in its language.

* A word is a run of letters and digits (as in ICU's word boundaries, cut at every other sign). A
  combining mark belongs to its letter; a soft hyphen is ignored.
* Its ending is removed by Porter's Snowball stemmer (snowballstem.org) of the language, for some
  thirty languages. Then it is folded (`words.fold`). A word with accents is also indexed as people
  type it without them: by the stem of the folded word, if that differs.
* Text without blanks between words (Chinese, Japanese, Thai ...) and Korean, whose words include
  particles, gives every two neighbouring characters, and each single one for a question of one
  (Nie, Gao, Zhang and Zhou, "On the use of words and n-grams for Chinese information retrieval",
  IRAL 2000).

A question is read in the same way, in every language of the library.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import cache, lru_cache

import Stemmer

from manole.text.words import MARKS, SOFT_HYPHEN, fold

MOST = 80  # letters of a word; longer ones are keys and encoded pictures
# Scripts without blanks between words: Thai, Lao, Tibetan, Burmese, Khmer, kana, Han; and Hangul.
_UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3005-\u3007\u3041-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_LETTERS = rf"[^\W_{_UNSPACED}]+"
_TOKEN = re.compile(rf"{_LETTERS}(?:[{MARKS}]+(?:{_LETTERS})?)*|[{_UNSPACED}]+")
_PLAIN = re.compile(r"[A-Za-z0-9]+")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
# English writes a foreign name as it is, or spells it out: Müller or Mueller.
_SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})


def terms(text: str, language: str) -> list[str]:
    """Return the terms of a text in a language (ISO 639), in order, with repetitions."""
    found: list[str] = []
    for token, unspaced in _tokens(text):
        if unspaced:
            found += token
            found += _pairs(token)
        else:
            found += forms(token, language)
    return found


def asked(text: str, languages: Collection[str]) -> list[list[str]]:
    """Return the terms of each word of a question in any of these languages, words in order."""
    found: list[list[str]] = []
    for token, unspaced in _tokens(text):
        if unspaced:
            found.append(list(dict.fromkeys(_pairs(token) or [token])))
        else:
            each = (form for language in languages for form in forms(token, language))
            found.append(list(dict.fromkeys(each)))
    return [item for item in found if item]


def placed_terms(
    text: str, languages: Collection[str]
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield each word's start in a text, its end (exclusive), and its terms.

    In a script without blanks, words are each character with the next, and each one.
    """
    for match in _TOKEN.finditer(text):
        if not _IS_UNSPACED.match(match[0]):
            word = _composed(match[0])
            each = (form for language in languages for form in forms(word, language))
            yield match.start(), match.end(), tuple(each)
            continue
        for at in range(match.start(), match.end()):
            for end in (at + 1, min(at + 2, match.end())):
                yield at, end, (_composed(text[at:end]),)


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the words of a text, and whether each is a run of a script without blanks."""
    if text.isascii():
        for word in _PLAIN.findall(text):
            yield word, False
        return
    for word in _TOKEN.findall(_composed(text)):
        yield word, _IS_UNSPACED.match(word) is not None


def _composed(text: str) -> str:
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).replace(SOFT_HYPHEN, "")


def _pairs(token: str) -> list[str]:
    return [token[at : at + 2] for at in range(len(token) - 1)]


@lru_cache(maxsize=50_000)
def forms(word: str, language: str) -> tuple[str, ...]:
    """Return the terms of a word: mostly one; none for a very long one."""
    plain = fold(word)
    if len(plain) > MOST:
        return ()
    found = [stem(word.casefold(), language)]
    if plain != word.casefold():
        found.append(stem(plain, language))
        if language == "en":
            found.append(stem(word.casefold().translate(_SPELT_OUT), language))
    return tuple(dict.fromkeys(filter(None, found)))


@lru_cache(maxsize=50_000)
def stem(word: str, language: str) -> str:
    """Return the folded stem of a lower-case word."""
    stemmer = _stemmer(language)
    return fold(word if stemmer is None else stemmer.stemWord(word))


@cache
def _stemmer(language: str) -> Stemmer.Stemmer | None:
    try:
        return Stemmer.Stemmer(language, 0)  # no cache of its own: `stem` has one
    except KeyError:
        return None
