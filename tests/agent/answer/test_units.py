"""What of a passage is quoted or left as a whole."""

from __future__ import annotations

import pytest

from agent.passages import passage
from manole.agent.answer.units import Unit, units_of
from manole.text.question import Question


def units(text: str) -> list[Unit]:
    return units_of(0, passage(text), Question("What is said?"))


LONG = "The hall is opened an hour before each match by whoever holds the key that week. " * 3

WRAPPED = f"""{LONG}
1. Switch the main valve off before the boiler is opened, and wait until the
   needle stands at zero.
2. Take the four screws out and keep them in the lid, for none of them are
   sold alone.
- *The lid is hot.* Whoever touches it within the first half hour without the
  gloves that hang beside the door burns his hand.
"""


def test_a_sentence_is_whole_where_the_line_was_broken():
    found = [" ".join(unit.text.split()) for unit in units(WRAPPED)]
    assert any(text.endswith("wait until the needle stands at zero.") for text in found)
    assert any(text.startswith("2. Take the four") and text.endswith("alone.") for text in found)
    assert any("without the gloves that hang beside the door burns" in text for text in found)
    assert all(said != "1." for unit in units(WRAPPED) for said, _, _ in unit.sentences)
    assert not any("zero. 2." in text for text in found)  # an item is no end of the one before


def test_a_sentence_that_begins_late_in_a_full_line_goes_on_in_the_next():
    text = f"{LONG}\nThe mileage is 60,214 km, as it was noted. Next main inspection: March\n2026."
    assert "Next main inspection: March\n2026." in [
        said for unit in units(text) for said, _, _ in unit.sentences
    ]


def test_each_task_is_said_for_itself():
    text = "health\n[ ] Pippa: vaccination\n[x] Mara: blood test"
    assert [unit.text for unit in units(text)] == text.split("\n")


EVENTS = "Event: Hut\nStarts: 2024-08-06\nEnds: 2024-08-08\n\nEvent: Choir\nStarts: 2024-12-08"


@pytest.mark.parametrize(
    ("asked", "told"),
    [("What was on in August 2024?", ["Hut"]), ("What was on in 2024?", ["Hut", "Choir"]),
     ("And on 7 August 2024?", ["Hut"]), ("What is on Tuesday?", ["Hut", "Choir"]),
     ("When is the choir?", ["Hut", "Choir"])],
)  # fmt: skip
def test_an_event_outside_the_period_of_the_question_is_left_out(asked, told):
    found = units_of(0, passage(EVENTS, "family.ics"), Question(asked))
    assert [unit.text.split("\n")[0] for unit in found] == [f"Event: {name}" for name in told]


def test_a_sentence_knows_its_lines():
    sentences = [said for unit in units(WRAPPED) for said in unit.sentences]
    ((first, last),) = [(a, b) for text, a, b in sentences if "main valve" in text]
    assert (first, last) == (2, 3)


def test_lines_of_a_form_stay_apart():
    form = "\n".join(f"Field {n}: value number {n} of the form" for n in range(20))
    assert all("\n" not in unit.text for unit in units(form))


def test_a_line_without_an_end_goes_on_for_a_sentence_and_not_for_ever():
    endless = "\n".join(
        "and so on without any end that a reader could make out here" for _ in range(99)
    )
    assert max(len(unit.text) for unit in units(endless)) < 1_000


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("The lid is hot.", True),
        ("## What to do before the winter", False),
        ("![A picture of the valve and lid](pictures/valve.webp)", False),
        ('{% image "_img/equipment/1.png" "tips for all of them" %}', False),
        ("| lid | hot | do not touch it |", True),
        ("Page 4", False),
        ("Es darf niemand hinein.", True),
    ],
)
def test_a_heading_or_a_picture_says_nothing(text, says):
    assert Unit(0, ((text, 1),)).says is says


def test_what_stands_between_the_objects_of_a_file_is_no_sentence():
    row = '{"name": "Tram", "a": 1}]'
    text = f'{{\n "updated": "2024-10-19",\n "currency": "EUR",\n "all": [\n  {row}\n}}'
    found = units_of(0, passage(text, "fares.json"), Question("What is said?"))
    assert [unit.line for unit in found if unit.says] == []
    assert [unit.text for unit in found if "Tram" in unit.text] == [row]
