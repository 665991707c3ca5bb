"""Real files of each format, written on the spot, and the embedder's real tokenizer."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import docx
import openpyxl
import pptx
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from manole.documents.extract import Extractor
from manole.documents.limits import Limits
from manole.documents.split import Splitter
from manole.models.weights.cache import Weights
from manole.settings import Settings

MakePdf = Callable[..., Path]


@pytest.fixture(scope="session")
def tokenizer_json() -> Path:
    return Weights(Settings().cache_dir).ensure("all-minilm-l6-v2")["tokenizer.json"]


@pytest.fixture(scope="session")
def splitter(tokenizer_json: Path) -> Splitter:
    return Splitter(tokenizer_json)


@pytest.fixture
def settings() -> Limits:
    return Limits()


@pytest.fixture
def extractor(settings: Limits) -> Iterator[Extractor]:
    with Extractor(settings) as pool:
        yield pool


@pytest.fixture
def make_pdf(tmp_path: Path) -> MakePdf:
    """Each page is a list of (x, y from the top, text), drawn in that order, in points."""

    def make(pages: list[list[tuple[float, float, str]]], name: str = "made.pdf", **info) -> Path:
        path = tmp_path / name
        canvas = Canvas(str(path), pagesize=A4, encrypt=info.pop("password", None))
        if "title" in info:
            canvas.setTitle(info["title"])
        for page in pages:
            canvas.setFont("Helvetica", 10)
            for x, top, text in page:
                canvas.drawString(x, A4[1] - top, text)
            canvas.showPage()
        canvas.save()
        return path

    return make


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    book = openpyxl.Workbook()
    first = book.active
    first.title = "Budget 2024"
    for row in (("Item", "Cost"), ("Rent", 900), ("## Food!", 310.5)):
        first.append(row)
    second = book.create_sheet("Trips")
    second.append(("Place", "Days"))
    second.append(("Sinaia", 4))
    path = tmp_path / "budget.xlsx"
    book.save(path)
    return path


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    file = docx.Document()
    file.core_properties.title = "Lease"
    file.add_heading("Contract", level=1)
    file.add_paragraph("Between A & B (both adults).")
    file.add_heading("Term", level=2)
    file.add_paragraph("The lease runs for 24 months!")
    table = file.add_table(rows=2, cols=2)
    for cell, text in zip(
        (c for row in table.rows for c in row.cells), ("Fee", "Due", "120_EUR", "May"), strict=True
    ):
        cell.text = text
    path = tmp_path / "lease.docx"
    file.save(path)
    return path


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    file = pptx.Presentation()
    for title, body, notes in (
        ("Plans", "Paint the fence", "Ask Irina for brushes"),
        ("Costs", "About 80 EUR", ""),
    ):
        slide = file.slides.add_slide(file.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = body
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    path = tmp_path / "plans.pptx"
    file.save(path)
    return path


@pytest.fixture
def png_header():
    """Makes a PNG that says how large it is, and holds no pixels."""

    def make(width: int, height: int) -> bytes:
        body = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        parts = (
            struct.pack(">I", 13), body, struct.pack(">I", zlib.crc32(body)),
            struct.pack(">I", 0), b"IDAT", struct.pack(">I", zlib.crc32(b"IDAT")),
        )  # fmt: skip
        return b"\x89PNG\r\n\x1a\n" + b"".join(parts)

    return make
