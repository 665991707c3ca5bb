"""What is quoted reads as a person would say it."""

import pytest

from agent.passages import passage
from manole.agent.answer.units import Unit, units_of
from manole.agent.answer.wording import worded
from manole.text.question import Question


def all_worded(text, file, **more):
    found = passage(text, file, **more)
    return [worded(found, unit) for unit in units_of(0, found, Question("x"))]


def test_a_row_of_a_table_names_its_columns_and_an_empty_cell_is_left_out():
    table = (
        "| Pot | Plant | Notes |\n|---|---|---|\n| A | **tomato** | one shoot |\n| B | basil | |"
    )
    said = " ".join(all_worded(table, "garden.md"))
    assert "A · Plant: tomato · Notes: one shoot" in said
    assert "B · Plant: basil" in said
    assert "|" not in said


@pytest.mark.parametrize(
    ("text", "file", "heading"),
    [
        ("2024-08-17,Market,Groceries,-131.08", "bank.csv", "date,party,purpose,amount"),
        (
            "| 2024-08-17 | Market | Groceries | -131.08 |",
            "a.xlsx",
            "date | party | purpose | amount",
        ),
    ],
)
def test_a_row_far_below_its_header_names_its_columns_too(text, file, heading):
    (said,) = all_worded(text, file, headings=("Overview", heading))
    assert said == "2024-08-17 · party: Market · purpose: Groceries · amount: -131.08"


OBJECTS = ['{"name": "Film club", "monthly": 9.99,', ' "note": "any month"},', '{"name": "Tram"}']


@pytest.mark.parametrize("before", ["", '{"updated": "2024-10-19", "all": [\n'])
def test_each_object_of_a_list_is_a_row_wherever_a_passage_begins(before):
    *_, first, second = all_worded(before + "\n".join(OBJECTS), "subscriptions.json")
    assert first == "Film club · monthly: 9.99 · note: any month"
    assert second == "Tram"


def test_rows_of_a_file_of_rows_stay_apart():
    text = "date,what\n2024-08-17,a purpose that is longer than sixty characters are\n2024-08-18,b"
    first, second = all_worded(text, "bank.csv")
    assert (first[:16], second) == ("2024-08-17 · wha", "2024-08-18 · what: b")


def test_rows_that_are_one_unit_are_each_said_once():
    text = "date,what\n2024-08-17,a purpose that is longer than sixty characters are\n2024-08-18,b"
    found = passage(text, "bank.csv")
    lines = tuple((line, at) for at, line in enumerate(text.split("\n"), found.line))
    said = worded(found, Unit(0, lines[1:]))
    assert said == (
        "2024-08-17 · what: a purpose that is longer than sixty characters are"
        " · 2024-08-18 · what: b"
    )


@pytest.mark.parametrize(
    ("text", "file", "wanted"),
    [
        ("- [ ] Pippa: vaccination", "a.txt", "Pippa: vaccination"),
        ("E07  Fan does not turn  Ring us.", "a.pdf", "E07 · Fan does not turn · Ring us."),
        ("* See [the **rules**](rules.md), `now`.", "a.md", "See the rules, now."),
        ("2 * 3 * 4 is [not] a link", "a.txt", "2 * 3 * 4 is [not] a link"),
        ("One line is wrapped because it is longer than a page\nis wide.", "a.txt",
         "One line is wrapped because it is longer than a page is wide."),
    ],
)  # fmt: skip
def test_markup_goes_and_plain_text_stays(text, file, wanted):
    assert all_worded(text, file) == [wanted]
