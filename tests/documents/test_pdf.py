"""PDF: the lines a reader sees, with their boxes."""

from __future__ import annotations

from dataclasses import replace

import pypdfium2 as pdfium
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from manole.documents.model import UNREAD, Status, numbers_in
from reading_here import read_document

WORDS = "the quick brown fox jumps over the lazy dog near the old mill "


def test_a_label_and_its_value_end_on_one_line(make_pdf, settings):
    page = [(60, 100, "Total"), (60, 112, "Invoice date"), (60, 124, "Number"),
            (400, 100, "319.00"), (400, 112, "2015-10-20"), (400, 124, "A-17")]  # fmt: skip
    document = read_document(make_pdf([page]), settings)
    assert document.pages[0].text.split("\n") == [
        "Total  319.00", "Invoice date  2015-10-20", "Number  A-17"
    ]  # fmt: skip


def test_lines_are_read_from_the_top_whatever_order_they_are_drawn_in(make_pdf, settings):
    page = [(60, 300, "last"), (60, 100, "first"), (60, 200, "middle")]
    text = read_document(make_pdf([page]), settings).pages[0].text
    assert text.split() == ["first", "middle", "last"]


def columns(left: str, right: str, rows: int = 12) -> list[tuple[float, float, str]]:
    def lines(x: float, mark: str):
        return [(x, 150 + 12 * i, f"{mark}{i} {WORDS}"[:44]) for i in range(rows)]

    return [*lines(60, left), *lines(320, right)]


@pytest.mark.parametrize("interleaved", [False, True])
def test_columns_of_prose_are_read_one_after_the_other(make_pdf, settings, interleaved):
    page = columns("L", "R")
    if interleaved:
        page.sort(key=lambda item: (item[1], item[0]))
    page = [(60, 100, "A title that stands above and across both columns of this page"), *page]
    lines = read_document(make_pdf([page]), settings).pages[0].text.split("\n")
    marks = [line.split()[0] for line in lines if line]
    assert marks == ["A", *(f"L{i}" for i in range(12)), *(f"R{i}" for i in range(12))]


def test_a_table_across_columns_keeps_its_rows(make_pdf, settings):
    table = [(x, 60 + 14 * row, f"{name}{row}")
             for name, x in zip("abcdef", range(60, 540, 80), strict=True)
             for row in range(4)]  # fmt: skip
    text = read_document(make_pdf([table + columns("L", "R")]), settings).pages[0].text
    assert "a2  b2  c2  d2  e2  f2" in text.split("\n")


def test_words_cut_at_a_lines_end_become_whole(make_pdf, settings):
    page = [(60, 100, "It was a most remark-"), (60, 112, "able day for fact-checking and fact-"),
            (60, 124, "checking alone.")]  # fmt: skip
    text = read_document(make_pdf([page]), settings).pages[0].text
    assert "remarkable day" in text
    assert "and fact-checking alone" in text


def test_lines_know_their_place_in_text_and_page(make_pdf, settings):
    document = read_document(make_pdf([[(60, 100, "alpha"), (60, 400, "omega")]]), settings)
    page = document.pages[0]
    assert [page.text[line.start : line.end] for line in page.lines] == ["alpha", "omega"]
    for line, top in zip(page.lines, (100, 400), strict=True):
        assert line.box.x0 == pytest.approx(60 / A4[0], abs=0.01)
        assert line.box.y0 < top / A4[1] < line.box.y1 + 0.001
        assert line.box.y1 - line.box.y0 < 0.02


def test_boxes_follow_the_page_as_it_is_shown(tmp_path, make_pdf, settings):
    pdf = pdfium.PdfDocument(make_pdf([[(60, 100, "alpha")]]))
    pdf[0].set_rotation(90)
    path = tmp_path / "turned.pdf"
    pdf.save(path)
    (line,) = read_document(path, settings).pages[0].lines
    # Turned clockwise, the top of the page is at the right.
    assert line.box.x0 > 0.8
    assert line.box.y0 < 0.2


