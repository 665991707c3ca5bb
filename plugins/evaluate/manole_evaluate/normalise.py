"""Brings a reply and a gold answer to one form, so that only their content is compared.

The rules of SQuAD's scorer (Rajpurkar et al. 2016: case, punctuation, articles), and on top of
them what answers about a person's own files need: one form for a number ("1,234.50", "1234.5",
"1.234,50" and "$1,234.50" are all `1234.5`), numbers in words as digits, and units apart from
their number ("25MHz" is `25 mhz`). `normalise` is idempotent, which a property test holds.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal

from manole.text.numbers import ENGLISH, TENS, plain_digits, spelled, without_zeros
from manole.text.words import fold

_ARTICLES = frozenset({"a", "an", "the"})
_SCALES = {
    "thousand": Decimal(10) ** 3,
    "million": Decimal(10) ** 6,
    "billion": Decimal(10) ** 9,
    "trillion": Decimal(10) ** 12,
}

# A space that cannot break, between digits, groups thousands.
_GROUP_SPACE = re.compile(r"(?<=[0-9])[\u00a0\u202f\u2009](?=[0-9]{3}(?![0-9]))")
_POSSESSIVE = re.compile(r"['’`´]s\b")
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])['’`´](?=[^\W\d_])|(?<=[0-9])['’](?=[0-9]{3}(?![0-9]))")
_ABBREVIATION = re.compile(r"(?<!\w)(?:[^\W\d_]\.)+[^\W\d_]?(?!\w)")
_CURRENCY_CODE = re.compile(r"(?<![^\W\d_])(rm|rs|us|usd|eur|gbp|chf|inr|myr)(?=[0-9])")
_TIMES = re.compile(r"(?<=[0-9])x(?=[0-9])")
_TOKEN = re.compile(
    r"(?P<cjk>[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])"
    r"|(?P<number>(?:(?<![^\s(\[{=:])-)?"
    r"(?:[0-9]{1,3}(?: [0-9]{3})+,[0-9]{1,2}(?![0-9])"  # 1 234,50
    r"|[0-9]+(?:[.,][0-9]+)*"
    r"|(?<![\w.])\.[0-9]+))"
    r"|(?P<word>[^\W\d_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
    r"[^\W_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]*)"
)
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_ONE_NUMBER = re.compile(  # and no list or version
    r"[0-9]*[.,][0-9]+|[1-9][0-9]{0,2}(?:,[0-9]{3})+|[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}"
    r"|[0-9]{1,3}(?:(?:,[0-9]{3})+\.[0-9]+|(?:\.[0-9]{3})+,[0-9]+)"
)


def normalise(text: str) -> str:
    """The normal form of `text`: its tokens, joined by single spaces."""
    return " ".join(tokens(text))


def tokens(text: str, *, articles: bool = False) -> list[str]:
    """The tokens of `text` in normal form. `articles` keeps "a", "an", "the"."""
    kept: list[str] = []
    for word in _raw_tokens(_prepare(text)):
        if word == "percent" or (word in _ARTICLES and not articles):
            continue
        if word == "cent" and kept and kept[-1] == "per":
            kept.pop()
            continue
        kept.append(word)
    return _digits_for_words(kept)


def is_number(token: str) -> bool:
    """Whether a token of `tokens` is a number."""
    return _NUMBER.fullmatch(token) is not None


def scaled(items: list[str]) -> list[str]:
    """The tokens with "5.2 million" written as `5200000`."""
    out: list[str] = []
    for token in items:
        if token in _SCALES and out and is_number(out[-1]):
            out[-1] = without_zeros(f"{Decimal(out[-1]) * _SCALES[token]:f}")
        else:
            out.append(token)
    return out


def numbers(text: str) -> list[float]:
    """Every number of `text`; one followed by a scale word appears with and without it."""
    plain = tokens(text)
    return [float(token) for token in (*plain, *scaled(plain)) if is_number(token)]


def scale_factor(word: str) -> float:
    """What a scale's name multiplies by: "million" gives 1e6, "percent" and "" give 1."""
    return float(_SCALES.get(word.strip().lower().rstrip("s"), 1))


def _prepare(text: str) -> str:
    text = _fold(_GROUP_SPACE.sub("", text))
    text = text.replace("\u2212", "-").replace("×", "x")
    text = "".join(_without_currency(text))
    text = _POSSESSIVE.sub("", text)
    text = _APOSTROPHE.sub("", text)
    text = _ABBREVIATION.sub(lambda match: match.group().replace(".", ""), text)
    text = _CURRENCY_CODE.sub(r"\1 ", text)
    return _TIMES.sub(" x ", text)


def _fold(text: str) -> str:
    """Case, width, accents and digits of other scripts folded, until nothing changes."""
    while (folded := plain_digits(fold(text))) != text:
        text = folded
    return text


def _without_currency(text: str) -> Iterator[str]:
    for index, char in enumerate(text):
        if unicodedata.category(char) != "Sc":
            yield char
        elif text[index - 1 : index] != "-":  # "-$5" stays a negative number
            yield " "


def _raw_tokens(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "number":
            yield from _canonical(match.group())
        else:
            yield match.group()


def _canonical(written: str) -> list[str]:
    """One number in one form; several when a comma was a list's; a version stays as it is."""
    sign = "-" if written.startswith("-") else ""
    body = written.removeprefix("-").replace(" ", "")
    if _ONE_NUMBER.fullmatch(body):
        return [sign + without_zeros(spelled(body, "."))]
    if "," in body:
        first, *rest = (part for part in body.split(",") if part)
        return [*_canonical(sign + first), *(n for part in rest for n in _canonical(part))]
    return [sign + body]


def _digits_for_words(items: list[str]) -> list[str]:
    out: list[str] = []
    for index, word in enumerate(items):
        value = ENGLISH.get(word)
        following = items[index + 1] if index + 1 < len(items) else ""
        if value is None or (word == "one" and following == "of"):
            out.append(word)
        elif 0 < value < 10 and index and items[index - 1] in TENS:
            out[-1] = str(TENS[items[index - 1]] + value)
        else:
            out.append(str(value))
    return out
