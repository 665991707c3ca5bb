"""The words of a text: folded, stemmed, without those that mean nothing."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from manole.text.lists import lines, listed

# Characters that belong to the letter before: combining marks, and the hyphen that is visible only
# at the end of a line.
SOFT_HYPHEN = "\u00ad"
MARKS = SOFT_HYPHEN + "".join(
    mark for mark in map(chr, range(0x300, 0x1E00)) if unicodedata.category(mark)[0] == "M"
)
WORD = rf"[^\W_]+(?:[{MARKS}]+(?:[^\W_]+)?)*"  # letters and digits
# What ends a word behind an apostrophe: "don't", "1'500"; in "l'école" another one begins there.
SHORTENED = r"['’](?:\w|ll|re|ve|\d{3})(?!\w)"
_WORD = re.compile(
    rf"\d{{4}}-\d{{2}}-\d{{2}}|{WORD}(?:[:/-]{WORD}|{SHORTENED}|(?<=\d)[.,]\d{{1,3}}(?!\d))*"
)
_POSSESSIVE = re.compile(r"['’]s$")
# Letters that Unicode does not decompose, as they are written in ASCII.
_LETTERS = str.maketrans({
    SOFT_HYPHEN: "", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th",
    "ħ": "h", "ı": "i",
})  # fmt: skip
# Classes of marks that change the word: none, voicing of kana, joiners of Indic letters.
_SPELT = frozenset({0, 8, 9})
# Words that count as equal when a question is compared with a text.
SAME = tuple(map(tuple, lines("same")))
_SAME = {word: group[0] for group in SAME for word in group}
LIGHT = listed("light")  # verbs that any activity can follow
LEMMA = {form: line[0] for line in lines("forms") for form in line}
_SUFFIXES = ("ations", "ation", "ings", "ing", "edly", "ies", "ied", "ed", "es", "s")


def fold(text: str) -> str:
    """Return lower case without accents: `Œuvre` gives `oeuvre`, `Straße` gives `strasse`.

    Full-width letters and ligatures become plain letters.
    """
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    kept = (c for c in decomposed if unicodedata.combining(c) in _SPELT)
    return unicodedata.normalize("NFC", "".join(kept).translate(_LETTERS))


def caseless(text: str) -> str:
    """Return lower case with accents, each as one character, because names differ by them."""
    return unicodedata.normalize("NFC", text).casefold()


STOP = frozenset(map(fold, listed("stop")))


def words(text: str) -> list[str]:
    """Return words and numbers in order, folded; `1,234.50` and `2024-03-05` stay whole."""
    return [_POSSESSIVE.sub("", word) for word in _WORD.findall(fold(text))]


def placed_words(text: str) -> list[tuple[int, int, str]]:
    """Return the same words, each with its start in `text` and its end, exclusive."""
    return [
        (match.start(), match.end(), _POSSESSIVE.sub("", fold(match[0])))
        for match in _WORD.finditer(text)
    ]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return a crude English stem: `surrendered` matches `surrender`, `ran` matches `run`.

    Words that mean the same on an invoice or a contract share a stem: `Summe` matches `total`. It
    is for comparing two texts; the index has a stemmer for each language (`analysis`).
    """
    word = _SAME.get(word) or LEMMA.get(word, word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)] + ("y" if suffix in ("ies", "ied") else "")
            break
    else:
        word = word[:-1] if len(word) > 3 and word.endswith("e") else word
    doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt"
    return word[:-1] if doubled else word


def content_words(text: str) -> list[str]:
    """Return the words that carry meaning, in order, not stemmed, each once."""
    return list(dict.fromkeys(w for w in words(text) if w not in STOP))


def meaning(text: str) -> str:
    """Return the words that carry meaning as written, because a stemmer needs their accents.

    A text with only function words is returned whole.
    """
    each = (_POSSESSIVE.sub("", word) for word in _WORD.findall(unicodedata.normalize("NFC", text)))
    found = {fold(word): word for word in each}
    return " ".join(word for plain, word in found.items() if plain not in STOP) or text


def stems(text: str) -> frozenset[str]:
    """Return the stems of a text's content words."""
    return frozenset(stem(w) for w in content_words(text))


def path_words(path: str) -> str:
    """Return the words of a path without its extension, and without figures."""
    return re.sub(r"[\W_\d]+", " ", path.rpartition(".")[0] or path).strip()


def stems_apart(text: str) -> frozenset[str]:
    """Return the stems of a text's content words, with joined ones (days, names, paths) split."""
    return stems(re.sub(r"[\W_]+", " ", text))


def all_stems(text: str) -> frozenset[str]:
    """Return the stems of all words of a text, also of function words."""
    return frozenset(map(stem, words(text)))


def has_digit(word: str) -> bool:
    """Return whether a word has a digit."""
    return any(c.isdigit() for c in word)


def singular(word: str) -> str:
    """Return the singular of an English noun: `invoices` gives `invoice`, `policies` `policy`."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("sses", "xes", "shes", "ches")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