def test_boxes_follow_the_crop(tmp_path, make_pdf, settings):
    pdf = pdfium.PdfDocument(make_pdf([[(60, 100, "alpha")]]))
    pdf[0].set_cropbox(50, A4[1] - 200, 250, A4[1] - 50)
    path = tmp_path / "cropped.pdf"
    pdf.save(path)
    (line,) = read_document(path, settings).pages[0].lines
    assert line.box.x0 == pytest.approx(10 / 200, abs=0.02)
    assert line.box.y1 == pytest.approx(50 / 150, abs=0.04)


def test_title_date_and_page_count_are_kept(make_pdf, settings):
    document = read_document(make_pdf([[(60, 100, "one")]] * 3, title="Boiler manual"), settings)
    assert document.title == "Boiler manual"
    assert document.date_source == "metadata"
    assert document.metadata["pages"] == "3"
    assert [page.number for page in document.pages] == [1, 2, 3]


@pytest.mark.parametrize("title", ["untitled", "0000764478-23-000006", "Microsoft Word - "])
def test_a_title_that_no_one_wrote_is_none(make_pdf, settings, title):
    assert read_document(make_pdf([[(60, 100, "one")]], title=title), settings).title is None


def test_what_was_filled_into_a_form_is_text(tmp_path, settings):
    path = tmp_path / "form.pdf"
    canvas = Canvas(str(path))
    canvas.drawString(60, 700, "Name:")
    canvas.acroForm.textfield(name="n", value="Ana Pop", x=120, y=694, width=200, height=16)
    canvas.save()
    assert read_document(path, settings).pages[0].text == "Name:  Ana Pop"


def scanned(path, pages: str):
    """`t` is a page of text, `i` one with a drawing only."""
    canvas = Canvas(str(path))
    for kind in pages:
        if kind == "t":
            canvas.drawString(60, 700, "words")
        else:
            canvas.rect(60, 60, 200, 200, fill=1)
        canvas.showPage()
    canvas.save()
    return path


def test_scans_among_pages_of_text_make_a_file_partial(tmp_path, settings):
    document = read_document(scanned(tmp_path / "a.pdf", "titii"), settings)
    assert document.status is Status.PARTIAL
    assert document.reason == "3 of 5 pages are scans without text"
    assert numbers_in(document.metadata[UNREAD]) == [2, 4, 5]
    assert len(document.pages) == 5


def test_a_scan_is_skipped_with_the_reason(tmp_path, settings):
    document = read_document(scanned(tmp_path / "a.pdf", "iii"), settings)
    assert (document.status, document.reason) == (
        Status.SKIPPED,
        "scanned: its words are not read yet",
    )
    assert document.metadata["pages"] == "3"


def test_blank_sheets_are_no_scans(make_pdf, settings):
    document = read_document(make_pdf([[(60, 100, "one")], [], [(60, 100, "two")]]), settings)
    assert (document.status, document.reason) == (Status.INDEXED, None)
    document = read_document(make_pdf([[]]), settings)
    assert (document.status, document.reason) == (Status.SKIPPED, "no text inside")


def test_a_password_is_named_as_the_reason(make_pdf, settings):
    document = read_document(make_pdf([[(60, 100, "secret")]], password="hidden"), settings)
    assert (document.status, document.reason) == (Status.FAILED, "protected by a password")


@pytest.mark.parametrize("keep", [30, 400])
def test_a_broken_pdf_fails_with_a_reason(tmp_path, make_pdf, settings, keep):
    path = make_pdf([[(60, 100, "x")]])
    path.write_bytes(path.read_bytes()[:keep])
    document = read_document(path, settings)
    assert document.status is Status.FAILED
    assert document.reason.startswith("broken PDF")


def test_limits_on_characters_make_a_pdf_partial(make_pdf, settings):
    path = make_pdf([[(60, 100, "word " * 20)]] * 30)
    document = read_document(path, replace(settings, max_chars=1000))
    assert document.status is Status.PARTIAL
    assert document.reason == "only 11 of 30 pages read within the limits"
