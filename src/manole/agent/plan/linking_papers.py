"""What is asked of papers: their types, whether they are paid, and whose they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from manole.agent.plan.marks import NAMES, PARTIES, Asked
from manole.agent.plan.query import PlanError
from manole.agent.plan.typed import Condition
from manole.catalog.catalog import Catalog
from manole.documents.fields.kinds import PAYABLE, types_begun, types_named
from manole.models.parser import Mark
from manole.text.statuses import payment_called
from manole.text.words import STOP, fold, words

_CHARGED = frozenset({"invoice", "bill"})
SPENT = PAYABLE - {"credit note"}
_CERTAIN = NAMES | {"file"}  # tags that name a paper
_HEADS = ("rechnung", "quittung", "beleg", "vertrag", "police", "factu", "abrechnung", "rekening")


def tells_status(question: Asked) -> bool:
    """Return whether it is asked if some paper was paid: the paper then tells it."""
    labels, tags = question.parsed.labels, {mark.tag for mark in question.marks}
    told = labels["column"] == "status" and labels["op"] in {"rows", "exists"}
    return told and ("status" not in tags or not tags.isdisjoint(_CERTAIN))


def paper_marks(question: Asked) -> tuple[Mark, ...]:
    """Return marks with those of a status as one, `encore` and `à payer`, or without them.

    What is denied in two words, `not the electricity bills`, is denied as one.
    """
    marks: list[Mark] = []
    for mark in question.marks:
        last = marks[-1] if marks else mark
        beside = last.tag == "topic" and mark.tag == "type" and mark.start == last.end + 1
        if beside and last.denied and mark.denied:
            marks[-1] = replace(mark, text=f"{last.text} {mark.text}", start=last.start)
        else:
            marks.append(mark)
    said = [mark for mark in marks if mark.tag == "status"]
    if tells_status(question):
        return tuple(mark for mark in marks if mark not in said)
    if len(said) < 2:
        return tuple(marks)
    text, denied = " ".join(mark.text for mark in said), any(mark.denied for mark in said)
    one = replace(said[0], text=text, end=said[-1].end, denied=denied, either=False)
    return tuple(one if mark is said[0] else mark for mark in marks if mark not in said[1:])


def of_payment(mark: Mark, marks: Sequence[Mark], today: date) -> list[Condition]:
    """Return the conditions of papers that are paid, open, or overdue. Raises `PlanError`."""
    status = payment_called(mark.text, mark.denied)
    types = {t for other in marks if other.tag == "type" for t in types_of(other)}
    if status is None or (types and not types & PAYABLE):
        raise PlanError(f"{mark.text} is asked of a model")
    if status != "overdue":
        return [Condition("is", "status", (status,))]
    late = Condition("before", "due", (today.isoformat(),), mark.denied)
    return [Condition("is", "status", ("open",)), late]


def of_owner(catalog: Catalog, mark: Mark, marks: Sequence[Mark]) -> list[Condition]:
    """Return the condition of papers that the owner sent, or else got. Raises `PlanError`.

    Where nobody sent any, all are got. What went to somebody who is named is told by the name.
    """
    sent = mark.tag == "own"
    owner = catalog.owner()
    known = [name for name in catalog.values("papers", "issuer") if owner and owner.is_named(name)]
    if known:
        return [Condition("is", "issuer", tuple(known), mark.denied == sent)]
    if mark.denied or (sent and not any(other.tag in PARTIES for other in marks)):
        raise PlanError("nobody is known to have sent papers from here")
    return []


def of_type(
    catalog: Catalog, mark: Mark, said: Callable[[str, Mark], Condition]
) -> list[Condition]:
    """Return the conditions of a name for papers; `said` gives that of a word in it."""
    named = types_of(mark)
    return [*of_types(catalog, named, mark.denied), *_compound(mark, said)]


def types_of(mark: Mark) -> set[str]:
    """Return the types of papers that a mark names."""
    named = types_named(words(mark.text)) or types_begun(mark.text)
    if named & _CHARGED and "invoic" not in fold(mark.text):
        return named | _CHARGED  # one word in all languages but English: Rechnung
    return named


def of_types(catalog: Catalog, types: Iterable[str], denied: bool = False) -> list[Condition]:
    """Return the condition of types, of those that there are."""
    known = set(catalog.values("papers", "type"))
    found = tuple(sorted(set(types) & known or set(types)))
    return [Condition("is", "type", found, denied)] if found else []


def _compound(mark: Mark, said: Callable[[str, Mark], Condition]) -> Iterator[Condition]:
    """Yield what the rest of a name says: `Strom` of `Stromrechnungen`, `euro invoices`."""
    for word in mark.text.split():
        if types_named(words(word)) or types_begun(word):
            whole = fold(word)
            at = max((whole.find(head) for head in _HEADS), default=-1)
            if at > 2:
                yield said(word[:at].rstrip("s-"), mark)
        elif word.lower() not in STOP:
            yield said(word, mark)
