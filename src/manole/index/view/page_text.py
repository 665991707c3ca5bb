"""Pages and lines, joined again from the passages that are slices of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from manole.documents.fields.model import TextLine
from manole.documents.model import is_hidden
from manole.index.store.records import PassageRecord
from manole.index.view.quotes import Mark

_MOST_BLANKS = 80  # of those between two passages; set by hand


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of one page; `first_line` is the number of its first line.

    `places` are the passages, and their starts in the text.
    """

    number: int | None
    first_line: int
    text: str
    places: tuple[tuple[int, PassageRecord], ...] = field(default=(), compare=False, repr=False)

    def lines(self, wanted: tuple[int, int | None]) -> str:
        """Return the lines from the first to the last number wanted; `None` is the last line."""
        first, last = wanted
        start = max(0, first - self.first_line)
        end = None if last is None else max(0, last - self.first_line + 1)
        return "\n".join(self.text.split("\n")[start:end])

    def span(self, first: int, last: int) -> Mark | None:
        """Return the place of these lines in the text; `None` if it has none of them."""
        start, number = 0, self.first_line
        while number < first:
            start = self.text.find("\n", start) + 1
            if not start:
                return None
            number += 1
        end = start - 1
        while number <= last:
            end = self.text.find("\n", end + 1)
            if end < 0:
                end = len(self.text)
                break
            number += 1
        return (start, end) if end > start else None


def joined(passages: Iterable[PassageRecord]) -> list[PageText]:
    """Join passages, given in order, into pages."""
    pages: list[PageText] = []
    pieces: list[str] = []
    places: list[tuple[int, PassageRecord]] = []
    size = 0
    last: PassageRecord | None = None

    def end() -> None:
        if places:
            first = places[0][1]
            text = "".join(pieces)
            pages.append(PageText(first.page, first.line_start, text, tuple(places)))

    for passage in passages:
        if last is None or passage.page != last.page or passage.start < last.start:
            end()
            pieces, places, size = [], [], 0
            piece = passage.text
        else:
            breaks = max(0, passage.line_start - last.line_end)
            gap = passage.start - last.end
            pieces.append("\n" * breaks + " " * min(_MOST_BLANKS, max(0, gap - breaks)))
            size += len(pieces[-1])
            piece = passage.text[max(0, -gap) :]
        places.append((size, passage))
        pieces.append(piece)
        size += len(piece)
        last = passage
    end()
    return pages


def lines_of(passages: Sequence[PassageRecord]) -> list[TextLine]:
    """Return the lines that passages cover, each once, in reading order; hidden ones left out."""
    lines: dict[tuple[int | None, int], str] = {}
    for passage in passages:
        for offset, text in enumerate(passage.text.split("\n")):
            place = (passage.page, passage.line_start + offset)
            lines[place] = f"{lines[place]} {text}" if place in lines else text
    return [
        TextLine(text, page, line) for (page, line), text in lines.items() if not is_hidden(text)
    ]
