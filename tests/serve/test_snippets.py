"""The sentence of a passage that a list of results shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manole.serve.snippets import MOST, Asked, snippet
from manole.text.question import Question

PASSAGE = """# House rules

The landlord confirms the notice period of the flat.
Either party may end the contract with a notice of three months to the end of a month, and
the notice must be given in writing. Bicycles stand in the yard.

| Item | Euros |
|---|---|
| Summe | 1,390.00 |
"""


def shown(query, passage=PASSAGE):
    found = snippet(passage, Asked(Question(query)))
    return found.text, [found.text[start:end] for start, end in found.marks]


def test_it_begins_with_the_sentence_that_holds_most_of_the_words():
    text, marks = shown("where do bicycles stand?")
    assert text.startswith("Bicycles stand in the yard.")
    assert marks == ["Bicycles", "stand"]


def test_a_sentence_that_runs_over_a_line_is_whole():
    text, marks = shown("end of the contract in writing")
    assert text.startswith("Either party may end the contract with a notice of three months to the")
    assert "a month, and the notice must be given in writing." in text
    assert marks == ["end", "contract", "end", "writing"]


def test_words_of_the_same_meaning_other_forms_and_beginnings_count():
    assert shown("total")[1] == ["Summe"]
    assert shown("noticed")[1][0] == "notice"
    assert shown("bicyc")[1] == ["Bicycles"]
    assert shown("bic")[1] == []


def test_without_a_word_it_is_the_beginning():
    text, marks = shown("penguins")
    assert text.startswith("# House rules The landlord")
    assert marks == []


def test_a_query_of_function_words_only_marks_these():
    assert "of" in shown("of the")[1]


def test_a_long_sentence_is_cut_around_the_word():
    filler = "and so it goes on with words that say nothing "
    passage = filler * 7 + "until the kettle whistles " + filler * 7
    text, marks = shown("kettle whistles", passage)
    assert len(text) <= MOST
    assert "…" in text
    assert marks == ["kettle", "whistles"]


def test_nothing_gives_nothing():
    for passage in ("", " \n \n", "|---|---|", "***"):
        assert shown("kettle", passage) == ("", [])


@pytest.mark.parametrize("unit", ["a", "a ", "(", "\n", " \n", "kettle ", "a\n", ".A ", "\u202e"])
def test_it_is_short_whatever_the_passage(unit):
    text, marks = shown("kettle a", unit * 4000)
    assert len(text) <= MOST
    assert all(marks)


@given(st.text(max_size=60), st.text(max_size=900))
def test_marks_lie_in_the_snippet(query, passage):
    found = snippet(passage, Asked(Question(query)))
    assert len(found.text) <= MOST
    for start, end in found.marks:
        assert 0 <= start < end <= len(found.text)
