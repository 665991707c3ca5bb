"""Word, Excel and PowerPoint files, with the same bytes on every run.

Office files are zip archives that record the time of writing; `_settle` writes each archive
again with the document's own date in the entries and in the core properties.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from docx import Document
from docx.document import Document as WordDocument
from docx.shared import Pt
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.styles import Font, PatternFill
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.presentation import Presentation as Show
from pptx.util import Cm
from pptx.util import Pt as SlidePt

from .figures import BUDGETS
from .holiday import SLIDES, Slide
from .invoices import CUSTOMER, Invoice
from .markup import Block

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _settle(target: Path, date: datetime) -> None:
    """Replace every time in the archive `target` by `date`."""
    with zipfile.ZipFile(target) as archive:
        entries = [(info.filename, archive.read(info)) for info in archive.infolist()]
    stamp = f"{date:%Y-%m-%dT%H:%M:%SZ}"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            if name == "docProps/core.xml":
                data = re.sub(rb"\d{4}-\d\d-\d\dT[\d:.]+Z", stamp.encode(), data)
            info = zipfile.ZipInfo(name, date.timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)


def document(target: Path, blocks: Sequence[Block], date: datetime) -> None:
    """Write `blocks` as a Word document with real headings, lists and tables."""
    word = Document()
    word.styles["Normal"].font.name = "Calibri"
    word.styles["Normal"].font.size = Pt(11)
    levels = {"title": 0, "heading": 1, "subheading": 2}
    for block in blocks:
        if block.kind in levels:
            word.add_heading(block.text, levels[block.kind])
        elif block.kind == "paragraph":
            word.add_paragraph(block.text)
        elif block.kind == "lines":
            word.add_paragraph("\n".join(row[0] for row in block.rows))
        elif block.kind == "items":
            for (text,) in block.rows:
                word.add_paragraph(text, style="List Bullet")
        elif block.kind == "table":
            _word_table(word, block.rows)
        else:
            word.add_page_break()
    core = word.core_properties
    core.title = next(block.text for block in blocks if block.kind == "title")
    core.author, core.comments = "Linde", ""
    core.created = core.modified = date.replace(tzinfo=None)
    word.save(str(target))
    _settle(target, date)


def _word_table(word: WordDocument, rows: Sequence[Sequence[str]]) -> None:
    table = word.add_table(rows=0, cols=len(rows[0]))
    table.style = "Light Grid Accent 1"
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text


def invoice(target: Path, bill: Invoice, date: datetime) -> None:
    """Write an invoice as a Word document."""
    blocks = [
        Block("title", f"{bill.labels.invoice} {bill.number}"),
        Block("lines", rows=tuple((line,) for line in bill.issuer)),
        Block("lines", rows=tuple((line,) for line in CUSTOMER)),
        Block("lines", rows=tuple((f"{label}: {value}",) for label, value in bill.facts)),
        Block("table", rows=(bill.labels.columns, *bill.rows)),
        Block("paragraph", bill.note),
        Block("paragraph", bill.payment),
    ]
    document(target, blocks, date)


def budget(target: Path, date: datetime) -> None:
    """Write the budget of the year in the file's name: an overview and the months."""
    year = int(target.stem[-4:])
    book = Workbook()
    sheet = book.active
    sheet.title = "Overview"
    sheet.append([f"Household budget {year}", None, None, None])
    sheet.append(["Category", "Planned (EUR)", "Actual (EUR)", "Difference (EUR)"])
    for category, (planned, actual) in BUDGETS[year].items():
        sheet.append([category, planned, actual, planned - actual])
    planned, actual = (sum(column) for column in zip(*BUDGETS[year].values(), strict=True))
    sheet.append(["Total", planned, actual, planned - actual])
    last = sheet.max_row
    for cell in (*sheet[1], *sheet[2], *sheet[last]):
        cell.font = Font(bold=True, size=14 if cell.row == 1 else 11)
    for cell in sheet[2]:
        cell.fill = PatternFill("solid", fgColor="DCE6E1")
    for column, width in zip("ABCD", (30, 16, 16, 18), strict=True):
        sheet.column_dimensions[column].width = width
    for row in sheet.iter_rows(min_row=3, min_col=2, max_col=4):
        for cell in row:
            cell.number_format = "#,##0"
    chart = BarChart()
    chart.title, chart.height, chart.width = "Planned and actual", 9, 22
    chart.add_data(
        Reference(sheet, min_col=2, max_col=3, min_row=2, max_row=last - 1), titles_from_data=True
    )
    chart.set_categories(Reference(sheet, min_col=1, min_row=3, max_row=last - 1))
    sheet.add_chart(chart, f"A{last + 2}")
    _months(book, year)
    book.properties.creator, book.properties.title = "Jonas Linde", f"Household budget {year}"
    book.properties.created = date.replace(tzinfo=None)
    book.save(target)
    _settle(target, date)


def _months(book: Workbook, year: int) -> None:
    """A sheet with each category's actual euros month by month; the twelve add up to the year."""
    sheet = book.create_sheet("Months")
    sheet.append(["Category", *MONTHS, "Year"])
    for index, (category, (_, actual)) in enumerate(BUDGETS[year].items()):
        if category.startswith("Rent"):
            months = _rent(year)
        else:
            weight = [8 + (index * 5 + month * 7) % 5 for month in range(12)]
            months = [actual * w // sum(weight) for w in weight]
            months[11] += actual - sum(months)
        sheet.append([category, *months, actual])
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    sheet.column_dimensions["A"].width = 30


def _rent(year: int) -> list[int]:
    """Rent with service charges by month: moved in March 2022, raised in October 2023."""
    return [
        0 if (year, month) < (2022, 3) else 1455 if (year, month) >= (2023, 10) else 1390
        for month in range(1, 13)
    ]


def slides(target: Path, date: datetime) -> None:
    """Write the holiday's presentation."""
    show = Presentation()
    show.slide_width, show.slide_height = Cm(25.4), Cm(14.29)
    for slide in SLIDES:
        _slide(show, slide)
    core = show.core_properties
    core.title, core.author = SLIDES[0].title, "Jonas Linde"
    core.created = core.modified = date.replace(tzinfo=None)
    core.last_modified_by = "Jonas Linde"
    show.save(str(target))
    _settle(target, date)


def _slide(show: Show, slide: Slide) -> None:
    page = show.slides.add_slide(show.slide_layouts[5])  # title only
    page.background.fill.solid()
    page.background.fill.fore_color.rgb = RGBColor(0xF1, 0xF6, 0xF8)
    title = page.shapes.title
    title.left, title.top, title.width, title.height = Cm(1.2), Cm(0.6), Cm(23), Cm(2)
    title.text_frame.text = slide.title
    title.text_frame.paragraphs[0].runs[0].font.size = SlidePt(32)
    title.text_frame.paragraphs[0].runs[0].font.color.rgb = RGBColor(0x1D, 0x5C, 0x7A)
    if slide.bullets:
        frame = page.shapes.add_textbox(Cm(1.6), Cm(3), Cm(22), Cm(9)).text_frame
        frame.word_wrap = True
        for number, text in enumerate(slide.bullets):
            paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
            paragraph.text = f"• {text}"
            paragraph.font.size = SlidePt(20)
            paragraph.space_after = SlidePt(8)
    if slide.table:
        shape = page.shapes.add_table(
            len(slide.table), len(slide.table[0]), Cm(1.6), Cm(3.2), Cm(22), Cm(1.2)
        )
        for i, row in enumerate(slide.table):
            for j, text in enumerate(row):
                shape.table.cell(i, j).text = text
    page.notes_slide.notes_text_frame.text = slide.notes
