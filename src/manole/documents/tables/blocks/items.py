"""Items of one shape as rows: `- 2026-03-01 · 12 km · 1:10`, and `- name: Ann, age: 5`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from manole.documents.fields.model import TextLine
from manole.documents.tables.blocks.headed import Heading
from manole.documents.tables.blocks.pairs import LEAST, SHARE, Block, pairs_of, table_of
from manole.documents.tables.model import Table, TableRow, as_table, collapsed
from manole.text.dates import find_dates

_DAY = r"\d{4}-\d\d-\d\d|\d\d?\.\d\d?\.\d{2,4}"
_ITEM = re.compile(
    rf"[ \t>]*(?:(?:[-*+•]|\d{{1,9}}[.)])[ \t]+(?!\[[ xX/-]?\][ \t])|(?={_DAY}))(.*\S)"
)
_SEPARATORS = (" · ", " | ", "\t", " — ", " – ", " - ", "; ", ": ", ", ")
_WEAK = frozenset({": ", ", "})  # sentences have them, too
_LONGEST = 500  # characters of an item that is a row; a longer one is a text
_SAMPLE = 200  # items whose cells tell what a column has
_BEFORE_DAY = 5  # characters, such as those of `Mon, `
_AMOUNT = re.compile(
    r"[-+−~≈]?\s?(?P<before>[€$£¥]?)\s?\d[\d.,'’ \u202f]*\s?(?P<unit>[^\W\d_]{1,12}|[%°€$£¥])?\.?"
)
_CLOCK = re.compile(r"\d{1,3}:\d\d(?::\d\d)?(?:\s?(?:h|min|am|pm))?", re.IGNORECASE)
_MONEY = frozenset("€$£¥") | {"eur", "usd", "gbp", "chf"}


@dataclass(frozen=True, slots=True)
class _Item:
    at: int
    line: TextLine
    text: str
    section: str  # the heading above


def item_tables(
    lines: Sequence[TextLine], headings: Sequence[Heading], used: set[int]
) -> list[Table]:
    """Return the tables of the items among the lines that are not `used`."""
    by_shape: dict[tuple[str, int], list[_Item]] = defaultdict(list)
    for items in _sections(lines, headings, used).values():
        shape = _shape([item.text for item in items])
        if shape is not None:
            by_shape[shape] += items
    tables = [_table(items, shape, lines[0].page) for shape, items in by_shape.items()]
    return [table for table in tables if table is not None]


def _sections(
    lines: Sequence[TextLine], headings: Sequence[Heading], used: set[int]
) -> dict[int, list[_Item]]:
    """Return the items below each heading, by the number of the heading."""
    found: dict[int, list[_Item]] = defaultdict(list)
    texts = ["", *(heading.text for heading in headings)]
    starts = [heading.at for heading in headings]
    section = 0
    for at, line in enumerate(lines):
        while section < len(starts) and starts[section] <= at:
            section += 1
        item = _ITEM.fullmatch(line.text[: 2 * _LONGEST]) if at not in used else None
        if item and len(item[1]) <= _LONGEST:
            found[section].append(_Item(at, line, item[1], texts[section]))
    return found


def _shape(texts: Sequence[str]) -> tuple[str, int] | None:
    """Return the separator that gives most items the same number of parts, and that number.

    The separator is "" for items with two pairs each.
    """
    if sum(len(pairs_of(text)) > 1 for text in texts) >= SHARE * len(texts):
        return "", 0
    for separator in _SEPARATORS:
        widths = Counter(len(_split(text, separator, 0)) for text in texts)
        width, count = widths.most_common(1)[0]
        if width > 1 and count >= SHARE * len(texts):
            alike = [c for text in texts if len(c := _split(text, separator, 0)) == width][:_SAMPLE]
            kinds = [_kind([row[at] for row in alike]) for at in range(width)]
            telling = kinds[0] == "date" or (separator != ": " and width > 2)
            if any(kinds) and (separator not in _WEAK or telling):
                return separator, width
    return None


def _split(text: str, separator: str, width: int) -> list[str]:
    """Return the parts of an item; of more than `width` the last ones are one."""
    parts = text.split(separator, width - 1) if width else text.split(separator)
    return [collapsed(part) for part in parts]


def _table(items: Sequence[_Item], shape: tuple[str, int], page: int | None) -> Table | None:
    separator, width = shape
    if not separator:
        blocks = []
        for item in items:
            block = Block(item.line.line)
            if len(pairs_of(item.text)) > 1:
                block.add(TextLine(item.text, page, item.line.line))
                blocks.append(block)
        return table_of(blocks, page, None)
    rows = [(item, _split(item.text, separator, width)) for item in items]
    rows = [(item, cells) for item, cells in rows if len(cells) == width]
    if len(rows) < LEAST:
        return None
    columns = tuple(_label([c[at] for _, c in rows], at) for at in range(width))
    sections = len({item.section for item, _ in rows}) > 1
    return as_table(
        (*columns, "section") if sections else columns,
        [
            TableRow(
                (*cells, item.section) if sections else tuple(cells),
                item.line.line,
                collapsed(item.line.text),
            )
            for item, cells in rows
        ],
        page,
        None,
        rows[0][0].line.line,
    )


def _label(cells: Sequence[str], at: int) -> str:
    """Return a name for a column without a header."""
    return _kind(cells) or ("item" if at == 0 else "text")


def _kind(cells: Sequence[str]) -> str:
    """Return what a column has: `date`, `time`, a unit, `amount`, `number`; "" for words."""
    filled = [cell for cell in cells[:_SAMPLE] if cell]
    if not filled:
        return ""
    for name, is_one in (("date", _is_day), ("time", _CLOCK.fullmatch)):
        if sum(bool(is_one(cell)) for cell in filled) >= SHARE * len(filled):
            return name
    amounts = [match for cell in filled if (match := _AMOUNT.fullmatch(cell))]
    if len(amounts) < SHARE * len(filled):
        return ""
    units = Counter((match["before"] or match["unit"] or "").lower() for match in amounts)
    unit, count = units.most_common(1)[0]
    if unit in _MONEY:
        return "amount"
    return unit if unit.isalpha() and count >= SHARE * len(amounts) else "number"


def _is_day(cell: str) -> bool:
    """Return whether a cell begins with a day."""
    found = find_dates(cell[:40])
    return bool(found) and found[0][0] <= _BEFORE_DAY
