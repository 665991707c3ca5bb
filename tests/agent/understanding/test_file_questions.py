"""Every question about the household's files is answered right, and without any model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.fake_models import FakeMissingModel
from manole.agent.events import Complete, Decision
from manole.agent.loop import Agent
from manole.evaluate.questions import load
from manole.evaluate.scoring import judge

EXAMPLES = Path(__file__).parents[3] / "examples"
QUESTIONS = [
    question for question in load(EXAMPLES / "household.questions.jsonl") if question.kind == "file"
]


def test_all_file_questions_are_asked():
    assert len(QUESTIONS) == 40


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.id)
async def test_answered_right_without_a_model(household, session_settings, question):
    agent = Agent(household, FakeMissingModel(), session_settings)
    events = [event async for event in agent.ask(question.question)]
    end = events[-1]
    assert isinstance(end, Complete)
    verdict = judge(question, end.answer, found=end.found)
    assert verdict.correct, end.answer
    assert end.model_calls == 0
    assert end.tokens.prompt == end.tokens.completion == 0
    assert end.confidence == "high"
    assert end.grounding == 1.0
    assert all(event.by == "router" for event in events if isinstance(event, Decision))
    assert json.loads(end.model_dump_json())["answer"] == end.answer
