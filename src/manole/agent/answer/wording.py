"""A unit of a file in words for people: without markup, a row with the names of its columns."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from manole.agent.answer.units import Unit
from manole.documents.fields.model import TextLine
from manole.documents.formats import DELIMITED_EXTENSIONS, SHEETS
from manole.documents.tables import Table, read_tables
from manole.documents.tables.pipes import plain_words
from manole.text.sentences import ends
from manole.tools.objects import FoundPassage

_BETWEEN = " · "  # cells, and lines that are no sentences
_MARKS = frozenset("#>*+•–-")  # that begin a line: of headings, quotations, items
_MARKDOWN = frozenset(  # what is written in Markdown, or read into it
    {
        "md", "markdown", "mdx", "qmd", "rmd", "docx", "doc", "odt", "rtf", "html", "htm", "epub",
        "pptx", "odp",
    }
)  # fmt: skip


def worded(passage: FoundPassage, unit: Unit) -> str:
    """Return a unit of a passage on one line, as a person would read it."""
    ending = passage.file.rsplit(".", 1)[-1].lower()
    rows = dict(_rows(passage, ending))
    lines: list[str] = []
    for text, line in _sentences(unit, rows):
        lines.append(rows.get(line) or _bare(text, ending))
    said = ""
    for text in filter(None, dict.fromkeys(lines)):  # the pieces of a row are one
        said += ("" if not said else " " if ends(said, also=":;") else _BETWEEN) + text
    return said


def _sentences(unit: Unit, rows: Container[int]) -> Iterator[tuple[str, int]]:
    """Yield the sentences of a unit with their first lines; no row goes on in another."""
    for inside, parts in groupby(unit.parts, key=lambda part: part[1] in rows):
        own = tuple(parts)
        if inside:
            yield from own
        else:
            yield from ((text, line) for text, line, _ in replace(unit, parts=own).sentences)


def _bare(text: str, ending: str) -> str:
    """Return text on one line without markup; what stands in columns is set apart."""
    text = "\n".join(line.strip() for line in text.split("\n")).strip("|- ")
    cells = [" ".join(cell.split()) for part in text.split("|") for cell in part.split("  ")]
    text = _BETWEEN.join(filter(None, cells))
    mark, blank, rest = text.partition(" ")
    text = rest if blank and _MARKS.issuperset(mark) else text
    return plain_words(text) if ending in _MARKDOWN else text


def _rows(passage: FoundPassage, ending: str) -> Iterator[tuple[int, str]]:
    """Yield the rows of tables in a passage by their lines, each cell behind its column's name."""
    lines = [
        TextLine(text, passage.page, passage.line + at)
        for at, text in enumerate(passage.text.split("\n"))
    ]
    for table in read_tables([*_header(passage, ending), *lines], _format(ending)):
        for row in table.rows:
            yield row.line, _BETWEEN.join(_cells(table, row.cells))


def _header(passage: FoundPassage, ending: str) -> Sequence[TextLine]:
    """Return the header that a long table's passage has among its headings, as lines above it."""
    columns = next(iter(reversed(passage.headings)), "")
    above = [columns] if ending in DELIMITED_EXTENSIONS else []
    if " | " in columns and passage.text.startswith("|"):
        above = [f"|{columns}|", "|".join("---" for _ in columns.split(" | "))]
    if not columns or passage.text.startswith(columns):
        return []
    return [TextLine(t, passage.page, passage.line + n) for n, t in enumerate(above, -len(above))]


def _format(ending: str) -> str:
    return ending if ending in SHEETS else DELIMITED_EXTENSIONS.get(ending, "markdown")


def _cells(table: Table, cells: Sequence[str]) -> Iterator[str]:
    """Yield the cells that say something; the first, which names the row, stands alone."""
    for at, (column, cell) in enumerate(zip(table.columns, cells, strict=True)):
        if cell:
            yield f"{column}: {cell}" if column and at else cell
