"""The things that a text names and other files may name as well.

These are e-mail addresses, account and tax numbers (`checks.py` verifies them), companies by their
legal form, and file names. Each is found by its rarest part first (an `@`, a long number, a legal
form, an extension) and read from there: a library has millions of words, and few are names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from manole.documents.fields.issuers import LEGAL_FORM
from manole.index.graph.checks import IBAN_LENGTHS, VAT, is_iban, is_vat, vat_state
from manole.index.graph.model import Kind
from manole.text.words import caseless

Thing = tuple[Kind, str]

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{2,63})+")

_BLANK = "[ \u00a0\u202f]"
_CAPITALS = re.compile("[A-Z]{2,3}")  # what account and VAT numbers begin with
_OF_LENGTH = {
    length: re.compile(rf"(?:{_BLANK}?[A-Z0-9]){{{length}}}(?![^\W_])")
    for length in set(IBAN_LENGTHS.values())
}
_CLASS = {"9": r"\d", "*": "[0-9A-Z]"}
_OF_STATE = {
    state: [
        re.compile(
            "".join(rf"[ .-]?{_CLASS.get(char, char)}" for char in form) + r"(?![ .-]?\d|[^\W_])"
        )
        for form in forms.split("|")
    ]
    for state, (forms, _) in VAT.items()
}
_NUMBER = re.compile(r"\d(?:[ /.-]?[0-9A-Z]){6,16}(?![^\W_])")
_LABEL = re.compile(  # before a number that no check digit distinguishes
    r"(?<![^\W_])(?:(?:USt|VAT|TVA|BTW|IVA|GST|Tax|MwSt|Umsatzsteuer)[ .-]{0,2}"
    r"(?:id(?:ent\w{0,20})?|reg\w{0,10}|no|nr|number|num[eé]ro|nummer|intracom\w{0,14}|in)"
    r"|Steuer-?(?:nummer|nr)|NIP|Partita IVA|P\.? ?IVA|UID)"
    r"(?:[ .:#°-]{0,4}(?:id|no|nr|number|num[eé]ro|nummer|reg\w{0,10}|intracom\w{0,14})){0,3}"
    r"[.:#°\s]{0,6}(?<![^\W_])([A-Z]{0,3})[ ]?$",
    re.IGNORECASE,
)
_BEFORE = 60  # characters before a number in which a label stands; set by hand

_WORD = r"[^\W\d_a-zß-öø-ÿ][\w&.’'-]{0,40}"  # one that begins with a capital
_FORM = re.compile(rf"(?<= )(?=[A-Zaem]){LEGAL_FORM.pattern}")
_NAME = re.compile(
    rf"(?<![\w’'-])({_WORD}(?: (?:(?:und|and|&|et|of|de|van|von) )?{_WORD}){{0,3}}),? $"
)
_LONGEST = 120  # characters of a name; set by hand
_BEFORE_NAMES = "firma fa company the die der das an von from by and und et dear herr frau messrs"
_NO_NAME = frozenset(_BEFORE_NAMES.split())

_FILE = re.compile(r"\.([A-Za-z7]\w{0,7})")
_NOT_IN_NAME = re.compile(r"[^\w.()+&'~, -]")
_EXTENSIONS = """
    7z avi bmp c conf cpp cs css csv doc docm docx eml epub gif go gz heic htm html ics
    ini ipynb java jpeg jpg js json log m4a markdown md mbox mkv mov mp3 mp4 msg numbers
    odp ods odt ogg pages pdf php png ppt pptx py r rar rb rs rst rtf sh sql svg tar tex
    tif tiff toml ts tsv tsx txt vcf vtt wav webp xhtml xls xlsb xlsm xlsx xml yaml yml
    zip
"""
_FILES = frozenset(_EXTENSIONS.split())


def entities(text: str) -> Iterator[Thing]:
    """Yield the kind and the plain form of each thing that a text names, with repetitions."""
    if "@" in text:
        for match in _EMAIL.finditer(text):
            yield "e-mail", match[0].strip(".+-").casefold()
    yield from _numbers(text)
    yield from (("company", name) for name in _companies(text))


def mentions(text: str) -> Iterator[str]:
    """Yield possible names of files, with the words before them: `see the annual report.pdf`.

    Only the library's file names show which words belong to the name: see `named`.
    """
    for match in _FILE.finditer(text):
        if match[1].lower() not in _FILES:
            continue
        before = text[max(0, match.start() - _LONGEST) : match.start()]
        stem = _NOT_IN_NAME.split(before)[-1].lstrip()
        if stem:
            yield caseless(stem + match[0])


def named(mention: str, names: Mapping[str, str]) -> str | None:
    """Return the value in `names` of the longest end of `mention` that is a key there."""
    starts = [0, *(at + 1 for at, char in enumerate(mention) if char in " (',")]
    return next((names[mention[at:]] for at in starts if mention[at:] in names), None)


def _numbers(text: str) -> Iterator[Thing]:
    """Yield account and tax numbers.

    Tax numbers of states in `VAT` count anywhere in a text, others only behind a label.
    """
    for match in _CAPITALS.finditer(text):
        at = match.start()
        if at and text[at - 1].isalnum():
            continue
        length = IBAN_LENGTHS.get(match[0][:2])
        whole = _OF_LENGTH[length].match(text, at) if length else None
        if whole and is_iban(plain := re.sub(_BLANK, "", whole[0])):
            yield "account", plain
        elif (state := vat_state(match[0])) is not None:
            for form in _OF_STATE[state]:
                number = form.match(text, at + len(state))
                if number and is_vat(plain := state + re.sub("[ .-]", "", number[0])):
                    yield "tax number", plain
    for match in _NUMBER.finditer(text):
        label = _LABEL.search(text[max(0, match.start() - _BEFORE) : match.start()])
        if label and vat_state(label[1].upper()) is None:
            plain = label[1].upper() + re.sub("[ /.-]", "", match[0])
            if 7 <= sum(char.isdigit() for char in plain) <= 15:
                yield "tax number", plain


def _companies(text: str) -> Iterator[str]:
    end = 0
    for form in _FORM.finditer(text):
        match = _NAME.search(text[max(end, form.start() - _LONGEST) : form.start()])
        end = form.end()
        if match is None:
            continue
        words = match[1].split(" ")
        while words and words[0].strip(".").casefold() in _NO_NAME:
            words.pop(0)
        name = " ".join(words).strip(" .,'’&-")
        if sum(char.isalpha() for char in name) > 2:
            yield name
