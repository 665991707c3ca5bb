"""Systems side by side: what counts, the better design, the aims, and the way to JSON and back."""

import json

import pytest

from comparison import (
    Entry,
    aims,
    as_json,
    better_design,
    common,
    markdown,
    rows,
)
from figures import Figures
from manole_evaluate.questions import parse
from manole_evaluate.runner import Answer, Outcome


def entry(system, number, *, correct=True, declined=False, answerable=True, read=100, s=8.0,
          figures=None, name="prose"):  # fmt: skip
    question = parse(
        {"id": str(number), "question": "What?", "answers": ["x"], "answerable": answerable,
         "file": "a.pdf", "page": 2}
    )  # fmt: skip
    answer = Answer(
        "x", correct, declined, 1.0, cited=(("a.pdf", 2), ("b.txt", None)), citation=True,
        model_calls=1, tokens_read=read, first_token_s=s / 2, total_s=s, tools=("search",),
    )  # fmt: skip
    return Entry(name, system, Outcome(question, answer), figures)


def system(name, right, *, of=10, **options):
    return [entry(name, n, correct=n < right, **options) for n in range(of)]


def test_an_entry_comes_back_from_json_as_it_was():
    made = entry("agent", 1, figures=Figures(("1", "2"), unsupported=("2",)))
    assert Entry.from_json(json.loads(json.dumps(made.as_json()))) == made


def test_only_questions_that_all_have_answered_count():
    entries = [*system("agent", 3, of=5), *system("simple", 3, of=2)]
    assert {e.outcome.question.id for e in common(entries)} == {"0", "1"}
    elsewhere = [entry("agent", 0), entry("simple", 0, name="bills")]
    assert common(elsewhere) == []


@pytest.mark.parametrize(
    ("pipeline", "literal", "better"),
    [
        ({"right": 7}, {"right": 6}, "pipeline"),
        ({"right": 6}, {"right": 7}, "literal"),
        ({"right": 6, "s": 9.0}, {"right": 6, "s": 8.0}, "literal"),
        ({"right": 6, "s": 8.0}, {"right": 6, "s": 9.0}, "pipeline"),
    ],
)
def test_the_better_design_is_the_righter_then_the_quicker(pipeline, literal, better):
    made = rows([*system("pipeline", **pipeline), *system("literal", **literal)])
    assert better_design(made) == better


def met(entries):
    return {aim.label.partition(" against")[0]: aim.met for aim in aims(rows(entries))}


def test_the_aims_at_their_borders():
    theirs = system("pipeline", 10, of=20, read=1000, s=80.0)
    inside = met([*theirs, *system("agent", 11, of=20, read=200, s=10.0)])
    assert inside["accuracy"] and inside["tokens read"] and inside["median seconds"]
    outside = met([*theirs, *system("agent", 10, of=20, read=201, s=10.1)])
    assert not (outside["accuracy"] or outside["tokens read"] or outside["median seconds"])


def test_declining_is_measured_on_both_kinds():
    ours = [entry("agent", n, declined=n == 0) for n in range(20)]
    ours += [entry("agent", 20 + n, answerable=False, declined=n > 0) for n in range(10)]
    found = met([*ours, *system("pipeline", 10, of=30)])
    assert found["unanswerable, declined"] is True
    assert found["answerable, declined"] is True
    ours += [entry("agent", 40, declined=True), entry("agent", 41, answerable=False)]
    found = met([*ours, *system("pipeline", 10, of=30)])
    assert found["unanswerable, declined"] is False
    assert found["answerable, declined"] is False


def test_an_unsupported_number_fails_its_aim_and_a_computed_one_does_not():
    label = "answers whose every number is in a cited source"
    good = [entry("agent", 0, figures=Figures(("12",), computed=("12",)))]
    bad = [entry("agent", 1, figures=Figures(("13",), unsupported=("13",)))]
    theirs = system("pipeline", 1, of=1)
    assert met([*good, *theirs])[label] is True
    assert met([*good, *bad, *theirs])[label] is False
    assert met([entry("agent", 0), *theirs])[label] is None
    row = rows([*good, *bad])["agent"]
    assert (row.supported.count, row.supported.total) == (1, 2)
    assert (row.computed, row.unsupported) == (1, 1)


def test_without_a_design_to_compare_with_there_are_no_aims():
    assert aims(rows([*system("agent", 5), *system("simple", 3)])) == []
    assert "aim" not in markdown(rows(system("simple", 3)))


def test_the_tables_have_a_line_for_each_system():
    entries = [*system("simple", 3), *system("pipeline", 5), *system("agent", 7)]
    lines = markdown(rows(entries)).splitlines()
    assert sum(line.startswith("| simple |") for line in lines) == 2
    assert any("70.0 % (7/10)" in line for line in lines)
    width = {line.count("|") for line in lines[:5]}
    assert len(width) == 1


def test_json_has_the_intervals():
    made = as_json(rows([*system("pipeline", 5), *system("agent", 7)]))
    json.dumps(made)
    assert made["systems"]["agent"]["answers"]["correct"]["count"] == 7
    assert made["against"] == "pipeline"
    assert {aim["met"] for aim in made["aims"]} <= {True, False, None}
