"""Converts values of a question into those of the catalog: sizes, periods, names."""

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
from manole.text.question import Question
from manole.text.words import STOP, fold, stems, words

_UMLAUT = re.compile(r"([aou])e")
_SIZE = re.compile(r"\s*(\d[\d.,]*)\s*([kmgt]?)(i?)(?:b|bytes?|octets?|o)?\s*", re.IGNORECASE)
_STEM = re.compile(r"\.\w{1,5}$")  # an extension
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_ISO = re.compile(r"\d{4}(-\d{2}){0,2}")
_LIKE = 0.8  # difflib ratio of another spelling of a name: one letter of five
_TWIN = 0.92  # difflib ratio of the same name misread by OCR: one letter of twelve
_BEGUN = 4  # common first letters of a name in two languages: diario, Diary
_LONGEST, _SAID = 5, 4  # words of a name in a question, and its letters at least
_SHORTEST, _INSIDE = 3, 6  # letters of a name that is looked for in another, and within a word


def size_of(text: str) -> int | None:
    """Return bytes: 100,000 for "100 kB", 2,097,152 for "2 MiB"; `None` for anything else."""
    match = _SIZE.fullmatch(text)
    if match is None:
        return None
    number = value(match[1].rstrip(".,"))
    unit = 1024 if match[3] else 1000
    return round(number * int(unit ** _POWERS[match[2].lower()]))


def with_unit(number: str, question: str) -> str:
    """Return a number with the unit of size that follows it in the question: "120 kB"."""
    match = re.search(rf"(?<!\d){re.escape(number)}\s*[kmgt]i?(?:b|o)?\b", question, re.IGNORECASE)
    return match[0] if match else number


def period_of(text: str, today: date) -> Period | None:
    """Return a period from words or the beginning of an ISO date: "last month", "2024-09"."""
    if _ISO.fullmatch(text.strip()):
        year, *rest = text.strip().split("-")
        text = year if not rest else text
        if len(rest) == 1:
            month = dict(enumerate(month_name)).get(int(rest[0]))
            return find_period(f"{month} {year}", today) if month else None
    text = re.sub(r"[^\W\d_]+", lambda m: _month(m[0]), text)
    return find_period(text, today) or find_period(f"in {text}", today)


def _month(word: str) -> str:
    """Return the English name of a month in any language; other words stay."""
    return month_name[month_of(word) or 0] or word


def bare(text: str) -> str:
    """Return letters and digits alone, folded: "mrdiy" for "Mr. D.I.Y."."""
    return re.sub(r"[\W_]+", "", fold(text))


def without_umlauts(text: str) -> str:
    """Return a folded name with one letter for an umlaut spelt with two: `Voelker`, `Völker`."""
    return _UMLAUT.sub(r"\1", text)


def spans_of(text: str) -> Iterator[str]:
    """Yield every few words in a row, without punctuation; none of function words only."""
    parts = text.split()
    for at in range(len(parts)):
        for end in range(at + 1, min(at + _LONGEST, len(parts)) + 1):
            plain = bare("".join(parts[at:end]))
            if len(plain) >= _SAID and not STOP.issuperset(words(" ".join(parts[at:end]))):
                yield plain


def folders_said(question: Question, catalog: Catalog) -> list[str]:
    """Return the folders whose paths or names a question contains; a year is no name."""
    spans = set(spans_of(question.text))
    paths = catalog.values("folders", "path")
    names = {path: bare(path.rsplit("/", 1)[-1]) for path in paths}
    said = [path for path in paths if bare(path) in spans]
    by_name = [p for p in paths if names[p] in spans and not names[p].isdecimal()]
    return list(dict.fromkeys([*said, *by_name]))


def named(wanted: str, names: Sequence[str]) -> list[str]:
    """Return the `names` that are meant: equal, else containing it, else nearest in spelling."""
    plain = bare(wanted)
    if not plain:
        return []
    known = {name: bare(name) for name in names}
    found = {own for own in known.values() if own == plain} or {
        own for name, own in known.items() if _holds(name, plain)
    }
    parts = set(words(_STEM.sub("", wanted)))
    found = found or {own for name, own in known.items() if parts and parts <= set(parts_of(name))}
    found = found or set(difflib.get_close_matches(plain, known.values(), 1, _LIKE))
    twins = {t for own in found for t in difflib.get_close_matches(own, known.values(), 9, _TWIN)
             if _one_figure(own, t)}  # fmt: skip
    return [name for name, own in known.items() if own in found | twins]


def _holds(name: str, plain: str) -> bool:
    """Return whether a name has a bare word: "amara" does not have "mara"."""
    parts = parts_of(name)
    begins = ("".join(parts[at:]).startswith(plain) for at in range(len(parts)))
    return len(plain) >= _SHORTEST and (
        any(begins) or (len(plain) >= _INSIDE and plain in bare(name))
    )


def _one_figure(*names: str) -> bool:
    """Return whether names have the same digits, or none: "bill 2" is no misread "bill 1"."""
    return len({digits for name in names if (digits := re.sub(r"\D", "", name))}) < 2


def called(wanted: str, paths: Sequence[str]) -> list[str]:
    """Return the `paths` whose file names have all the wanted words, an extension among them."""
    own = set(words(wanted))
    return [p for p in paths if own and own <= set(parts_of(PurePosixPath(p).name))]


def parts_of(name: str) -> list[str]:
    """Return the words of a name between its punctuation."""
    return words(re.sub(r"[\W_]+", " ", name))


def name_stems(name: str) -> frozenset[str]:
    """Return the stems of a name's content words."""
    return stems(" ".join(parts_of(name)))


def speaks_of(question: str, name: str) -> bool:
    """Return whether a question has one of the words of a name, or all of them joined."""
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
