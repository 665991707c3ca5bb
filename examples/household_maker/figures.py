"""Numbers that several documents share: budgets of three years and the electricity bills."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from .invoices import cents

# Category → planned and actual euros of the year.
BUDGETS: dict[int, dict[str, tuple[int, int]]] = {
    2022: {
        "Rent and service charges": (13900, 13900),
        "Electricity": (700, 842),
        "Gas": (900, 1120),
        "Groceries": (8400, 8765),
        "Insurance": (740, 732),
        "Car": (1800, 1645),
        "Health": (600, 1112),
        "School and music": (900, 868),
        "Holidays": (1500, 1385),
        "Furniture and repairs": (1000, 1263),
        "Clothes": (1200, 1098),
        "Savings": (4800, 4200),
    },
    2023: {
        "Rent and service charges": (16680, 16875),
        "Electricity": (1300, 1514),
        "Gas": (1300, 1248),
        "Groceries": (9000, 9312),
        "Insurance": (740, 732),
        "Car": (1600, 1384),
        "Health": (700, 955),
        "School and music": (1300, 1276),
        "Holidays": (2730, 2894),
        "Furniture and repairs": (1500, 2140),
        "Clothes": (1200, 1187),
        "Savings": (4800, 4350),
    },
    2024: {
        "Rent and service charges": (17460, 17460),
        "Electricity": (1400, 1297),
        "Gas": (1250, 1190),
        "Groceries": (9400, 9528),
        "Insurance": (750, 732),
        "Car": (2200, 2317),
        "Health": (800, 742),
        "School and music": (1600, 1694),
        "Holidays": (1800, 1420),
        "Furniture and repairs": (1800, 1986),
        "Clothes": (1300, 1245),
        "Savings": (5400, 5600),
    },
}


@dataclass(frozen=True, slots=True)
class ElectricityBill:
    """A year's bill; `price` is cents a kWh before tax, meter readings are kWh."""

    year: int
    start: date
    end: date
    months: int
    first_reading: int
    last_reading: int
    price: Decimal
    advance: Decimal  # paid each month

    @property
    def used(self) -> int:
        """Electricity used, kWh."""
        return self.last_reading - self.first_reading

    @property
    def energy(self) -> Decimal:
        """Price of the electricity, euros before tax."""
        return cents(self.used * self.price / 100)

    @property
    def base(self) -> Decimal:
        """Base fee, euros before tax."""
        return self.months * Decimal("10.00")

    @property
    def tax(self) -> Decimal:
        """VAT of 19 %."""
        return cents((self.energy + self.base) * Decimal("0.19"))

    @property
    def total(self) -> Decimal:
        """The year's cost, euros with tax."""
        return self.energy + self.base + self.tax

    @property
    def paid(self) -> Decimal:
        """The sum of the monthly payments."""
        return self.months * self.advance


# year, first and last day, months, meter readings, cents a kWh, monthly payment
_BILLS = """
2022 2022-03-01 2022-11-30  9 48210 50424 27.90  80
2023 2022-12-01 2023-11-30 12 50424 53410 38.60 110
2024 2023-12-01 2024-11-30 12 53410 56151 35.40 125
"""


def _read(row: str) -> ElectricityBill:
    year, start, end, months, first, last, price, advance = row.split()
    days = (date.fromisoformat(start), date.fromisoformat(end))
    counts = (int(months), int(first), int(last))
    return ElectricityBill(int(year), *days, *counts, Decimal(price), Decimal(advance))


BILLS = tuple(map(_read, _BILLS.strip().splitlines()))
