"""What there is of somebody or something, without a model."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from manole.agent.dossier.collect import LIMIT, MOST, dossier
from manole.serve.answers import About
from manole.serve.http.depends import AskedDep
from manole.serve.http.description import responses
from manole.text.question import Question
from manole.tools.base import TurnState

router = APIRouter(tags=["search"], responses=responses(400, 404, 409))


@router.get("/about", summary="What there is of somebody or something")
async def about(
    opened: AskedDep,
    name: Annotated[
        str,
        Query(
            description="of whom or what",
            examples=["Thermaro"],
            max_length=200,
            json_schema_extra={"minLength": 1, "pattern": r"\S"},
        ),
    ],
    limit: Annotated[int, Query(ge=1, le=MOST, description="items of a section at most")] = LIMIT,
) -> About:
    """Gather papers, messages, diary entries, tasks, dates, rows and texts that name it."""
    state = TurnState(Question(name), opened.library, opened.library.settings)
    return About.model_validate(await dossier(state, name, limit))
