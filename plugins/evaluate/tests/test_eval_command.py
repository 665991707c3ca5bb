"""`manole eval` as it is typed: real index and search; the answers come from a fake asker."""

import json
import os
import signal
from contextlib import asynccontextmanager

import pytest
import typer
from fakes import FakeAsker
from typer.testing import CliRunner

from manole.errors import UsageError
from manole_evaluate import subject
from manole_evaluate.command import evaluate
from manole_evaluate.subject import Subject

TEXTS = {
    "boiler.md": "# Boiler\n\nThe boiler was installed in 2019. Its warranty ends in May 2029.",
    "lentils.md": "# Red lentils\n\nCook the red lentils for 18 minutes with cumin.",
    "rent.md": "# Flat\n\nThe monthly rent for the flat in Lindenweg is 912 euros.",
}
ROWS = [
    {"id": "1", "question": "When does the boiler warranty end?", "answers": ["May 2029"]},
    {"id": "2", "question": "How long do red lentils cook?", "answers": ["18 minutes"]},
    {"id": "3", "question": "How much is the rent?", "answers": ["912"]},
    {"id": "4", "question": "What is the cat called?", "answers": [], "answerable": False},
]
REPLIES = {
    "When does the boiler warranty end?": "In May 2029 [1].",
    "How long do red lentils cook?": ValueError("broken"),
    "How much is the rent?": "It is 900.",
    "What is the cat called?": None,
}


@pytest.fixture
def questions(tmp_path, monkeypatch):
    monkeypatch.setenv("MANOLE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "100")
    folder = tmp_path / "set" / "files"
    folder.mkdir(parents=True)
    rows = []
    for row, (name, text) in zip(ROWS, [*TEXTS.items(), (None, "")], strict=True):
        if name:
            (folder / name).write_text(text, "utf-8")
        rows.append(row | ({"file": f"files/{name}"} if name else {}))
    path = tmp_path / "set" / "q.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    return path


@pytest.fixture
def call(questions):
    app = typer.Typer()
    app.command()(evaluate)

    def run(*options):
        arguments = [str(questions), "--files", str(questions.parent / "files"), *options]
        return CliRunner().invoke(app, arguments)

    return run


@pytest.fixture
def answered(monkeypatch):
    """The real library, with a fake asker in the model's place."""
    real = subject.open_subject

    def use(asker):
        @asynccontextmanager
        async def opened(root, settings, strategy, tell):
            async with real(root, settings, "none", tell) as found:
                yield Subject(found.retriever, asker, "fake-model")

        monkeypatch.setattr(subject, "open_subject", opened)

    return use


def test_search_alone_is_measured_on_the_real_index(call):
    result = call("--retrieval-only", "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    summary = report["summary"]
    assert (summary["questions"], summary["retrieved"]) == (4, 3)
    assert summary["files"]["hit_1"] == 1
    assert summary["answers"] is None
    assert report["complete"]


def test_answers_are_measured_and_each_outcome_is_written(call, answered, tmp_path):
    answered(FakeAsker(REPLIES, {ROWS[0]["question"]: ("boiler.md", None)}))
    details = tmp_path / "out.jsonl"
    result = call("--json", "--details", str(details))
    report = json.loads(result.stdout)
    answers = report["summary"]["answers"]
    assert report["model"] == "fake-model"
    assert (answers["correct"]["count"], answers["correct"]["total"]) == (2, 4)
    assert (answers["declined_rightly"]["count"], answers["crashed"]) == (1, 1)
    assert (answers["citation_correct"]["count"], answers["citation_correct"]["total"]) == (1, 2)
    lines = [json.loads(line) for line in details.read_text().splitlines()]
    assert [line["answer"]["correct"] for line in lines] == [True, False, False, True]
    assert lines[1]["answer"]["error"] == "ValueError: broken"


@pytest.mark.parametrize(
    ("options", "label"),
    [
        (["--strategy", "simple"], "simple"),
        (["--strategy", "pipeline"], "pipeline"),
        (["--strategy", "literal"], "literal"),
    ],
)
def test_the_strategy_is_named(call, answered, options, label):
    answered(FakeAsker(REPLIES))
    assert json.loads(call("--json", *options).stdout)["strategy"] == label


def test_the_table_comes_for_the_terminal_and_for_markdown(call, answered):
    answered(FakeAsker(REPLIES))
    shown = call("--by", "answerable")
    assert "q.jsonl: strategy agent, fake-model" in shown.stdout
    assert "50.0 % (2 of 4)" in shown.stdout
    assert "| correct | 50.0 % (2 of 4) |" in call("--markdown").stdout


def test_ctrl_c_prints_the_table_of_what_was_done(call, answered):
    class FakeInterrupted(FakeAsker):
        async def ask(self, question):
            if question.id == "3":
                os.kill(os.getpid(), signal.SIGINT)
            async for event in super().ask(question):
                yield event

    answered(FakeInterrupted(REPLIES))
    result = call("--json")
    assert result.exit_code == 130
    report = json.loads(result.stdout)
    assert report["summary"]["questions"] == 2
    assert not report["complete"]


def test_questions_are_chosen_before_anything_is_indexed(call, tmp_path):
    result = call("--retrieval-only", "--filter", "id=9")
    assert isinstance(result.exception, UsageError)
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--strategy", "magic"], "agent.strategy = magic"),
        (["--gold", "--retrieval-only"], "exclude each other"),
        (["--json", "--markdown"], "exclude each other"),
        (["--files", "/nowhere"], "There is no folder"),
        (["--retrieval-only", "--details", "/nowhere/x.jsonl"], "cannot be written"),
    ],
)
def test_a_wrong_request_says_what_is_wrong(call, options, message):
    result = call(*options)
    assert isinstance(result.exception, UsageError)
    assert message in result.exception.message


