"""What the model is told of a library before it plans: the day, folders, issuers, a diary, tables.

Some hundred tokens, the same for every question of a day, so that they are read once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from manole.agent.answering.orders import inert
from manole.catalog.catalog import Catalog
from manole.catalog.kinds import kind_of

_FOLDERS, _ISSUERS, _TABLES = 16, 16, 8  # named
_NAME = 30  # characters of a name


def facts(catalog: Catalog, today: date, *, names: bool = True) -> str:
    """The facts, one a line; `names` asks for those of papers and the days of the diary too."""
    lines = [f"Today is {today:%A, %Y-%m-%d}."]
    if folders := catalog.values("folders", "path"):
        shown = sorted(folders, key=lambda path: (path.count("/"), path))[:_FOLDERS]
        lines.append(f"Folders: {_named(shown)}")
    if names and (issuers := catalog.values("papers", "issuer")):
        lines.append(f"papers are from {_named(issuers[:_ISSUERS])}")
    if names and (days := catalog.values("entries", "date")):
        lines.append(f"entries are of {min(days)} to {max(days)}")
    paths = (f for f in catalog.files if kind_of(f.extension[1:]) == "spreadsheet")
    if tables := [f.path.rsplit("/", 1)[-1] for f in paths]:
        lines.append(f"FIND also answers from these tables: {_named(tables[:_TABLES])}")
    return "\n".join(lines)


def _named(names: Sequence[str]) -> str:
    return ", ".join(inert(" ".join(name.split()))[:_NAME] for name in names)
