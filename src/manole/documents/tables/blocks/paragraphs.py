"""Blocks of pairs without headings, between blank lines or rules such as `---`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from manole.documents.fields.model import TextLine
from manole.documents.tables.blocks.headed import several
from manole.documents.tables.blocks.pairs import Block, led_by, pairs_of, table_of
from manole.documents.tables.model import Table
from manole.text.words import fold

_RULED = frozenset("-*_=~#")
_RULE = re.compile(r"[ \t]*(?:([-*_=~#])[ \t]*)(?:\1[ \t]*){2,}")
_HEADING = 120  # characters of a heading: a longer line is text
_RULES = 3  # from so many on they part the blocks, and blank lines are inside


def paragraph_table(lines: Sequence[TextLine], used: set[int]) -> Table | None:
    """Return the table of the blocks among the lines that are not `used`; add theirs to it."""
    rules = {at for at, line in enumerate(lines) if _is_rule(line.text)}
    blocks: list[Block] = []
    taken: list[int] = []
    for part in _parts(lines, used, rules):
        for block, indices in _blocks(lines, part):
            if len(block.pairs) > 1:
                blocks.append(block)
                taken += indices
    words = {fold(led_by(block.heading)[0]): led_by(block.heading)[0] for block in blocks}
    word = next(iter(words.values()), "") if len(words) == 1 else ""
    table = table_of(blocks, lines[0].page, several(word) if word else None) if blocks else None
    if table is not None:
        used.update(taken)
    return table


def _is_rule(text: str) -> bool:
    return text.strip()[:1] in _RULED and _RULE.fullmatch(text[:_HEADING]) is not None


def _parts(lines: Sequence[TextLine], used: set[int], rules: set[int]) -> Iterator[list[int]]:
    """Yield the indices of the lines between two separators."""
    by_rules = len(rules) >= _RULES
    part: list[int] = []
    for at, line in enumerate(lines):
        blank = not line.text.strip()
        gap = at > 0 and line.line != lines[at - 1].line + 1
        if part and (at in used or at in rules or ((blank or gap) and not by_rules)):
            yield part
            part = []
        if not (blank or at in rules or at in used):
            part.append(at)
    if part:
        yield part


def _blocks(lines: Sequence[TextLine], part: Sequence[int]) -> Iterator[tuple[Block, list[int]]]:
    """Yield the blocks of a part: a new one begins where its first key comes again.

    A first line without a pair, or with a numbered one (`Application 17: Firm`), is its heading.
    """
    block, indices, first = Block(0), list[int](), ""
    for at in part:
        line = lines[at]
        found = pairs_of(line.text)
        word, number, _ = led_by(line.text.strip()) if len(line.text) < _HEADING else ("",) * 3
        heads = not found or (len(found) == 1 and bool(word and number) and number in found[0][0])
        key = fold(found[0][0]) if found and not heads else ""
        if not indices or (key and key == first) or (heads and number and block.pairs):
            if indices:
                yield block, indices
            block, indices, first = Block(line.line), [], ""
            if heads:
                block.heading = line.text.strip(" \t*_#")
        if not (heads and not indices):
            block.add(line)
            first = first or key
        else:
            block.texts.append(line.text)
        indices.append(at)
    if indices:
        yield block, indices
