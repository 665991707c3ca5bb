"""Amounts with the words that say what they are.

A label stands left of its amount, above it (alone on its line), at the head of its column, or in
a block of labels before a block of amounts, as some PDFs give them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from manole.documents.fields.labels import Label, label_of
from manole.documents.fields.lines import before, cells
from manole.documents.fields.model import TextLine
from manole.text.amounts import Amount, currency_in, find_amounts

ABOVE, HEAD, HEAD_WITH_TEXT, BLOCK, IN_ROW = 0.85, 0.8, 0.3, 0.8, 0.5
_HEADER_REACH = 12  # lines with text between the head of a column and its last row
_LABEL_CHARS = 60
_BLOCK = 12  # amounts below each other that labels above may belong to


@dataclass(frozen=True, slots=True)
class Labelled:
    """An amount, what it is, and how surely its label belongs to it (`strength`, 0 to 1).

    `at` is the number of its line among all lines; `last` says that it is the last on its line.
    """

    amount: Amount
    label: Label | None
    words: str
    strength: float
    at: int
    last: bool


def labelled_amounts(lines: list[TextLine]) -> list[Labelled]:
    """Every amount of a paper, in reading order."""
    amounts = [find_amounts(line.text) for line in lines]
    found: list[Labelled] = []
    for at, line in enumerate(lines):
        found += _in_line(lines, amounts, at, line)
    return found


def _in_line(
    lines: list[TextLine], amounts: list[list[Amount]], at: int, line: TextLine
) -> Iterator[Labelled]:
    words = ""
    label: Label | None = None
    here = amounts[at]
    text_before = bool(here) and bool(_letters(line.text[: here[0].start]))
    for number, amount in enumerate(here):
        start = here[number - 1].end if number else 0
        between = line.text[start : amount.start]
        strength = 1.0
        last = number == len(here) - 1
        if _letters(between):
            words = _nearest_cell(between)
            label = label_of(words)
            if label is None or words.startswith("("):
                label = label_of(between) if number == 0 or words.startswith("(") else label
        follows = not last and not _letters(line.text[amount.end : here[number + 1].start])
        if follows:
            strength = IN_ROW  # `Total  1  278.61  40.39  319.00`: the last one is the total
        if label is None:
            yield from _labelled_elsewhere(lines, amounts, at, number, text_before, words)
        else:
            yield Labelled(amount, label, words, strength, at, last)


def _labelled_elsewhere(
    lines: list[TextLine],
    amounts: list[list[Amount]],
    at: int,
    number: int,
    text_before: bool,
    words: str,
) -> Iterator[Labelled]:
    """The amount with a label that does not stand on its line, or with none."""
    here = amounts[at]
    amount, last = here[number], number == len(here) - 1
    label, strength, said = None, 0.0, words
    if not text_before and len(here) == 1:
        label, strength, said = _above(lines, amounts, at)
    if label is None:
        head = _head(lines, amounts, at, number)
        if head is not None:
            label, said = label_of(head), head
            strength = HEAD_WITH_TEXT if text_before else HEAD
    yield Labelled(amount, label, said or words, strength if label else 1.0, at, last)


def _above(
    lines: list[TextLine], amounts: list[list[Amount]], at: int
) -> tuple[Label | None, float, str]:
    """The label on the line above, or in a block of labels above a block of amounts."""
    row = at
    while (
        row > 0 and lines[row - 1].page == lines[at].page and _only_amount(lines, amounts, row - 1)
    ):
        row -= 1
    place = at - row
    labels: list[str] = []
    for line in before(lines, row, at - row + 8):
        if find_amounts(line.text) or len(line.text) > _LABEL_CHARS or not _letters(line.text):
            break
        if label_of(line.text) is None:
            break
        labels.insert(0, line.text.strip())
    block = 0
    last = min(len(lines), row + _BLOCK)
    while row + block < last and _only_amount(lines, amounts, row + block):
        block += 1
    if len(labels) == block and block > 1:
        return label_of(labels[place]), BLOCK, labels[place]
    if place == 0 and labels and block == 1:
        return label_of(labels[-1]), ABOVE, labels[-1]
    return None, 0.0, ""


def _only_amount(lines: list[TextLine], amounts: list[list[Amount]], at: int) -> bool:
    """Whether a line is one amount and nothing else."""
    here = amounts[at]
    return len(here) == 1 and not _letters(
        lines[at].text[: here[0].start] + lines[at].text[here[0].end :]
    )


def _head(lines: list[TextLine], amounts: list[list[Amount]], at: int, number: int) -> str | None:
    """The head of the amount's column: last over last, or same place in rows of equal length."""
    row = cells(lines[at].text)
    here = amounts[at]
    last = number == len(here) - 1 and not _letters(lines[at].text[here[number].end :])
    for line in before(lines, at, _HEADER_REACH):
        head = cells(line.text)
        if len(head) < 2 or find_amounts(line.text):
            continue
        if sum(bool(_letters(cell)) for cell in head) < 2:
            continue
        if last:
            return head[-1]
        if len(head) == len(row):
            place = _cell_of(row, here[number])
            return head[place] if place is not None else None
        return None
    return None


def _cell_of(row: list[str], amount: Amount) -> int | None:
    for place, cell in enumerate(row):
        if amount.text in cell:
            return place
    return None


def _nearest_cell(between: str) -> str:
    """The last cell with words in it, without currency signs and marks at its ends."""
    named = [cell for cell in cells(between) if _letters(cell)]
    return named[-1].strip(" :=.*") if named else ""


def _letters(text: str) -> str:
    """The words of a text that are not just a currency."""
    bare = re.sub(r"[^\W\d_]*", lambda m: "" if currency_in(f"{m[0]} 1") else m[0], text)
    return "".join(re.findall(r"[^\W\d_]{2,}", bare))
