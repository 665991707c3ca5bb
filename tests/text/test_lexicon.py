"""What else a text may call the things of a question."""

from __future__ import annotations

import pytest

from manole.text.lexicon import LANGUAGES, synonyms, things
from manole.text.question import Question


def test_a_papers_words_are_added_and_none_of_the_question_repeated():
    found = synonyms("How high is the deposit of the flat?")
    assert {"kaution", "wohnung", "apartment"} <= set(found)
    assert not {"deposit", "flat"} & set(found)
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    "question",
    [
        "hoe hoog is de borg",
        "quanto è la cauzione",
        "de cuánto es la fianza",
        "wie hoch ist die Kaution",
    ],
)
def test_a_question_in_another_language_knows_the_papers_words(question):
    asked = Question(question)
    assert {"deposit", "kaution"} - set(asked.words) <= set(asked.synonyms)


def test_a_word_is_read_in_the_language_of_the_question():
    assert "hot" not in synonyms("die file", "en")
    assert "traffic" not in " ".join(synonyms("which file", "en"))


def test_unknown_words_have_no_other_names():
    assert synonyms("Wyoming 2014 E07", "en") == synonyms("", "en") == ()
    assert synonyms("the deposit", "pt") == ("kaution",)  # that counts as equal everywhere


def test_words_that_count_as_one_are_searched_as_one():
    assert "allergy" in synonyms("What is Ida allergic to?")


def test_each_thing_has_a_name_in_each_language():
    assert len(things()) > 3000
    for thing in things():
        assert all(name == name.strip() != "" for lang in LANGUAGES for name in thing[lang]), thing
