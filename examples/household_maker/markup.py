"""A very small markup, so that one text can become a PDF or a Word document.

    # Title            ## Heading           ### Smaller heading
    - an item          | a | table | row |  (the first row is the heading)
    !name: caption     a drawing of `pdf.DRAWINGS`, with its caption
    ---                a new page
    > address line     kept as its own line

Other lines are paragraphs, separated by empty lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a document: `kind` says which, `text` or `rows` hold it."""

    kind: str  # title, heading, subheading, paragraph, items, table, drawing, page, lines
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    name: str = ""  # of a drawing


_STARTS = {
    "# ": "title",
    "## ": "heading",
    "### ": "subheading",
    "- ": "items",
    "> ": "lines",
    "| ": "table",
    "!": "drawing",
    "---": "page",
}


def _kind(line: str) -> str:
    if not line.strip():
        return "empty"
    return next((kind for start, kind in _STARTS.items() if line.startswith(start)), "paragraph")


def parse(source: str) -> list[Block]:
    """Split `source` into blocks, in order."""
    blocks: list[Block] = []
    for kind, group in groupby(source.splitlines(), key=_kind):
        lines = list(group)
        if kind == "paragraph":
            blocks.append(Block(kind, " ".join(line.strip() for line in lines)))
        elif kind in ("items", "lines"):
            blocks.append(Block(kind, rows=tuple((line[2:].strip(),) for line in lines)))
        elif kind == "table":
            cells = (line.strip().strip("|").split("|") for line in lines)
            blocks.append(Block(kind, rows=tuple(tuple(c.strip() for c in row) for row in cells)))
        elif kind == "drawing":
            name, _, caption = lines[0][1:].partition(": ")
            blocks.append(Block(kind, caption, name=name))
        elif kind == "page":
            blocks.append(Block(kind))
        elif kind != "empty":
            blocks.extend(Block(kind, line.lstrip("# ")) for line in lines)
    return blocks
