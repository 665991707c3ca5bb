"""Tables of files, through their real readers, and of large ones."""

from __future__ import annotations

import time

import openpyxl
import pytest

from manole.documents.fields.lines import page_lines
from manole.documents.tables import read_tables
from reading_here import read_document

from .texts import cells


@pytest.fixture
def read(settings):
    def tables_of(path):
        document = read_document(path, settings)
        lines = page_lines([(page.number, page.text) for page in document.pages])
        return read_tables(lines, document.format)

    return tables_of


def test_a_workbook(read, workbook):
    budget, trips = read(workbook)
    assert (budget.page, budget.columns) == (1, ("Item", "Cost"))
    assert cells(budget) == [("Rent", "900"), ("## Food!", "310.5")]
    assert (trips.page, trips.columns, cells(trips)) == (2, ("Place", "Days"), [("Sinaia", "4")])


def test_a_sheet_with_a_title_and_signs_of_markdown(read, tmp_path):
    rows = [
        ["Costs of the flat"],
        [],
        ["Item", "Net | gross", "2*3*4", None],
        ["a\nb", "x|y", "**bold** <b>", r"C:\dir\new|"],
        [None, 1.5, "[l](http://x.org)", "R&D `c`"],
    ]
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    (table,) = read(tmp_path / "a.xlsx")
    assert (table.title, table.columns) == (
        "Costs of the flat", ("Item", "Net | gross", "2*3*4", ""),
    )  # fmt: skip
    assert cells(table) == [
        ("a b", "x|y", "**bold** <b>", r"C:\dir\new|"),
        ("", "1.5", "[l](http://x.org)", "R&D `c`"),
    ]


def test_a_sheet_of_figures_has_no_header(read, tmp_path):
    book = openpyxl.Workbook()
    for row in ((1, 2.5), (3, 4)):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    (table,) = read(tmp_path / "a.xlsx")
    assert (table.columns, cells(table)) == (("", ""), [("1", "2.5"), ("3", "4")])


def test_a_letter(read, letter):
    (table,) = read(letter)
    assert (table.title, table.columns) == ("Term", ("Fee", "Due"))
    assert cells(table) == [("120_EUR", "May")]


def test_a_file_of_rows(read, tmp_path):
    path = tmp_path / "konto.csv"
    path.write_bytes("\ufeffTag;Text;€\r\n1.2.;Bäcker;3,20\r\n".encode("utf-16-le"))
    (table,) = read(path)
    assert (table.columns, cells(table)) == (("Tag", "Text", "€"), [("1.2.", "Bäcker", "3,20")])


@pytest.mark.parametrize("format_", ["csv", "markdown", "xlsx"])
def test_twenty_thousand_rows_take_less_than_two_seconds(format_):
    rows = [f"2024-01-{n % 28 + 1:02},Groceries {n},**{n * 1.5:.2f}**,Ana" for n in range(20_000)]
    texts = ["day,what,amount,who", *rows]
    if format_ != "csv":
        texts = [f"| {text.replace(',', ' | ')} |" for text in texts]
        texts.insert(1, "|---|---|---|---|")
    lines = page_lines([(1, "\n".join(texts))])
    start = time.process_time()
    (table,) = read_tables(lines, format_)
    assert time.process_time() - start < 2
    assert len(table.rows) == 20_000
