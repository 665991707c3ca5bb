"""Whether an answer's numbers stand in what it cites: forms, pages, citations, computed ones."""

import pytest

from figures import check, of_answer, written
from manole_evaluate.questions import parse
from manole_evaluate.runner import Answer

BILL = "bill.pdf\nTotal due: EUR 1.234,50 by 2024-03-05. Eight items."


@pytest.mark.parametrize(
    "reply",
    [
        "The total is €1,234.50.",
        "It is 1234.5 euros [1].",
        "Due on 5 March 2024 [12].",
        "8 items.",
        "1. The total is 1.234,50\n2. It is due in 2024",
        "No number at all.",
    ],
)
def test_a_number_in_any_form_is_found_in_its_source(reply):
    assert check(reply, "What is the total?", [BILL], by_model=True).unsupported == ()


def test_what_no_source_has_is_named_as_written():
    made = check("The total is 1,534.50 for 8 items.", "", [BILL], by_model=True)
    assert made.unsupported == ("1,534.50",)
    assert made.shown == ("1,534.50", "8")


def test_the_question_may_be_repeated():
    assert not check("In 1987, no.", "And in 1987?", [BILL], by_model=True).unsupported


def test_what_code_computed_counts_apart():
    made = check("You have 12 bills.", "", [], by_model=False)
    assert (made.computed, made.unsupported) == (("12",), ())


def test_citations_and_counters_are_no_numbers():
    assert written("1. One [3]\n2) Two [4, 5]\n**3.** 77 apples") == ("77",)


async def read(file):
    return {"a.pdf": [(1, "It cost 10."), (2, "It cost 20.")], "b.txt": [(None, "30")]}[file]


@pytest.mark.parametrize(
    ("cited", "unsupported"),
    [
        ((("a.pdf", 1),), ("20", "30")),
        ((("a.pdf", None),), ("30",)),
        ((("a.pdf", 2), ("b.txt", None)), ("10",)),
        ((), ("10", "20", "30")),
    ],
)
async def test_only_the_cited_page_counts(cited, unsupported):
    question = parse({"question": "How much?", "answers": ["10"]})
    answer = Answer("10, 20 and 30", True, False, 0.0, cited=cited, model_calls=1)
    made = await of_answer(question, answer, read)
    assert made.unsupported == unsupported


@pytest.mark.parametrize("given", [{"declined": True}, {"error": "broken", "declined": False}])
async def test_what_was_not_answered_has_no_figures(given):
    question = parse({"question": "How much?", "answers": ["10"]})
    answer = Answer("Not in 2020.", False, f1=0.0, **given)
    assert await of_answer(question, answer, read) is None
