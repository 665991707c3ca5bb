"""A question: what is read of it, once, and itself in other words."""

from datetime import date

import pytest

from manole.text import periods
from manole.text.question import Question

DAY = date(2025, 1, 15)


def test_each_thing_is_read_when_first_needed_and_once(monkeypatch):
    read = []
    find = periods.find_period
    monkeypatch.setattr(periods, "find_period", lambda *asked: read.append(asked) or find(*asked))
    question = Question("What did Anna pay in March?", DAY)
    assert question.stems == {"anna", "pay", "march"}
    assert question.names == ("Anna", "March")
    assert not read
    assert question.period.start == date(2024, 3, 1)
    assert question.undated.split() == ["What", "did", "Anna", "pay", "?"]
    assert len(read) == 1


def test_in_other_words_it_is_asked_on_the_same_day_and_leans_on_the_same():
    question = Question("And in June?", DAY, leans_on=(Question("What did I pay in May?", DAY),))
    assert question.saying("And in June?") is question
    assert question.saying("And in July?") == Question("And in July?", DAY, question.leans_on)
    assert question.explained.text == "And in June (June 2024)?"


def test_what_it_leans_on_stands_behind_it_and_tells_its_language():
    before = Question("Tot wanneer blijft mama?", DAY)
    question = Question("En tante Riet?", DAY, leans_on=(before,))
    assert question.whole.text == "En tante Riet? (Tot wanneer blijft mama?)"
    assert question.language == question.whole.language == "nl"
    assert Question("How high is it?", DAY).whole.text == "How high is it?"


@pytest.mark.parametrize(
    ("asked", "parts"),
    [
        ("where is the key kept, and until when is it good?",
         ["where is the key kept", "until when is it good? (where is the key kept)"]),
        ("when and where is the meeting", ["when is the meeting", "where is the meeting"]),
        ("wie heißt der Arzt und welche Nummer hat er",
         ["wie heißt der Arzt", "welche Nummer hat er (wie heißt der Arzt)"]),
        ("how much were May and June together", ["how much were May and June together"]),
        ("what about milk and honey", ["what about milk and honey"]),
    ],
)  # fmt: skip
def test_the_parts_of_a_question_are_told_apart(asked, parts):
    assert [part.text for part in Question(asked).parts] == parts


def test_a_question_that_leans_on_another_one_has_one_part():
    asked = Question("and where, and until when?", leans_on=(Question("what does it cost?"),))
    assert asked.parts == (asked,)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("hoe oud is Ida", "nl"),
        ("quel âge a Mara", "fr"),
        ("und in Karlsruhe?", "de"),
        ("y la de Julián", "es"),
        ("e la caldaia?", "it"),
        ("the rent", "en"),
        ("Vattenfall 2024", "en"),
    ],
)
def test_a_short_question_has_the_language_of_its_small_words(text, language):
    assert Question(text, DAY).language == language
