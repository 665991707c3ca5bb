"""A small journal for tests, and short ways to ask it."""

from __future__ import annotations

from datetime import date

from manole.agent.times.asked import understand_times
from manole.agent.times.compute import between, compute
from manole.agent.times.mentions import known_keys, mentions
from manole.documents.fields.model import TextLine
from manole.documents.journal import Entry, read_entries

TODAY = date(2025, 1, 15)

DAYS = {
    "2024-04-02": "Walked to the market.\nHad soup for lunch with Dorin.\nRead for 30 minutes.",
    "2024-04-09": "Rode 12 km on the canal path.\nHad soup for lunch alone.",
    "2024-04-17": "Yesterday I repaired the gate.\nHad noodles for lunch with Dorin.\n"
    "Reading news for 1 h 10 min.",
    "2024-05-04": "Rode 8 km, against the wind.\nRead for half an hour.\nCalled Sanda.",
    "2024-05-21": "Last week I visited Sanda in Ghent.\nHad soup for dinner.",
    "2024-06-01": "# Dentist appointment\nTwo fillings, no pain.\n"
    "Had soup for lunch with Sanda and Dorin.",
    "2025-01-03": "Rode 20.5 km in the frost.\nWatching news, 15 minutes.",
}  # fmt: skip


def entry(text: str, day: str = "2024-02-21", path: str = "") -> Entry:
    """A file of one day."""
    lines = [TextLine(line, None, n) for n, line in enumerate(text.split("\n"), 1)]
    (made,) = read_entries(path or f"{day}.md", lines, "md")
    return made


def journal(days: dict[str, str] = DAYS) -> list[Entry]:
    return [entry(text, day) for day, text in days.items()]


def asked(question: str):
    made = understand_times(question, TODAY)
    assert made is not None, question
    return made


def found(question: str, entries: list[Entry] | None = None):
    """The mentions of what a question asks, within its period."""
    entries = journal() if entries is None else entries
    what = asked(question)
    inside = [e for e in entries if what.period is None or e.date in what.period]
    return mentions(what, inside, known_keys(entries))


def texts(question: str, entries: list[Entry] | None = None) -> list[str]:
    return [m.text for m in found(question, entries)]


def answer(question: str, entries: list[Entry] | None = None):
    """The finding, as the tool makes it."""
    entries = journal() if entries is None else entries
    what = asked(question)
    if what.kind == "between":
        other = mentions(what.of_second(), entries, known_keys(entries))
        return between(found(question, entries), other)
    return compute(what, found(question, entries))
