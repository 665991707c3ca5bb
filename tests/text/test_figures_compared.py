"""Figures are compared by what they mean: random values as Babel writes them in many locales."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest
from babel.dates import format_date
from babel.numbers import format_currency, format_decimal, format_percent
from hypothesis import assume, given
from hypothesis import strategies as st

from manole.text.dates import mentions
from manole.text.figures import Held, Known, figures, missing

LOCALES = ("en_US", "en_GB", "de_DE", "de_CH", "fr_FR", "fr_CH", "es_ES", "it_IT", "nl_NL", "pt_PT")
LOCALE = st.sampled_from(LOCALES)
AMOUNT = st.decimals("0.01", "9999999.99", places=2)
DAY = st.dates(date(1950, 1, 1), date(2049, 12, 31))
SPACES = "\u00a0\u202f"


def held(said: str, *texts: str) -> Held:
    """The least that the figures of `said` are held by texts."""
    known = Known.of(texts)
    return min(known.holds(figure) for figure in figures(said))


# -- numbers -----------------------------------------------------------------------------------


@given(value=AMOUNT, one=LOCALE, other=LOCALE)
def test_an_amount_is_the_same_in_every_notation(value, one, other):
    written = format_currency(value, "EUR", locale=one)
    said = format_decimal(value, format="#,##0.00", locale=other)
    assert held(said, f"Total: {written}") is Held.YES
    plain = written.replace(SPACES[0], " ")
    apart = re.search(r"\d \d", plain)  # two cells of a table, or one number
    assert held(said, f"Total: {plain}") >= (Held.PERHAPS if apart else Held.YES)
    assert held(str(value), written) is Held.YES


@given(value=AMOUNT, cents=st.sampled_from(("0.01", "0.45", "1", "9", "1000")), one=LOCALE,
       other=LOCALE)  # fmt: skip
def test_another_amount_is_not(value, cents, one, other):
    written = format_currency(value, "EUR", locale=one)
    near = format_decimal(value + Decimal(cents), format="#,##0.00", locale=other)
    assert held(near, f"Total: {written}") is Held.NO


@given(value=st.decimals("0", "1", places=3), one=LOCALE, other=LOCALE)
def test_a_percentage_is_the_same_in_every_notation(value, one, other):
    written = format_percent(value, format="0.0 %", locale=one)
    assert held(format_percent(value, format="#0.0%", locale=other), written) is Held.YES


@pytest.mark.parametrize(
    "written",
    ["1.234,50 €", "1,234.50 EUR", "1\u00a0234,50 €", "1'234.50 CHF", "1’234.50", "€1234.5",
     "$ 1,234.50", "1\u202f234,50", "1234,50 Euro", "١٬٢٣٤٫٥٠", "１２３４.50 €"],
)  # fmt: skip
def test_one_number_in_many_spellings(written):
    assert held("1234.5", written) is Held.YES
    assert held(written, "1234.5") is Held.YES
    for other in (
        "1.234,05 €",
        "12,345.0",
        "1234.51",
    ):
        assert held(written, other) is Held.NO


@pytest.mark.parametrize(
    ("written", "said"),
    [("€ 12", "12 EUR"), ("12,00 Euro", "12"), ("49,- €", "49"), ("3.412 kWh und 31,90 ct", "3412"),
     ("82,5m²", "82.5 m²"), ("19 %", "19%"), ("12,5 kWh", "12.5kWh"), ("1,23,456.50", "123456.5")],
)  # fmt: skip
def test_signs_and_units_are_no_part_of_a_number(written, said):
    assert held(said, written) is not Held.NO


def test_a_lone_mark_before_three_digits_is_read_in_both_ways():
    assert held("1234", "1.234") is Held.PERHAPS
    assert held("1,234", "1.234") is Held.PERHAPS
    assert held("1.234", "1.234") is Held.YES  # spelled alike
    assert held("1235", "1.234") is Held.NO


def test_the_other_figures_of_a_text_decide():
    german = "Verbrauch 1.234 kWh, 31,90 ct und 12,50 € Grundpreis"
    assert held("1234", german) is Held.YES
    assert held("1,234", f"{german}") is Held.PERHAPS  # the answer may mean a decimal
    english = (
        "The first of them weighs 1.234 kg, and the other one has 12.50 kg with all its parts."
    )
    assert held("1.2340", english) is Held.PERHAPS  # without a unit zeros may count
    assert held("1.2340kg", english) is Held.YES
    assert held("1234", english) is Held.NO
    assert held("1234", "1.234 kg, 12.50 kg, 3.7 kg") is Held.PERHAPS  # of no language


def test_the_language_tells_the_likelier_reading():
    text = "Der Verbrauch im vergangenen Jahr betrug nach unserer Ablesung 1.234 Kilowattstunden."
    assert held("1234", text) is Held.YES
    assert held("1.2340", text) is Held.PERHAPS


def test_a_text_in_both_notations_decides_nothing():
    text = "Angebot 12,50 € (converted: 12.50), Menge 1.234"
    assert held("1234", text) is Held.PERHAPS
    assert held("1.2340", text) is Held.PERHAPS


def test_telephone_numbers_and_accounts_stay_as_they_are():
    text = "Tel. +49 761 555 0133, IBAN DE12 5001 0517 0648 4898 90, Zähler 88 204 117"
    assert missing("+49 761 555 0133", Known.of([text]), Held.YES) == []
    assert missing("DE12 5001 0517 0648 4898 90", Known.of([text]), Held.YES) == []
    assert held("88 204 117", text) is Held.YES
    assert held("0134", text) is Held.NO
    assert held("0649", text) is Held.NO


# -- days --------------------------------------------------------------------------------------


@given(
    day=DAY, one=LOCALE, other=LOCALE, form=st.sampled_from(("long", "yyyy-MM-dd", "dd.MM.yyyy"))
)
def test_a_day_is_the_same_in_every_notation(day, one, other, form):
    written = format_date(day, "long", locale=one)
    said = format_date(day, form, locale=other)
    assert held(said, f"x {written} x") is Held.YES
    assert held(day.isoformat(), said) is Held.YES


@given(day=DAY, one=LOCALE, other=LOCALE, off=st.integers(1, 700))
def test_another_day_is_not(day, one, other, off):
    near = day + timedelta(days=off)
    assert held(format_date(near, "long", locale=other), format_date(day, "long", locale=one)) is (
        Held.NO
    )


@given(day=DAY, sign=st.sampled_from("/-"))
def test_a_day_that_may_be_read_in_two_ways_matches_both_and_is_not_sure(day, sign):
    assume(day.day <= 12 and day.day != day.month)
    written = f"{day.day:02}{sign}{day.month:02}{sign}{day.year}"
    turned = day.replace(day=day.month, month=day.day)
    assert held(day.isoformat(), written) is Held.PERHAPS
    assert held(turned.isoformat(), written) is Held.PERHAPS
    assert held(written, written) is Held.YES
    decided = f"{written} and 25{sign}03{sign}2020"
    assert held(day.isoformat(), decided) is Held.YES
    assert held(turned.isoformat(), decided) is Held.NO


@pytest.mark.parametrize(
    "written",
    ["5. Mai 2024", "May 5, 2024", "May 5th 2024", "2024-05-05", "05.05.2024",
     "5 de mayo de 2024", "le 5 mai 2024", "5 maggio 2024", "5 mei 2024", "5 de maio de 2024",
     "2024年5月5日", "5.\u00a0Mai 2024", "٥ مايو 5/5/2024", "5. Mai 2024 (5/5/24)"],
)  # fmt: skip
def test_one_day_in_many_spellings(written):
    assert held("2024-05-05", written) is Held.YES
    assert held("2024-05-06", written) is Held.NO


@pytest.mark.parametrize(
    ("said", "text", "expected"),
    [
        ("May 2024", "am 5. Mai 2024", Held.YES),  # less than is written
        ("5 August 2024", "vom 5. bis 23. August 2024", Held.PERHAPS),  # "5." may be a number
        ("17. Mai 2024", "Rechnung 17 vom 3. Mai 2024", Held.NO),
        ("5 May", "You may bring 5 friends", Held.NO),
        ("5 May", "on the 5th of may", Held.YES),
        ("5 months", "12 May 2024", Held.NO),  # its month is a word
        ("May 2024", "5/5/24", Held.PERHAPS),
        ("5 May 2025", "3 June 2025, 5 May 2024", Held.NO),  # of two whole days
        ("5 May 2024", "May 2024: bill of 5 June 2024", Held.NO),
        ("5 May 2024", "5 May; bill of 3 June 2024", Held.PERHAPS),
        ("23 August", "du 5 au 23 août 2024", Held.YES),
        ("5 May 2024", "Mai 2024: Treffen am 5. und am 12.", Held.PERHAPS),  # put together
        ("6 May 2024", "5 May 2024, 6 items", Held.NO),
        ("5 June 2024", "5 May 2024, 12 June 2024", Held.NO),
        ("31 February 2024", "31.02.2024", Held.YES),  # no day, but what is written
        ("1 March 2024", "31.02.2024", Held.NO),
        ("45.13.2024", "45.13.2024", Held.YES),
        ("8:30", "um 8.30 Uhr", Held.YES),
        ("8 h 45", "at 8:45", Held.YES),
        ("20:30", "at 8:30 pm", Held.YES),
        ("8:30 pm", "at 8:30 am", Held.NO),
        ("8:30 am", "at 8:30 pm", Held.NO),
        ("8:30", "at 8:30 pm", Held.PERHAPS),
        ("14:00", "um 14 Uhr", Held.YES),
        ("14:00", "at 2 pm", Held.YES),
        ("8:00", "um 08 Uhr", Held.YES),
        ("2 pm", "at 2 a.m.", Held.NO),
        ("2 pm", "2 rooms", Held.NO),
        ("2 pm", "open 2–4 pm", Held.PERHAPS),
        ("10 am", "open 10-2 pm", Held.PERHAPS),
        ("10 pm", "open 10-2 pm", Held.NO),
        ("9 Uhr", "9 bis 17 Uhr", Held.PERHAPS),
        ("Zimmer 12 am Ende", "Zimmer 12", Held.YES),  # no time
        ("9:30", "at 8:30", Held.NO),
    ],
)
def test_parts_of_days_and_times(said, text, expected):
    assert held(said, text) is expected


@given(text=st.text(st.sampled_from("0123456789./-, :'hMai\u202f年月日٣€"), max_size=40))
def test_any_text_holds_its_own_figures(text):
    assert missing(text, Known.of([text]), Held.YES) == []
    found = figures(text)
    assert all(one.end <= other.start for one, other in pairwise(found))


def test_a_month_before_the_first_day_is_no_error():
    assert [str(day) for m in mentions("0.5.2024, 5.0.2024") for day in m.readings] == []


@pytest.mark.parametrize(
    ("said", "text", "expected"),
    [
        ("2062-05-05", "5.5.62", Held.PERHAPS),
        ("1962-05-05", "5.5.62", Held.PERHAPS),
        ("2024-05-05", "5/5/24", Held.PERHAPS),
        ("1924-05-05", "5.5.24", Held.PERHAPS),
        ("2025-05-05", "5.5.24", Held.NO),
        ("5.4.24", "4/5/24 and 25/03/20", Held.NO),  # the day stands first
        ("2024-05-04", "4/5/24 and 25/03/20", Held.PERHAPS),
    ],
)
def test_two_digits_of_a_year_are_read_in_both_centuries(said, text, expected):
    assert held(said, text) is expected


def test_a_birthday_long_ahead_is_of_the_last_century():
    (born,) = mentions("12.03.62")
    assert [day.year for day in born.readings] == [1962, 2062]


GERMAN = "Wir treffen uns mit allen Leuten aus dem Haus im großen Saal am 3.5. wie in jedem Jahr."


def test_a_decimal_at_the_end_of_a_sentence_is_no_day():
    for part in ("3", "5", "5 March"):
        assert held(part, "The interest rate is 3.5.") is Held.NO
    assert held("3.5 percent", "The interest rate is 3.5.") is Held.PERHAPS
    assert held("3. Mai", GERMAN) is Held.PERHAPS
    assert held("5. März", GERMAN) is Held.NO
    (decimal,), (day,) = figures("It is 3.5."), figures(GERMAN, ",")
    assert decimal.day is None
    assert str(day.day) == "--05-03"


def test_numbers_side_by_side_are_two_or_one():
    row = "Beratung 2 150,00 300,00"
    assert held("2.150,00", row) is Held.PERHAPS
    assert held("150,00", row) is Held.PERHAPS
    assert held("2.150,01", row) is Held.NO
    for space in "\u00a0\u202f\u2009":
        assert held("2.150,00", f"Beratung 2{space}150,00") is Held.YES


def test_numbers_of_sections_do_not_speak_against_the_language():
    text = "Abschnitt 2.10 und 3.11 der Vereinbarung: Der Verbrauch im letzten Jahr betrug 1.234."
    assert held("1234", text) is Held.PERHAPS
    assert held("1.2340kg", text) is Held.PERHAPS
    both = "Der Verbrauch im vergangenen Jahr betrug 1.234 und kostete uns 1,050.20 Dollar."
    assert held("1.2340kg", both) is Held.YES  # a number with both signs does


@pytest.mark.parametrize(
    ("said", "text", "expected"),
    [
        ("5 mg", "Take .5 mg", Held.NO),
        ("0,5 mg", "Take .5 mg", Held.YES),
        (".125", "0,125", Held.YES),
        ("5", "see p.5", Held.YES),
        ("3.1", "Version 3.10", Held.PERHAPS),
        ("3.10", "Version 3.1", Held.PERHAPS),
        ("3.10", "Version 3.10", Held.YES),
        ("12,50 €", "EUR 12.50", Held.YES),
        ("12.5%", "12.50 %", Held.YES),
        ("1.234,50 €", "EUR 1234.50", Held.YES),
        ("12,05 €", "EUR 12.50", Held.NO),
    ],
)
def test_points_and_zeros_tell_numbers_apart(said, text, expected):
    assert held(said, text) is expected


def test_an_account_is_one_figure():
    text = "IBAN DE12 5001 0517 0648 4898 90, BIC SOLADEST600"
    assert held("DE12500105170648489890", text) is Held.YES
    assert held("DE12 5001 0517 4898 0648 90", text) is Held.NO
    assert held("4898 euros", text) is Held.NO
    assert held("600", text) is Held.YES


@pytest.mark.parametrize(
    "text",
    ["12," * 20_000, "12" + "_" * 50_000, "12" + " " * 50_000 + "May" + "-" * 50_000 + "2024",
     "May" + " " * 50_000, "123 " * 20_000, "." * 50_000, "5 - " * 20_000, "AB12 " * 10_000],
    ids=lambda text: text[:6],
)  # fmt: skip
def test_hostile_texts_are_read_to_their_end(text):
    assert missing("7777", Known.of([text])) != []


def test_letters_that_look_like_others_name_a_month_or_none():
    assert held("3. August 1914", "3. Auguſt 1914") is Held.YES
    assert held("3. April 1914", "3 abrıl 1914") is Held.YES
    assert held("5", "5 İuni") is Held.YES


@pytest.mark.parametrize(
    ("known", "answer", "lacks"),
    [
        ("2024-05-03 rent 1,500.00 EUR", "In May 1500 EUR were paid.", False),
        ("Die Miete beträgt 1.200,00 Euro. Am 3.5.2024 gezahlt", "Am 3. Mai 1200 Euro.", False),
        ("Die Miete beträgt 1.200,00 Euro. Am 3.5.2024 gezahlt", "Am 4. Mai 1200 Euro.", True),
        ("2024-05-03 rent 1,500.00 EUR", "In May 1300 EUR were paid.", True),
    ],
)
def test_an_amount_behind_a_month_is_no_year(known, answer, lacks):
    assert bool(missing(answer, Known.of([known]))) is lacks
