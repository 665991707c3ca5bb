"""The follow-up check: words of a question that no result covers."""

from __future__ import annotations

import pytest

from manole_strategies.literal import uncovered


def test_what_the_results_hold_is_covered():
    assert uncovered("When was the boiler serviced?", ["The boiler was serviced in May."]) == []


def test_what_no_result_holds_is_named_in_order():
    missing = uncovered("Does the boiler or the dishwasher have a warranty?", ["The boiler."])
    assert missing == ["dishwasher", "warranty"]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("the invoices", "one invoice"),
        ("who is paying", "he pays"),
        ("Übergabe", "ubergabe"),
        ("BOILER", "boiler"),
    ],
)
def test_another_form_of_a_word_covers_it(question, text):
    assert uncovered(question, [text]) == []


def test_function_words_and_short_words_are_not_looked_for():
    assert uncovered("What is the cat of my dog?", ["nothing"]) == []


def test_short_codes_with_digits_are_looked_for():
    assert uncovered("What does E04 mean?", ["nothing"])[0] == "e04"


def test_several_results_cover_together():
    assert uncovered("boiler and dishwasher", ["boiler", "dishwasher"]) == []


def test_nothing_found_leaves_all_words():
    assert uncovered("boiler warranty", []) == ["boiler", "warranty"]
