"""Finds in a table what no word of it says, by likeness of meaning: "Lebensmittel", `Groceries`.

A single word out of its sentence is easily misjudged, and so is a cell out of its row. So a cell is
weighed twice: its vector with that of the word, and the vectors of the rows that have it with that
of the whole question. What the two give together must be clearly more than that of any other cell
of the column.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from weakref import WeakKeyDictionary

import numpy as np

from manole.agent.plan.table_words import Cells, cells_of, words_in
from manole.agent.plan.values import parts_of
from manole.catalog.sheets import Column, Sheet
from manole.models.encode.embedder import Embedder
from manole.models.encode.heads import Vectors

# The least likeness (of a cell the sum of both cosines), and how much less the next must have; by
# hand, of 60 questions over six tables in five languages.
_CELL, _CLEARLY = 0.75, 0.11
_SURELY = 0.95  # the least that both together come to
_HEADER, _HEADER_CLEARLY = 0.47, 0.15
_NAME, _NAME_CLEARLY = 0.75, 0.15
_WHOLE, _WHOLE_CLEARLY = 0.25, 0.04  # of a whole question and a table
_CELLS = 60  # of a column
_NEW = 500  # rows and cells that are embedded for one question: a second; they are kept
_KEPT = 20_000  # vectors of a library: 30 MB
_UNIT = re.compile(r"\s*\([^)]*\)|_[a-z]{3}$")  # "Actual (EUR)", "amount_eur"

_vectors: WeakKeyDictionary[Embedder, dict[str, Vectors]] = WeakKeyDictionary()


class Likeness:
    """How like in meaning the words of one question are to those of tables."""

    def __init__(self, embedder: Embedder, question: str, tables: Collection[Sheet]) -> None:
        self._embedder, self._question, self._tables = embedder, question, tables
        self._left = _NEW

    def cell(self, text: str, sheet: Sheet) -> tuple[Cells, float] | None:
        """Return the cell that is most like a text, and how much; `None` where none clearly is.

        Of those of several columns it is the one whose own words are the likest.
        """
        texts = [c for c in words_in(sheet) if len(cells_of(c)) <= _CELLS]
        rows = [" ".join(str(v) for v in row if v is not None) for row in _rows(texts)]
        if not texts or not self._affords({*rows, *(c for of in texts for c in cells_of(of))}):
            return None
        of_rows = dict(zip(rows, self._asked(rows), strict=True))
        best: list[tuple[float, Cells, float]] = []
        for column in texts:
            of_row: dict[str, float] = defaultdict(lambda: -1.0)
            for value, row in zip(column.values, rows, strict=True):
                of_row[str(value)] = max(of_row[str(value)], of_rows[row])
            alone = self._like(text, cells_of(column))
            own = {cell: like + of_row[cell] for cell, like in alone.items()}
            if found := _clearest(own, _CELL, _CLEARLY, _SURELY):
                best.append((alone[found], (column, (found,)), own[found]))
        return max(best, key=lambda of: of[0])[1:] if best else None

    def column(self, words: Iterable[str], columns: Sequence[Column]) -> Column | None:
        """Return the column whose header a word is clearly most like, if all such words agree."""
        headers = {_UNIT.sub("", column.label): column for column in columns}
        own = [self._like(word, list(headers)) for word in words]
        found = {_clearest(of, _HEADER, _HEADER_CLEARLY) for of in own} - {None}
        return headers[str(*found)] if len(found) == 1 else None

    def name(self, text: str) -> tuple[str, float] | None:
        """Return the name of a table (`called`) that a text is most like, and how much.

        It is weighed as a cell is: alone, and with its headers, as the question asks for it.
        """
        heads = {called(table): " ".join(c.words for c in table.columns) for table in self._tables}
        asked = self._asked([f"{name}: {head}" for name, head in heads.items()])
        own = self._like(text, list(heads))
        own = {name: own[name] + like for name, like in zip(heads, asked, strict=True)}
        found = _clearest(own, _NAME, _NAME_CLEARLY)
        return (found, own[found]) if found else None

    def likest(self, tables: Mapping[str, Sheet]) -> list[str]:
        """Return the table that the whole question is clearly most like, by name and headers.

        None where it is like several, or hardly like any.
        """
        heads = [f"{called(t)}: {', '.join(c.words for c in t.own)}" for t in tables.values()]
        asked = dict(zip(tables, self._asked(heads), strict=True)) if heads else {}
        found = _clearest(asked, _WHOLE, _WHOLE_CLEARLY)
        return [] if found is None else [found]

    def _affords(self, texts: Collection[str]) -> bool:
        """Return whether texts may be embedded, as far as they are not known."""
        known = _vectors.get(self._embedder, {})
        new = sum(text not in known for text in texts)
        if new > self._left:
            return False
        self._left -= new
        return True

    def _like(self, text: str, others: Sequence[str]) -> dict[str, float]:
        word, *told = (self._of([one])[0] for one in (text, *others))  # alike in any company
        return {other: float(own @ word) for other, own in zip(others, told, strict=True)}

    def _asked(self, rows: Sequence[str]) -> list[float]:
        asked = self._embedder.embed_query(self._question)
        likeness: list[float] = (self._of(rows) @ asked).tolist()
        return likeness

    def _of(self, texts: Sequence[str]) -> Vectors:
        return vectors(self._embedder, texts)


def vectors(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Return the vectors of texts, each made once: float32, (texts, dimensions)."""
    known = _vectors.setdefault(embedder, {})
    if len(known) > _KEPT:
        known.clear()
    if new := [text for text in dict.fromkeys(texts) if text not in known]:
        known.update(zip(new, embedder.embed(new), strict=True))
    return np.stack([known[text] for text in texts])


def _rows(columns: Sequence[Column]) -> list[tuple[object, ...]]:
    return list(zip(*(column.values for column in columns), strict=True))


def called(sheet: Sheet) -> str:
    """Return the words of the name of a table's file: "bank transactions"."""
    return " ".join(part for part in parts_of(PurePosixPath(sheet.file).stem) if part.isalpha())


def _clearest(
    own: Mapping[str, float], least: float, clearly: float, surely: float = 0.0
) -> str | None:
    """Return what has the most, if that is enough, and clearly more than the next."""
    ranked = sorted(own, key=lambda text: -own[text])[:2]
    if not ranked:
        return None
    most = own[ranked[0]]
    ahead = most - own[ranked[1]] if len(ranked) > 1 else most
    return ranked[0] if most >= least and ahead >= clearly and most + ahead >= surely else None
