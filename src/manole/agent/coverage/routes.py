"""The router's rules for fields of papers: of many (`collect_fields`), of one (`look_up_field`).

A question about many papers is taken as a whole, because its clauses belong together ("how many
receipts, and what do they add up to"). A question about one is taken clause by clause, where the
router would search; when the look-up is not sure, the search follows as it would have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from manole.agent.coverage.asked import understand_asked
from manole.agent.coverage.collect import COLLECT, LOOK_UP
from manole.agent.coverage.tally import name_of
from manole.agent.understanding.rules import Route

_ITS = re.compile(r"\b(?:its|it's|the)\s+(?=(?:total|net|due|date|number|vat|issuer)\b)", re.I)


def collect_route(question: str, today: date, *, force: bool = False) -> Route | None:
    """One route for the whole question, when it asks a field of many papers.

    `force` (thorough mode) takes every question that names papers or a field as one.
    """
    asked = understand_asked(question, today, force=force)
    if asked is None or not (force or (asked.several and asked.operations)):
        return None
    return Route(
        COLLECT,
        {"question": question},
        f"asks the {name_of(asked.field)} of many papers",
        clause=question,
    )


def with_look_ups(routes: Sequence[Route], today: date) -> list[Route]:
    """`routes`, with a look-up in place of a search where a clause asks a field of one paper."""
    return [_look_up(route, today) for route in routes]


def _look_up(planned: Route, today: date) -> Route:
    if planned.tool != "semantic_search" or not planned.sure or planned.among:
        return planned
    clause = planned.clause
    if planned.refers_back and understand_asked(clause, today) is None:
        # "and what is its total?": the paper was named in the clause before.
        if not _ITS.search(clause):
            return planned
        clause = _ITS.sub("the invoice's ", clause)
    asked = understand_asked(clause, today)
    if asked is None or asked.several:
        return planned
    why = f"asks the {name_of(asked.field)}"
    return replace(planned, tool=LOOK_UP, inputs={"question": clause}, reasoning=why)
