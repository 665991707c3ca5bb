"""PDF files with text, through reportlab: documents, invoices and electricity bills.

`SOURCE_DATE_EPOCH` fixes the dates and identifiers inside, so the bytes depend on the text alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    Flowable,
    KeepTogether,
    ListFlowable,
    PageBreak,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
)

from .drawings import DRAWINGS
from .figures import BILLS, ElectricityBill
from .invoices import CUSTOMER, Invoice, money
from .markup import Block

INK = colors.HexColor("#22303c")
BODY = ParagraphStyle(
    "body", fontName="Helvetica", fontSize=10, leading=14, spaceAfter=7, textColor=INK
)
SMALL = ParagraphStyle("small", parent=BODY, fontSize=9, leading=12, spaceAfter=0)
CAPTION = ParagraphStyle(
    "caption", parent=SMALL, fontName="Helvetica-Oblique", alignment=TA_CENTER, spaceAfter=9
)
TITLE = ParagraphStyle(
    "title", parent=BODY, fontName="Helvetica-Bold", fontSize=19, leading=24, spaceAfter=12
)
HEADING = ParagraphStyle(
    "heading", parent=BODY, fontName="Helvetica-Bold", fontSize=13, leading=17, spaceBefore=9
)
SUBHEADING = ParagraphStyle(
    "subheading", parent=HEADING, fontSize=10.5, leading=14, spaceBefore=4, spaceAfter=3
)
STYLES = {"title": TITLE, "heading": HEADING, "subheading": SUBHEADING, "paragraph": BODY}
GRID = [
    ("LINEBELOW", (0, 0), (-1, -1), 0.4, colors.HexColor("#c5ccd3")),
    ("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#eef1f4")),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ("TOPPADDING", (0, 0), (-1, -1), 4),
    ("BOTTOMPADDING", (0, 0), (-1, -1), 5),
]
FACTS = [
    ("FONTSIZE", (0, 0), (-1, -1), 9),
    ("LEFTPADDING", (0, 0), (-1, -1), 0),
    ("BOTTOMPADDING", (0, 0), (-1, -1), 1),
]
WIDTH = A4[0] - 44 * mm


def document(target: Path, blocks: Sequence[Block], date: datetime) -> None:
    """Write `blocks` as a PDF with page numbers; its title is the first heading."""
    title = next(block.text for block in blocks if block.kind == "title")
    _save(target, [piece for block in blocks for piece in _flow(block)], title, date)


def _flow(block: Block) -> list[Flowable]:
    if block.kind in STYLES:
        return [Paragraph(block.text, STYLES[block.kind])]
    if block.kind == "lines":
        return [*(Paragraph(row[0], SMALL) for row in block.rows), Spacer(0, 9)]
    if block.kind == "items":
        items = [Paragraph(row[0], BODY) for row in block.rows]
        return [
            ListFlowable(items, bulletType="bullet", start="•", leftIndent=12, bulletFontSize=9)
        ]
    if block.kind == "table":
        return [_table(block.rows), Spacer(0, 9)]
    if block.kind == "drawing":
        drawing = DRAWINGS[block.name]()
        drawing.hAlign = "CENTER"
        return [KeepTogether([drawing, Spacer(0, 4), Paragraph(block.text, CAPTION)])]
    return [PageBreak()]


def _table(rows: Sequence[Sequence[str]]) -> Table:
    """A table over the page's width; columns share it by the length of their longest words."""
    weight = [max(14, min(60, max(len(row[i]) for row in rows))) for i in range(len(rows[0]))]
    widths = [WIDTH * w / sum(weight) for w in weight]
    bold = ParagraphStyle("bold", parent=SMALL, fontName="Helvetica-Bold")
    cells = [
        [Paragraph(cell, bold if number == 0 else SMALL) for cell in row]
        for number, row in enumerate(rows)
    ]
    return Table(cells, widths, style=GRID, repeatRows=1)


@contextmanager
def fixed_date(date: datetime) -> Iterator[None]:
    """Let reportlab write `date` and not the clock's time while the block runs."""
    before = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = str(int(date.timestamp()))
    try:
        yield
    finally:
        del os.environ["SOURCE_DATE_EPOCH"]
        if before is not None:
            os.environ["SOURCE_DATE_EPOCH"] = before


def _save(
    target: Path, story: list[Flowable], title: str, date: datetime, author: str = ""
) -> None:
    def footer(canvas: Canvas, doc: Any) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.setFillColor(colors.HexColor("#7a8590"))
        canvas.drawString(22 * mm, 12 * mm, title)
        canvas.drawRightString(A4[0] - 22 * mm, 12 * mm, f"Page {doc.page}")

    with fixed_date(date):
        template = SimpleDocTemplate(
            str(target), pagesize=A4, leftMargin=22 * mm, rightMargin=22 * mm, topMargin=20 * mm,
            bottomMargin=20 * mm, title=title, author=author, invariant=1,
        )  # fmt: skip
        template.build(story, onFirstPage=footer, onLaterPages=footer)


