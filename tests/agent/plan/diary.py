"""A small diary for tests."""

from __future__ import annotations

from manole.agent.plan.diary_notes import Notes
from manole.documents.fields.model import TextLine
from manole.documents.journal import Entry, read_entries

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


def entry(text: str, day: str = "2024-02-21") -> Entry:
    """A file of one day."""
    lines = [TextLine(line, None, n) for n, line in enumerate(text.split("\n"), 1)]
    (made,) = read_entries(f"{day}.md", lines, "md")
    return made


def notes(days: dict[str, str] = DAYS) -> Notes:
    return Notes([entry(text, day) for day, text in days.items()])
