"""The meaning of an amount, by the words beside it.

The order of the rules matters: "total excl. VAT" is net though it says total and VAT,
"total incl. VAT" is gross. Labels are folded (`lines.fold`): no capitals, no accents. Languages:
English, German, French, Dutch; the commonest words of Spanish, Italian, Portuguese, Polish and
Swedish.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from manole.documents.fields.lines import fold


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
