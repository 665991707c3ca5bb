"""The twelve invoices of `texts/invoices.toml`. Sums are computed here and stand nowhere else."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

CUSTOMER = ("Mara and Jonas Linde", "Kastanienhof 14", "79104 Freiburg")


@dataclass(frozen=True, slots=True)
class Labels:
    """The fixed words of an invoice in one language."""

    invoice: str
    number: str
    date: str
    due: str
    columns: tuple[str, ...]
    net: str
    vat: str
    exempt: str
    total: str


LABELS = {
    "en": Labels(
        invoice="Invoice",
        number="Invoice number",
        date="Invoice date",
        due="Due date",
        columns=("Description", "Quantity", "Unit price", "Amount"),
        net="Net amount",
        vat="VAT {rate} %",
        exempt="VAT (exempt)",
        total="Total amount due",
    ),
    "de": Labels(
        invoice="Rechnung",
        number="Rechnungsnummer",
        date="Rechnungsdatum",
        due="Zahlbar bis",
        columns=("Leistung", "Menge", "Einzelpreis", "Betrag"),
        net="Nettobetrag",
        vat="zzgl. {rate} % MwSt.",
        exempt="MwSt. (steuerfrei)",
        total="Rechnungsbetrag",
    ),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that is charged; `price` is euros for one `unit`, before tax."""

    text: str
    quantity: Decimal
    unit: str
    price: Decimal

    @property
    def amount(self) -> Decimal:
        """Quantity times price."""
        return cents(self.quantity * self.price)


@dataclass(frozen=True, slots=True)
class Invoice:
    """One invoice; `issuer` is name, address, phone and e-mail, `vat` a percentage."""

    number: str
    issuer: tuple[str, ...]
    issued: date
    due: date
    lines: tuple[Line, ...]
    note: str
    payment: str
    colour: str
    vat: int = 19
    language: str = "en"

    @property
    def labels(self) -> Labels:
        """The words of this invoice's language."""
        return LABELS[self.language]

    @property
    def net(self) -> Decimal:
        """The sum of the lines."""
        return sum((line.amount for line in self.lines), Decimal())

    @property
    def tax(self) -> Decimal:
        """The value added tax, rounded half up to cents."""
        return cents(self.net * self.vat / 100)

    @property
    def total(self) -> Decimal:
        """What is to be paid."""
        return self.net + self.tax

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Number and dates, with their labels."""
        words = self.labels
        return (
            (words.number, self.number),
            (words.date, self._day(self.issued)),
            (words.due, self._day(self.due)),
        )

    @property
    def rows(self) -> tuple[tuple[str, str, str, str], ...]:
        """The table: one row a line, then net, tax and total."""
        words = self.labels
        tax = words.vat.format(rate=self.vat) if self.vat else words.exempt
        sums = ((words.net, self.net), (tax, self.tax), (words.total, self.total))
        charged = (
            (
                line.text,
                f"{line.quantity} {line.unit}",
                self._money(line.price),
                self._money(line.amount),
            )
            for line in self.lines
        )
        return (*charged, *(("", "", label, self._money(value)) for label, value in sums))

    def _money(self, value: Decimal) -> str:
        return german_money(value) if self.language == "de" else money(value)

    def _day(self, day: date) -> str:
        return f"{day:%d.%m.%Y}" if self.language == "de" else f"{day.day} {day:%B %Y}"


def cents(value: Decimal) -> Decimal:
    """`value` rounded half up to two places."""
    return value.quantize(Decimal("0.01"), ROUND_HALF_UP)


def money(value: Decimal) -> str:
    """1234.5 → "1,234.50 EUR"."""
    return f"{value:,.2f} EUR"


def german_money(value: Decimal) -> str:
    """1234.5 → "1.234,50 €"."""
    return f"{value:,.2f} €".translate(str.maketrans(",.", ".,"))


def _read(row: dict[str, Any]) -> Invoice:
    lines = (Line(text, Decimal(n), unit, Decimal(price)) for text, n, unit, price in row["lines"])
    return Invoice(**{**row, "issuer": tuple(row["issuer"]), "lines": tuple(lines)})


_SOURCE = Path(__file__).with_name("texts") / "invoices.toml"
INVOICES = tuple(map(_read, tomllib.loads(_SOURCE.read_text("utf-8"))["invoice"]))


def by_number(number: str) -> Invoice | None:
    """The invoice of that number, if there is one."""
    return next((invoice for invoice in INVOICES if invoice.number == number), None)
