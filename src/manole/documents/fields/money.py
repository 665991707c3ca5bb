"""The total, net and tax amounts of a paper.

Each amount that may be the total gets a score from three kinds of evidence: its label; sums (net
and tax make the total, the lines above add up to it, cash less change is equal to it); and its
position (largest, repeated, last). The weights follow from what each excludes: a label "grand
total" is hardly ever beside another amount, a sum rarely fits to the cent by chance, and being the
largest proves little. They are set by hand; `model.SURE` says how well they do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from manole.documents.fields.labels import Label, Labelled, labelled_amounts
from manole.documents.fields.lines import fold
from manole.documents.fields.model import Field, Fields, Money, TextLine
from manole.text.amounts import currency_in

_BASE = {
    Label.GROSS: 5.0,
    Label.TOTAL: 4.0,
    Label.DUE: 3.6,
    Label.COST: 1.5,
    Label.NET: 1.2,
    None: 0.2,
}
_SUM, _CASH, _PAID, _RUNNING = 2.5, 2.5, 3.5, 1.5
_LARGEST, _REPEATED, _LAST, _CURRENCY = 0.6, 0.7, 0.4, 0.3
_ZERO, _NEGATIVE = -3.0, -1.5
_SAYS_CURRENCY = re.compile(r"\b(?:rechnungs)?wahrung\s*:|\b(?:currency|devise|valuta)\s*:")
_PREMIUM = re.compile(r"premium|pramie|jahresbeitrag|\bbeitrag|\bprime\b|premie")
_BROKEN = re.compile(r"(\d)(?: \.|\. | \. )(\d{2})(?![\d.])")
_ABOUT_MONEY = re.compile(
    r"total|\brm\b|cash|change|amount|\bdue\b|tax|\bgst\b|summe", re.IGNORECASE
)
_WHOLES = frozenset({Label.GROSS, Label.TOTAL, Label.DUE})
_MOST = 400  # amounts of a paper that get a score: the last ones, where totals are
_CENT = Decimal("0.02")  # that rounded parts may differ from their sum
_TAX_SHARE = (Decimal("0.02"), Decimal("0.30"))  # of the net, from the lowest rate to the highest
_ROUNDING, _ROUNDED = re.compile(r"\bround"), Decimal("0.05")  # the smallest coin


@dataclass(frozen=True, slots=True)
class _Sums:
    """Values that sums in the paper confirm."""

    taxed: set[Decimal]  # the sum of a net and a tax amount
    running: set[Decimal]  # the sum of the amounts above
    cash: set[Decimal]  # cash less change
    paid: set[Decimal]  # less an earlier payment, it leaves the amount due


def read_money(lines: list[TextLine], kind: str | None = None) -> Fields:
    """Return the kind of a paper with its total, due, net and tax amounts.

    A credit note returns money, so its total is negative; a policy's total is its premium.
    """
    found = labelled_amounts([replace(line, text=_mended(line.text)) for line in lines])[-_MOST:]
    if kind == "policy":
        found = [replace(a, label=Label.GROSS) if _is_premium(a) else a for a in found]
    sums = _sums(found)
    wholes = [a for a in found if a.label in _WHOLES]
    currency = _currency(lines, found)
    scored = sorted(
        ((_score(a, wholes, sums), a) for a in found if a.label in _BASE),
        key=lambda item: (-item[0], -item[1].at),
    )
    if not scored or scored[0][0] < 1.0:
        return Fields(kind)
    score, best = scored[0]
    best = _rounded(best, found)
    other = next((s for s, a in scored if a.amount.value != best.amount.value), 0.0)
    fields = (
        _field(best, lines, _confidence(best, score - other, found, sums)),
        _due(found, best, lines),
        _part(found, Label.NET, lines, best.amount.value),
        _part(found, Label.TAX, lines, best.amount.value),
    )
    total, due, net, tax = (field and _adjusted(field, kind, currency) for field in fields)
    return Fields(kind, total, due, net, tax)


def _adjusted(field: Field[Money], kind: str | None, currency: str | None) -> Field[Money]:
    """Return a field in the paper's currency if it has none, negative on a credit note."""
    amount = field.value.amount
    if kind == "credit note":
        amount = min(amount, -amount)
    return replace(field, value=Money(amount, field.value.currency or currency))


