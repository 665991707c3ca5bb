"""The recipient of a paper: whom it bills, insures or addresses.

The name stands behind or below a label ("Bill to", "Rechnung an", "Cliente", "Policy holder"), or
at the head of the address window: lines above a line that begins with a postcode. The issuer's own
address is none. Office files may have the whole address on one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, takewhile

from manole.documents.fields.issuers import (
    BUYER,
    LEGAL_FORM,
    NAME_LABEL,
    SELLER,
    cleaned,
    is_name,
    key_of,
)
from manole.documents.fields.labels import label_of
from manole.documents.fields.lines import cells, fold
from manole.documents.fields.model import Field, TextLine

_LABEL = re.compile(
    r"^\W*(?:(?:bill(?:ed)?|invoiced?|sold|issued) to(?: address)?|rechnung an|kund(?:e|in)|"
    r"kaufer(?:in)?(?:/leistungsempfanger)?|(?:rechnungs|leistungs)?empfanger(?:in)?|"
    r"rechnungsadresse|billing address|buyer|customer|"
    r"client[eai]?|guest|acheteur|destinata(?:ire|rio)|factur(?:ee?|ar) a|facturation|"
    r"adresse de facturation|factuuradres|factuur aan|klant|koper|intestatari[oa]|"
    r"spett(?:\.? ?le|abile)|policy ?holder|versicherungsnehmer(?:in)?|insured(?: person)?|"
    r"preneu(?:r|se) d.assurance|verzekeringnemer|contraente|tomadora?|proprietaire|tenants?|"
    r"mieter(?:in)?|lessee|locataire|to(?=\s*:)|an(?=\s*:?\s*$))(?: name)?\s*(?P<end>:|\.?$)"
)
_POSTCODE = re.compile(
    r"(?:[A-Z]{1,2}-)?(?:\d{4,5}|\d{4} ?[A-Z]{2}) [A-ZÀ-Ü]\w+|.*, [A-Z]{2} \d{5}$"
)
_ON_ONE_LINE = re.compile(
    r"[^\d,:]{4,70}?\d+ ?[a-z]?,? (?:[A-Z]{1,2}-)?\d{4,5} [A-ZÀ-Ü][\w-]+(?: [A-ZÀ-Ü][\w-]+)?"
)
_STREET = re.compile(
    r"\s(?:rue|avenue|place|boulevard|chemin|route|impasse|via|viale|piazza|calle|plaza)\b.*",
    re.IGNORECASE,
)
_NUMBER_FIRST = re.compile(r"\d+ ?[a-z]?,? [a-z]")  # "41, rue de Luxembourg", not "88 D-54290"
_BREAK = re.compile(r"(?<=\w{4})\. (?=[A-Z])|\s[—–-]\s")
_TITLE = re.compile(r"(?:an|frau|herrn?|familie|firma|mme|madame|m\.|monsieur|mrs?\.?|ms\.?)\W*")
_ATTENTION = re.compile(r"^\W*(?:attn|attention|t\.?a\.?v)\b\W*", re.IGNORECASE)
_HEAD, _BELOW, _ABOVE = 60, 5, 5  # lines: of the window, below a label, above a postcode


def read_recipient(lines: list[TextLine], issuer: str | None) -> Field[str] | None:
    """Return the recipient's name, which is not the `issuer`."""
    head = lines[:_HEAD]
    own = key_of(issuer or "")
    for found in (*_labelled(head), *_addressed(head)):
        key = key_of(found.value)
        if not own or (key not in own and own not in key):
            return found
    return None


def _labelled(lines: list[TextLine]) -> Iterator[Field[str]]:
    for at, line in enumerate(lines):
        row = cells(line.text)
        for place, cell in enumerate(row):
            folded = fold(cell)
            label = _LABEL.match(folded)
            if label is None:
                continue
            said, _, behind = cell.partition(":")
            names = [behind] if behind.strip() else row[place + 1 : place + 2]
            if name := next(filter(None, map(_name, names)), ""):
                yield Field.on(line, name, 0.9, said.strip())
            elif not behind.strip():
                yield from _below(lines, at, place, said.strip())


def _below(lines: list[TextLine], at: int, place: int, label: str) -> Iterator[Field[str]]:
    """Yield the first name below a label, in its column; one behind "Name:" goes first."""
    below = islice((line for line in lines[at + 1 :] if line.text.strip()), _BELOW)
    first: Field[str] | None = None
    for line in takewhile(lambda line: not SELLER.match(fold(line.text)), below):
        row = [*cells(_ATTENTION.sub("", line.text)), ""]
        if NAME_LABEL.match(fold(line.text)):
            name = _name(row[-2].partition(":")[2] or row[-2])
            first = Field.on(line, name, 0.9, label) if name else None
            break
        at_place = min(place, len(row) - 2)
        cell = row[at_place]
        labels = ":" in cell or row[at_place + 1].startswith(":") or label_of(cell)
        if first is None and not labels and not _TITLE.fullmatch(fold(cell)):
            name = _name(cell)
            first = Field.on(line, name, 0.9, label) if name else None
    if first is not None:
        yield first


def _addressed(lines: list[TextLine]) -> Iterator[Field[str]]:
    """Yield the names at the head of addresses."""
    for at, line in enumerate(lines):
        row = cells(line.text)
        if len(row) == 1 and _ON_ONE_LINE.fullmatch(row[0]) and (name := _name(row[0])):
            yield Field.on(line, name, 0.6)
        for place, cell in enumerate(row[:2]):
            if _POSTCODE.match(cell):
                yield from _above(lines, at, place)


def _above(lines: list[TextLine], at: int, place: int) -> Iterator[Field[str]]:
    """Yield the name at the head of the lines above a postcode, in its column."""
    head: Field[str] | None = None
    streets = 0
    for line in reversed(lines[max(0, at - _ABOVE) : at]):
        row = cells(line.text)
        cell = row[place] if len(row) > place else ""
        if not cell or SELLER.match(fold(cell)) or BUYER.match(fold(cell)) or ":" in cell:
            break
        if re.search(r"\d", cell) or cell.endswith(","):
            streets, head = streets + 1, None  # what stands below a street is no name
        elif not _TITLE.fullmatch(fold(cell)) and (name := _name(cell)):
            head = Field.on(line, name, 0.6)
    if head is not None and streets:
        yield head


def _name(text: str) -> str:
    """Return the name in a text, without what stands behind it: an address, a place, a birth."""
    whole = _BREAK.split(" ".join(text.split()))[0].strip(" :*|")
    form = LEGAL_FORM.search(whole)
    if form and re.search(r"[\d,]", whole):
        name = whole[: form.end()]
    elif (digit := re.search(r"\d", whole)) is not None:
        name = whole[: digit.start()].partition(",")[0].rstrip()
        if not _NUMBER_FIRST.match(whole[digit.start() :]) and "," not in whole[: digit.start()]:
            street = _STREET.search(name)
            name = name[: street.start()] if street else name.rpartition(" ")[0]
    else:
        name = whole.partition(",")[0]
    name = cleaned(name)
    return name if is_name(name) else ""
