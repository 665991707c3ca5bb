"""One reader of written numbers, told how they are written or not."""

from __future__ import annotations

from decimal import Decimal

import pytest

from manole.catalog.sheets import number
from manole.text.amounts import find_amounts
from manole.text.numbers import count_of, first_number, quantity, value


@pytest.mark.parametrize(
    ("written", "decimal", "worth"),
    [("1.234,50", None, "1234.50"), ("1,234.50", ",", "1234.50"), ("1'234", None, "1234"),
     ("1 234,5", ".", "1234.5"), ("1.234", None, "1234"), ("1.234", ".", "1.234"),
     ("1.234", ",", "1234"), ("1234.567", ",", "1234.567"), ("0.125", None, "0.125"),
     ("12,34,567.8", None, "1234567.8"), (".5", None, "0.5"), ("1.234.567", ".", "1234567")],
)  # fmt: skip
def test_a_lone_mark_is_read_as_its_notation_has_it_and_others_as_they_must_be(
    written, decimal, worth
):
    assert str(value(written, decimal)) == worth


def test_the_first_number_of_a_list_is_not_all_of_it():
    assert first_number("10,000, 21 and 4") == Decimal(10_000)
    assert first_number("1.000,50 €") == Decimal("1000.50")
    assert first_number("none") is None


def test_readers_agree_on_thousandths():
    (amount,) = find_amounts("a unit costs $0.125 in all")
    assert amount.value == first_number("0.125") == Decimal("0.125")
    assert number("0.125") == 0.125
    assert quantity("0.125 km", "km") == 0.125


def test_a_cell_of_the_other_notation_keeps_its_worth_and_an_address_is_no_number():
    assert number("12.50", decimal_comma=True) == 12.5
    assert number("1.250", decimal_comma=True) == 1250
    assert number("192.168.178.123") is None


def test_number_words_count_wherever_units_stand():
    assert count_of("twenty") == count_of("zwanzig") == 20
    assert quantity("it took forty minutes", "minutes") == 40
