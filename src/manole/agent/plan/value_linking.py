"""What the catalog knows of a question's words: issuers, papers' numbers, cells of tables, notes.

A model that plans cannot know that "Hetzner" issues papers and "Ben" stands in a table's column;
code can look it up. It stands behind the question as a comment, and costs ten tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from datetime import date
from itertools import islice

from manole.agent.answer.injection_filter import inert
from manole.agent.plan.values import bare, folders_said, spans_of
from manole.agent.sheets.sheet import Kind, Sheet
from manole.catalog.catalog import Catalog
from manole.text.words import STOP, has_digit, stems, words

_SHORTEST = 4  # letters of one that a question may shorten
_LINKS = 2  # of a column
_COLUMNS = 16  # of a table, told
_CELLS, _CELL = 3, 30  # of a table, told; characters of one
_TOLD = 0.6  # of a question's words: a note that has them tells of it
_HOLDS = 0.5  # the same of a table
_NAMED = 3.0  # the weight of a table whose name is said


@dataclass(frozen=True, slots=True)
class Links:
    """The comment, such as `issuer 'Hetzner Online GmbH'`, and the table that is spoken of."""

    comment: str = ""
    sheet: str | None = None
    asks: bool = False  # whether that is about what is known, and no folder's name by chance

    def behind(self, question: str) -> str:
        """The question with the comment."""
        return f"{question} -- {self.comment}" if self.comment else question


def links(question: str, catalog: Catalog, sheets: Mapping[str, Sheet], today: date) -> Links:
    """What is known of a question's words."""
    found = list(_papers(question, catalog))
    table = _sheet(question, sheets)
    found += table[1] if table else ()
    diary = catalog.diary
    if not found and diary is not None and (told := diary.telling(question, today, _TOLD)):
        found = [f"diary: {', '.join(told)}"]
    told_of = [*found, *_senders(question, catalog)]
    told_of += (f"folder '{path}'" for path in folders_said(question, catalog)[:_LINKS])
    comment = "; ".join(inert(" ".join(link.split())) for link in told_of)
    return Links(comment, table[0] if table else None, bool(found))


def _papers(question: str, catalog: Catalog) -> Iterator[str]:
    spans = set(spans_of(question))
    issuers = [n for n in catalog.values("papers", "issuer") if spans & set(_beginnings(n))]
    yield from (f"issuer '{name}'" for name in issuers[:_LINKS])
    numbers = [n for n in catalog.values("papers", "number") if has_digit(n) and bare(n) in spans]
    yield from (f"number '{number}'" for number in numbers[:_LINKS])


def _senders(question: str, catalog: Catalog) -> list[str]:
    """Who writes to one, and is named."""
    said = set(words(question))
    named = (
        name
        for name in catalog.values("messages", "sender")
        if said & {w for w in words(name.split("<")[0]) if len(w) >= _SHORTEST and w not in STOP}
    )
    return [f"sender '{name}'" for name in islice(named, _LINKS)]


def _beginnings(name: str) -> Iterator[str]:
    """What a name may be shortened to: its first words."""
    parts = re.findall(r"[\w&]+", name)
    for end in range(1, len(parts) + 1):
        plain = bare("".join(parts[:end]))
        if len(plain) >= _SHORTEST:
            yield plain


def _sheet(question: str, sheets: Mapping[str, Sheet]) -> tuple[str, Iterator[str]] | None:
    """The table that the question speaks of most, and what is known of it."""
    if not sheets:
        return None
    spoken, said, spans = _stems(question), set(words(question)), set(spans_of(question))
    weights = {name: _weight(name, sheet, spoken, said, spans) for name, sheet in sheets.items()}
    best = max(weights, key=lambda name: (weights[name], len(spoken & _stems(name))))
    return (best, _described(best, sheets[best], spoken, said)) if weights[best] >= 1 else None


def _weight(
    name: str, sheet: Sheet, spoken: frozenset[str], said: Set[str], spans: Set[str]
) -> float:
    """How much a question speaks of a table, 1 being enough.

    It does when it has the table's name; a word of the name, and one of a column or a cell; or when
    most of its words stand in one row, the name and the headers of the table.
    """
    if bare(name) in spans:
        return _NAMED
    plain = {word for word in spoken if not has_digit(word)}  # a year stands in many tables
    own = _stems(name)
    columns = _stems(" ".join(column.label for column in sheet.columns)) - own
    held = 0.0
    if len(plain & sheet.stems) >= max(2, _HOLDS * len(plain)):
        heads = plain & (columns | own)
        rows = (len(heads | plain & _stems(" ".join(row.cells))) for row in sheet.rows)
        held = together / len(plain) if (together := max(rows, default=0)) > 1 else 0.0
    of_name = bool(spoken & own) and bool(spoken & columns or any(_named(sheet, said)))
    return max(held / _HOLDS, 1.0 + held if of_name else 0.0)


def _described(name: str, sheet: Sheet, spoken: frozenset[str], said: Set[str]) -> Iterator[str]:
    """A table's columns, and the cells that a question names."""
    likest = sorted(sheet.columns, key=lambda column: -len(spoken & _stems(column.label)))
    told = {column.name for column in likest[:_COLUMNS]}
    yield f"{name}({', '.join(column.name for column in sheet.columns if column.name in told)})"
    yield from islice(_named(sheet, said), _CELLS)


def _named(sheet: Sheet, said: Set[str]) -> Iterator[str]:
    """The cells whose words were all said, one a column."""
    for column in sheet.columns if said else ():
        if column.kind is Kind.TEXT:
            cells = dict.fromkeys(str(value) for value in column.values if value is not None)
            named = (c for c in cells if len(c) <= _CELL and (own := set(words(c))) and own <= said)
            yield from (f"{column.name} '{cell}'" for cell in islice(named, 1))


def _stems(text: str) -> frozenset[str]:
    return stems(re.sub(r"[_\-]", " ", text))
