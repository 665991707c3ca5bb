"""Tables of Markdown."""

from __future__ import annotations

import pytest

from manole.documents.fields.lines import page_lines
from manole.documents.fields.model import TextLine
from manole.documents.tables import read_tables

from .texts import cells, one, tables


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
