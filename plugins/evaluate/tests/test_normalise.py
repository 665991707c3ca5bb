import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from manole_evaluate.normalise import normalise, numbers, scale_factor, scaled, tokens


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("The  Quick, Brown FOX!", "quick brown fox"),
        ("1,234.50", "1234.5"),
        ("1234.5", "1234.5"),
        ("1.234,50", "1234.5"),
        ("1'234.50", "1234.5"),
        ("1\u00a0234,50 €", "1234.5"),
        ("4 904,94 €", "4904.94"),
        ("$4.11", "4.11"),
        ("4,11", "4.11"),
        ("319.00", "319"),
        ("RM8.20", "rm 8.2"),
        ("Rs.319.00", "rs 319"),
        ("-$5.50", "-5.5"),
        ("−5 dBm", "-5 dbm"),
        ("2015-2016", "2015 2016"),
        ("1,234,567", "1234567"),
        ("1.234.567", "1234567"),
        (".5", "0.5"),
        ("3.6.8", "3.6.8"),
        ("1,2,3", "1 2 3"),
        ("21%", "21"),
        ("21 per cent", "21"),
        ("25MHz", "25 mhz"),
        ("3840x2160", "3840 x 2160"),
        ("3840 × 2160", "3840 x 2160"),
        ("F6C110-RKM-2U", "f6c110 rkm 2 u"),
        ("Melanie’s car isn't", "melanie car isnt"),
        ("U.S. at 5 p.m.", "us at 5 pm"),
        ("Café Zürich", "cafe zurich"),
        ("twenty-five", "25"),
        ("four of the twelve", "4 of 12"),
        ("one of them", "one of them"),
        ("２０２３年", "2023 年"),
        ("北京市", "北 京 市"),
        ("!?", ""),
    ],
)
def test_equal_things_have_one_form(written, normal):
    assert normalise(written) == normal


def test_articles_can_be_kept():
    assert tokens("The A", articles=True) == ["the", "a"]


@pytest.mark.parametrize(
    ("items", "out"),
    [
        (["5.2", "million"], ["5200000"]),
        (["0.1", "thousand"], ["100"]),
        (["million", "5"], ["million", "5"]),
    ],
)
def test_scale_words_multiply_the_number_before_them(items, out):
    assert scaled(items) == out


def test_numbers_are_read_with_and_without_their_scale():
    assert set(numbers("5.2 million of 1,000")) == {5.2, 5_200_000, 1000}


@pytest.mark.parametrize(
    ("word", "factor"), [("million", 1e6), ("Thousands", 1e3), ("percent", 1), ("", 1)]
)
def test_scale_factor_by_name(word, factor):
    assert scale_factor(word) == factor


# Pieces that meet in replies and pull at the rules, besides any text at all.
_WORDS = ("the", "a", "per", "cent", "percent", "one", "of", "twenty", "five", "million", "U.S.")
_FIGURES = ("1,234.50", "1.234,50", "12", "345,67", "RM", "-5", "2018-03-12", "25MHz", "'s", "n't")
_PIECES = st.sampled_from([*" .,-'’%$€x×:/\n\u00a0年é", *_WORDS, *_FIGURES])


@example("0RM0")
@given(st.one_of(st.text(), st.lists(_PIECES).map("".join), st.lists(_PIECES).map(" ".join)))
def test_normalise_is_idempotent(text):
    assert normalise(normalise(text)) == normalise(text)


@given(st.text())
def test_case_and_surrounding_space_make_no_difference(text):
    assert normalise(f"  {text}\n") == normalise(text)


@given(st.integers(0, 10**9), st.integers(0, 99))
def test_english_german_and_plain_numbers_agree(whole, cents):
    english = f"{whole:,}.{cents:02}"
    german = english.translate(str.maketrans(",.", ".,"))
    assert normalise(english) == normalise(german) == normalise(f"{whole}.{cents:02}")
