"""The lines that a reader sees, made of a page's drawn pieces of text.

A PDF draws a table's cells, or a form's label and its value, as separate pieces, often far apart
in the file. Pieces on one visual row are joined with a gap of two spaces, so that "Total" and
"319.00" end up in one line; before a figure each column that is empty (`columns.py`) adds a gap.
Columns of prose must not be joined: if a page has a gutter (a vertical
band that no piece crosses, with long pieces on both sides on many rows), nothing is joined across
it, and the left column is read before the right one.

Coordinates are points with the origin at the bottom left. Shares of heights and widths are set by
hand: type is set alike enough everywhere that none of them is near a limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from manole.documents.columns import Span, figure_columns, skipped

CELL_GAP = "  "
_LONG = 28  # characters; prose lines are longer, cells mostly shorter
_GUTTER_ROWS = 5  # rows with long pieces on both sides that make a gutter; a table has fewer
_TABLE_CELLS = 4  # short pieces on a row that make a table, even across a gutter
_VERTICAL_LETTERS = 6  # pieces above each other that are one text; a column of digits has fewer
HYPHEN = "\x02"  # at the end of a line, as `pdf.py` marks it
_COMPOUND = re.compile(r"[^\W\d_]+-[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """Text with its bounding box. `end` is what follows it in the page's text."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    end: str = "\n"

    @property
    def height(self) -> float:
        """Height in points, never zero."""
        return max(self.y1 - self.y0, 0.1)


def arrange(pieces: list[Piece], width: float) -> list[Piece]:
    """Turn pieces in drawing order into lines in reading order, for a page `width` points wide."""
    pieces = _vertical([piece for piece in pieces if piece.text.strip()])
    if not pieces:
        return []
    rows = _rows(pieces)
    columns = figure_columns([[pieces[i] for i in row] for row in rows])
    gutter = _gutter(rows, pieces, width)
    if gutter is None:
        lines = _merge(pieces, rows, columns)
    else:
        lines = []
        for band in _bands(_across(pieces, rows, gutter, columns), gutter):
            lines += _merge(band, _rows(band), columns)
    return list(_paragraph_ends(list(_hyphens(lines))))


def _vertical(pieces: list[Piece]) -> list[Piece]:
    """Join text that runs up or down a margin, which pdfium returns letter by letter."""
    out: list[Piece] = []
    run: list[Piece] = []

    def flush() -> None:
        nonlocal run
        if len(run) >= _VERTICAL_LETTERS:
            text = "".join(piece.text for piece in run)
            out.append(replace(_joined(run), text=text))
        else:
            out.extend(run)
        run = []

    for piece in pieces:
        if len(piece.text) > 2:
            flush()
            out.append(piece)
            continue
        if run and abs(piece.x0 - run[-1].x0) > 0.5 * piece.height:
            flush()
        run.append(piece)
    flush()
    return out


def _upright(piece: Piece) -> bool:
    return len(piece.text) < 4 or piece.x1 - piece.x0 >= piece.height * 0.8


def _rows(pieces: list[Piece]) -> list[list[int]]:
    """Return the indexes of the pieces that share a visual row, each row from left to right."""
    order = sorted(range(len(pieces)), key=lambda i: -(pieces[i].y0 + pieces[i].y1))
    rows: list[list[int]] = []
    low = high = 0.0
    for index in order:
        piece = pieces[index]
        if not _upright(piece):
            rows.append([index])
            low = high = 0.0
            continue
        overlap = min(high, piece.y1) - max(low, piece.y0)
        if rows and high > low and overlap >= 0.5 * min(piece.height, high - low):
            rows[-1].append(index)
        else:
            rows.append([index])
            low, high = piece.y0, piece.y1
    for row in rows:
        row.sort(key=lambda i: pieces[i].x0)
    return rows


def _gutter(rows: list[list[int]], pieces: list[Piece], width: float) -> float | None:
    """Return the x of a gutter between two columns of prose, or `None`."""
    gaps = [
        (a.x1, b.x0)
        for row in rows
        for a, b in pairwise(pieces[i] for i in row)
        if len(a.text) >= _LONG and len(b.text) >= _LONG and b.x0 > a.x1
    ]
    if len(gaps) < _GUTTER_ROWS:
        return None
    # Right-hand columns start at one x; left-hand lines end raggedly before it.
    x = median(right for _, right in gaps) - 1.0
    fitting = sum(left < x + 1 and right > x - 4 for left, right in gaps)
    if fitting < 0.7 * len(gaps) or not 0.2 * width < x < 0.8 * width:
        return None
    return x


