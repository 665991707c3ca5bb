"""The lists in a text: bullets, numbers, rows of a table, headings below a heading.

Most readers write Markdown (`reading`), and plain text with dashes, stars or numbers reads the
same. Bullets that Markdown does not know are read as dashes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from manole.documents.text import front_matter_end

_BULLET = re.compile(r"^(\s*)[•◦‣▪●○–](?=\s)", re.MULTILINE)
_PARSER = MarkdownIt("commonmark", {"maxNesting": 30}).enable("table")
_LISTS = {"bullet_list", "ordered_list"}
LEAST = 2  # items that make a list


@dataclass(frozen=True, slots=True)
class Item:
    """An item without its marker and markup; lines count from 0, `line_end` is inclusive."""

    text: str
    line: int
    line_end: int


@dataclass(frozen=True, slots=True)
class List:
    """Items in order, the text that introduces them, and the heading above them."""

    heading: str
    intro: str
    items: tuple[Item, ...]


def lists_of(text: str) -> list[List]:
    """Return the lists of at least two items in a text, in no particular order."""
    lines = text.split("\n")
    begin = front_matter_end(lines)  # whose lists are the file's own, as its tags
    body = "\n".join([*[""] * begin, *lines[begin:]])
    root = SyntaxTreeNode(_PARSER.parse(_BULLET.sub(r"\1-", body)))
    found = [*_in_blocks(root.children), *_of_headings(root.children)]
    return [one for one in found if len(one.items) >= LEAST]


def _in_blocks(blocks: list[SyntaxTreeNode], heading: str = "", intro: str = "") -> Iterator[List]:
    for block in blocks:
        if block.type == "heading":
            heading, intro = _plain(block), ""
        elif block.type == "paragraph":
            intro = _plain(block)
        elif block.type in _LISTS:
            yield List(heading, intro, tuple(_item(item) for item in block.children))
            for item in block.children:
                first, rest = item.children[:1], item.children[1:]
                yield from _in_blocks(rest, heading, _plain(first[0]) if first else "")
        elif block.type == "table":
            head, *body = block.children
            rows = [row for part in body for row in part.children]
            yield List(heading, _cells(head.children[0]) or intro, tuple(map(_row, rows)))


def _of_headings(blocks: list[SyntaxTreeNode]) -> Iterator[List]:
    """Yield the headings one step below each heading; below none, those of the highest level."""
    open_: list[tuple[int, str, str, list[Item]]] = [(0, "", "", [])]
    fresh = False  # whether a paragraph would be the first below the last heading
    for block in blocks:
        if block.type == "paragraph" and fresh and len(open_) > 1:
            level, name, _, items = open_.pop()
            open_.append((level, name, _plain(block), items))
        fresh = block.type == "heading"
        if not fresh:
            continue
        level, name = int(block.tag[1:]), _plain(block)
        while open_[-1][0] >= level:
            _, above, intro, items = open_.pop()
            yield List(above, intro, tuple(items))
        first, end = block.map or (0, 1)
        open_[-1][3].append(Item(name, first, end - 1))
        open_.append((level, name, "", []))
    for _, above, intro, items in open_:
        yield List(above, intro, tuple(items))


def _item(node: SyntaxTreeNode) -> Item:
    """Return an item with its own words; what is nested in it is a list of its own."""
    own = [child for child in node.children if child.type not in _LISTS]
    first, end = node.map or (0, 1)
    last = max((child.map[1] for child in own if child.map), default=end)
    return Item(" ".join(filter(None, map(_plain, own))), first, max(first, last - 1))


def _row(node: SyntaxTreeNode) -> Item:
    first, end = node.map or (0, 1)
    return Item(_cells(node), first, end - 1)


def _cells(row: SyntaxTreeNode) -> str:
    return " | ".join(_plain(cell) for cell in row.children)


def _plain(node: SyntaxTreeNode) -> str:
    """Return the words of a node, without markup."""
    words = (
        " " if part.type in {"softbreak", "hardbreak"} else part.content
        for part in node.walk()
        if part.type in {"text", "code_inline", "softbreak", "hardbreak", "code_block", "fence"}
    )
    return " ".join("".join(words).split())
