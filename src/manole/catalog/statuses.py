"""What words say of a task in six languages: done, overdue, else open."""

from __future__ import annotations

import re
from typing import Literal

from manole.text.words import fold

Status = Literal["open", "done", "overdue"]

_OVERDUE = re.compile(
    r"overdue|late|uberfallig|verspatet|en retard|depass|atrasad|vencid|pasad|in ritardo|scadut|"
    r"te laat|verlopen"
)
_DONE = re.compile(
    r"\b(done|finish|complet|ticked|tick|closed|erledigt|abgehakt|fertig|fait|fini|termin|hech|"
    r"fatt|complet|klaar|gedaan|afgerond)"
)
_NOT = re.compile(
    r"\b(not|isn|aren|no|un\w+|in\w+|nicht|noch|pas|non|sin|a|da|por|te|to|nog|left)\b"
)


def status_called(text: str) -> Status:
    """Return the status that some words name: `still to do`, `nicht erledigt`, `finished`."""
    said = fold(text)
    if _OVERDUE.search(said):
        return "overdue"
    return "done" if _DONE.search(said) and not _NOT.search(said) else "open"
