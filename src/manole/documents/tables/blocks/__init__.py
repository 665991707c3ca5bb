"""Tables that nobody drew: blocks of one shape inside a text.

They are a hundred headings `Application 17: Firm`, each with `key: value` lines; such lines between
blank lines or rules; items such as `- 2026-03-01 · 12 km`; lines with tabs; and the functions of a
source file. At least four blocks make a table, of which six tenths share two keys. Prose with
headings has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from manole.documents.code_lines import without_code
from manole.documents.fields.model import TextLine
from manole.documents.tables.blocks.definitions import definition_table, is_source
from manole.documents.tables.blocks.headed import headed_tables, headings_of
from manole.documents.tables.blocks.items import item_tables
from manole.documents.tables.blocks.pairs import LEAST
from manole.documents.tables.blocks.paragraphs import paragraph_table
from manole.documents.tables.delimited import delimited_table
from manole.documents.tables.model import Table
from manole.documents.text import front_matter_end

__all__ = ["RECORDED", "records_in"]

RECORDED = frozenset({"markdown", "text", "org", "rst", "asciidoc", "code"})  # formats
_TABBED = 0.8  # share of the lines of a text with as many tabs that make it a table


def records_in(lines: Sequence[TextLine], format_: str, path: str = "") -> list[Table]:
    """Return the tables among the lines of a text.

    Their names are the words that their headings have in common (`applications`), else `None`; that
    of definitions is the whole name of the file, as `words` of `words.py` is a common word.
    `format_` is the document's short format name, one of `RECORDED`. Nothing raises.
    """
    if not lines or format_ not in RECORDED:
        return []
    if is_source(lines, format_):
        table = definition_table(lines)
        name = PurePosixPath(path).name.replace(".", " ") or None
        return [replace(table, name=name)] if table else []
    if format_ == "text" and _is_tabbed(lines):
        table = delimited_table(list(lines), "tsv")
        return [table] if table else []
    begin = front_matter_end([line.text for line in lines]) if lines[0].line == 1 else 0
    shown = [line for line in without_code(lines[begin:], format_) if line.text.strip()[:1] != "|"]
    if not shown:
        return []
    used: set[int] = set()
    headings = headings_of(shown, format_)
    tables = headed_tables(shown, headings, used)
    if table := paragraph_table(shown, used):
        tables.append(table)
    return [*tables, *item_tables(shown, headings, used)]


def _is_tabbed(lines: Sequence[TextLine]) -> bool:
    tabs = [line.text.count("\t") for line in lines if line.text.strip()]
    if len(tabs) < LEAST:
        return False
    usual, count = Counter(tabs).most_common(1)[0]
    return usual > 0 and count >= _TABBED * len(tabs)
