"""The summary of a spreadsheet: how many rows, and of each column what it holds, by code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from manole.agent.answer.units import Unit
from manole.agent.languages import ENGLISH, Words
from manole.agent.plan.notation import figure
from manole.agent.plan.open_catalog import sheets_in
from manole.catalog.sheets import Column, Sheet
from manole.tools.base import TurnState
from manole.tools.objects import FoundPassage

_MOST = 4  # values of a column that are named, the commonest first
_COLUMNS = 12  # columns that are told: a screen


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of one file, and the passage in which it begins."""

    passage: FoundPassage
    sheets: Sequence[Sheet]

    def holders(self) -> Iterator[tuple[FoundPassage, Unit]]:
        """Yield the passage with its first line."""
        first = self.passage.text.split("\n", 1)[0]
        yield self.passage, Unit(0, ((first, self.passage.line),))

    def answer(self, numbers: dict[str, int], words: Words = ENGLISH) -> str:
        """Return a line for each table, and one for each of its columns."""
        n, lines = numbers[self.passage.id], []
        for sheet in self.sheets:
            title = f"{sheet.table.title}: " if sheet.table.title and len(self.sheets) > 1 else ""
            lines.append(f"{title}{words.many(len(sheet.rows), 'row')} [{n}]")
            told = ((c.label, _told(c, words)) for c in sheet.columns[:_COLUMNS])
            lines += [f"- {label}: {said}" for label, said in told if said]
        return "\n".join(lines)


async def tables_of(state: TurnState, passages: Sequence[FoundPassage]) -> Tables | None:
    """Return the tables of the file of passages, if it has any."""
    found = await sheets_in(state, [passages[0].file]) if passages else {}
    return Tables(passages[0], [*found.values()]) if found else None


def _told(column: Column, words: Words) -> str:
    """Return what a column holds: from when until when, how much, which values how often."""
    values = [value for value in column.values if value is not None]
    if not values:
        return ""
    if column.kind == "DAY":
        days = sorted(date.fromisoformat(v) for v in values if isinstance(v, str) and _is_day(v))
        return " – ".join(words.written(day) for day in dict.fromkeys((days[0], days[-1])))
    known = [value for value in values if isinstance(value, int | float)]
    if column.kind == "REAL" and known:
        ends = " – ".join(figure(value, words) for value in dict.fromkeys((min(known), max(known))))
        return f"{ends}, {words.together} {figure(sum(known), words)}"
    often = Counter(map(str, values)).most_common()
    again = often[0][1] > 1  # else each names its row
    named = ", ".join(f"{v} ({words.number(n)})" if again else v for v, n in often[:_MOST])
    return f"{named} …" if len(often) > _MOST else named


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
