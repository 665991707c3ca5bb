"""What kind of answer a question wants (seed 004, "Query Rewriting"), by its words."""

from __future__ import annotations

import re
from typing import Literal

Intent = Literal["factual", "count", "list", "compare", "summarize", "metadata"]

# The first that matches; "factual" where none does.
_PATTERNS: tuple[tuple[Intent, str], ...] = (
    (
        "metadata",
        r"\b(?:file size|how (?:big|large) (?:is|are)\b.*\b(?:files?|folders?|\w+\.[a-z]{2,4})|"
        r"(?:last |was .*|were .*)(?:modified|changed|edited|saved|created)|disk (?:usage|space)|"
        r"file ?types?|folder structure|wie groß ist .*\b(?:datei|ordner)|dateigröße)\b",
    ),
    ("summarize", r"\b(?:summari[sz]e|summary|sum up|overview|outline|gist|what is .* about|"
     r"fasse?\b.*\bzusammen|zusammenfassung|worum geht|überblick)"),
    ("compare", r"\b(?:compare[ds]?|comparison|difference between|differ|versus|vs|"
     r"(?:more|less|higher|lower|cheaper|bigger|older|newer) than (?!\d)|vergleich\w*|"
     r"unterschied\w*)\b|\bwhich (?:is|was|costs?) .*\bor\b"),
    ("count", r"\b(?:how many|number of|count|wie ?viele|anzahl)\b"),
    ("list", r"^\W*(?:please )?(?:list|show|name|give me|enumerate|zeige?|liste|nenne)\b|"
     r"\b(?:which|what) (?:\w+ )?(?!(?:is|was|does|has)\b)\w{3,}s\b.*\b(?:are|were|do|did|have|"
     r"came|come|end|mention|contain)\b|\b(?:all|every|each) (?:of )?(?:the |my |our )?\w+s\b|"
     r"^welche \w+(?:en|n|e)\b"),
)  # fmt: skip
_RULES = tuple((intent, re.compile(pattern, re.IGNORECASE)) for intent, pattern in _PATTERNS)


def intent_of(question: str) -> Intent:
    """The kind of answer wanted: `factual` unless the words say otherwise."""
    return next((intent for intent, rule in _RULES if rule.search(question)), "factual")
