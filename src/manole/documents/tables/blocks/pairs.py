"""Pairs such as `Applicant: club`, and a table of the blocks that share them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from manole.documents.fields.model import TextLine
from manole.documents.tables.model import Table, TableRow, as_table, collapsed
from manole.text.dates import find_dates
from manole.text.words import fold

LEAST, SHARE = 4, 0.6  # blocks that make a table, and share of them with two keys in common
_LONGEST, _QUOTED = 2000, 300  # characters of a line that are read, and of a block that are quoted
_MAX_COLUMNS = 40  # a table that is wider is not read by a person either; set by hand
_KEY_WORDS = 5
_SAID = re.compile(r"[?!…]$|(?:\S+\s+){3}\S+\.$|^(?:\S+\s+){12}")  # a value that is a sentence
_MOSTLY_SAID = 0.5  # share of a key's values
_NAME = r"[^\W\d_][\w '’/().&-]{0,39}?"
_PAIR = re.compile(
    rf"[ \t>]*(?:[-*+•]|\d{{1,3}}[.)])?[ \t]*(?:\*\*|__)?(?P<key>{_NAME})(?:\*\*|__)?[ \t]*"
    r"[:：](?:\*\*|__)?(?:[ \t]+(?P<value>.*\S))?[ \t]*"
)
_NEXT = re.compile(rf"(?:[.;|·,]|[ \t][-–—])[ \t]+(?={_NAME}:[ \t])")
# `Application 017: Firm`, `Grant no. 4`, and `Recipe: Soup` without a number.
_NUMBERED = re.compile(
    r"(?P<word>[^\W\d_][^\d:]{0,30}?)[ \t]*(?:#|\b(?:no|nr|n°|№)\.?)?[ \t]*"
    r"(?P<number>\d[\w./-]{0,20})(?![^\s:.,)–—-])(?:[ \t]*[:.,)–—-]+[ \t]*|[ \t]+|$)(?P<title>.*)",
    re.IGNORECASE,
)
_LED = re.compile(r"(?P<word>[^\W\d_][\w-]{1,30})[ \t]*(?:[:–—]|[ \t]-)[ \t]+(?P<title>.+)")


@dataclass(slots=True)
class Block:
    """A heading, "" for none, with the pairs below it; `keys` are as written, by folded ones."""

    line: int
    heading: str = ""
    pairs: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)

    def add(self, line: TextLine) -> bool:
        """Add a line; return whether it has pairs."""
        found = pairs_of(line.text)
        for key, value in found:
            folded = fold(key)
            self.keys.setdefault(folded, key)
            before = self.pairs.get(folded)
            self.pairs[folded] = f"{before}, {value}" if before and value else before or value
        self.texts.append(line.text)
        return bool(found)


def pairs_of(text: str) -> list[tuple[str, str]]:
    """Return the keys and values of a line: `A: x`, `- **A:** x`, `A: x. B: y`."""
    if ":" not in text and "：" not in text:
        return []
    parts = _NEXT.split(text[:_LONGEST])
    found = []
    for at, part in enumerate(parts):
        match = _PAIR.fullmatch(part)
        if match is None or len(match["key"].split()) > _KEY_WORDS:
            if not at:
                return []
            continue
        value = collapsed(match["value"] or "")
        found.append((collapsed(match["key"]), value.rstrip(".") if len(parts) > 1 else value))
    return found


def led_by(heading: str) -> tuple[str, str, str]:
    """Return the word, the number and the title of a heading; all but the title may be ""."""
    if match := _NUMBERED.fullmatch(heading):
        return match["word"].strip(" \t-–—#"), match["number"].rstrip("."), match["title"].strip()
    if match := _LED.fullmatch(heading):
        return match["word"], "", match["title"].strip()
    return "", "", heading


def table_of(blocks: Sequence[Block], page: int | None, name: str | None) -> Table | None:
    """Return the table of blocks, if enough of them share two keys whose values are no sentences.

    So `Ann: Are you there?` of a conversation is no pair. The columns are the number
    and the title of the headings, and the keys that several blocks have.
    """
    counts = Counter(key for block in blocks for key in block.pairs)
    told = Counter(key for b in blocks for key, value in b.pairs.items() if _SAID.search(value))
    usual = (key for key, count in counts.most_common() if told[key] < _MOSTLY_SAID * count)
    both = list(islice(usual, 2))
    sharing = sum(all(key in block.pairs for key in both) for block in blocks)
    if len(blocks) < LEAST or len(both) < 2 or sharing < SHARE * len(blocks):
        return None
    first: dict[str, str] = {}
    for block in blocks:
        for key, written in block.keys.items():
            first.setdefault(key, written)
    keys = [key for key in first if counts[key] > 1][:_MAX_COLUMNS]
    led = [led_by(block.heading) if name else ("", "", block.heading) for block in blocks]
    days = sum(bool(find_dates(title[:20])) for _, _, title in led)
    label = "date" if days >= SHARE * len(blocks) else "title" if "title" not in keys else "heading"
    rows = [
        TableRow(
            (number, collapsed(title), *(block.pairs.get(key, "") for key in keys)),
            block.line,
            _quoted(block.texts),
        )
        for (_, number, title), block in zip(led, blocks, strict=True)
    ]
    labels = ("number", label, *(first[key] for key in keys))
    table = as_table(*_filled(labels, rows), page, name, rows[0].line)
    return replace(table, name=name) if table else None


def _filled(
    labels: tuple[str, ...], rows: Sequence[TableRow]
) -> tuple[tuple[str, ...], list[TableRow]]:
    """Leave out number and title where no block has them."""
    kept = [at for at in range(len(labels)) if at > 1 or any(row.cells[at] for row in rows)]
    return tuple(labels[at] for at in kept), [
        TableRow(tuple(row.cells[at] for at in kept), row.line, row.text) for row in rows
    ]


def _quoted(texts: Sequence[str]) -> str:
    """Return the beginning of a block, with blanks collapsed."""
    text = ""
    for part in _full(texts):
        text = f"{text} {part}" if text else part
        if len(text) > _QUOTED:
            break
    return text[:_QUOTED]


def _full(texts: Sequence[str]) -> Iterator[str]:
    yield from filter(None, map(collapsed, texts))
