import json

from rich.console import Console

from manole_evaluate.questions import parse
from manole_evaluate.report import as_json, markdown, table
from manole_evaluate.retrieval import by_file
from manole_evaluate.runner import Answer, Outcome
from manole_evaluate.summary import by_field, summarise


def outcome(*, answerable=True, kind="x", **answer):
    row = {"question": "?", "answers": ["4"] if answerable else [], "kind": kind, "file": "a"}
    values = {"reply": "", "correct": False, "declined": False, "f1": 0.0, **answer}
    return Outcome(parse(row), Answer(**values), files=by_file([("a", None)], ["a"]), search_s=0.5)


def some():
    return [
        outcome(correct=True, citation=True, f1=1.0, total_s=1.0, first_token_s=0.5),
        outcome(correct=False, citation=False, f1=0.5, total_s=2.0, first_token_s=1.5),
        outcome(declined=True, total_s=3.0, kind="y"),
        outcome(answerable=False, correct=True, declined=True, total_s=40.0, kind="y"),
        outcome(answerable=False, error="ValueError: x", total_s=4.0, kind="y"),
    ]


def test_shares_have_the_right_denominators():
    answers = summarise(some()).answers
    shares = {
        "correct": (2, 5),
        "correct_answerable": (1, 3),
        "declined_rightly": (1, 2),
        "declined_wrongly": (1, 3),
        "citation_correct": (1, 2),
    }
    for name, (count, total) in shares.items():
        share = getattr(answers, name)
        assert (share.count, share.total) == (count, total), name
    assert answers.crashed == 1
    assert answers.f1 == 0.5
    assert (answers.total_s.median, answers.total_s.p95) == (3.0, 40.0)


def test_groups_follow_a_field_of_the_question_file():
    groups = by_field(some(), "kind")
    assert {name: summary.questions for name, summary in groups.items()} == {"x": 2, "y": 3}


def test_a_run_of_nothing_has_a_table_too():
    summary = summarise([])
    assert summary.answers is None
    assert "| questions | 0 |" in markdown({"all": summary})


def test_the_markdown_has_a_column_for_each_group():
    lines = markdown({"all": summarise(some()), **by_field(some(), "kind")}).splitlines()
    assert lines[0] == "| measure | all | x | y |"
    assert "| correct | 40.0 % (2 of 5) | 50.0 % (1 of 2) | 33.3 % (1 of 3) |" in lines
    assert "| unanswerable, rightly declined | 50.0 % (1 of 2) | – | 50.0 % (1 of 2) |" in lines
    assert "| hit@1 | 1.000 | 1.000 | 1.000 |" in lines
    assert "| **Answers** |  |  |  |" in lines
    assert all(line.count("|") == 5 for line in lines)


def test_the_terminal_table_shows_the_same():
    console = Console(width=100, record=True, file=None, quiet=True)
    console.quiet = False
    with console.capture() as captured:
        console.print(table({"all": summarise(some())}, "q.jsonl"))
    shown = captured.get()
    assert "q.jsonl" in shown
    assert "40.0 % (2 of 5)" in shown
    assert "11.8–76.9 %" in shown


def test_the_json_carries_counts_and_intervals():
    report = as_json({"all": summarise(some()), **by_field(some(), "kind")}, {"strategy": "agent"})
    report = json.loads(json.dumps(report))
    assert report["strategy"] == "agent"
    correct = report["summary"]["answers"]["correct"]
    assert (correct["count"], correct["total"], correct["value"]) == (2, 5, 0.4)
    assert correct["low"] < 0.4 < correct["high"]
    assert set(report["groups"]) == {"x", "y"}
