"""The steps that follow from a plan or from what was found."""

from __future__ import annotations

from manole.agent.answer.guess import Guess
from manole.agent.events import Decider
from manole.agent.execute import Step
from manole.agent.plan.planner import Plan
from manole.agent.plan.query_catalog import QUERY
from manole.agent.plan.reading import reading
from manole.agent.sheets.query_table import QUERY_TABLE, file_with_table, likely_files
from manole.tools.base import TurnState
from manole.tools.objects import FoundPassage
from manole.tools.visual import PAGES, VISUAL_INTERPRETATION, VISUAL_SEARCH

_READING = frozenset({"semantic_search", "read_document"})


def query(plan: Plan) -> Step | None:
    """Return the query that answers the question; `None` where text has to be read."""
    if not plan.is_query:
        return None
    return Step(QUERY, {"sql": plan.written}, reading(plan.written), plan.by)


def first(question: str, plan: Plan) -> Step:
    """Return the first step of a question for which text has to be read."""
    if plan.table is None:
        return search(question, "asks what stands in the files", plan.by)
    inputs = {"question": question, "files": (plan.table,), "meant": True, "sql": plan.sql}
    return Step(QUERY_TABLE, inputs, "asks this table", plan.by)


def search(question: str, why: str, by: Decider, like: str = "") -> Step:
    """Return a search for the question, and for a sentence that the answer may resemble."""
    inputs = {"query": question} | ({"like": like} if like else {})
    return Step("semantic_search", inputs, why, by)


def has_read(state: TurnState) -> bool:
    """Return whether something was found to answer from; else a plain search comes first."""
    return any(step.tool in _READING and step.results for step in state.trace)


def pages(state: TurnState, guess: Guess) -> list[Step]:
    """Return the steps that find pages and look at them, if the question asks what one shows."""
    if guess.kind != "picture" or PAGES not in state.collections:
        return []
    found = Step(VISUAL_SEARCH, {"query": state.question}, "asks what a page shows", "model")
    return [found, Step(VISUAL_INTERPRETATION, {}, "looks at them", "model")]


def table(state: TurnState, plan: Plan) -> Step | None:
    """Return a query of the tables that the search led to, if any."""
    passages = list(state.environment.objects(FoundPassage))
    files = likely_files(state.question, passages)
    if not files and plan.spoken_of:
        files = [plan.spoken_of]
    if not files and (file := file_with_table(state.question, passages)):
        files = [file]
    if not files:
        return None
    inputs = {"question": state.question, "files": tuple(files)}
    return Step(QUERY_TABLE, inputs, "the search leads to a table")
