"""What is due, in words for people, in the language that is spoken (`manole.sentences`)."""

from __future__ import annotations

from datetime import date, timedelta

from manole.agent.due.model import SOON, Due, How, Kind, When
from manole.agent.languages import words_of
from manole.documents.formats import spot_words
from manole.sentences import said, spoken

_KINDS: dict[Kind, str] = {
    "pay": "to pay", "get": "to be paid by", "ends": "ends", "renews": "goes on",
    "cancel": "last day to cancel", "task": "to do",
}  # fmt: skip


def head(when: When, today: date, days: int) -> str:
    """Return what a list is called; `days` are those that were asked for."""
    match when:
        case "past":
            return said("Past, and not known to be done")
        case "soon":
            return said(f"In the next {min(days, SOON)} days")
        case "later":
            return f"{said('Until')} {words_of(spoken()).written(today + timedelta(days=days))}"
        case _:
            return said("Not sure")


def moment(one: Due) -> str:
    """Return a day with its weekday and time: "Thu 12 December 2024 14:30"."""
    words = words_of(spoken())
    day = f"{words.weekdays[one.day.weekday()]} {words.written(one.day)}"
    return " ".join(filter(None, (day, one.time)))


def what(one: Due) -> str:
    """Return what is due: "to pay: 290.96 EUR, Thermaro"."""
    amount = ""
    if one.amount is not None:
        amount = f"{words_of(spoken()).number(one.amount, 2)} {one.currency or ''}".strip()
    text = ", ".join(filter(None, (amount, one.text)))
    return f"{said(_KINDS[one.kind])}: {text}" if one.kind in _KINDS else text


def how(one: How | None) -> str:
    """Return what a day was computed from: "3 months before 28 February 2027"."""
    if one is None:
        return ""
    day = words_of(spoken()).written(one.day)
    length = _length(one)
    match one.of:
        case "begins" if length:
            return f"{said('began on')} {day}; {said(f'{length} before a year of it ends')}"
        case "begins":
            return f"{said('began on')} {day}"
        case "ends" if length:
            return f"{said(f'{length} before')} {day}"
        case "bought" | "written":
            return f"{said(f'{length} from')} {day}"
        case _:
            return said("each year")


def source(one: Due) -> str:
    """Return where it stands: `letters/gas.pdf, page 2`."""
    return ", ".join(filter(None, (one.file, said(spot_words(one.file, one.page, one.line)))))


def _length(how: How) -> str:
    if not how.count or not how.unit:
        return ""
    return f"{how.count} {how.unit[:-1] if how.count == 1 else how.unit}"
