from datetime import date

import pytest

from manole_evaluate.dates import PartialDate, read, split


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2020/01/31", [PartialDate(2020, 1, 31)]),
        ("on 2018-03-12, paid", [PartialDate(2018, 3, 12)]),
        ("31.12.2019", [PartialDate(2019, 12, 31)]),
        ("7 May 2023", [PartialDate(2023, 5, 7)]),
        ("the 7th of May, 2023", [PartialDate(2023, 5, 7)]),
        ("May 7, 2023", [PartialDate(2023, 5, 7)]),
        ("Sept. 3rd", [PartialDate(None, 9, 3)]),
        ("June 2023", [PartialDate(2023, 6)]),
        ("2009-07", [PartialDate(2009, 7)]),
        ("in 2022.", [PartialDate(2022)]),
        ("31 February 2020 and 40.40.2020", [PartialDate(2020, 2), PartialDate(2020)]),
        ("12345 and 99", []),
        ("", []),
    ],
)
def test_dates_are_read_as_written(text, found):
    assert read(text) == found


def test_slashes_count_both_ways_round():
    assert set(read("03/04/2023")) == {PartialDate(2023, 4, 3), PartialDate(2023, 3, 4)}


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("7 May 2023", True),
        ("7 May", True),
        ("6 May 2023", False),
        ("9 May 2023", False),
        ("May 2023", False),
        ("2023", False),
    ],
)
def test_a_date_is_inside_only_as_a_whole(text, inside):
    [found] = read(text)
    assert found.inside(date(2023, 5, 7), date(2023, 5, 8)) is inside


@pytest.mark.parametrize(
    ("said", "gold", "enough"),
    [
        ("May 7, 2023", "2023-05-07", True),
        ("7 May", "7 May 2023", True),
        ("May 2023", "7 May 2023", False),
        ("7 May 2023", "May 2023", True),
        ("8 May 2023", "7 May 2023", False),
        ("7 May 2022", "7 May 2023", False),
        ("7 May 2022", "7 May", True),
        ("2023", "2023", True),
    ],
)
def test_a_date_answers_one_that_says_no_more(said, gold, enough):
    assert read(said)[0].answers(read(gold)[0]) is enough


def test_a_text_is_split_into_its_dates_and_the_rest():
    assert split("2018-03-12: 343.95") == ([PartialDate(2018, 3, 12)], ": 343.95")
    assert split("in 2022") == ([], "in 2022")


def test_dates_are_read_in_other_languages_and_older_times():
    assert read("am 5. Mai 1789") == [PartialDate(1789, 5, 5)]
    assert read("le 3 août") == [PartialDate(None, 8, 3)]
    assert split("12.5.") == ([], "12.5.")
