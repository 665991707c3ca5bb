"""Tables of CSV files."""

from __future__ import annotations

import csv
import io
import time
from textwrap import dedent

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from manole.documents.fields.model import TextLine
from manole.documents.tables import read_tables
from manole.documents.text import decode

from .texts import cells, one, tables


def test_commas():
    table = one('day,what,amount\n2024-01-02,"Rent, January",900\n2024-01-03,Bread,3.20\n')
    assert table.columns == ("day", "what", "amount")
    assert cells(table) == [("2024-01-02", "Rent, January", "900"), ("2024-01-03", "Bread", "3.20")]
    assert (table.line, table.page, table.title) == (1, None, None)
    assert [row.line for row in table.rows] == [2, 3]
    assert table.rows[0].text == '2024-01-02,"Rent, January",900'


@pytest.mark.parametrize("header", ["Datum;Text;Betrag", "Datum;Text;Betrag, EUR"])
def test_semicolons_with_decimal_commas(header):
    rows = "".join(f"0{day}.01.2024;Laden;{day},50\n" for day in range(1, 10))
    table = one(f"{header}\n{rows}")
    assert table.columns == tuple(header.split(";"))
    assert table.rows[8].cells == ("09.01.2024", "Laden", "9,50")


def test_decimal_commas_without_header():
    table = one("1;2,5\n2;3,5\n3;4,5\n")
    assert table.columns == ("", "")
    assert cells(table)[0] == ("1", "2,5")


@pytest.mark.parametrize("format_", ["csv", "tsv"])
def test_tabs(format_):
    table = one("name\tnote\nAna\t a,  b \nIon\tc, d\nEva\te, f\n", format_)
    assert table.columns == ("name", "note")
    assert cells(table) == [("Ana", "a, b"), ("Ion", "c, d"), ("Eva", "e, f")]
    assert table.rows[0].text == "Ana a, b"


def test_pipes():
    assert cells(one("name|note\nAna|a, b\nIon|c, d\n")) == [("Ana", "a, b"), ("Ion", "c, d")]


def test_quoted_cells_run_over_lines():
    table = one('name,note\nAna,"first\n\nsecond ""so"""\nIon,third\n')
    assert cells(table) == [("Ana", 'first second "so"'), ("Ion", "third")]
    assert [row.line for row in table.rows] == [2, 5]
    assert table.rows[0].text == 'Ana,"first second ""so"""'


def test_rows_keep_their_own_lines_where_blank_ones_are_missing():
    lines = [TextLine("a,b", 3, 2), TextLine("1,2", 3, 5), TextLine("3,4", 3, 9)]
    (table,) = read_tables(lines, "csv")
    assert (table.page, table.line, [row.line for row in table.rows]) == (3, 2, [5, 9])


@pytest.mark.parametrize(
    "title", ["Meters 2024", "Meters 2024,,", ",Meters 2024,", '"Meters 2024"']
)
def test_a_line_alone_above_the_header_is_the_title(title):
    table = one(f"\n{title}\n\nday,gas,water\n2024-01-01,5,7\n")
    assert (table.title, table.columns, table.line) == (
        "Meters 2024", ("day", "gas", "water"), 4,
    )  # fmt: skip
    assert cells(table) == [("2024-01-01", "5", "7")]


def test_comments_above_the_header_are_left_out():
    table = one("# made by hand, in a hurry, at night, and so on\n#\n\na,b,c\n1,2,3\n4,5,6\n")
    assert (table.title, table.columns, table.line) == (None, ("a", "b", "c"), 4)


@pytest.mark.parametrize("first", ["#", "#id"])
def test_a_header_may_start_with_a_hash(first):
    assert one(f"{first},item,price\n1,Pen,2\n").columns == (first, "item", "price")


def test_pairs_that_banks_write_above_the_header_are_left_out():
    text = """\
        Girokonto;DE12 3456
        Kontostand vom 31.01.2024:;1.234,56 EUR

        Buchungstag;Text;Zweck;Betrag
        02.01.2024;Miete;Wohnung;-900,00
        03.01.2024;Laden;Brot;-3,20
        """
    table = one(dedent(text))
    assert table.columns == ("Buchungstag", "Text", "Zweck", "Betrag")
    assert len(table.rows) == 2