def _rounded(best: Labelled, found: Sequence[Labelled]) -> Labelled:
    """Return the amount after rounding, if a till rounds the total and prints the new one."""
    roundings = {
        a.amount.value
        for a in found
        if a.at > best.at and _ROUNDING.search(fold(a.words)) and abs(a.amount.value) <= _ROUNDED
    }
    paid = {best.amount.value + rounding for rounding in roundings if rounding}
    after = (a for a in found if a.at > best.at and a.amount.value in paid)
    return next((replace(a, label=best.label, strength=best.strength) for a in after), best)


def _is_premium(a: Labelled) -> bool:
    return a.label is not Label.OTHER and bool(_PREMIUM.search(fold(a.words)))


def _mended(text: str) -> str:
    """Turn `34 .90` and `34. 90`, as OCR reads them, into `34.90` on lines about money."""
    return _BROKEN.sub(r"\1.\2", text) if _ABOUT_MONEY.search(text) else text


def _score(a: Labelled, wholes: Sequence[Labelled], sums: _Sums) -> float:
    value = a.amount.value
    score = _BASE[a.label] * a.strength
    if a.label is None or a.label in {Label.NET, Label.COST}:
        # Sums confirm parts as well; they do not make a part the whole.
        score += 0.6 * (_SUM * (value in sums.taxed) + _RUNNING * (value in sums.running))
    else:
        score += _SUM * (value in sums.taxed) + _RUNNING * (value in sums.running) * 0.6
    score += _CASH * (value in sums.cash) + _PAID * (value in sums.paid)
    if abs(value) >= max((abs(o.amount.value) for o in wholes), default=Decimal(0)):
        score += _LARGEST
    same = sum(1 for o in wholes if o.amount.value == value and o.at != a.at)
    score += _REPEATED * min(2, same)
    if wholes and a.at == wholes[-1].at:
        score += _LAST
    score += _CURRENCY * bool(a.amount.currency)
    if value == 0:
        score += _ZERO
    return score + (_NEGATIVE if value < 0 and any(o.amount.value > 0 for o in wholes) else 0.0)


def _confidence(best: Labelled, margin: float, found: Sequence[Labelled], sums: _Sums) -> float:
    """Return the confidence in the total: by its label, by sums, and by the lead in the score."""
    value = best.amount.value
    sure = (0.5 if best.label in _WHOLES else 0.25) * (0.6 + 0.4 * best.strength)
    sure += 0.3 * (value in sums.taxed or value in sums.cash or value in sums.paid)
    sure += 0.15 * (value in sums.running)
    again = [o for o in found if o.at != best.at and o.amount.value == value]
    if any(o.label in _WHOLES for o in again):
        sure += 0.15
    sure += max(0.0, min(0.3, 0.12 * margin))
    return round(max(0.05, min(0.99, sure)), 2)


def _sums(found: Sequence[Labelled]) -> _Sums:
    values = {a.amount.value for a in found}
    nets = {a.amount.value for a in found if a.label is Label.NET}
    taxes = {a.amount.value for a in found if a.label is Label.TAX and a.amount.value}
    others = {a.amount.value for a in found if a.label in _BASE or a.label is Label.TAX}
    taxed: set[Decimal] = set()
    for tax in taxes:
        for net in others:
            low, high = (abs(net) * share for share in _TAX_SHARE)
            if net in nets or low <= abs(tax) <= high:
                taxed |= {v for v in _near(net + tax) if v in values and v != net}
    several = _several_taxes(found, taxes, nets, values)
    cash = {
        c.amount.value - d.amount.value
        for c in found
        for d in found
        if c.label is Label.CASH and d.label is Label.CHANGE
    }
    return _Sums(taxed | several, _running(found), cash & values, _before_payments(found))


