"""What the model is told of a library before it plans: the day, folders, issuers, a diary, tables.

Some hundred tokens, the same for every question of a day, so that they are read once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType

from manole.agent.answering.orders import inert
from manole.catalog.catalog import Catalog
from manole.index.language import language_of

_FOLDERS, _ISSUERS, _COLUMNS = 16, 16, 10  # named
_NAME = 30  # characters of a name
_READ = 20  # texts that a language is told by
_LANGUAGES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian",
    "nl": "Dutch", "pt": "Portuguese",
}  # fmt: skip


def facts(
    catalog: Catalog,
    today: date,
    tables: Mapping[str, Sequence[str]] = MappingProxyType({}),
    *,
    names: bool = True,
) -> str:
    """The facts, one a line, with `tables` and their columns.

    `names` asks for those of papers and the days of the diary too.
    """
    lines = [f"Today is {today:%A, %Y-%m-%d}."]
    if folders := catalog.values("folders", "path"):
        shown = sorted(folders, key=lambda path: (path.count("/"), path))[:_FOLDERS]
        lines.append(f"Folders: {_named(shown)}")
    if names and (issuers := catalog.values("papers", "issuer")):
        lines.append(f"papers are from {_named(issuers[:_ISSUERS])}")
    if names and (days := catalog.values("entries", "date")):
        written = language_of(" ".join(catalog.values("entries", "text")[:_READ]))
        language = _LANGUAGES[written]
        lines.append(
            f"entries are of {min(days)} to {max(days)}, in {language}: mention {language}"
        )
    elif names:
        lines.append("There is no diary.")
    if tables:
        named = (f"{name}({_named(columns[:_COLUMNS])})" for name, columns in tables.items())
        lines.append(f"Tables: {'; '.join(named)}")
    return "\n".join(lines)


def _named(names: Sequence[str]) -> str:
    return ", ".join(inert(" ".join(name.split()))[:_NAME] for name in names)