def _bands(pieces: list[Piece], gutter: float) -> Iterator[list[Piece]]:
    """Yield runs of one column each, in reading order; a piece across the gutter ends both runs."""
    left: list[Piece] = []
    right: list[Piece] = []
    for piece in pieces:
        if piece.x0 < gutter - 4 and piece.x1 > gutter + 4:
            yield from (run for run in (left, right) if run)
            left, right = [], []
            yield [piece]
        elif piece.x0 < gutter - 4:
            left.append(piece)
        else:
            right.append(piece)
    yield from (run for run in (left, right) if run)


def _across(
    pieces: list[Piece], rows: list[list[int]], gutter: float, columns: Sequence[Span]
) -> list[Piece]:
    """Join the rows of tables that span the columns of a page: many short cells."""
    joined: dict[int, Piece] = {}
    gone: set[int] = set()
    for row in rows:
        cells = [pieces[i] for i in row]
        right = [cell for cell in cells if cell.x0 >= gutter - 4]
        short = all(len(cell.text) < _LONG for cell in cells[1:])
        if len(cells) >= _TABLE_CELLS and short and right and len(right) < len(cells):
            joined[min(row)] = _joined(cells, columns)
            gone.update(row)
    return [joined.get(i, piece) for i, piece in enumerate(pieces) if i in joined or i not in gone]


def _merge(pieces: list[Piece], rows: list[list[int]], columns: Sequence[Span]) -> list[Piece]:
    """Join each row's pieces into a line, from the top down; long prose stays apart."""
    lines: list[Piece] = []
    for row in rows:
        group = [pieces[row[0]]]
        for piece in (pieces[i] for i in row[1:]):
            before = group[-1]
            both_prose = len(before.text) >= 2 * _LONG and len(piece.text) >= 2 * _LONG
            if both_prose or not _upright(piece):
                lines.append(_joined(group, columns))
                group = [piece]
            else:
                group.append(piece)
        lines.append(_joined(group, columns))
    return lines


def _joined(group: list[Piece], columns: Sequence[Span] = ()) -> Piece:
    if len(group) == 1:
        return group[0]
    text = group[0].text
    for before, piece in pairwise(group):
        gap = piece.x0 - before.x1
        close = gap < 0.15 * min(before.height, piece.height)
        near = gap < 0.6 * min(before.height, piece.height)
        wide = CELL_GAP * (1 + skipped(before, piece, columns))
        text += ("" if close else " " if near else wide) + piece.text
    return Piece(
        text,
        min(piece.x0 for piece in group),
        min(piece.y0 for piece in group),
        max(piece.x1 for piece in group),
        max(piece.y1 for piece in group),
    )


def _hyphens(lines: list[Piece]) -> Iterator[Piece]:
    """Join words cut at a line's end: the line end goes, and mostly the hyphen too.

    The hyphen stays if the page writes the word with a hyphen elsewhere ("fact-checking").
    """
    compounds: set[str] | None = None
    for line, after in zip(lines, [*lines[1:], None], strict=True):
        text = line.text
        cut = text.endswith(HYPHEN) or (text.endswith("-") and text[-2:-1].isalpha())
        text = text.replace(HYPHEN, "-")
        if not cut or after is None or not after.text[:1].islower() or CELL_GAP in after.text:
            yield replace(line, text=text)
            continue
        if compounds is None:
            compounds = {word.lower() for other in lines for word in _COMPOUND.findall(other.text)}
        head = text[:-1].rpartition(" ")[2].lower()
        tail = after.text.split(" ", 1)[0].strip(".,;:)").lower()
        kept = f"{head}-{tail}" in compounds
        yield replace(line, text=text if kept else text[:-1], end="")


def _paragraph_ends(lines: Sequence[Piece]) -> Iterator[Piece]:
    """Put a blank line where the page has one: the splitter prefers to cut there."""
    for line, after in pairwise(lines):
        gap = line.y0 - after.y1
        apart = gap > 0.7 * min(line.height, after.height) or after.y0 > line.y1
        yield replace(line, end="\n\n") if apart and line.end == "\n" else line
    yield replace(lines[-1], end="")
