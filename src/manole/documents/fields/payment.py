"""Whether a paper says that it is paid or still open, in six languages.

A clause says so that begins with it ("Paid by card", "UNPAID"), ends with it ("bar bezahlt"), or
has it of the paper ("Der Rechnungsbetrag wurde bereits beglichen"). Conditions ("if not paid
within", "zahlbar bis") and payments of other amounts say nothing. What is taken by direct debit
counts as paid: nobody has to pay it. So does what a till took: a receipt, cash and its change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from manole.documents.fields.lines import cells, fold
from manole.documents.fields.model import Field, Fields, TextLine
from manole.text.amounts import find_amounts
from manole.text.statuses import PAID, UNPAID

_STATUS = r"\W*(?:(?:payment |zahlungs|betaal)?statu[st]\W+|statut\W+|stato\W+|estado\W+)"
_LEAD = rf"(?:{_STATUS}|\W*(?:payment|zahlung|paiement|pago|pagamento|betaling)\W+)?\W*"
_ALREADY = (
    r"(?:(?:already|fully|in full|bereits|schon|vollstandig|dankend|deja|entierement|ya|"
    r"totalmente|gia|interamente|reeds|volledig)\W+)*"
)
_PAPER = (
    r"\b(?:invoice|bill|receipt|\w*rechnung|facture|factura|fattura|factuur|rekening)\b(?:\W+no\b)?"
    r"(?:\W+[\w/-]*\d[\w/-]*)?"
)
_AMOUNT = (
    r"\b(?:amount|sum|balance|total|\w*betrag|summe|montant|somme|solde|importe|importo|"
    r"\w*bedrag|order)\b"
)
_IS = (
    r"(?:is|was|has(?: already)? been|ist|wurde|est|a(?: bien)? ete|fue|ha sido|esta|e|e stat[oa]|"
    r"werd|is reeds)"
)
_NO = (
    r"(?:(?:not|nicht|pas|no|non|niet|never)(?: yet| encore| ancora)?|noch nicht|nog niet|aun no|"
    r"todavia no|ancora non|non ancora)"
)
_STILL = r"(?:(?:still|noch|encore|toujours|aun|todavia|ancora|nog)\W+)?"
_MEANS = (
    r"(?:bar|cash|card|\w*karte|girocard|visa|mastercard|paypal|uberweisung|especes|carte|cheque|"
    r"efectivo|tarjeta|contanti|carta|contant|pin|pinpas|transfer|virement|bonifico|transferencia)"
)
_PAID_SAID = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^{_LEAD}{_ALREADY}(?!acquittes|payee\b\W*(?:$|:|name)){PAID}\b",
        rf"\b{_MEANS}\W+{_ALREADY}{PAID}\W*$",
        rf"{_PAPER}\W+(?:{_IS}\W+)?{_ALREADY}{PAID}\b",
        rf"{_AMOUNT}\W+{_IS}\W+{_ALREADY}{PAID}\b",
        r"^\W*(?:payment|transfer|money|zahlung|geld|betrag|paiement|reglement|virement|pago|"
        r"pagamento|bonifico|betaling)\W+(?:\w+\W+)?(?:received|erhalten|eingegangen|recue?|"
        r"recibid[oa]|ricevut[oa]|ontvangen)\b(?!\W+(?:after|until|since|nach|bis|seit))",
        r"\b(?:dankend|mit dank) erhalten\b|\breceived with thanks\b|\bpour acquit\b",
    )
)
_TOTAL_SAID = re.compile(rf"{_AMOUNT}\W+{_ALREADY}{PAID}\b")  # of the amount that follows
_OPEN_SAID = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^{_LEAD}{_STILL}(?:{UNPAID}|sin pagar|{_NO}\W+(?:been\W+)?{PAID})\b(?!\W*[^\W\d])",
        rf"^{_LEAD}{_STILL}{_NO}\W+(?:been\W+)?{PAID} (?:yet|to date)\b",
        rf"^{_STATUS}{_STILL}(?:open|offen|outstanding|overdue|uberfallig|ausstehend|due|pending|"
        r"en retard|a payer|en attente\b.{0,12}|pendiente\b.{0,8}|da pagare|apert[oa]|openstaand|"
        r"te betalen)\W*$",
        rf"(?:{_PAPER}|{_AMOUNT})\W+(?:\w+\W+){{0,3}}?{_NO}\W+(?:\w+\W+){{0,3}}?{PAID}\b",
        rf"(?:{_PAPER}|{_AMOUNT})\W+(?:remains|is|ist|steht|reste|est|resta|e|staat)\W+{_STILL}"
        rf"(?:{UNPAID}|open|outstanding|offen|ausstehend|apert[oa]|openstaand)\b",
    )
)
_DEBIT_SAID = re.compile(
    r"\b(?:by|per|via|par|mit|por|tramite|con) (?:sepa[- ]?)?(?:direct debit|\w*lastschrift\w*|"
    r"bankeinzug|prelevement\w*|domiciliacion\w*|addebito\w*|automatische incasso)\W+"
    r"(?:\w+\W+){0,2}?(?:on|am|zum|le|el|il|op)?\W*\d|"
    r"\b(?:wird|werden|wurde)\b.{0,70}\b(?:abgebucht|eingezogen)\b|"
    r"\b(?:will be|was|has been)\b.{0,30}\b(?:debited|collected by direct debit)\b|"
    r"\b(?:sera|seront|a ete)\b.{0,20}\bpreleve\w*|\bse (?:cargara|adeudara)\b|"
    r"\b(?:sara|verra|e stat[oa])\b.{0,20}\baddebitat[oa]\b|"
    r"\b(?:wordt|worden|is)\b.{0,60}\b(?:afgeschreven|geincasseerd)\b"
)
_IDLE = re.compile(  # what is said under a condition, or is yet to be done
    r"\b(?:if|once|when|until|till|unless|after|before|wenn|sobald|falls|bis|nachdem|sofern|bevor|"
    r"si|quand|lorsque|des|jusqu\w*|apres|avant|cuando|hasta|se|quando|finche|dopo|prima|als|"
    r"zodra|indien|tot|wanneer|nadat|may|can|must|should|shall|will|please|to be|muss|mussen|"
    r"soll\w*|kann|konnen|wird|werden|zu|bitte|doit|doivent|peut|sera|merci|debe|puede|deve|puo|"
    r"sara|moet\w*|kan|wordt|worden|zal|droits|tva|vat)\b|_{3}|\.{4}"
)
_TAKEN = re.compile(  # at a till, before an amount
    rf"^\W*(?:{_MEANS}|ideal|cb|gegeben|(?P<change>change|ruckgeld|wechselgeld|rendu|wisselgeld))\b"
    r"(?! (?:price|discount|preis|bonus|back))"
)
_MANDATE = re.compile(r"\b(?:if|wenn|si|als|indien|mandat\w*|falls|sofern|fee|gebuhr)\b")
_CLAUSE = re.compile(r"(?<=[.!?;])\s+|\s+[-–—•]\s+|\*\*")
_PAPERS = frozenset({"invoice", "bill", "receipt", None})


def read_payment(lines: list[TextLine], read: Fields) -> Field[str] | None:
    """Return `paid` or `open`, if a paper with these other fields says one of them alone."""
    if read.kind not in _PAPERS:
        return None
    total = read.total.value.amount if read.total else None
    said = {found.value: found for line in reversed(lines) for found in _in_line(line, total)}
    nothing_left = read.due if read.due and read.due.value.amount == 0 else None
    shows = nothing_left or (read.total if read.kind == "receipt" else None)
    if not said and total and shows:
        said = {"paid": Field("paid", shows.text, shows.page, shows.line, 0.8)}
    return next(iter(said.values())) if len(said) == 1 else None


def _in_line(line: TextLine, total: Decimal | None) -> Iterator[Field[str]]:
    """Yield what the clauses of a line say; a row of heads ("Amount | Paid") says nothing."""
    folded = fold(line.text)
    row = cells(folded)
    if len(row) > 1 and not any(map(str.isdigit, folded)) and not re.match(_STATUS, row[0]):
        return
    parts = row if len(row) == 1 else [*row, " ".join(row)]
    for number, part in enumerate(parts):
        behind = "  ".join(row[number + 1 :])
        if total and _is_taken(f"{part}  {behind}", total):
            yield Field.on(line, "paid", 0.7)
        for clause in _CLAUSE.split(part):
            if clause and (status := _status(clause, behind, total)):
                yield Field.on(line, status, 0.8)


def _is_taken(text: str, total: Decimal) -> bool:
    """Return whether a till took the total, or gave change."""
    means = _TAKEN.match(text)
    amounts = [a.value for a in find_amounts(text[means.end() :])] if means else []
    if means is None or not amounts:
        return False
    return means["change"] is not None or max(amounts) >= total > 0


def _status(clause: str, behind: str, total: Decimal | None) -> str | None:
    """Return what a clause says; `behind` it stands the rest of its row."""
    if _DEBIT_SAID.search(clause):
        return None if _MANDATE.search(clause) else "paid"
    for status, patterns in (("open", _OPEN_SAID), ("paid", (*_PAID_SAID, _TOTAL_SAID))):
        for pattern in patterns:
            found = pattern.search(clause)
            if found is None or _IDLE.search(clause[: found.end()]):
                continue
            amounts = {abs(a.value) for a in find_amounts(f"{clause[found.end() :]}  {behind}")}
            if amounts - {total} or (pattern is _TOTAL_SAID and not amounts):
                continue  # a part was paid, or a label stands alone
            return status
    return None
