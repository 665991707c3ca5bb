"""Words that stand beside a question's own in the search."""

from __future__ import annotations

from manole.text.synonyms import synonyms


def test_a_papers_words_are_added_and_none_of_the_question_repeated():
    found = synonyms("How high is the deposit of the flat?")
    assert {"kaution", "wohnung", "apartment"} <= set(found)
    assert not {"deposit", "flat"} & set(found)
    assert len(found) == len(set(found))


def test_most_words_have_none():
    assert synonyms("Who won the cup in 2014?") == ()
    assert synonyms("") == ()


def test_words_that_count_as_one_are_searched_as_one():
    assert "allergy" in synonyms("What is Ida allergic to?")
