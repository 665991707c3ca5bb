"""Tables of CSV files, sheets and Markdown."""

from __future__ import annotations

import csv
import io
import time
from textwrap import dedent

import openpyxl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from manole.documents.extract import read_document
from manole.documents.fields.lines import page_lines
from manole.documents.fields.model import TextLine
from manole.documents.tables import Table, read_tables
from manole.documents.text import decode


def tables(text: str, format_: str) -> list[Table]:
    return read_tables(page_lines([(None, text)]), format_)


def one(text: str, format_: str = "csv") -> Table:
    (table,) = tables(text, format_)
    return table


def cells(table: Table) -> list[tuple[str, ...]]:
    return [row.cells for row in table.rows]


# --- CSV


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


# --- Markdown


def test_a_pipe_table():
    table = one(
        "# Flat\n\n| Item | Cost |\n| --- | ---: |\n| Rent |  900  |\n| Gas |\n", "markdown"
    )
    assert (table.columns, table.title, table.line) == (("Item", "Cost"), "Flat", 3)
    assert cells(table) == [("Rent", "900"), ("Gas", "")]
    assert [row.line for row in table.rows] == [5, 6]
    assert table.rows[0].text == "| Rent | 900 |"


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (r"a \| b", "a | b"),
        (r"`a \| b`", "a | b"),
        ("**900** EUR", "900 EUR"),
        ("**very *old***", "very old"),
        ("__b__ _i_ ~~s~~ snake_case", "b i s snake_case"),
        ("[shop](http://x.org/?a=1&b=2) and [`pay`][1]", "shop and pay"),
        ("![logo](x.png) <http://x.org>", "logo http://x.org"),
        ("Smith &amp; Sons, R&D", "Smith & Sons, R&D"),
        ("one<br/>two <b>three</b> <draft>", "one two three <draft>"),
        ("5*3*2", "5*3*2"),
        (r"\*5 C:\new [x] 2 < 3", r"*5 C:\new [x] 2 < 3"),
    ],
)
@pytest.mark.parametrize("row", [0, 1])
def test_inline_markup_is_reduced_to_its_words(cell, expected, row):
    body = [f"| {cell} | x |", "| y | z |"]
    table = one("\n".join(["a | b", "--|--", *body[:: 1 - 2 * row], "", "[1]: /url"]), "markdown")
    assert table.rows[row].cells == (expected, "x")


def test_markup_in_headers_and_headings():
    table = one("Fees *2024* &amp; more\n---\n| **A** | [B](x) |\n|-|-|\n| 1 | 2 |\n", "markdown")
    assert (table.title, table.columns) == ("Fees 2024 & more", ("A", "B"))


TWO = """\
# House

## Gas

| day | m3 |
|-----|----|
| Mon | 1  |
| Tue | 2  |
- done

## Water ##
day | litres | who
:-- | :-: | --:
Mon | 10 | Ana
**Tue** | 20
Wed | 30 | Ion | Eva

The end | of it.
"""


def test_two_tables_with_their_headings():
    gas, water = tables(TWO, "markdown")
    assert (gas.title, gas.line, cells(gas)) == ("Gas", 5, [("Mon", "1"), ("Tue", "2")])
    assert (water.title, water.line) == ("Water", 12)
    assert cells(water) == [("Mon", "10", "Ana"), ("Tue", "20", ""), ("Wed", "30", "Ion")]
    assert [row.line for row in water.rows] == [14, 15, 16]


def test_each_page_is_read_apart():
    first = "# One\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    second = "| 3 | 4 |\n\n| c | d |\n|---|---|\n| 5 | 6 |"
    found = read_tables(page_lines([(1, first), (2, second)]), "pptx")
    assert [(t.page, t.title, t.line, cells(t)) for t in found] == [
        (1, "One", 3, [("1", "2")]), (2, None, 3, [("5", "6")]),
    ]  # fmt: skip


def test_missing_lines_are_blank():
    texts = ["a | b", "--|--", "1 | 2", "Then the end", "c | d", "--|--", "3 | 4"]
    numbers = [1, 2, 3, 5, 7, 8, 9]
    lines = [TextLine(text, None, line) for text, line in zip(texts, numbers, strict=True)]
    first, second = read_tables(lines, "markdown")
    assert (cells(first), cells(second)) == ([("1", "2")], [("3", "4")])
    assert (second.line, second.rows[0].line) == (7, 9)


@pytest.mark.parametrize(
    "text",
    [
        "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```",
        "<!--\n| a | b |\n|---|---|\n| 1 | 2 |\n-->",
        "    | a | b |\n    |---|---|\n    | 1 | 2 |",
        "| a | b |\n|---|---|",
        "| a | b |\n|---|---|\n|  |  |",
        "| a | b | c |\n|---|---|\n| 1 | 2 |",
        "| a |\n|---|\n| 1 |",
        "this | that\nand | so on",
    ],
)
def test_no_tables(text):
    assert tables(text, "markdown") == []


@pytest.mark.parametrize(
    "text",
    ["> | a | b |\n> |---|---|\n> | 1 | 2 |", "- | a | b |\n  |---|---|\n  | 1 | 2 |\n\nx"],
)
def test_tables_within_quotations_and_lists(text):
    table = one(text, "markdown")
    assert (table.columns, cells(table), table.rows[0].line) == (("a", "b"), [("1", "2")], 3)


def test_words_in_angle_brackets_hide_no_table_of_a_letter():
    assert tables("<!-- draft\n\n| a | b |\n|---|---|\n| 1 | <y> |", "docx")[0].rows[0].cells == (
        "1", "<y>",
    )  # fmt: skip


# --- sheets and letters, through their real readers


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


# --- size


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


@pytest.mark.parametrize("row", ['"{},z', '"""{},z', '{},""', "{},z"])
def test_broken_quotes_take_linear_time(row):
    text = "\n".join(["a,b", '"x,1', *(row.format(n) for n in range(20_000))])
    start = time.process_time()
    assert len(one(text).rows) == 20_001
    assert time.process_time() - start < 2
