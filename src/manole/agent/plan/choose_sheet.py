"""Chooses the sheet that a question is about, where a search leads to one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from manole.catalog.sheets import JOINTS, Sheet, is_sheet
from manole.text.lists import listed
from manole.text.question import Question
from manole.text.words import fold, stem, words
from manole.tools.objects import FoundPassage

FILES = 3  # whose tables are read for a question
_BARS = re.compile(r"^\s*\|.*\|\s*$", re.MULTILINE)
_FIGURES = re.compile(
    r"\b(how (much|many|high|large|big)|what (is|was|were|are) the|which|total|sum|average|mean|"
    r"differences?|change[ds]?|increased?|decreased?|percent\w*|ratio|proportion|highest|lowest|"
    r"largest|smallest|most|least|wie ?viele?|wie hoch|summe|anteil|prozent)\b",
    re.IGNORECASE,
)
_REASONS = re.compile(r"^\W*(why|how come|warum|wieso|weshalb)\b|\breasons?\b", re.IGNORECASE)

_SPEAKS = 0.34  # share of the question's words that a sheet must have: a third, by hand
_SPEAKS_IN_TEXT = 0.6  # the same for a table in a text, by hand: the text may answer as well
# Words that say what to do with a table, and are not looked for in one.
DEEDS = frozenset(stem(fold(word)) for word in listed("table"))


def shows_table(text: str) -> bool:
    """Return whether a passage has rows of a table between bars (Markdown, Office files)."""
    return len(_BARS.findall(text)) > 2


def likely_files(question: Question, passages: Sequence[FoundPassage]) -> list[str]:
    """Return the sheets among the files of a search (best first), if they lead its ranking.

    They do if the best passage is of a sheet, or two of the first three are; or if the question has
    two words of a sheet's name, which then comes first.
    """
    files = [passage.file for passage in passages]
    sheets = list(dict.fromkeys(file for file in files if is_sheet(file)))
    named = [file for file in sheets if len(question.stems & _name_words(file)) > 1]
    leading = [is_sheet(file) for file in files[:3]]
    if not named and not (leading and (leading[0] or sum(leading) > 1)):
        return []
    return list(dict.fromkeys([*named, *sheets]))[:FILES]


def file_with_table(question: Question, passages: Sequence[FoundPassage]) -> str | None:
    """Return the file of the best passage if it shows a table and figures are asked for."""
    if not passages or not shows_table(passages[0].text):
        return None
    if not _FIGURES.search(question.text) or _REASONS.search(question.text):
        return None
    return passages[0].file


def _name_words(file: str) -> set[str]:
    return {stem(part) for word in words(PurePosixPath(file).stem) for part in JOINTS.split(word)}


def best_sheet(question: Question, sheets: Sequence[Sheet], *, known: bool = False) -> Sheet | None:
    """Return the sheet that has most of the question's words.

    Return `None` when none has enough of them, unless it is `known` that one of them is meant.
    """
    asked = [word for word in map(stem, question.content_words) if word not in DEEDS]
    scored = [(_share(asked, sheet), -n, sheet) for n, sheet in enumerate(sheets) if sheet.rows]
    best = max(scored, key=lambda s: s[:2], default=None)
    if best is None:
        return None
    share, _, sheet = best
    if is_sheet(sheet.file):
        return sheet if known or share >= _SPEAKS else None
    return sheet if share >= (_SPEAKS if known else _SPEAKS_IN_TEXT) else None


def _share(asked: Sequence[str], sheet: Sheet) -> float:
    if not asked:
        return 1.0
    return sum(word in sheet.stems for word in asked) / len(asked)