def invoice(target: Path, bill: Invoice, date: datetime) -> None:
    """Write an invoice as one page: issuer, customer, dates, lines, sums, payment."""
    labels, colour = bill.labels, colors.HexColor(bill.colour)
    name = ParagraphStyle("issuer", parent=TITLE, textColor=colour, fontSize=17, spaceAfter=2)
    word = ParagraphStyle("word", parent=HEADING, textColor=colour, fontSize=15, spaceAfter=8)
    rows = [[Paragraph(text, SMALL) if text else "", *rest] for text, *rest in bill.rows]
    style = [
        *GRID,
        ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
        ("FONTSIZE", (0, 0), (-1, -1), 9),
        ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold"),
        ("FONTNAME", (2, -1), (-1, -1), "Helvetica-Bold"),
        ("BACKGROUND", (0, 0), (-1, 0), colour),
        ("TEXTCOLOR", (0, 0), (-1, 0), colors.white),
        ("LINEABOVE", (2, -1), (-1, -1), 1, colour),
    ]
    widths = [WIDTH - 101 * mm, 27 * mm, 42 * mm, 32 * mm]
    story = [
        Paragraph(bill.issuer[0], name),
        *(Paragraph(line, SMALL) for line in bill.issuer[1:]),
        Spacer(0, 22),
        *(Paragraph(line, SMALL) for line in CUSTOMER),
        Spacer(0, 22),
        Paragraph(labels.invoice, word),
        Table(bill.facts, [42 * mm, 60 * mm], hAlign="LEFT", style=FACTS),
        Spacer(0, 12),
        Table([labels.columns, *rows], widths, style=style),
        Spacer(0, 18),
        Paragraph(bill.note, BODY),
        Paragraph(f"<b>{bill.payment}</b>", BODY),
    ]
    _save(target, story, f"{labels.invoice} {bill.number}", date, bill.issuer[0])


def electricity_bill(target: Path, date: datetime) -> None:
    """Write the electricity bill of the year in the file's name."""
    bill = next(bill for bill in BILLS if target.stem.endswith(str(bill.year)))
    _save(target, _bill_story(bill, date), f"Electricity bill {bill.year}", date, "Solvana Energie")


def _bill_story(bill: ElectricityBill, date: datetime) -> list[Flowable]:
    rest = bill.total - bill.paid
    verdict = (
        f"Amount still to be paid: {money(rest)}, by direct debit on 30 December {bill.year}."
        if rest > 0
        else f"Credit in your favour: {money(-rest)}. It is paid back to your account."
    )
    green = colors.HexColor("#1e7f6d")
    rows = [
        ["Item", "Calculation", "Amount"],
        ["Electricity used", f"{bill.used:,} kWh x {bill.price} cents", money(bill.energy)],
        ["Base fee", f"{bill.months} months x 10.00 EUR", money(bill.base)],
        ["VAT 19 %", "", money(bill.tax)],
        ["Cost of the period", "", money(bill.total)],
        ["Monthly payments made", f"{bill.months} x {money(bill.advance)}", f"-{money(bill.paid)}"],
    ]
    style = [*GRID, ("ALIGN", (2, 0), (2, -1), "RIGHT"), ("FONTSIZE", (0, 0), (-1, -1), 9)]
    return [
        Paragraph("Solvana Energie", ParagraphStyle("brand", parent=TITLE, textColor=green)),
        Paragraph("Sonnenplatz 1, 76133 Karlsruhe, phone 0721 555 0140", SMALL),
        Spacer(0, 20),
        *(Paragraph(line, SMALL) for line in CUSTOMER),
        Spacer(0, 20),
        Paragraph(f"Electricity bill {bill.year}", HEADING),
        Paragraph(
            f"Customer number 40-118822. Meter 1 EMH 555 0098. Date of this bill: "
            f"{date.day} {date:%B %Y}. Period: {bill.start.day} {bill.start:%B %Y} to "
            f"{bill.end.day} {bill.end:%B %Y}.",
            BODY,
        ),
        Paragraph(
            f"Meter reading at the start: {bill.first_reading:,} kWh. At the end: "
            f"{bill.last_reading:,} kWh. You used {bill.used:,} kWh.",
            BODY,
        ),
        Table(rows, [60 * mm, WIDTH - 100 * mm, 40 * mm], style=style),
        Spacer(0, 14),
        Paragraph(f"<b>{verdict}</b>", BODY),
        Paragraph("Your use, by year", SUBHEADING),
        DRAWINGS["electricity"](bill.year),
        Paragraph(
            "Where our electricity comes from: 71 % sun and wind, 19 % water, 10 % natural gas. "
            "The contract can be ended with one month's notice to the end of a month.",
            BODY,
        ),
    ]
