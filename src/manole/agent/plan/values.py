"""Values as a question writes them, as the catalog has them: sizes, amounts, periods, names."""

from __future__ import annotations

import difflib
import re
from calendar import month_name
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise
from pathlib import PurePosixPath

from manole.catalog.catalog import Catalog
from manole.text.dates import month_of
from manole.text.numbers import value
from manole.text.periods import Period, find_period
from manole.text.words import STOP, fold, words

_SIZE = re.compile(r"\s*(\d[\d.,]*)\s*([kmgt]?)(i?)(?:b|bytes?|octets?|o)?\s*", re.IGNORECASE)
_STEM = re.compile(r"\.\w{1,5}$")  # an extension
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_ISO = re.compile(r"\d{4}(-\d{2}){0,2}")
_LIKE = 0.8  # difflib's ratio: another spelling of a name
_TWIN = 0.92  # the same name, misread
_BEGUN = 4  # letters that a name begins with in another language: diario, Diary
_LONGEST, _SAID = 5, 4  # words of a name that is said, its letters
_SHORTEST = 3  # letters of a name that may stand within another


def size_of(text: str) -> int | None:
    """Bytes: "100 kB" gives 100,000, "2 MiB" 2,097,152; `None` for anything else."""
    match = _SIZE.fullmatch(text)
    if match is None:
        return None
    number = value(match[1].rstrip(".,"))
    unit = 1024 if match[3] else 1000
    return round(number * int(unit ** _POWERS[match[2].lower()]))


def with_unit(number: str, question: str) -> str:
    """A number with the unit of size that the question has behind it: "120" of "120 kB"."""
    match = re.search(rf"(?<!\d){re.escape(number)}\s*[kmgt]i?(?:b|o)?\b", question, re.IGNORECASE)
    return match[0] if match else number


def period_of(text: str, today: date) -> Period | None:
    """A period in words or as ISO dates are begun: "last month", "2024", "2024-09"."""
    if _ISO.fullmatch(text.strip()):
        year, *rest = text.strip().split("-")
        text = year if not rest else text
        if len(rest) == 1:
            first = date(int(year), int(rest[0]), 1)
            return find_period(f"{first:%B %Y}", today)
    text = re.sub(r"[^\W\d_]+", lambda m: _month(m[0]), text)
    return find_period(text, today) or find_period(f"in {text}", today)


def _month(word: str) -> str:
    """The English name of a month in any language; other words stay."""
    return month_name[month_of(word) or 0] or word


def bare(text: str) -> str:
    """Letters and digits alone, folded: "Mr. D.I.Y." gives "mrdiy"."""
    return re.sub(r"[\W_]+", "", fold(text))


def spans_of(text: str) -> Iterator[str]:
    """Each few words in a row, without marks; none that are but little words."""
    parts = text.split()
    for at in range(len(parts)):
        for end in range(at + 1, min(at + _LONGEST, len(parts)) + 1):
            plain = bare("".join(parts[at:end]))
            if len(plain) >= _SAID and not STOP.issuperset(words(" ".join(parts[at:end]))):
                yield plain


def folders_said(question: str, catalog: Catalog) -> list[str]:
    """The folders whose paths or names a question says; a year is no name."""
    spans = set(spans_of(question))
    paths = catalog.values("folders", "path")
    names = {path: bare(path.rsplit("/", 1)[-1]) for path in paths}
    said = [path for path in paths if bare(path) in spans]
    by_name = [p for p in paths if names[p] in spans and not names[p].isdecimal()]
    return list(dict.fromkeys([*said, *by_name]))


def named(wanted: str, names: Sequence[str]) -> list[str]:
    """Those of `names` that are meant: the same, else holding it, else the likest in spelling."""
    plain = bare(wanted)
    if not plain:
        return []
    known = {name: bare(name) for name in names}
    found = {own for own in known.values() if own == plain} or {
        own for own in known.values() if len(plain) >= _SHORTEST and plain in own
    }
    parts = set(words(_STEM.sub("", wanted)))
    found = found or {own for name, own in known.items() if parts and parts <= set(_parts(name))}
    found = found or set(difflib.get_close_matches(plain, known.values(), 1, _LIKE))
    twins = {t for own in found for t in difflib.get_close_matches(own, known.values(), 9, _TWIN)}
    return [name for name, own in known.items() if own in found | twins]


def called(wanted: str, paths: Sequence[str]) -> list[str]:
    """Those of `paths` whose files have all the words that are wanted in their names."""
    own = set(words(wanted))
    return [p for p in paths if own and own <= set(_parts(PurePosixPath(p).stem))]


def _parts(name: str) -> list[str]:
    """The words of a file's name, as they stand between its marks."""
    return words(re.sub(r"[\W_]+", " ", name))


def speaks_of(question: str, name: str) -> bool:
    """Whether a question speaks of a name: of one of its words, or of them written as one."""
    own = [bare(word) for word in name.split()]
    asked = [bare(word) for word in question.split()]
    whole = "".join(own)
    return whole in "".join(asked) or any(
        len(word) >= _SHORTEST
        and (
            word in whole
            or difflib.get_close_matches(word, own, 1, _LIKE)
            or (len(word) >= _BEGUN and any(part[:_BEGUN] == word[:_BEGUN] for part in own))
        )
        for word in (*asked, *map("".join, pairwise(asked)))
    )
