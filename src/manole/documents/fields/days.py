"""The dates of a paper: its own, the due date, and the end of a contract.

A date belongs to the label before it on its line, else to the label above it or at the head of
its column. Notice periods of contracts are read as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from manole.documents.fields.lines import before, cells, fold
from manole.documents.fields.model import Field, TextLine
from manole.text.dates import counts_in_dollars, find_dates

_WRITTEN = re.compile(
    r"\b(?:invoice|issue|bill(?:ing)?|statement|receipt|letter|credit note)\s*date|"
    r"\bdate (?:of )?(?:issue|invoice|bill|this bill)|"
    r"(?:rechnungs|beleg|ausstellungs|factuur)-?\s?datum|"
    r"date (?:de (?:la )?)?facture|date d.emission|fecha (?:de (?:la )?)?(?:factura|emision)|"
    r"data (?:fattura|da fatura|emissione)"
)
_WRITTEN_LOOSE = re.compile(
    r"^\W*(?:dated?|datum|fecha|data)\b|\bdate\s*[:.]|\bdatum\s*[:.]|"
    r"(?:\d\W{1,3}|\s\s|\|\s?)(?:dated?|datum|fecha|data)\W*$|"  # behind a number, or in a cell
    r"\b(?:\w*rechnung|rechnungskorrektur|facture|factuur|invoice|gutschrift|bescheid|vertrag)\b"
    r"(?!.{0,40}(?:bestell|order|liefer)).{0,60}"
    r"\b(?:vom|von|du|dated|of|van)\b|\bdate (?:&|and) time|date/time"
)
_OF_ORDER = re.compile(  # the last choice
    r"\b(?:order|bestell)-?\s?(?:date|datum)\W*$|"
    r"\b(?:\w*rechnung|facture|factuur|invoice)\b.{0,60}\b(?:vom|von|du|dated|of|van)\W*$"
)
_DUE = re.compile(
    r"\bdue\b(?: date| on| by)?|payable (?:by|until|before)|pay (?:by|before)|payment (?:due|by)|"
    r"fallig\w*|zahlbar|zahlungsziel|uberweisen.{0,20}bis|bis zum|echeance|a payer avant|"
    r"vervaldatum|te betalen voor|betaal.{0,12}voor|vencimiento|scadenza"
)
_NOT_DUE = re.compile(r"skonto|discount|escompte|korting|delivery|garant|guarant|warrant")
_TERM = (
    r"(?:contract|agreement|lease|policy|insurance|cover|term|membership|subscription|tenancy|valid|"
    r"runs?|running|vertrag\w*|mietverhaltnis|laufzeit|lauft|gultig|befristet|versicherung\w*|"
    r"mitgliedschaft|contrat|abonnement|valable|overeenkomst|loopt|geldig)"
)
_END = re.compile(
    r"\b(?:ends?(?: on)?|expir\w+(?: on)?|terminates?(?: on)?|end date|expiry date|renewal date|"
    r"endet(?: am)?|vertragsende|ablauf(?:datum)?|lauft ab|prend fin|eindigt|einddatum)\b.{0,25}$|"
    rf"\b{_TERM}\b.{{0,45}}\b(?:until|till|through|to|up to|bis|jusqu.au|jusqu|tot)\b.{{0,12}}$"
)
_NOT_END = re.compile(
    r"\bbirth|guarantee|warranty|garantie|gewahrleistung|waive|objection|cancel|free of charge|"
    r"invoice|^\W*period|billing period|meter|abrechnungszeitraum|leistungszeitraum"
)
_NOTICE = re.compile(
    r"\b(?:notice period|period of notice|(?:months?|weeks?|days?)['’]?s? notice|kundigungsfrist|"
    r"preavis|opzegtermijn)\b"
)
_NAMED = 0.95  # confidence in a date whose label says that it is the paper's own: set by hand
_LEAST = 0.4  # confidence in the date of an order for a paper's own: set by hand
_NEAR = 70  # characters between a label and its date
_HEAD_LINES = 80  # in which the paper's own date is looked for


def read_date(lines: list[TextLine], own: date | None = None) -> Field[date] | None:
    """Return the paper's own date; `own` is the one known from its name or metadata."""
    us = _american(lines)
    head = lines[:_HEAD_LINES]
    for found in labelled_dates(head, us):
        if found.confidence == _LEAST:
            break
        if found.value == own:
            return replace(found, confidence=_NAMED)
        if own is None or found.confidence == _NAMED:
            return found
    confidence = 0.5 if own is None else 0.8
    for line in head if own is None else lines:
        for _, _, value in find_dates(line.text, us):
            if own in (None, value):
                return Field.on(line, value, confidence)
    return None


