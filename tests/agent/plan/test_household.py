"""Questions about the household's files, planned by the real model."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from manole.agent.plan.planner import Planner
from manole.agent.plan.query_catalog import QueryCatalog
from manole.agent.turn import TurnUsage
from manole.text.question import Question
from manole.tools.base import Result, TurnState
from manole_evaluate.questions import load
from manole_evaluate.scoring import judge

EXAMPLES = Path(__file__).parents[3] / "examples"
QUESTIONS = [
    question for question in load(EXAMPLES / "household.questions.jsonl") if question.kind == "file"
]
ASKED = QUESTIONS[::4]


@pytest.mark.model
async def test_of_ten_file_questions_eight_are_answered_by_a_query(
    household, session_settings, chat_model
):
    async def model():
        return chat_model

    right = []
    for question in ASKED:
        asked = Question(question.question, date(2025, 1, 15))
        state = TurnState(asked, household, session_settings)
        plan = await Planner(state, model, TurnUsage()).plan()
        if not plan.is_query:
            continue
        query = QueryCatalog(model, TurnUsage())
        async for outcome in query(state, query.inputs(sql=plan.written)):
            if isinstance(outcome, Result) and judge(question, outcome.message).correct:
                right.append(question.id)
    assert len(ASKED) == 10
    assert len(right) >= 8, right
