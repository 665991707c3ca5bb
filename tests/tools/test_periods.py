"""Periods as people write them, seen from Wednesday 15 January 2025."""

from __future__ import annotations

from datetime import date

import pytest

from manole.tools.periods import Period, find_period, iso_dated

TODAY = date(2025, 1, 15)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2023", "2023-01-01", "2023-12-31"),
        ("how many files from 2024", "2024-01-01", "2024-12-31"),
        ("March 2024", "2024-03-01", "2024-03-31"),
        ("in Feb 2024", "2024-02-01", "2024-02-29"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2024-03-05", "2024-03-05", "2024-03-05"),
        ("on 5 March 2024", "2024-03-05", "2024-03-05"),
        ("on March 5, 2024", "2024-03-05", "2024-03-05"),
        ("since 2024-06-01", "2024-06-01", None),
        ("since June 2024", "2024-06-01", None),
        ("after 2022", "2023-01-01", None),
        ("before 2024", None, "2023-12-31"),
        ("before March 2024", None, "2024-02-29"),
        ("until March 2024", None, "2024-03-31"),
        ("up to 2023", None, "2023-12-31"),
        ("between 2022 and 2023", "2022-01-01", "2023-12-31"),
        ("from March 2023 to May 2023", "2023-03-01", "2023-05-31"),
        ("from 2023-01-31 until 2023-02-01", "2023-01-31", "2023-02-01"),
        ("from 2023 onwards", "2023-01-01", None),
        ("last 7 days", "2025-01-08", "2025-01-15"),
        ("the past two weeks", "2025-01-01", "2025-01-15"),
        ("last 3 months", "2024-10-15", "2025-01-15"),
        ("the past year", "2024-01-15", "2025-01-15"),
        ("past week", "2025-01-08", "2025-01-15"),
        ("today", "2025-01-15", "2025-01-15"),
        ("yesterday", "2025-01-14", "2025-01-14"),
        ("this week", "2025-01-13", "2025-01-19"),
        ("last week", "2025-01-06", "2025-01-12"),
        ("this month", "2025-01-01", "2025-01-31"),
        ("last month", "2024-12-01", "2024-12-31"),
        ("previous month", "2024-12-01", "2024-12-31"),
        ("this year", "2025-01-01", "2025-12-31"),
        ("last year", "2024-01-01", "2024-12-31"),
        ("recently", "2024-12-16", "2025-01-15"),
        ("in January", "2025-01-01", "2025-01-31"),
        ("in December", "2024-12-01", "2024-12-31"),
        ("IN DECEMBER 2023", "2023-12-01", "2023-12-31"),
    ],
)
def test_a_period_is_read(text, start, end):
    period = find_period(text, TODAY)
    assert period is not None
    assert (period.start, period.end) == (
        start and date.fromisoformat(start),
        end and date.fromisoformat(end),
    )
    assert period.text in text.lower()


@pytest.mark.parametrize(
    "text",
    ["", "how many files", "5 files", "may I ask", "march on", "12345", "2024-13-45", "3000",
     "last 99999 days", "since ever"],
)  # fmt: skip
def test_what_names_no_period_gives_none(text):
    assert find_period(text, TODAY) is None


def test_both_ends_belong_to_a_period():
    period = Period("", date(2024, 1, 1), date(2024, 1, 31))
    assert date(2024, 1, 1) in period
    assert date(2024, 1, 31) in period
    assert date(2023, 12, 31) not in period
    assert date(2024, 2, 1) not in period


def test_an_open_end_reaches_for_ever():
    assert date(9999, 12, 31) in Period("", date(2024, 1, 1))
    assert date(1, 1, 1) in Period("", None, date(2024, 1, 1))
    assert date(2024, 1, 2) not in Period("", None, date(2024, 1, 1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the reading on 30 June 2024?", "the reading on 2024-06-30?"),
        ("paid on June 3, 2023", "paid on 2023-06-03"),
        ("since 2024-06-01", "since 2024-06-01"),
        ("in June 2024", "in June 2024"),
        ("no date at all", "no date at all"),
    ],
)
def test_days_are_written_as_tables_write_them(text, expected):
    assert iso_dated(text) == expected
