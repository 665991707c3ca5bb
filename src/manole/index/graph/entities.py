"""The things that a text names and other files may name as well.

These are e-mail addresses, account and tax numbers, companies by their legal form, and file names.
Each is found by its rarest part first (an `@`, a long number, a legal form, an extension) and read
from there: a library has millions of words, and few are names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from manole.documents.fields.issuers import LEGAL_FORM
from manole.index.graph.model import UNLABELLED, Thing
from manole.text.words import STOP, caseless, fold

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{2,63})+")

_IBAN = re.compile(r"(?<![^\W_])(?=([A-Z]{2}\d\d(?:\s?[A-Z0-9]){11,30}(?![^\W_])))")
_NUMBER = re.compile(
    r"(?<![^\W_])(?:(?!(?:EUR|USD|GBP|CHF|VAT|TVA|BTW|IVA|UID|NIP|ID|NO|NR)\b)([A-Z]{2,3})[ .-]?)?"
    r"(?:[A-Z]?\d)(?:[ /.-]?\d|[A-Z]){6,16}(?![^\W_])"
)
_LABEL = re.compile(  # before a tax number; behind some, a number needs its country
    r"(?<![^\W_])(?:(?P<sure>(?:USt|VAT|TVA|BTW|IVA|GST|Tax|MwSt|Umsatzsteuer)[ .-]{0,2}"
    r"(?:(?:id|reg)[^\W\d_]{0,20}|n[or]|num[^\W\d_]{0,4}|in)|Steuer-?(?:id|nr|nummer)|NIP|UID"
    r"|P(?:artita|\.)? ?IVA)|USt|VAT|TVA|BTW|IVA|MwSt)(?![^\W_])[^\d\n]{0,30}$",
    re.IGNORECASE,
)
_BEFORE = 70  # characters before a number in which its label stands; set by hand

_WORD = r"[^\W\d_a-zß-öø-ÿ][\w&.’'-]{0,40}"  # one that begins with a capital
_FORM = re.compile(rf"(?<= )(?=[A-Zaem]){LEGAL_FORM.pattern}")
_NAME = re.compile(
    rf"(?<![\w’'-])({_WORD}(?: (?:(?:und|and|&|et|of|de|van|von) )?{_WORD}){{0,3}}),? $"
)
_LONGEST = 120  # characters of a name; set by hand
_NO_NAME = STOP | {"firma", "fa", "company", "dear", "herr", "frau", "messrs"}  # before a name

_ENDING = re.compile(r"\.[A-Za-z7]\w{0,7}(?!\w)")
_NOT_IN_NAME = re.compile(r"[^\w.()+&'~, -]")


def entities(text: str) -> Iterator[Thing]:
    """Yield the kind and the plain form of each thing that a text names, with repetitions."""
    for match in _EMAIL.finditer(text) if "@" in text else ():
        yield "e-mail", match[0].strip(".+-").casefold()
    yield from _numbers(text)
    yield from (("company", name) for name in _companies(text))


def mentions(text: str) -> Iterator[str]:
    """Yield possible names of files, with the words before them: `see the annual report.pdf`.

    Only the library's file names show which words belong to the name: see `named`.
    """
    for match in _ENDING.finditer(text):
        before = text[max(0, match.start() - _LONGEST) : match.start()]
        if stem := _NOT_IN_NAME.split(before)[-1].lstrip():
            yield caseless(stem + match[0])


def named(mention: str, names: Mapping[str, str]) -> str | None:
    """Return the value in `names` of the longest end of `mention` that is a key there."""
    starts = [0, *(at + 1 for at, char in enumerate(mention) if char in " (',")]
    return next((names[mention[at:]] for at in starts if mention[at:] in names), None)


def _numbers(text: str) -> Iterator[Thing]:
    """Yield account numbers; tax numbers behind a label; and what, with a country, may be one."""
    accounts = {
        match.start(): plain for match in _IBAN.finditer(text) if (plain := _account(match[1]))
    }
    yield from (("account", plain) for plain in accounts.values())
    for match in _NUMBER.finditer(text):
        plain = re.sub("[ /.-]", "", match[0])
        if 7 <= sum(char.isdigit() for char in plain) <= 15:
            label = _LABEL.search(text[max(0, match.start() - _BEFORE) : match.start()])
            if label and (label["sure"] or match[1]):
                yield "tax number", plain
            elif match[1] and match.start() not in accounts:
                yield UNLABELLED, plain


def _account(shape: str) -> str | None:
    """Return the IBAN that `shape` begins with, if its check digits fit (ISO 7064 MOD 97-10)."""
    parts = shape.split()
    for end in range(len(parts), 0, -1):
        plain = "".join(parts[:end])
        number = "".join(str(int(char, 36)) for char in plain[4:] + plain[:4])
        if len(plain) >= 15 and int(number) % 97 == 1:  # Norway's are the shortest
            return plain
    return None


def _companies(text: str) -> Iterator[str]:
    end = 0
    for form in _FORM.finditer(text):
        match = _NAME.search(text[max(end, form.start() - _LONGEST) : form.start()])
        end = form.end()
        words = match[1].split(" ") if match else []
        while words and fold(words[0].strip(".")) in _NO_NAME:
            words.pop(0)
        name = " ".join(words).strip(" .,'’&-")
        if sum(char.isalpha() for char in name) > 2:
            yield name
