"""Which notes of a diary speak of something, of which day, and whom they name."""

from __future__ import annotations

from datetime import date

import pytest

from manole.text.question import Question
from manole.text.words import stem

from .diary import notes

TODAY = date(2025, 1, 15)


def speaking(phrase, days=None):
    diary = notes(days) if days else notes()
    return [diary.notes[n - 1].text for n in diary.speaking_of(phrase)]


@pytest.mark.parametrize(
    "forms",
    [
        "run ran running runs", "swim swam swum swimming", "eat ate eaten eating",
        "meet met meeting", "bake baked baking bakes", "stop stopped stopping", "date dates",
        "visit visits visited visiting", "invoice rechnung",
    ],
)  # fmt: skip
def test_forms_of_a_word_share_a_key(forms):
    assert len({stem(word) for word in forms.split()}) == 1


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("soup lunch", ["Had soup for lunch with Dorin.", "Had soup for lunch alone.",
                        "Had soup for lunch with Sanda and Dorin."]),
        ("ride canal", ["Rode 12 km on the canal path."]),
        ("visiting Ghent", ["Last week I visited Sanda in Ghent."]),
        ("repair the gate with hinges", ["Yesterday I repaired the gate."]),
        ("hinges and pliers of the gate", []),  # hardly one of its words is known
        ("reading news", ["Reading news for 1 h 10 min."]),
        ("dentist appointment", ["Dentist appointment"]),
        ("chess", []),
        ("", []),
    ],
)  # fmt: skip
def test_a_note_has_the_words_in_whatever_form(phrase, said):
    assert speaking(phrase) == said


def test_a_missing_verb_is_implied_where_the_note_has_no_other():
    days = {"2024-04-02": "42 minutes on news\nWatching news, 15 minutes\nRead a book"}
    days["2024-04-03"] = "Reading news, 10 minutes"
    assert speaking("reading news", days) == ["42 minutes on news", "Reading news, 10 minutes"]


def test_a_heading_is_no_second_note():
    days = {"2024-04-02": "# Swimming\nWent swimming before work.\nCold."}
    assert speaking("swimming", days) == ["Went swimming before work."]


def test_a_note_under_a_heading_that_says_the_rest():
    days = {"2024-04-02": "# Dentist\nTwo fillings.\nThe appointment took an hour."}
    assert speaking("dentist appointment", days) == ["The appointment took an hour."]


def test_words_count_that_are_known_to_the_notes_in_question():
    diary = notes({"2024-01-02": "Painted a door.", "2023-01-02": "Painting is a hobby."})
    assert diary.speaking_of("painting hobby") == [2]
    assert diary.speaking_of("painting hobby", among=[1]) == [1]


@pytest.mark.parametrize(
    ("phrase", "question", "whole"),
    [
        ("news", "How many minutes did I spend reading news in April 2024?", "reading news"),
        ("soup", "How often did I have soup for lunch with Dorin?", "soup lunch dorin"),
        ("canal", "wie oft bin ich am canal gefahren", "canal"),
        ("rode", "How far did I ride?", "ride"),
    ],
)
def test_a_phrase_is_made_whole_by_the_question(phrase, question, whole):
    assert notes().whole(phrase, Question(question, TODAY)) == whole


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Took the train to Ghent.", "2024-02-21"),
        ("Took the train to Ghent yesterday.", "2024-02-20"),
        ("Gestern war ich schwimmen.", "2024-02-20"),
        ("Tomorrow is the exam.", "2024-02-22"),
        ("Two days ago I bought a lamp.", "2024-02-19"),
        ("We met last Friday.", "2024-02-16"),
        ("Last week I met Sanda.", "2024-02-21"),  # no one day
        ("In 2019 I lived in Ghent.", "2024-02-21"),
        ("Recently I read a lot.", "2024-02-21"),
    ],
)
def test_words_count_from_the_day_of_the_entry(text, day):
    (note,) = notes({"2024-02-21": text}).notes
    assert note.day.isoformat() == day


def test_a_note_is_told_with_its_days_spelled():
    (note,) = notes({"2024-02-21": "Met Ana. Last week I met Sanda."}).notes
    assert note.said == "Met Ana. Last week (12 February 2024 to 18 February 2024) I met Sanda."


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Had lunch with Dorin and Sanda.", ["Dorin", "Sanda"]),
        ("I flew to Lisbon with Dorin.", ["Lisbon", "Dorin"]),
        ("We were in London, UK.", []),
        ("- 10:30 met Ana's friend", ["Ana"]),
        ("**Jon:** I called Gina on Monday.", ["Jon", "Gina"]),
        ("Slept well.", []),
    ],
)
def test_whom_a_note_names(text, people):
    (note,) = notes({"2024-02-21": text}).notes
    assert note.people == people


def test_who_is_spoken_to_is_not_who_is_spoken_of():
    talk = "**Dorin:** Sanda, I finished the bench!\n**Sanda:** Dorin, show me your bench."
    chat = notes({"2024-03-01": talk})
    assert chat.speaking_of("Dorin finished bench") == [1]
    assert chat.speaking_of("Sanda finished bench") == []
    assert chat.telling(Question("When did Dorin finish the bench?", TODAY), 0.9) == [
        "dorin",
        "finish",
        "bench",
    ]
    assert chat.telling(Question("When did Sanda finish the bench?", TODAY), 0.9) == []
    assert chat.speaker_in(Question("When did Dorin finish the bench?")) == "Dorin"
    assert chat.speaker_in(Question("Did Dorin show Sanda the bench?")) is None
    assert chat.speaker_in(Question("Who finished the bench?")) is None
