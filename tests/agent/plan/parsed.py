"""Questions as the parser reads them, written by hand: values are marked in the text itself."""

from __future__ import annotations

import re

from manole.agent.plan.marks import Asked, asked
from manole.models.parser import Mark, Parsed

_HEADS = ("route", "relation", "op", "column", "group", "order", "limit", "leans", "tool")
_MARK = re.compile(r"\[(-?)(\|?)(\w+):([^\]]+)\]")


def parsed(relation: str, op: str, question: str, **labels: str) -> Parsed:
    """A computed question, such as `parsed("files", "count", "how many [kind:PDFs]")`."""
    text, marks, at = "", [], 0
    for found in _MARK.finditer(question):
        text += question[at : found.start()]
        denied, either, tag, words = found.groups()
        end = len(text) + len(words)
        marks.append(Mark(tag, words, len(text), end, bool(denied), bool(either)))
        text, at = text + words, found.end()
    told = dict.fromkeys(_HEADS, "-") | {"route": "query", "leans": "no"}
    told |= {"relation": relation, "op": op} | labels
    return Parsed(text + question[at:], told, dict.fromkeys(told, 0.99), tuple(marks))


def of(*chain: Parsed) -> Asked:
    """The last of some questions, behind those before it."""
    before: Asked | None = None
    for question in chain:
        before = asked(question, before)
    assert before is not None
    return before
