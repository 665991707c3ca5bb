"""Links the words of a question to values: issuers, numbers of papers, cells of tables, notes.

A model cannot know that a firm issues papers and "Jonas" is in a column of a table; code can look
it up. The links follow the question as a comment, at a cost of some ten tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import islice

from manole.agent.answer.injection_filter import inert
from manole.agent.plan.values import bare, folders_said, spans_of
from manole.catalog.catalog import Catalog
from manole.catalog.sheets import Sheet
from manole.text.question import Question
from manole.text.words import STOP, has_digit, stems, words

_SHORTEST = 4  # letters of a shortened name: shorter ones are often ordinary words
_LINKS = 2  # of each column, so that the comment stays short
_COLUMNS = 16  # of a table, as many as `write_sql` shows
_CELLS, _CELL = 3, 30  # cells of a table, and characters of one
_TOLD = 0.6  # share of a question's words in one note from which the note is about it
_HOLDS = 0.5  # the same for a row of a table, whose headers count too
_NAMED = 3.0  # weight of a table whose whole name is said: above any by its words, at most 2


@dataclass(frozen=True, slots=True)
class Links:
    """The comment, such as `issuer 'Kessler GmbH'`, and the table that is meant."""

    comment: str = ""
    sheet: str | None = None
    asks: bool = False  # more was linked than a sender or a folder, whose names may be chance

    def behind(self, question: str) -> str:
        """Return the question with the comment."""
        return f"{question} -- {self.comment}" if self.comment else question


def links(question: Question, catalog: Catalog, sheets: Mapping[str, Sheet]) -> Links:
    """Link the words of a question."""
    spans = set(spans_of(question.text))
    found = list(_papers(spans, catalog))
    table = _sheet(question, spans, sheets)
    found += table[1] if table else ()
    diary = catalog.diary
    if not found and diary is not None and (told := diary.telling(question, _TOLD)):
        found = [f"diary: {', '.join(told)}"]
    told_of = [*found, *_senders(question, catalog)]
    told_of += (f"folder '{path}'" for path in folders_said(question, catalog)[:_LINKS])
    comment = "; ".join(inert(" ".join(link.split())) for link in told_of)
    return Links(comment, table[0] if table else None, bool(found))


def _papers(spans: Set[str], catalog: Catalog) -> Iterator[str]:
    issuers = [n for n in catalog.values("papers", "issuer") if spans & set(_beginnings(n))]
    yield from (f"issuer '{name}'" for name in issuers[:_LINKS])
    numbers = [n for n in catalog.values("papers", "number") if has_digit(n) and bare(n) in spans]
    yield from (f"number '{number}'" for number in numbers[:_LINKS])


def _senders(question: Question, catalog: Catalog) -> list[str]:
    """Return the senders of messages that the question names."""
    said = set(question.words)
    named = (
        name
        for name in catalog.values("messages", "sender")
        if said & {w for w in words(name.split("<")[0]) if len(w) >= _SHORTEST and w not in STOP}
    )
    return [f"sender '{name}'" for name in islice(named, _LINKS)]


def _beginnings(name: str) -> Iterator[str]:
    """Yield what a name may be shortened to: its first words."""
    parts = re.findall(r"[\w&]+", name)
    for end in range(1, len(parts) + 1):
        plain = bare("".join(parts[:end]))
        if len(plain) >= _SHORTEST:
            yield plain


def _sheet(
    question: Question, spans: Set[str], sheets: Mapping[str, Sheet]
) -> tuple[str, Iterator[str]] | None:
    """Return the table that shares most with the question, and its description."""
    if not sheets:
        return None
    spoken, said = _stems(question.text), set(question.words)
    weights = {name: _weight(name, sheet, spoken, said, spans) for name, sheet in sheets.items()}
    best = max(weights, key=lambda name: (weights[name], len(spoken & _stems(name))))
    return (best, _described(best, sheets[best], spoken, said)) if weights[best] >= 1 else None


def _weight(
    name: str, sheet: Sheet, spoken: frozenset[str], said: Set[str], spans: Set[str]
) -> float:
    """Return how much a question is about a table; 1 is enough.

    It is when it has the name of the table; a word of the name and one of a column or a cell; or
    when most of its words occur together in one row, the name and the headers.
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
    """Yield the columns of a table, and the cells that a question names."""
    likest = sorted(sheet.columns, key=lambda column: -len(spoken & _stems(column.label)))
    told = {column.name for column in likest[:_COLUMNS]}
    yield f"{name}({', '.join(column.name for column in sheet.columns if column.name in told)})"
    yield from islice(_named(sheet, said), _CELLS)


def _named(sheet: Sheet, said: Set[str]) -> Iterator[str]:
    """Yield the cells whose words were all said, one per column."""
    for column in sheet.columns if said else ():
        if column.kind == "TEXT":
            cells = dict.fromkeys(str(value) for value in column.values if value is not None)
            named = (c for c in cells if len(c) <= _CELL and (own := set(words(c))) and own <= said)
            yield from (f"{column.name} '{cell}'" for cell in islice(named, 1))


def _stems(text: str) -> frozenset[str]:
    return stems(re.sub(r"[_\-]", " ", text))
