"""What the model is told of a library before it plans: the day, its folders, its diary.

Some hundred tokens, the same for every question of a day, so that they are read once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from manole.agent.answer.injection_filter import inert
from manole.catalog.catalog import Catalog

_FOLDERS = 16  # named
_NAME = 30  # characters of a name


def facts(
    catalog: Catalog,
    today: date,
    *,
    names: bool = True,
) -> str:
    """The facts, one a line; `names` asks for what is known of the diary too."""
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
