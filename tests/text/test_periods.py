"""Periods as people write them, seen from Wednesday 15 January 2025."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manole.text.periods import Period, explained, find_period, iso_dated, spelled

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
        ("july, august and september 24", "2024-07-01", "2024-09-30"),
        ("im März und April 2023", "2023-03-01", "2023-04-30"),
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
        ("last March", "2024-03-01", "2024-03-31"),
        ("March last year", "2024-03-01", "2024-03-31"),
        ("the one from March", "2024-03-01", "2024-03-31"),
        ("Quelles factures sont de février 2024 ?", "2024-02-01", "2024-02-29"),
        ("¿Qué facturas llegaron en enero de 2024?", "2024-01-01", "2024-01-31"),
        ("depuis juin 2024", "2024-06-01", None),
        ("antes de marzo de 2024", None, "2024-02-29"),
        ("dopo il 2022", "2023-01-01", None),
        ("jusqu'en 2023", None, "2023-12-31"),
        ("entre mars et mai 2023", "2023-03-01", "2023-05-31"),
        ("tra marzo e maggio 2023", "2023-03-01", "2023-05-31"),
        ("le mois dernier", "2024-12-01", "2024-12-31"),
        ("el año pasado", "2024-01-01", "2024-12-31"),
        ("il mese scorso", "2024-12-01", "2024-12-31"),
        ("vorige maand", "2024-12-01", "2024-12-31"),
        ("no mês passado", "2024-12-01", "2024-12-31"),
        ("il y a deux semaines", "2024-12-30", "2025-01-05"),
        ("hace tres meses", "2024-10-01", "2024-10-31"),
        ("twee weken geleden", "2024-12-30", "2025-01-05"),
        ("du 5 au 23 août 2024", "2024-08-05", "2024-08-23"),
        ("del 5 al 23 de agosto de 2024", "2024-08-05", "2024-08-23"),
        ("ontem", "2025-01-14", "2025-01-14"),
        ("the week before Easter", "2024-03-24", "2024-03-30"),
        ("the week before Easter 2023", "2023-04-02", "2023-04-08"),
        ("two days after Christmas", "2024-12-27", "2024-12-28"),
        ("the week of 7 May 2024", "2024-05-06", "2024-05-12"),
        ("between May and July 2023", "2023-05-01", "2023-07-31"),
        ("between May and July", "2024-05-01", "2024-07-31"),
        ("between December and February", "2023-12-01", "2024-02-29"),
        ("from November 2023 to January", "2023-11-01", "2024-01-31"),
        ("from 3 to 10 May 2024", "2024-05-03", "2024-05-10"),
        ("2019-2021", "2019-01-01", "2021-12-31"),
        ("in the summer of 2022", "2022-06-01", "2022-08-31"),
        ("last summer", "2024-06-01", "2024-08-31"),
        ("last winter", "2023-12-01", "2024-02-29"),
        ("winter 2023/24", "2023-12-01", "2024-02-29"),
        ("Q3 2024", "2024-07-01", "2024-09-30"),
        ("the second quarter of last year", "2024-04-01", "2024-06-30"),
        ("first half of 2023", "2023-01-01", "2023-06-30"),
        ("in early 2023", "2023-01-01", "2023-04-30"),
        ("the 1990s", "1990-01-01", "1999-12-31"),
        ("two weeks ago", "2024-12-30", "2025-01-05"),
        ("three years ago", "2022-01-01", "2022-12-31"),
        ("the last three months", "2024-10-15", "2025-01-15"),
        ("before 2020", None, "2019-12-31"),
        ("before Easter", None, "2024-03-30"),
        ("until the end of 2023", None, "2023-12-31"),
        ("since last summer", "2024-06-01", None),
        ("Christmas 2023", "2023-12-24", "2023-12-26"),
        ("What did we eat at Christmas with Oma?", "2024-12-24", "2024-12-26"),
        ("over New Year", "2024-12-31", "2025-01-01"),
        ("Thanksgiving 2023", "2023-11-23", "2023-11-23"),
        ("on Tuesday", "2025-01-14", "2025-01-14"),
        ("on Wednesday", "2025-01-15", "2025-01-15"),
        ("last Wednesday", "2025-01-08", "2025-01-08"),
        ("last weekend", "2025-01-11", "2025-01-12"),
        ("next month", "2025-02-01", "2025-02-28"),
        ("on 5 March", "2024-03-05", "2024-03-05"),
        ("on March 5", "2024-03-05", "2024-03-05"),
        ("on 2021/07/18", "2021-07-18", "2021-07-18"),
        ("letzten März", "2024-03-01", "2024-03-31"),
        ("im Jahr 2023", "2023-01-01", "2023-12-31"),
        ("seit Mai", "2024-05-01", None),
        ("vor zwei Wochen", "2024-12-30", "2025-01-05"),
        ("vor 2020", None, "2019-12-31"),
        ("letzte Woche", "2025-01-06", "2025-01-12"),
        ("in den letzten drei Monaten", "2024-10-15", "2025-01-15"),
        ("zwischen Mai und Juli", "2024-05-01", "2024-07-31"),
        ("Ostern 2024", "2024-03-29", "2024-04-01"),
        ("Was haben wir an Weihnachten gegessen?", "2024-12-24", "2024-12-26"),
        ("am 12. März 2023", "2023-03-12", "2023-03-12"),
        ("12.03.2023", "2023-03-12", "2023-03-12"),
        ("zweites Halbjahr 2023", "2023-07-01", "2023-12-31"),
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
     "last 99999 days", "since ever", "the second letter", "What is in the sun?", "now", "a",
     "may", "march", "second", "sun", "die", "so", "the second half of the game", "a spring roll",
     "the Christmas tree", "Where is Sunday school?", "this may be wrong", "2000 g of flour",
     "it costs 2000 euros", "€2023", "invoice RB-2022-0117", "room 2012a", "version 1.2.2023.4",
     "from 3 to 10 people", "How many days are in a week?", "Who is April?", "31 February 2024"],
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which invoices came in last March?", "Which invoices came in last March (March 2024)?"),
        ("Was kam letzte Woche?", "Was kam letzte Woche (6 January 2025 to 12 January 2025)?"),
        ("What changed since May?", "What changed since May (since 1 May 2024)?"),
        ("Who won in 2014?", "Who won in 2014?"),  # it says its year
        ("What did I read recently?", "What did I read recently?"),  # too vague
        ("Who is the landlady?", "Who is the landlady?"),
    ],
)
def test_a_period_counted_from_today_is_put_into_dates(text, expected):
    assert explained(text, TODAY) == expected


DAYS = st.dates(date(1950, 1, 1), date(2090, 12, 31))


@given(DAYS, DAYS)
def test_a_written_day_is_that_day_whatever_today_is(day, today):
    for text in (
        day.isoformat(),
        f"on {day.day} {day:%B} {day.year}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day:02}.{day.month:02}.{day.year}",
    ):
        period = find_period(text, today)
        assert period is not None
        assert (period.start, period.end) == (day, day)


@given(DAYS, DAYS)
def test_a_period_in_plain_dates_is_read_back(first, last):
    period = Period("", min(first, last), max(first, last))
    read = find_period(spelled(period), date(2025, 1, 15))
    assert read is not None
    assert (read.start, read.end) == (period.start, period.end)


@given(DAYS, st.sampled_from(
    ["last march", "last week", "last weekend", "last summer", "last year", "last tuesday",
     "last christmas", "letzten monat", "yesterday", "two months ago"]
))  # fmt: skip
def test_what_was_last_is_over(today, text):
    period = find_period(text, today)
    assert period is not None
    assert period.start <= period.end < today


@given(DAYS, st.sampled_from(
    ["in march", "at easter", "over christmas", "on friday", "in the summer", "on 29 february",
     "since may", "at the weekend"]
))  # fmt: skip
def test_without_a_year_the_latest_that_has_begun_is_meant(today, text):
    period = find_period(text, today)
    assert period is not None
    assert period.start <= today
    assert (today - period.start).days <= (8 * 366 if "29" in text else 366 + 31)


@given(st.text(max_size=80), DAYS)
def test_any_text_is_read_without_an_error(text, today):
    period = find_period(text, today)
    assert (
        period is None or period.start is None or period.end is None or (period.start <= period.end)
    )
    assert isinstance(explained(text, today), str)
    assert isinstance(iso_dated(text), str)


_WORDS = """
may march second sun now a in on since until between and the last week of before easter 5 2024
2023-31 q9 13.45.2020 vor drei tagen 99999 years ago february 30
"""
_PIECES = _WORDS.split()


@given(st.lists(st.sampled_from(_PIECES), max_size=8), DAYS)
def test_words_of_dates_in_any_order_are_read_without_an_error(words, today):
    period = find_period(" ".join(words), today)
    assert period is None or period.text in " ".join(words)


@pytest.mark.parametrize(
    "text",
    ["When is the bill due?", "Sei so gut", "we went past an old house", "Was steht hier?",
     "a march through the woods", "du im Garten", "na gut", "is it a may fly"],
)  # fmt: skip
def test_words_that_are_periods_elsewhere_are_none(text):
    assert find_period(text, TODAY) is None


def test_units_are_known_in_every_form_before_and_after_a_day():
    period = find_period("in den zwei Wochen vor Ostern 2024", TODAY)
    assert (period.start, period.end) == (date(2024, 3, 17), date(2024, 3, 30))
    assert find_period("the twenty days after Easter 2024", TODAY).end == date(2024, 4, 20)
