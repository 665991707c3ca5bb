"""The facts about a library in the prompt of a plan: the day, its folders, its diary.

They are some hundred tokens, the same for every question of a day, so they are evaluated once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from manole.agent.answer.injection_filter import inert
from manole.catalog.catalog import Catalog

_FOLDERS, _NAME = 16, 30  # folders, and characters of a name: some hundred tokens together


def facts(catalog: Catalog, today: date, *, names: bool = True) -> str:
    """Return the facts, one per line; with `names` also those about the diary."""
    lines = [f"Today is {today:%A, %Y-%m-%d}."]
    if folders := catalog.values("folders", "path"):
        shown = sorted(folders, key=lambda path: (path.count("/"), path))[:_FOLDERS]
        lines.append(f"Folders: {_named(shown)}")
    if names and catalog.diary is not None:
        days = catalog.values("entries", "date")
        language = catalog.diary.language
        lines.append(
            f"entries are of {min(days)} to {max(days)}, in {language}: mention {language}"
        )
    elif names:
        lines.append("There is no diary.")
    return "\n".join(lines)


def _named(names: Sequence[str]) -> str:
    return ", ".join(inert(" ".join(name.split()))[:_NAME] for name in names)
