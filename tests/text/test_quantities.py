"""How much of a unit a text speaks of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manole.text.numbers import quantity


@pytest.mark.parametrize(
    ("text", "unit", "amount"),
    [
        ("Read for 40 minutes", "minutes", 40),
        ("Read 1 h 30 min", "minutes", 90),
        ("slept 7.5 hours", "minutes", 450),
        ("schlief 7,5 Stunden", "minutes", 450),
        ("a 90-minute walk", "minutes", 90),
        ("20 minutes of news, 25 minutes of bread", "minutes", 45),
        ("half an hour", "minutes", 30),
        ("an hour on the phone", "minutes", 60),
        ("two hours of sleep", "minutes", 120),
        ("5km", "km", 5),
        ("rode 21.097 km", "km", 21.097),
        ("walked 10,000 steps", "steps", 10_000),
        ("1,200 steps and 300 steps", "steps", 1500),
        ("1,234,567 steps", "steps", 1_234_567),
        ("paid €4.20", "EUR", 4.2),
        ("paid 12,50 EUR", "EUR", 12.5),
        ("paid 1.500 Euro", "EUR", 1500),
        ("paid 1.234,50 EUR", "EUR", 1234.5),
        ("paid 1,234.50 euros", "EUR", 1234.5),
        ("$5 for bread and 3 dollars for milk", "USD", 8),
        ("paid 5 dollars", "EUR", None),
        ("read all day", "minutes", None),
        ("the minutes of the meeting", "minutes", None),
        ("room 12, hours later", "minutes", None),
        ("", "km", None),
    ],
)
def test_how_much_a_line_speaks_of(text, unit, amount):
    assert quantity(text, unit) == (None if amount is None else pytest.approx(amount))


@pytest.mark.parametrize(("unit", "amount"), [("hours", 1.5), ("min", 90), ("yards", None)])
def test_it_is_told_in_the_unit_that_is_asked_for(unit, amount):
    assert quantity("Slept for 90 minutes.", unit) == amount


def test_nothing_has_no_amount():
    assert quantity(None, "minutes") is None
    assert quantity("5 km", None) is None


@given(st.text(max_size=60), st.sampled_from(["minutes", "km", "EUR", "steps"]))
def test_any_text_has_an_amount_or_none(text, unit):
    amount = quantity(text, unit)
    assert amount is None or amount >= 0
