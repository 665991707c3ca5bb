"""`--strategy` as it is typed, with a scripted endpoint for a model."""

from __future__ import annotations

import json

import pytest
from fake_endpoint import fake_endpoint

from manole.agent.events import EVENTS
from manole.hooks import STRATEGIES

NOTICE = "What is our notice period as tenants?"
ANSWER = "The notice period is three months."


@pytest.fixture
def ask(manole, indexed):
    """`ask("--strategy", "simple")` asks about the household and gives events and prompts."""

    def run(*options, question=NOTICE, text=ANSWER, **environment):
        with fake_endpoint(text) as (url, prompts):
            done = manole(
                "--set", f"model.base_url={url}", "ask", question, indexed, "--reuse", "--json",
                "--model", "openai:fake", *options, **environment,
            )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return [EVENTS.validate_json(line) for line in done.stdout.splitlines()], prompts

    return run


def test_simple_reads_whole_passages_in_one_call(ask):
    events, prompts = ask("--strategy", "simple")
    assert len(prompts) == events[-1].model_calls == 1
    assert "passages of a person's files" in prompts[0]
    assert "three months" in events[-1].answer


def test_pipeline_tells_each_stage(ask):
    events, prompts = ask("--strategy", "pipeline", text='{"keywords": ["notice", "tenants"]}')
    assert prompts[0].startswith("Analyze this user question and extract search parameters.")
    assert any(e.type == "status" and e.message.startswith("Planner (json)") for e in events)
    assert events[-1].model_calls == 7


def test_tree_asks_for_a_decision_and_reads_whatever_comes(ask):
    decision = {"tool": "fast_vector_search", "inputs": {"query": "notice period"}}
    events, prompts = ask("--strategy", "tree", text=json.dumps(decision))
    assert prompts[0].startswith("You are the decision agent of a search system")
    first = next(e for e in events if e.type == "decision")
    assert (first.tool, first.by) == ("fast_vector_search", "model")
    assert next(e for e in events if e.type == "result").payload_type == "chunks"
    assert events[-1].answer


def test_literal_asks_the_model_to_choose(ask):
    events, prompts = ask(
        "--strategy", "literal", question="how many PDF files?", text="There are 21 PDF files."
    )
    assert prompts[0].startswith("You are a personal file assistant.")
    first = next(e for e in events if e.type == "decision")
    assert (first.tool, first.by) == ("count_files", "fallback")


LEFT_OPEN = "Is the notice period fair?"
LEASE = "home/rental-contract.pdf"  # of one file the model is asked


def test_the_agent_is_the_default(ask):
    events, prompts = ask("--in", LEASE, question=LEFT_OPEN)
    assert "extracts of a person's files" in prompts[-1]
    assert events[-1].model_calls == len(prompts)


def test_the_environment_can_choose_and_a_flag_overrules_it(ask):
    chosen = {"MANOLE_AGENT__STRATEGY": "simple"}
    assert "passages of a person's files" in ask(**chosen)[1][0]
    assert (
        "extracts of a person's files"
        in ask("--strategy", "agent", "--in", LEASE, question=LEFT_OPEN, **chosen)[1][-1]
    )


@pytest.mark.parametrize("command", ["ask", "chat", "eval"])
def test_an_unknown_name_is_refused(manole, indexed, tmp_path, command):
    (tmp_path / "q.jsonl").write_text('{"id": "1", "question": "Who?", "answers": ["x"]}\n')
    words = {"ask": [NOTICE, indexed], "chat": [indexed], "eval": ["q.jsonl", "--files", indexed]}
    done = manole(command, *words[command], "--strategy", "magic")
    assert done.returncode == 2
    assert "agent.strategy = magic" in done.stderr
    assert all(f"'{name}'" in done.stderr for name in ("agent", *STRATEGIES.names()))
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["ask", "chat", "eval"])
def test_help_names_every_strategy(manole, command):
    shown = manole(command, "--help", COLUMNS="300").stdout
    assert f"agent, {', '.join(STRATEGIES.names())}." in shown
    assert "literal" in shown


def test_stages_are_shown_with_debug_only(manole, indexed):
    with fake_endpoint('{"keywords": ["notice", "tenants"]}') as (url, _):
        words = (
            "--set", f"model.base_url={url}", "ask", NOTICE, indexed, "--reuse",
            "--model", "openai:fake", "--strategy", "pipeline",
        )  # fmt: skip
        quiet, loud = manole(*words), manole(*words, "--debug")
    assert "Planner" not in quiet.stdout
    assert "Planner (json)" in loud.stdout
    assert "Filter: " in loud.stdout


def test_settings_show_where_the_strategy_is_from(manole):
    done = manole("config", "--json", MANOLE_AGENT__STRATEGY="pipeline")
    assert done.returncode == 0
    assert "pipeline" in json.dumps(json.loads(done.stdout))
