"""The amounts of a paper with their labels, and what the labels mean.

A label is left of its amount, above it (alone on its line), at the head of its column, or in a
block of labels before a block of amounts, as in some PDFs.

The order of the rules matters: "total excl. VAT" is net though it says total and VAT,
"total incl. VAT" is gross. Labels are folded (`lines.fold`): no capitals, no accents. Languages:
English, German, French, Dutch; the commonest words of Spanish, Italian, Portuguese, Polish and
Swedish.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from manole.documents.fields.lines import before, cells, fold
from manole.documents.fields.model import TextLine
from manole.text.amounts import Amount, currency_in, find_amounts

# How surely a label belongs to its amount, by its place; on the same line it is 1. Set by hand.
ABOVE, HEAD, HEAD_WITH_TEXT, BLOCK, IN_ROW = 0.85, 0.8, 0.3, 0.8, 0.5
_HEADER_REACH = 12  # lines with text between the head of a column and its last row
_LABEL_CHARS = 60  # of a line that is a label alone, at most
_BLOCK = 12  # amounts below each other that labels above may belong to


class Label(StrEnum):
    """The meaning of an amount."""

    GROSS = "gross"  # the whole, tax included
    TOTAL = "total"  # a total that does not say of what
    DUE = "due"  # left to pay
    NET = "net"
    TAX = "tax"
    COST = "cost"  # an amount of this paper, perhaps a part
    PAID = "paid"  # a deposit, an earlier payment, what comes back
    CASH = "cash"  # handed over at a till
    CHANGE = "change"  # given back
    OTHER = "other"  # none of these: a discount, a price of one piece, points


_TAX = (
    r"(?:v\.?a\.?t|c?s?i?gst|hst|pst|sst|iva|t\.?v\.?a|btw|b\.t\.w|mwst|mehrwertsteuer|ust|u\.?st|"
    r"umsatzsteuer|steuern?|steuerbetrag|sales tax|service tax|tax(?:es)?|taxes?|moms)"
)
_WITH = (
    r"(?:incl?(?:\.|usive|uding|udes|uded|usief)?|inkl(?:\.|usive)?|ttc|t\.t\.c|mit|with|"
    r"toutes taxes|i\.v\.a\. incluido|compris)"
)
_WITHOUT = (
    r"(?:excl?(?:\.|usive|uding|usief)?|exkl(?:\.|usive)?|ohne|without|before|hors|zonder|"
    r"\bh\.?t\b|vor)"
)
_WHOLE = r"(?:total|totaal|totale|summe|gesamt\w*|sum|montant|amount|bedrag|betrag|sales|price)"

_RULES: tuple[tuple[Label, str], ...] = (
    (
        Label.GROSS,
        r"round\w* total|total round\w*|total after round\w*|(?:nett?|final) total after",
    ),
    (Label.CHANGE, r"^\W*change\b|\bchange (?:due|given|rm)|ruckgeld|wechselgeld|wisselgeld|rendu"),
    (
        Label.PAID,
        r"deposit|anzahlung\w*|acompte|aanbetaling|voorschot|down ?payment|prepaid|"
        r"(?:payments?|amount) (?:\w+ )?(?:made|received)|already paid|gezahlt|reglement|"
        r"deja (?:paye|regle)|vooruitbetaald|erhaltene|(?<!be )(?<!to )\bpaid\b|"
        r"\bbe(?:zahlt|taald)\b|credit (?:in your favour|balance)|guthaben|abschlagszahlung\w*|"
        r"instal+ments?|virement|vir sepa",
    ),
    (
        Label.OTHER,
        r"\b(?:qty|quantity|quantite|menge|aantal|items?\b(?! total)|pieces?|points?|punkte)\b|"
        r"\b(?:you )?saved?\b|savings?|discount|rabatt\w*|abschlag|abschlage|zuschlag|zuschlage|"
        r"skonto|remise|escompte|korting|promotion|voucher|round(?:ing|\.)|rundung|afronding|"
        r"offene zahlungen|previous|carried|brought forward|vorherige|opening|closing|"
        r"limit\b|kapital|capital|"
        r"teilzahlung|teilbetrag|penalt\w*|indemnite|mahn\w*|"
        r"minimum|unit ?price|einzelpreis|prix unitaire|stuksprijs|leergut\w*|pfand|basis|"
        r"exchange rate|umrechnung\w*|"
        r"insured|versicherungssumme|deckung\w*|selbstbeteiligung|deductible|coverage|up to\b|"
        r"grondslag|coupon|loyalty|bonus|tip\b|trinkgeld",
    ),
    (  # of the goods under one rate of tax
        Label.COST,
        r"\btotal \d{1,2} ?%|\b(?:zero|standard)[- ]rated\b|\d ?% (?:supplies|sales)\b",
    ),
    (
        Label.CASH,
        r"\b(?:cash|tender(?:ed)?|visa|master ?card|amex|debit card|credit card|card|bar|gegeben|"
        r"especes|carte|contant|pin|paypal|cheque|ideal)\b(?! total)",
    ),
    (
        Label.DUE,
        r"\b(?:amount|total|balance|sum|net|invoice|payment)?\s*(?:still )?"
        r"(?:due|payable|owed|owing|outstanding)\b(?! date| on receipt)|to (?:be )?(?:pay|paid)\b|"
        r"please pay|pay this|zahlbetrag|zu zahlen\w*|zahlungsbetrag|offener betrag|restbetrag|"
        r"uberweisungsbetrag|noch offen|a payer|a regler|reste? du|montant du\b|"
        r"te betalen|te voldoen|openstaand|da pagare|a pagar|do zaplaty|att betala|forderung",
    ),
    (Label.NET, rf"{_WITHOUT}[^\w]{{0,3}}(?:\w+ ){{0,2}}?{_TAX}\b|{_WHOLE}\W+{_WITHOUT}(?!\w)"),
    (
        Label.GROSS,
        rf"{_WHOLE}.{{0,30}}\b{_WITH}|{_WITH}.{{0,4}}\b{_TAX}\b.{{0,12}}{_WHOLE}|"
        r"\bbrutto(?!preis)\w*|\bgross\b|\bttc\b",
    ),
    (
        Label.NET,
        r"sub[- ]?tota\w*|zwischensumme|sous[- ]total|\bnett?o?\b|\bnetto\w*|\bnetto(?:betrag|wert)"
        r"|warenwert|positionssumme|taxable|imponibile|base imponible|\bht\b|h\.t\.|basisbetrag",
    ),
    (Label.TAX, rf"\b{_TAX}\b|\bmwst\S*|\bust\S*betrag|\b\w*steuerbetrag"),
    (
        Label.GROSS,
        r"grand total|(?:invoice|bill|order|receipt) (?:total|amount)|total (?:of|for) "
        r"(?:this |the )?(?:invoice|bill)|"
        r"total (?:invoice|amount|amt|sales|price|charges?)|amount total|total "
        r"(?:rm|eur|usd|gbp|chf|\(rm\)|\(eur\))|gesamt(?:betrag|summe|preis|rechnungsbetrag)?\b|"
        r"end(?:betrag|summe)|rechnungs(?:end)?(?:betrag|summe)|montant total|total general|"
        r"total facture|totaal ?bedrag|factuur ?(?:totaal|bedrag)|eindtotaal|importe total|"
        r"totale (?:documento|fattura)|valor total|amount charged|razem|jahresbeitrag|"
        r"jahrespramie|annual premium",
    ),
    (Label.TOTAL, r"\btot(?:al|aal|ale|ais|aux)?\b|\bsumme\b|\bsum\b|\bsuma\b|\bi alt\b|\btotal"),
    (
        Label.COST,
        r"\b(?:costs?|charges?|betrag|amount|montant|bedrag|importe|importo|fee|premium|pramie|"
        r"rent|miete|beitrag|price|preis|prix)\b",
    ),
)
_COMPILED = tuple((label, re.compile(pattern)) for label, pattern in _RULES)


@lru_cache(maxsize=8192)
def label_of(text: str) -> Label | None:
    """Return the meaning of an amount beside the words `text`, `None` if they are unknown."""
    folded = fold(text)
    for label, pattern in _COMPILED:
        if pattern.search(folded):
            return label
    return None


@dataclass(frozen=True, slots=True)
class Labelled:
    """An amount, its label, and how surely the label belongs to it (`strength`, 0 to 1).

    `at` is the index of its line; `last` says whether it is the last amount on it.
    """

    amount: Amount
    label: Label | None
    words: str
    strength: float
    at: int
    last: bool


def labelled_amounts(lines: list[TextLine]) -> list[Labelled]:
    """Return every amount of a paper, in reading order."""
    amounts = [find_amounts(line.text) for line in lines]
    return [found for at in range(len(lines)) for found in _in_line(lines, amounts, at)]


def _in_line(lines: list[TextLine], amounts: list[list[Amount]], at: int) -> Iterator[Labelled]:
    words = ""
    label: Label | None = None
    line, here = lines[at], amounts[at]
    text_before = bool(here) and bool(_letters(line.text[: here[0].start]))
    for number, amount in enumerate(here):
        start = here[number - 1].end if number else 0
        between = line.text[start : amount.start]
        last = number == len(here) - 1
        if _letters(between):
            words = _nearest_cell(between)
            label = label_of(words)
            if label is None or words.startswith("("):
                label = label_of(between) if number == 0 or words.startswith("(") else label
        if label is None:
            yield _labelled_elsewhere(lines, amounts, at, number, text_before, words)
        else:
            # `Total  1  278.61  40.39  319.00`: the last one is the total
            follows = not last and not _letters(line.text[amount.end : here[number + 1].start])
            yield Labelled(amount, label, words, IN_ROW if follows else 1.0, at, last)


def _labelled_elsewhere(
    lines: list[TextLine],
    amounts: list[list[Amount]],
    at: int,
    number: int,
    text_before: bool,
    words: str,
) -> Labelled:
    """Return the amount with a label from another line, or with none."""
    here = amounts[at]
    label, strength, label_words = None, 0.0, ""
    if not text_before and len(here) == 1:
        label, strength, label_words = _above(lines, amounts, at)
    if label is None and (head := _head(lines, amounts, at, number)) is not None:
        label, label_words = label_of(head), head
        strength = HEAD_WITH_TEXT if text_before else HEAD
    strength, last = strength if label else 1.0, number == len(here) - 1
    return Labelled(here[number], label, label_words or words, strength, at, last)


def _above(
    lines: list[TextLine], amounts: list[list[Amount]], at: int
) -> tuple[Label | None, float, str]:
    """Return the label on the line above, or in a block of labels above a block of amounts."""
    row = at
    while (
        row > 0 and lines[row - 1].page == lines[at].page and _only_amount(lines, amounts, row - 1)
    ):
        row -= 1
    place = at - row
    labels: list[str] = []
    for line in before(lines, row, at - row + 8):
        if find_amounts(line.text) or len(line.text) > _LABEL_CHARS or not _letters(line.text):
            break
        if label_of(line.text) is None:
            break
        labels.insert(0, line.text.strip())
    block = 0
    last = min(len(lines), row + _BLOCK)
    while row + block < last and _only_amount(lines, amounts, row + block):
        block += 1
    if len(labels) == block and block > 1:
        return label_of(labels[place]), BLOCK, labels[place]
    if place == 0 and labels and block == 1:
        return label_of(labels[-1]), ABOVE, labels[-1]
    return None, 0.0, ""


def _only_amount(lines: list[TextLine], amounts: list[list[Amount]], at: int) -> bool:
    """Return whether a line is one amount and nothing else."""
    here = amounts[at]
    return len(here) == 1 and not _letters(
        lines[at].text[: here[0].start] + lines[at].text[here[0].end :]
    )


def _head(lines: list[TextLine], amounts: list[list[Amount]], at: int, number: int) -> str | None:
    """Return the column's head: last over last, or the same place in rows of equal length."""
    row = cells(lines[at].text)
    here = amounts[at]
    last = number == len(here) - 1 and not _letters(lines[at].text[here[number].end :])
    for line in before(lines, at, _HEADER_REACH):
        head = cells(line.text)
        if len(head) < 2 or find_amounts(line.text):
            continue
        if sum(bool(_letters(cell)) for cell in head) < 2:
            continue
        if last:
            return head[-1]
        if len(head) != len(row):
            return None
        amount = here[number].text
        return next((name for name, cell in zip(head, row, strict=True) if amount in cell), None)
    return None


def _nearest_cell(between: str) -> str:
    """Return the last cell with words in it, without marks at its ends."""
    named = [cell for cell in cells(between) if _letters(cell)]
    return named[-1].strip(" :=.*") if named else ""


def _letters(text: str) -> str:
    """Return the words of a text that are not just a currency."""
    bare = re.sub(r"[^\W\d_]*", lambda m: "" if currency_in(f"{m[0]} 1") else m[0], text)
    return "".join(re.findall(r"[^\W\d_]{2,}", bare))