def labelled_dates(
    lines: list[TextLine], us: bool, *, columns: bool = True
) -> Iterator[Field[date]]:
    """Yield the dates with a label for a paper's own date, the surest labels first.

    With `columns`, the label may also be above the date. `us` is that of `find_dates`.
    """
    for label, confidence in ((_WRITTEN, _NAMED), (_WRITTEN_LOOSE, 0.8), (_OF_ORDER, _LEAST)):
        for found in _labelled(lines, label, us, columns=columns):
            yield replace(found, confidence=confidence)


def read_due_date(lines: list[TextLine]) -> Field[date] | None:
    """Return the date by which the paper must be paid."""
    us = _american(lines)
    kept = [replace(line, text=_without_discount(line.text)) for line in lines]
    found = next(_labelled(kept, _DUE, us), None) or next(_labelled(lines, _DUE, us), None)
    text = {(line.page, line.line): " ".join(line.text.split()) for line in lines}
    return found and replace(found, text=text[found.page, found.line])


def _without_discount(text: str) -> str:
    """Return a line without its clauses about a discount for early payment or about delivery."""
    return ", ".join(c for c in re.split(r"[,;]\s", text) if not _NOT_DUE.search(fold(c)))


def read_end_date(lines: list[TextLine]) -> Field[date] | None:
    """Return when a contract or policy ends: the latest date behind a word for the end."""
    kept = [line for line in lines if not _NOT_END.search(fold(line.text))]
    options = list(_labelled(kept, _END, _american(lines), columns=False))
    return max(options, key=lambda f: f.value, default=None)


def read_notice(lines: list[TextLine]) -> Field[str] | None:
    """Return the sentence with the notice period."""
    for at, line in enumerate(lines):
        below = lines[at + 1].text if at + 1 < len(lines) else ""
        text = " ".join(f"{line.text} {below}".split())
        folded = fold(text)
        match = _NOTICE.search(folded)
        if match and match.start() <= len(line.text) and len(folded) == len(text):
            end = text.find(". ", match.end())
            start = text.rfind(". ", 0, match.start()) + 1
            sentence = text[start : None if end < 0 else end].strip()[:200]
            return Field(sentence, sentence, line.page, line.line, 0.7)
    return None


def _labelled(
    lines: list[TextLine], label: re.Pattern[str], us: bool, *, columns: bool = True
) -> Iterator[Field[date]]:
    """Yield the dates that follow a label: on its line, below it, or in its column."""
    for at, line in enumerate(lines):
        dates = find_dates(line.text, us)
        if not dates:
            continue
        folded = fold(line.text)
        same = len(folded) == len(line.text)
        for number, (start, _, value) in enumerate(dates):
            begin = dates[number - 1][1] if number else 0
            words = folded[begin:start] if same else fold(line.text[begin:start])
            if label.search(words, max(0, len(words) - _NEAR)):  # `^` is still the true beginning
                yield Field.on(line, value, 0.9, words.strip(" :"))
                break
        else:
            if columns and (head := _head(lines, at, label)) is not None:
                place, words = head
                yield Field.on(line, dates[min(place, len(dates) - 1)][2], 0.8, words)


def _head(lines: list[TextLine], at: int, label: re.Pattern[str]) -> tuple[int, str] | None:
    """Return the index of the date that a label above its line names, and the label.

    Either the line above is the label alone, or it is a row of heads as long as this one.
    """
    row = cells(lines[at].text)
    for line in before(lines, at, 1):
        head = cells(line.text)
        if find_dates(line.text) or not label.search(fold(line.text)):
            continue
        if len(head) == 1 and len(row) == 1 and len(line.text) < 40:
            return 0, line.text.strip()
        named = [cell for cell in head if label.search(fold(cell))]
        if len(row) == 1 and len(named) == 1 and not any("dat" in fold(c) for c in head):
            return 0, named[0]  # the other cells of the row are empty
        if len(head) == len(row) and len(head) > 1:
            for place, cell in enumerate(head):
                if label.search(fold(cell)) and find_dates(row[place]):
                    earlier = sum(1 for c in row[:place] if find_dates(c))
                    return earlier, cell
    return None


def _american(lines: list[TextLine]) -> bool:
    return any(counts_in_dollars(line.text) for line in lines[:200])