def test_a_folder_without_any_gold_file_is_refused_and_some_missing_are_told(call, questions):
    (questions.parent / "files" / "rent.md").unlink()
    result = call("--retrieval-only", "--json")
    assert "1 of 3 gold files are not in" in result.stderr
    assert json.loads(result.stdout)["summary"]["files"]["recall_10"] == pytest.approx(2 / 3)
    for name in ("boiler.md", "lentils.md"):
        (questions.parent / "files" / name).unlink()
    result = call("--retrieval-only")
    assert isinstance(result.exception, UsageError)
    assert "None of the files" in result.exception.message


SMALL = "smollm2-135m-instruct"  # answers, if not well


@pytest.mark.model
def test_the_real_agent_and_a_real_model_are_measured(call, questions):
    rows = [*ROWS[:2], {"id": "5", "question": "How many files are there?", "answers": ["3"]}]
    questions.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    details = questions.parent / "out.jsonl"
    result = call("--model", SMALL, "--json", "--details", str(details))
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    answers = report["summary"]["answers"]
    assert report["model"] == SMALL
    assert (answers["correct"]["total"], answers["crashed"]) == (3, 0)
    boiler, _, count = [json.loads(line)["answer"] for line in details.read_text().splitlines()]
    assert boiler["reply"]
    assert (count["correct"], count["model_calls"], count["tools"]) == (True, 0, ["query"])


@pytest.mark.model
def test_the_ceiling_hands_a_real_model_the_gold_passage(call, questions):
    details = questions.parent / "out.jsonl"
    result = call("--gold", "--model", SMALL, "--limit", "1", "--json", "--details", str(details))
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["strategy"] == "gold"
    answer = json.loads(details.read_text())["answer"]
    assert answer["error"] is None
    assert answer["cited"] == [["boiler.md", None]]
    assert answer["citation"] is None
    assert (answer["model_calls"], answer["tools"]) == (1, [])
    assert answer["tokens_written"] > 0
