"""What a file's name says of its version: "lease_v2", "Vertrag Entwurf", "offer (1)", "2024-03"."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from manole.text.dates import month_of
from manole.text.words import fold

SORTS = ("early", "late", "plain")
_PART = re.compile(r"v\d+(?![^\W_])|[^\W\d_]+\d{2,}|[^\W\d_]+|\d+")
_COUNT = re.compile(r"(?:19|20)\d\d(?:\d{4})?|\d{1,2}")  # a year, a day, a small number


@dataclass(frozen=True, slots=True)
class Name:
    """A name: its words without those of versions (`key`), and what these say.

    `stage` is -1 for a draft, 1 for what is final or signed, `version` the number behind a "v",
    `numbers` are days and counts, `parts` all words.
    """

    key: frozenset[str]
    stage: int
    version: int
    numbers: tuple[int, ...]
    parts: frozenset[str]


@lru_cache(20_000)
def name_of(path: str) -> Name:
    """Read the name of a file."""
    name = fold(path.rpartition("/")[2])
    parts = _PART.findall(name.rpartition(".")[0] or name)
    versions = [part[1:] for part in parts if re.fullmatch(r"v\d+", part)]
    numbers = tuple(int(part) for part in parts if _COUNT.fullmatch(part))
    said = {part for part in parts if not _COUNT.fullmatch(part) and not month_of(part)}
    key = frozenset(said - {"v", *(f"v{n}" for n in versions)}).difference(*map(words, SORTS))
    stage = bool(said & words("late")) - bool(said & words("early"))
    return Name(key, stage, int((versions or [0])[-1]), numbers, frozenset((*parts, *versions)))


@cache
def words(sort: str) -> frozenset[str]:
    """Return the words and phrases of a sort in `words.toml`."""
    table = files(__package__).joinpath("words.toml").read_text("utf-8")
    return frozenset(map(fold, tomllib.loads(table)[sort]))
