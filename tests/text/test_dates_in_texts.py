"""Days as texts write them."""

from __future__ import annotations

from datetime import date

import pytest

from manole.documents.journal import heading_date
from manole.text.date_words import MONTHS, SHORT_MONTHS
from manole.text.dates import find_dates, mentions, month_of
from manole.text.periods import find_period


@pytest.mark.parametrize("name", MONTHS)
def test_a_month_is_known_to_dates_and_periods_alike(name):
    month = month_of(name)
    assert [day for _, _, day in find_dates(f"5. {name} 2024")] == [date(2024, month, 5)]
    assert find_period(f"in {name} 2024", date(2025, 1, 1)).start == date(2024, month, 1)


@pytest.mark.parametrize("name", SHORT_MONTHS)
def test_a_short_month_that_is_another_word_too_is_one_only_in_a_whole_date(name):
    day = date(2024, SHORT_MONTHS[name], 17)
    assert [found for _, _, found in find_dates(f"le 17 {name}. 2024, 17 de {name}. de 2024")] == [
        day,
        day,
    ]
    assert mentions(f"12 {name}, {name} 5, {name} 2024") == ()


@pytest.mark.parametrize(
    "text",
    ["iPad 9th Gen 2021", "(3rd Gen, 2021)", "Intel i7 11gen 2021", "Dell XPS 13 gen 2022",
     "Model 3 set 2019", "Vol. 2 Out 2019", "the 5th ago 2020", "no. 8mag 2019"],
)  # fmt: skip
def test_an_english_word_between_numbers_is_no_month(text):
    assert find_dates(text) == []


@pytest.mark.parametrize(
    "word", ["lundi", "Martes", "Donnerstag", "venerdì", "Segunda-feira", "Mo"]
)
def test_a_heading_may_begin_with_its_weekday(word):
    assert heading_date(f"# {word}, 5.2.2024: Ski") == (date(2024, 2, 5), "", "Ski")


def test_letters_that_look_like_others_are_no_error():
    assert find_dates("3 abrıl 1914, 5 İuni 1914") == [(0, 12, date(1914, 4, 3))]


@pytest.mark.parametrize("blank", ["_", " ", "-"])
def test_long_runs_of_blanks_are_read_to_their_end(blank):
    assert find_dates(f"12{blank * 50_000}May{blank * 50_000}2024") == []
    assert find_dates(f"12{blank * 3}May 2024") != []


def test_a_day_before_the_next_cell_of_a_row_is_whole():
    assert find_dates("2022-03-01,1 EMH,48210") == [(0, 10, date(2022, 3, 1))]


def test_days_of_older_times_are_mentioned_though_no_paper_is_of_them():
    (mention,) = mentions("born on 5 May 1789")
    assert str(mention.readings[0]) == "1789-05-05"
    assert find_dates("born on 5 May 1789") == []
