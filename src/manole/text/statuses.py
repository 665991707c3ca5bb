"""What words say of a task or a paper in six languages: done or paid, overdue, else open."""

from __future__ import annotations

import re
from typing import Literal

from manole.text.words import fold

Status = Literal["open", "done", "overdue"]
Payment = Literal["open", "paid", "overdue"]

# Words for "paid", folded.
PAID = (
    r"(?:pre|voor(?:uit)?)?(?:paid|settled|bezahlt|gezahlt|beglichen|payee?s?|reglee?s?|acquittee?s?|"
    r"pagad[oa]s?|saldad[oa]s?|cobrad[oa]s?|pagat[oaei]|saldat[oaei]|betaald|voldaan)"
)
UNPAID = rf"(?:un|in|im|on){PAID}|insolut[oaei]"
_OVERDUE = re.compile(
    r"overdue|\blate\b|past due|uberfallig|verspatet|en retard|depass|atrasad|vencid|pasad|"
    r"in ritardo|scadut|te laat|verlopen"
)
_DONE = re.compile(
    r"\b(done|finish|complet|ticked|tick|closed|erledigt|abgehakt|fertig|fait|fini|termin|hech|"
    r"fatt|complet|klaar|gedaan|afgerond)"
)
_NOT = re.compile(
    r"\b(not|\w+n['’]t|(?:ha[ds]|have|do|does|did|is|was|are)nt|no|un\w+|in\w+|nicht|noch|pas|non|sin|a|da|por|niet|te|to|nog|"
    r"left)\b"
)
_PAID, _UNPAID = re.compile(rf"\b{PAID}\b"), re.compile(UNPAID)
_OWED = re.compile(
    r"\b(?:open|offene?n?|outstanding|unsettled|pending|due|owe[ds]?|owing|schulde[tn]?|schuldig|ausstehende?n?|"
    r"en attente|openstaande?|pay|paying|payer|regler|pagar|pagare|betalen)\b|"
    r"zahlen\b|begleichen\b|\bpendient|\babiert|\bapert|\bsospes"
)


def status_called(text: str) -> Status:
    """Return the status that some words name: `still to do`, `nicht erledigt`, `finished`."""
    said = fold(text)
    if _OVERDUE.search(said):
        return "overdue"
    return "done" if _DONE.search(said) and not _NOT.search(said) else "open"


def status_said(text: str) -> Status | None:
    """Return the status that a text says in so many words; `None` for one that says none."""
    status = status_called(text)
    return None if status == "open" else status


def payment_called(text: str, denied: bool = False) -> Payment | None:
    """Return how some words say that a paper is paid: `noch offen`, `sin pagar`, `settled`.

    `denied` if words beside them deny it; `None` if they say nothing of it.
    """
    said = fold(text)
    if _OVERDUE.search(said):
        return "overdue"
    denies = bool(_NOT.search(said))
    if _UNPAID.search(said):
        return "open"
    if _PAID.search(said) or _DONE.search(said):
        return "open" if denied or denies else "paid"
    if _OWED.search(said):
        return "paid" if denied and not denies else "open"
    return None
