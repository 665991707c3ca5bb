"""Writes a statement of a bank as a PDF: pages with heads, carry-overs and footers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

FOOTER = "Seite {n}   Musterbank AG, Postfach 12, BLZ 123 456 78"
TOP, BOTTOM, PITCH = 250, 740, 12.0  # points from the top: of the first row, of the last; of lines


Cells = dict[str, str]


@dataclass
class Bank:
    """How a bank sets its statements. Columns are where they begin, or end where `-` is before."""

    columns: dict[str, float]
    head: list[str]
    names: Cells
    rows: list[list[Cells]]  # of each booking, the lines
    opening: list[Cells]
    closing: list[Cells]
    carried: list[tuple[str, str]] = field(default_factory=list)  # words at the end, at the top
    balances: list[str] = field(default_factory=list)  # behind each booking, for what is carried
    carry_column: str = ""
    spread: float = 5.0  # between bookings


def write(path: Path, bank: Bank, footer: str = FOOTER) -> Path:
    """Write a statement; return its path."""
    canvas = Canvas(str(path), pagesize=A4)
    canvas.setFont("Helvetica", 9)
    page, y = 1, float(TOP)

    def put(cells: Cells) -> None:
        nonlocal y
        for name, text in cells.items():
            x = bank.columns[name]
            if x < 0:
                canvas.drawRightString(-x, A4[1] - y, text)
            else:
                canvas.drawString(x, A4[1] - y, text)
        y += PITCH

    def foot() -> None:
        canvas.drawString(50, 40, footer.format(n=page))

    for n, text in enumerate(bank.head):
        canvas.drawString(50, A4[1] - 60 - 14 * n, text)
    y = TOP - 30
    put(bank.names)
    y = TOP
    for cells in bank.opening:
        put(cells)
        y += bank.spread
    for n, lines in enumerate(bank.rows):
        if y + PITCH * (len(lines) + 1) > BOTTOM:
            if bank.carried:
                put({"text": bank.carried[0][0], bank.carry_column: bank.balances[n - 1]})
            foot()
            canvas.showPage()
            canvas.setFont("Helvetica", 9)
            canvas.drawString(50, A4[1] - 60, bank.head[0])
            page, y = page + 1, 100.0
            put(bank.names)
            y += bank.spread
            if bank.carried:
                put({"text": bank.carried[0][1], bank.carry_column: bank.balances[n - 1]})
                y += bank.spread
        for cells in lines:
            put(cells)
        y += bank.spread
    y += 8
    for cells in bank.closing:
        put(cells)
        y += bank.spread
    foot()
    canvas.save()
    return path
