"""The steps that a turn of the agent may take: what is run, with what, why and by whom."""

from __future__ import annotations

from manole.agent.events import Decider
from manole.agent.plan.choose_sheet import file_with_table, likely_files
from manole.agent.plan.planner import Plan
from manole.agent.plan.query_catalog import QUERY
from manole.agent.plan.query_table import QUERY_TABLE
from manole.agent.plan.reading import reading
from manole.agent.turn import Step
from manole.tools.base import TurnState
from manole.tools.objects import FoundPassage
from manole.tools.visual import PAGES, VISUAL_INTERPRETATION, VISUAL_SEARCH

_SEARCH = "semantic_search"


def query_step(plan: Plan) -> Step | None:
    """Return the step that runs the plan's query; `None` where text has to be read."""
    if not plan.is_query:
        return None
    inputs = {
        "sql": plan.written,
        "typed": plan.by == "parser",
        "confidence": plan.confidence,
    }
    return Step(QUERY, inputs, reading(plan.written), plan.by)


def first_step(question: str, plan: Plan) -> Step:
    """Return the first step of a question for which text has to be read."""
    if plan.table is None:
        return search_step(question, "asks what stands in the files", plan.by)
    inputs = {"question": question, "files": (plan.table,), "meant": True}
    return Step(QUERY_TABLE, inputs, "asks this table", plan.by)


def search_step(question: str, why: str, by: Decider) -> Step:
    """Return a search for the question."""
    return Step(_SEARCH, {"query": question}, why, by)


def has_searched(state: TurnState) -> bool:
    """Return whether a search found something to answer from; else a plain search comes first."""
    return any(step.tool == _SEARCH and step.results for step in state.trace)


def page_steps(state: TurnState) -> list[Step]:
    """Return the steps that find pages and look at them, as far as there are any."""
    if PAGES not in state.collection_names:
        return []
    query = {"query": state.question.whole.text}
    found = Step(VISUAL_SEARCH, query, "asks what a page shows", "parser")
    return [found, Step(VISUAL_INTERPRETATION, {}, "looks at them", "parser")]


def table_step(state: TurnState, plan: Plan) -> Step | None:
    """Return the step that queries the tables that the search led to, if any."""
    passages = list(state.environment.objects(FoundPassage))
    question = state.question.whole
    leading = [file_with_table(question, passages), *likely_files(question, passages)]
    files = tuple(dict.fromkeys(filter(None, leading))) or tuple(filter(None, [plan.spoken_of]))
    if not files:
        return None
    inputs = {"question": question.text, "files": files}
    return Step(QUERY_TABLE, inputs, "the search leads to a table")
