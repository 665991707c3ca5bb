"""The lines of a file, put together again from its passages."""

from __future__ import annotations

from collections.abc import Sequence

from manole.documents.fields.model import TextLine
from manole.documents.model import is_hidden
from manole.index.store.records import PassageRecord


def lines_of(passages: Sequence[PassageRecord]) -> list[TextLine]:
    """The lines that passages cover, each once, in reading order; none that nobody sees."""
    lines: dict[tuple[int | None, int], str] = {}
    for passage in passages:
        for offset, text in enumerate(passage.text.split("\n")):
            place = (passage.page, passage.line_start + offset)
            lines[place] = f"{lines[place]} {text}" if place in lines else text
    return [
        TextLine(text, page, line) for (page, line), text in lines.items() if not is_hidden(text)
    ]