def test_the_line_that_tells_excel_the_delimiter():
    table = one("sep=;\na;b\n1,5;2,5\n")
    assert (table.columns, cells(table)) == (("a", "b"), [("1,5", "2,5")])


def test_a_byte_order_mark_is_no_part_of_the_header():
    assert one("\ufeffday,what\n1,x\n").columns == ("day", "what")


def test_first_rows_of_figures_are_data():
    table = one("2024-01-01,5.5,-3 %\n2024-01-02,6,4\n")
    assert (table.columns, table.line) == (("", "", ""), 1)
    assert cells(table) == [("2024-01-01", "5.5", "-3 %"), ("2024-01-02", "6", "4")]


def test_years_above_columns_are_a_header():
    assert one(",2022,2023\nGas,1,2\n").columns == ("", "2022", "2023")


def test_ragged_rows_are_padded_and_cut():
    table = one("a,b,c\n1,2\n1,2,3,4\n\n,,\n5\n")
    assert cells(table) == [("1", "2", ""), ("1", "2", "3"), ("5", "", "")]


def test_columns_without_words_at_the_right_edge_are_left_out():
    table = one("a;b;;\n1;2;;\n3;4;;\n")
    assert (table.columns, cells(table)) == (("a", "b"), [("1", "2"), ("3", "4")])


def test_a_single_column():
    assert cells(one("mail\nana@example.org\nion@example.org\n")) == [
        ("ana@example.org",), ("ion@example.org",),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "\n \n", "a,b,c\n", "a,b\n,\n", "\ufeff", "# only this\n"])
def test_no_rows_no_table(text):
    assert tables(text, "csv") == []


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        ('"Pen, 2', ("Pen", "2")),  # to the end of the file
        ('27" screen,2', ('27" screen', "2")),
        ('"27" screen",2', ('27" screen', "2")),
        ('"Pen" ,2', ("Pen", "2")),
    ],
)
def test_broken_quotes_do_not_swallow_other_rows(broken, expected):
    table = one(f'what,price\nCup,1\n{broken}\nInk,3\n"Ink, red",4\n')
    assert cells(table) == [("Cup", "1"), expected, ("Ink", "3"), ("Ink, red", "4")]
    assert [row.line for row in table.rows] == [2, 3, 4, 5]


def test_a_quote_closed_far_below_does_not_swallow_rows():
    rows = [f"thing {number},{number}" for number in range(3000)]
    rows[10], rows[2900] = '"Pen,10', 'Screen of 27",2900'
    table = one("\n".join(["what,price", *rows]))
    assert len(table.rows) == 3000
    assert table.rows[10].cells == ("Pen", "10")


def test_a_cell_over_the_limit_of_python_is_read():
    table = one(f"a,b\n{'x' * 200_000},1\n2,3\n")
    assert len(table.rows[0].cells[0]) == 200_000
    assert table.rows[1].cells == ("2", "3")


words = st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\t\n"))


@given(
    st.integers(2, 5).flatmap(
        lambda width: st.lists(st.lists(words, min_size=width, max_size=width), min_size=1)
    ),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
)
@example([["a;b", "c"]], ",", "\n")
@example([['"', '"']], ",", "\n")
@example([["\n", "\n a"]], ";", "\r\n")
def test_what_a_csv_writer_writes_is_read(rows, delimiter, line_end):
    file = io.StringIO()
    header = [f"column {number}" for number in range(len(rows[0]))]
    csv.writer(file, delimiter=delimiter, lineterminator=line_end).writerows([header, *rows])
    text, _ = decode(file.getvalue().encode())
    collapsed = [tuple(" ".join(cell.split()) for cell in row) for row in rows]
    expected = [row for row in collapsed if any(row)]
    found = tables(text, "tsv" if delimiter == "\t" else "csv")
    assert [cells(table) for table in found] == ([expected] if expected else [])
    assert all(table.columns == tuple(header) for table in found)


@pytest.mark.parametrize("row", ['"{},z', '"""{},z', '{},""', "{},z"])
def test_broken_quotes_take_linear_time(row):
    text = "\n".join(["a,b", '"x,1', *(row.format(n) for n in range(20_000))])
    start = time.process_time()
    assert len(one(text).rows) == 20_001
    assert time.process_time() - start < 2
