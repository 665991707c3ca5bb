"""The amounts of a paper with their labels.

A label is left of its amount, above it (alone on its line), at the head of its column, or in a
block of labels before a block of amounts, as in some PDFs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from manole.documents.fields.labels import Label, label_of
from manole.documents.fields.lines import before, cells
from manole.documents.fields.model import TextLine
from manole.text.amounts import Amount, currency_in, find_amounts

# How surely a label belongs to its amount, by its place; on the same line it is 1. Set by hand.
ABOVE, HEAD, HEAD_WITH_TEXT, BLOCK, IN_ROW = 0.85, 0.8, 0.3, 0.8, 0.5
_HEADER_REACH = 12  # lines with text between the head of a column and its last row
_LABEL_CHARS = 60  # of a line that is a label alone, at most
_BLOCK = 12  # amounts below each other that labels above may belong to


@dataclass(frozen=True, slots=True)
class Labelled:
    """An amount, its label, and how surely the label belongs to it (`strength`, 0 to 1).

    `at` is the index of its line; `last` says whether it is the last amount on it.
    """

    amount: Amount
    label: Label | None
    words: str
    strength: float
    at: int
    last: bool


def labelled_amounts(lines: list[TextLine]) -> list[Labelled]:
    """Return every amount of a paper, in reading order."""
    amounts = [find_amounts(line.text) for line in lines]
    return [found for at in range(len(lines)) for found in _in_line(lines, amounts, at)]


def _in_line(lines: list[TextLine], amounts: list[list[Amount]], at: int) -> Iterator[Labelled]:
    words = ""
    label: Label | None = None
    line, here = lines[at], amounts[at]
    text_before = bool(here) and bool(_letters(line.text[: here[0].start]))
    for number, amount in enumerate(here):
        start = here[number - 1].end if number else 0
        between = line.text[start : amount.start]
        last = number == len(here) - 1
        if _letters(between):
            words = _nearest_cell(between)
            label = label_of(words)
            if label is None or words.startswith("("):
                label = label_of(between) if number == 0 or words.startswith("(") else label
        if label is None:
            yield _labelled_elsewhere(lines, amounts, at, number, text_before, words)
        else:
            # `Total  1  278.61  40.39  319.00`: the last one is the total
            follows = not last and not _letters(line.text[amount.end : here[number + 1].start])
            yield Labelled(amount, label, words, IN_ROW if follows else 1.0, at, last)


def _labelled_elsewhere(
    lines: list[TextLine],
    amounts: list[list[Amount]],
    at: int,
    number: int,
    text_before: bool,
    words: str,
) -> Labelled:
    """Return the amount with a label from another line, or with none."""
    here = amounts[at]
    label, strength, label_words = None, 0.0, ""
    if not text_before and len(here) == 1:
        label, strength, label_words = _above(lines, amounts, at)
    if label is None and (head := _head(lines, amounts, at, number)) is not None:
        label, label_words = label_of(head), head
        strength = HEAD_WITH_TEXT if text_before else HEAD
    strength, last = strength if label else 1.0, number == len(here) - 1
    return Labelled(here[number], label, label_words or words, strength, at, last)


def _above(
    lines: list[TextLine], amounts: list[list[Amount]], at: int
) -> tuple[Label | None, float, str]:
    """Return the label on the line above, or in a block of labels above a block of amounts."""
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
    """Return whether a line is one amount and nothing else."""
    here = amounts[at]
    return len(here) == 1 and not _letters(
        lines[at].text[: here[0].start] + lines[at].text[here[0].end :]
    )


def _head(lines: list[TextLine], amounts: list[list[Amount]], at: int, number: int) -> str | None:
    """Return the column's head: last over last, or the same place in rows of equal length."""
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
        if len(head) != len(row):
            return None
        amount = here[number].text
        return next((name for name, cell in zip(head, row, strict=True) if amount in cell), None)
    return None


def _nearest_cell(between: str) -> str:
    """Return the last cell with words in it, without marks at its ends."""
    named = [cell for cell in cells(between) if _letters(cell)]
    return named[-1].strip(" :=.*") if named else ""


def _letters(text: str) -> str:
    """Return the words of a text that are not just a currency."""
    bare = re.sub(r"[^\W\d_]*", lambda m: "" if currency_in(f"{m[0]} 1") else m[0], text)
    return "".join(re.findall(r"[^\W\d_]{2,}", bare))
