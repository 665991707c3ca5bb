"""A query that the model wrote, checked: its shape, what it accounts for, its names and values."""

from __future__ import annotations

from datetime import date

from manole.agent.plan.coverage import account
from manole.agent.plan.query import Checked, Query
from manole.agent.plan.repair import Mender
from manole.agent.plan.shape import shape
from manole.catalog.catalog import Catalog


def check(
    query: Query,
    catalog: Catalog,
    question: str,
    today: date,
    before: str = "",
    insists: bool = False,
) -> Checked:
    """The query as it may be run. Raises `PlanError`, whose message says what is wrong.

    `before` are the questions that this one may lean on. A model that `insists` wrote it twice.
    """
    spoken = f"{before} {question}"
    tree = query.tree.copy()
    shape(tree, question, spoken, today)
    account(tree, question, spoken, today, insists)
    return Mender(tree, catalog, question, spoken, today, insists).mended()
