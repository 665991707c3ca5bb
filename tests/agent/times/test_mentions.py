"""Which lines of a journal speak of an event."""

from __future__ import annotations

import pytest

from manole.agent.times.mentions import Mention, known_keys, mentions
from manole.documents.fields.model import TextLine
from manole.documents.journal import read_entries
from manole.index.forms import key

from .notes import asked, entry, found, journal, texts


@pytest.mark.parametrize(
    "forms",
    [
        "run ran running runs",
        "swim swam swum swimming",
        "eat ate eaten eating",
        "meet met meeting",
        "bake baked baking bakes",
        "stop stopped stopping",
        "date dates",
        "visit visits visited visiting",
        "invoice rechnung",
    ],
)
def test_forms_of_a_word_share_a_key(forms):
    assert len({key(word) for word in forms.split()}) == 1


def test_other_words_do_not():
    apart = ["run", "rain", "read", "ride", "road", "lunch", "launch", "dinner", "bake", "bark"]
    assert len({key(word) for word in apart}) == len(apart)


def test_a_line_has_every_word_of_the_question():
    assert texts("How many times did I have soup for lunch?") == [
        "Had soup for lunch with Dorin.",
        "Had soup for lunch alone.",
        "Had soup for lunch with Sanda and Dorin.",
    ]


def test_in_whatever_form():
    assert texts("How often did I ride on the canal?") == ["Rode 12 km on the canal path."]
    assert texts("When did I last visit Ghent?") == ["Last week I visited Sanda in Ghent."]


def test_only_within_the_period():
    assert [m.entry.date.month for m in found("How often did I have soup in April 2024?")] == [4, 4]
    assert texts("How often did I have soup in March 2024?") == []


def test_each_mention_says_where_it_stands():
    (mention,) = found("When did I repair the gate?")
    assert (mention.entry.file, mention.line.line) == ("2024-04-17.md", 1)
    (mention,) = found("How often did I have noodles?")
    assert (mention.entry.file, mention.line.line) == ("2024-04-17.md", 2)


def test_words_that_no_entry_has_are_left_out_where_it_is_counted():
    assert texts("How often did I repair the gate with hinges?") == [
        "Yesterday I repaired the gate."
    ]
    assert texts("How often did I repair something with hinges, nails and pliers?") == []


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("How often did I see Sanda?", 3),
        ("How often did Sanda see the vet?", 0),
        ("How often did I visit Sanda?", 1),
        ("When did I last see Sanda?", 3),
        ("When did Sanda repair the green gate?", 0),
        ("When did I repair the green gate?", 0),
    ],
)
def test_a_name_alone_says_only_who(question, count):
    assert len(texts(question)) == count


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("Had soup for lunch.", True),
        ("Dr. Ursu called. We rode to the mill. It rained", False),  # four pieces
        ("Rode to the mill. It rained.", True),
        ("Rode on " * 80, False),
        ("Sanda: I moved house.", False),
        ("**Sanda:** I moved house.", False),
        ("10:30 Called Sanda", True),
    ],
)
def test_a_note_is_short_and_of_one_event(line, note):
    made = entry(line)
    assert Mention(made, made.lines[0]).is_note is note


@pytest.mark.parametrize(
    "question",
    [
        "When did I go to Madrid?",
        "How often did I play chess?",
        "When did I have soup at the market?",  # two lines of one entry
    ],
)
def test_nothing_speaks_of_it(question):
    assert found(question) == []


def test_without_entries_there_are_no_mentions():
    assert mentions(asked("When did I go to Rio?"), [], known_keys([])) == []


def test_a_missing_verb_is_implied_where_the_line_has_no_other():
    notes = journal({"2024-04-02": "42 minutes on news\nWatching news, 15 minutes\nRead a book"})
    notes += journal({"2024-04-03": "Reading news, 10 minutes"})
    assert texts("How many minutes did I spend reading news?", notes) == [
        "42 minutes on news",
        "Reading news, 10 minutes",
    ]


# -- headings ----------------------------------------------------------------------------------


def test_an_event_that_only_a_heading_names():
    (mention,) = found("When was my dentist appointment?")
    assert (mention.text, mention.line.line) == ("Dentist appointment", 1)


def test_a_heading_is_no_second_mention():
    notes = [entry("# Swimming\nWent swimming before work.\nCold.")]
    assert texts("How often did I go swimming?", notes) == ["Went swimming before work."]


def test_a_line_under_a_heading_that_says_the_rest():
    notes = [entry("# Dentist\nTwo fillings.\nThe appointment took an hour.")]
    assert texts("When was the dentist appointment?", notes) == ["The appointment took an hour."]


def test_every_sentence_of_jrnl_can_be_found():
    text = "[2024-04-02 09:00] Walked to the park. It rained.\n\n[2024-04-03 21:15] Called Mum."
    lines = [TextLine(line, None, n) for n, line in enumerate(text.split("\n"), 1)]
    notes = read_entries("journal.txt", lines, "txt")
    (mention,) = found("When did I walk to the park?", notes)
    assert (mention.line.line, mention.text) == (1, "Walked to the park. It rained.")
    (mention,) = found("When did I last call Mum?", notes)
    assert (mention.line.line, mention.text) == (3, "Called Mum.")


# -- when it is asked for ----------------------------------------------------------------------


def test_what_i_did_goes_before_what_speaks_of_it():
    notes = journal(
        {
            "2024-05-01": "Read about Lisbon all evening.",
            "2024-05-09": "We flew to Lisbon with one bag.",
            "2024-05-12": "Wrote three cards from Lisbon.",
        }
    )
    assert texts("When did we fly to Lisbon?", notes) == ["We flew to Lisbon with one bag."]
    assert len(texts("How often did we write from Lisbon?", notes)) == 1
    assert len(texts("When was Lisbon?", notes)) == 3


def test_nearly_all_words_are_enough_where_a_time_is_asked():
    notes = journal({"2024-05-01": "Dorin and Sanda repaired the old wooden gate."})
    notes += journal({"2024-05-02": "Painted the fence."})
    question = "When did Dorin and Sanda and I repair the old wooden fence gate?"
    assert texts(question, notes) == ["Dorin and Sanda repaired the old wooden gate."]
    assert texts(question.replace("When did", "How often did"), notes) == []


def test_a_most_question_without_words_looks_at_every_line():
    assert len(found("What did I eat most?")) == sum(len(e.lines) for e in journal())
