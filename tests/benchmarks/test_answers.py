"""Answers side by side: what is kept of them, and which of them a table counts."""

import pytest

from answers import Details, Entry, supported, tables
from figures import Figures
from manole.errors import UsageError
from manole_evaluate.questions import parse
from manole_evaluate.runner import Answer, Outcome


def entry(system, number, *, correct=True, answerable=True, figures=None):
    asked = {"id": str(number), "question": "What?", "answers": ["x"], "answerable": answerable}
    answer = Answer("x", correct, False, 1.0)
    return Entry("bills", system, "tiny", Outcome(parse(asked), answer), figures)


def test_only_what_every_system_has_answered_is_counted():
    ours = [entry("agent", number) for number in range(5)]
    theirs = [entry("simple", number, correct=number > 1) for number in range(3)]
    printed = "\n".join(tables([*ours, *theirs]))
    assert "| questions | 3 | 3 |" in printed
    assert "100.0 % (3 of 3) | 33.3 % (1 of 3)" in printed
    assert "2 answers are left out" in printed


def test_numbers_that_are_made_up_and_those_that_are_computed_count_apart():
    figures = [Figures(("12",), computed=("12",)), Figures(("13", "14"), unsupported=("13",))]
    told = supported([entry("agent", n, figures=one) for n, one in enumerate([*figures, None])])
    assert told == "1 of 2 (1 computed, 1 made up)"


def test_a_run_goes_on_where_one_was_stopped(tmp_path):
    kept = tmp_path / "details.jsonl"
    Details(kept).add(entry("agent", 1, figures=Figures(("12",))))
    again = Details(kept)
    assert again.entries[0].figures == Figures(("12",))
    asked = [entry("agent", n).outcome.question for n in (1, 2)]
    withheld = entry("agent", 1, answerable=False).outcome.question
    assert again.missing("bills", "agent", [*asked, withheld]) == [asked[1], withheld]
    assert again.missing("bills", "simple", asked) == asked


def test_a_file_of_something_else_is_refused(tmp_path):
    kept = tmp_path / "details.jsonl"
    kept.write_text('{"set": "bills"}\n')
    with pytest.raises(UsageError):
        Details(kept)