def _before_payments(found: Sequence[Labelled]) -> set[Decimal]:
    """Return the amounts that, less a payment, are the amount due or the change."""
    paid = {abs(a.amount.value) for a in found if a.label is Label.PAID and a.amount.value}
    left = {abs(a.amount.value) for a in found if a.label in {Label.DUE, Label.PAID}}
    return {
        a.amount.value
        for a in found
        if a.label in _BASE and a.amount.value > 0
        for p in paid
        if abs(a.amount.value - p) > _CENT
        and any(rest in left and rest != p for rest in _near(abs(a.amount.value - p)))
    }


def _several_taxes(
    found: Sequence[Labelled], taxes: set[Decimal], nets: set[Decimal], values: set[Decimal]
) -> set[Decimal]:
    """Return the totals whose tax is written only per rate."""
    lines = [a.amount.value for a in found if a.label is Label.TAX and a.last and a.amount.value]
    total = sum(dict.fromkeys(lines), Decimal(0))
    if len(taxes) < 2:
        return set()
    return {v for net in nets for v in _near(net + total) if v in values}


def _near(value: Decimal) -> list[Decimal]:
    """Return the amounts that rounding may make of `value`."""
    return [value + Decimal(cents) / 100 for cents in range(-2, 3)]


def _running(found: Sequence[Labelled]) -> set[Decimal]:
    """Return the amounts that are the sum of two or more right above (last on their lines)."""
    column = [a.amount.value for a in found if a.last]
    sums: set[Decimal] = set()
    for end in range(2, len(column)):
        total = Decimal(0)
        for count, value in enumerate(reversed(column[max(0, end - 40) : end]), start=1):
            total += value
            if count >= 2 and column[end] and abs(total - column[end]) <= _CENT:
                sums.add(column[end])
                break
    return sums


def _due(found: Sequence[Labelled], total: Labelled, lines: list[TextLine]) -> Field[Money] | None:
    """Return the amount left to pay, if that is not the total itself."""
    left = [a for a in found if a.label is Label.DUE and a.strength > 0.5]
    if not left or any(a.amount.value == total.amount.value for a in left):
        return None
    best = max(left, key=lambda a: (a.strength, a.at))
    return _field(best, lines, 0.8 * best.strength)


def _part(
    found: Sequence[Labelled], label: Label, lines: list[TextLine], total: Decimal
) -> Field[Money] | None:
    """Return the net or tax amount: the one with that label that fits the total best."""
    options = [a for a in found if a.label is label and abs(a.amount.value) <= abs(total)]
    if not options:
        return None
    rest = Label.TAX if label is Label.NET else Label.NET
    others = {a.amount.value for a in found if a.label is rest}

    def fit(a: Labelled) -> tuple[bool, float, int]:
        fits = any(abs(a.amount.value + o - total) <= _CENT for o in others)
        return fits, a.strength, a.at

    best = max(options, key=fit)
    return _field(best, lines, 0.9 if fit(best)[0] else 0.6 * best.strength)


def _field(a: Labelled, lines: list[TextLine], confidence: float) -> Field[Money]:
    value = Money(a.amount.value, a.amount.currency)
    return Field.on(lines[a.at], value, confidence, a.words)


def _currency(lines: list[TextLine], found: Sequence[Labelled]) -> str | None:
    """Return the paper's currency: the one it states, else the commonest beside its amounts."""
    for line in lines:
        if _SAYS_CURRENCY.search(fold(line.text)) and (named := currency_in(line.text)):
            return named
    beside = Counter(a.amount.currency for a in found if a.amount.currency)
    if beside:
        return beside.most_common(1)[0][0]
    return next((c for line in lines if (c := currency_in(line.text))), None)
