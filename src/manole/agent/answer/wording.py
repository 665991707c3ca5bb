"""A unit of a file in words for people: without markup, a row with the names of its columns."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from manole.agent.answer.rows import BETWEEN, rows_of
from manole.agent.answer.units import Unit
from manole.agent.languages import Words
from manole.documents.journal import day_of_path
from manole.documents.tables.pipes import plain_words
from manole.text.sentences import ends
from manole.text.words import path_words
from manole.tools.objects import FoundPassage

_MARKS = frozenset("#>*+•–-")  # that begin a line: of headings, quotations, items
_MARKDOWN = frozenset(  # what is written in Markdown, or read into it
    {
        "md", "markdown", "mdx", "qmd", "rmd", "docx", "doc", "odt", "rtf", "html", "htm", "epub",
        "pptx", "odp",
    }
)  # fmt: skip


def worded(passage: FoundPassage, unit: Unit) -> str:
    """Return a unit of a passage on one line, as a person would read it."""
    return worded_all(passage, [unit])[0]


def day_before(passage: FoundPassage, words: Words) -> str:
    """Return the day of a diary's entry, as it stands before what the entry says; else nothing.

    The file of an entry is named by its day alone.
    """
    name = passage.file.rpartition("/")[2]
    day = passage.date if day_of_path(name) and not path_words(name) else None
    return f"{words.written(day)}: " if day else ""


def worded_all(passage: FoundPassage, units: Sequence[Unit]) -> list[str]:
    """Return units of a passage, each on one line."""
    rows, ending = rows_of(passage), passage.file.rsplit(".", 1)[-1].lower()
    return [_worded(unit, rows, ending) for unit in units]


def _worded(unit: Unit, rows: Mapping[int, str], ending: str) -> str:
    lines: list[str] = []
    for text, line in _sentences(unit, rows):
        lines.append(rows.get(line) or plain(text, ending))
    said = ""
    for text in filter(None, dict.fromkeys(lines)):  # the pieces of a row are one
        said += ("" if not said else " " if ends(said, also=":;") else BETWEEN) + text
    return said


def _sentences(unit: Unit, rows: Container[int]) -> Iterator[tuple[str, int]]:
    """Yield the sentences of a unit with their first lines; no row goes on in another."""
    for inside, parts in groupby(unit.parts, key=lambda part: part[1] in rows):
        own = tuple(parts)
        if inside:
            yield from own
        else:
            yield from ((text, line) for text, line, _ in replace(unit, parts=own).sentences)


def plain(text: str, ending: str) -> str:
    """Return text on one line without markup; what stands in columns is set apart."""
    text = "\n".join(line.strip() for line in text.split("\n")).strip("|- ")
    cells = [" ".join(cell.split()) for part in text.split("|") for cell in part.split("  ")]
    text = BETWEEN.join(filter(None, cells))
    mark, blank, rest = text.partition(" ")
    text = (rest if blank and _MARKS.issuperset(mark) else text).removeprefix("[ ] ")
    return plain_words(text) if ending in _MARKDOWN else text
