"""What a search found, as lines of a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from manole.cli.render import one_line, place
from manole.serve.shapes import also_in


def table_of(results: Sequence[dict[str, Any]]) -> list[Text]:
    """Return search results as lines: place in bold, the text, and its other places."""
    lines = []
    for number, item in enumerate(results, start=1):
        lines += [_heading(number, item), Text(f"    {one_line(item['text'], 300)}")]
        if item["also"]:
            lines.append(Text(f"    {one_line(also_in(item['also']), 300)}", "dim"))
    return lines


def pages_of(results: Sequence[dict[str, Any]]) -> list[Text]:
    """Return found pages as lines: place in bold, then the lines that fit."""
    lines = []
    for number, item in enumerate(results, start=1):
        lines.append(_heading(number, item))
        if item["lines"]:
            fitting = " · ".join(one_line(found["text"], 90) for found in item["lines"])
            lines.append(Text(f"    {fitting}"))
    return lines


def _heading(number: int, item: dict[str, Any]) -> Text:
    """Return the line above a search result: its number, its place, and how well it fits."""
    line = Text(f"{number:>2}  ", "bold cyan")
    where = place(item["file"], item["page"], item.get("line"))
    line.append(f"{one_line(item['file'], 200)}{where}", "bold")
    return line.append(f"  {item['score']:.2f}", "dim")
