"""Makes another question of a row: other values, another hand.

A value is swapped for one of the same tag and language, so that the parser learns the places of
values and not the values themselves. A hand is how somebody types: no capitals, no accents, a
slip, no question mark.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from labels import HEADS
from rows import Mark, Row

_SWAPPED = {  # tags, and how often a value is swapped: seldom where grammar binds it
    "folder": 0.5, "file": 0.4, "scope": 0.3, "party": 0.5, "recipient": 0.5, "topic": 0.25,
    "value": 0.35, "period": 0.4, "age": 0.4, "number": 0.4, "kind": 0.3, "type": 0.3,
    "ext": 0.5, "column": 0.15, "tag": 0.5, "language": 0.5, "currency": 0.5,
}  # fmt: skip
_NAMED = re.compile(r"(?<![\w.,])(\d{1,2})(?![\w.,%]|\s*(?:[€$£]|kg|km|MB|GB))")

Values = Mapping[tuple[str, str, bool, bool], Sequence[str]]


def values(rows: Sequence[Row]) -> Values:
    """Return the values of all rows by language, tag, capital letter, several words."""
    found: dict[tuple[str, str, bool, bool], set[str]] = defaultdict(set)
    for row in rows:
        for mark in row.marks:
            text = row.question[mark.start : mark.end]
            found[_key(row, mark, text)].add(text)
    return {key: sorted(texts) for key, texts in found.items()}


def _key(row: Row, mark: Mark, text: str) -> tuple[str, str, bool, bool]:
    return row.language, mark.tag, text[:1].isupper(), " " in text


def another(row: Row, known: Values, chance: random.Random) -> Row:
    """Return a row like this one."""
    return _hand(_limited(_swapped(row, known, chance), chance), chance)


def _swapped(row: Row, known: Values, chance: random.Random) -> Row:
    text, marks, at = "", [], 0
    for mark in row.marks:
        own = row.question[mark.start : mark.end]
        others = known.get(_key(row, mark, own), ())
        if others and chance.random() < _SWAPPED.get(mark.tag, 0):
            own = chance.choice(others)
        text += row.question[at : mark.start]
        marks.append(replace(mark, start=len(text), end=len(text) + len(own)))
        text += own
        at = mark.end
    return replace(row, question=text + row.question[at:], marks=tuple(marks))


def _limited(row: Row, chance: random.Random) -> Row:
    """Ask for another number of things, where one is asked for in digits."""
    limit = row.frame.get("limit", "-")
    if limit in {"-", "1"} or chance.random() < 0.5:
        return row
    for match in _NAMED.finditer(row.question):
        if match[1] == limit and not any(m.start <= match.start() < m.end for m in row.marks):
            other = chance.choice([n for n in HEADS["limit"] if n.isdecimal() and n != "1"])
            grown = len(other) - len(limit)
            moved = tuple(
                replace(m, start=m.start + grown, end=m.end + grown)
                if m.start > match.start()
                else m
                for m in row.marks
            )
            asked = row.question[: match.start()] + other + row.question[match.end() :]
            return replace(row, question=asked, marks=moved, frame={**row.frame, "limit": other})
    return row


def _hand(row: Row, chance: random.Random) -> Row:
    """Write it as another person would; nothing moves but the end."""
    text = row.question
    if chance.random() < 0.25:
        text = text.lower() if len(text.lower()) == len(text) else text
    if chance.random() < 0.1:
        plain = "".join(unicodedata.normalize("NFD", c)[0] for c in text)
        text = plain if len(plain) == len(text) else text
    if chance.random() < 0.2 and not (row.marks and row.marks[-1].end == len(text)):
        text = text.rstrip("?!. ")
    elif chance.random() < 0.05:
        text += " ?"
    if chance.random() < 0.12:
        text = _slip(text, row.marks, chance)
    ends = tuple(m for m in row.marks if m.end <= len(text))
    return replace(row, question=text, marks=ends)


def _slip(text: str, marks: Sequence[Mark], chance: random.Random) -> str:
    """Exchange two neighbouring letters of a word without a mark."""
    inside = {at for mark in marks for at in range(mark.start - 1, mark.end + 1)}
    places = [
        at
        for at in range(1, len(text) - 2)
        if text[at : at + 2].isalpha() and text[at - 1].isalpha() and not {at, at + 1} & inside
    ]
    if not places:
        return text
    at = chance.choice(places)
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
