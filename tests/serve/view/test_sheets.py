"""Sheets and files of rows as tables, a place in them marked."""

from __future__ import annotations

from manole.serve.view import sheets
from manole.serve.view.page import Spot
from manole.serve.view.sheets import CellMark, sheet
from serve.view.test_page import FakeStore, a_file, a_passage

CSV = 'Item,Price\n"lamp, big",40\nlamp,40\n'


def mark(*places):
    fields = ("table", "row", "column", "start", "end")
    return CellMark(**dict(zip(fields, places, strict=True)))


async def of(text, format_="csv", **spot):
    return await sheet(FakeStore([a_passage(text)]), a_file(format=format_), Spot(**spot))


async def test_a_file_of_rows_is_a_table_with_its_header():
    seen = await of(CSV)
    (table,) = seen.tables
    assert (table.columns, table.line) == (["Item", "Price"], 1)
    assert [(row.line, row.cells) for row in table.rows] == [
        (2, ["lamp, big", "40"]),
        (3, ["lamp", "40"]),
    ]
    assert (seen.marks, seen.quoted) == ([], None)


async def test_what_is_quoted_is_marked_in_its_cell():
    seen = await of(CSV, quote="big")
    assert seen.marks == [mark(0, 0, 0, 6, 9)]
    assert seen.quoted
    both = await of(CSV, line=3)
    assert both.marks == [mark(0, 1, 0, 0, 4), mark(0, 1, 1, 0, 2)]
    assert (await of(CSV, line=1)).marks[0].row == -1
    assert (await of(CSV, quote="chair of nobody")).quoted is False


async def test_a_row_that_stands_otherwise_in_its_file_is_marked_whole():
    seen = await of('Item,Price\n"the ""best"" lamp","4  0"\n', quote='""best""')
    assert seen.marks == [mark(0, 0, None, 0, 0)]


async def test_two_tables_of_a_sheet_have_their_own_marks():
    text = "| a | b |\n| --- | --- |\n| one | 1 |\n\n| c | d |\n| --- | --- |\n| two | 2 |"
    seen = await of(text, "markdown", quote="two")
    assert [table.columns for table in seen.tables] == [["a", "b"], ["c", "d"]]
    assert seen.marks == [mark(1, 0, 0, 0, 3)]


async def test_of_very_long_tables_the_rows_around_the_place(monkeypatch):
    monkeypatch.setattr(sheets, "MOST", 10)
    text = "n,name\n" + "\n".join(f"{n},thing{n}" for n in range(100))
    seen = await of(text, quote="thing77")
    (table,) = seen.tables
    assert len(table.rows) == 10
    (marked,) = seen.marks
    assert table.rows[marked.row].cells == ["77", "thing77"]
    assert seen.more
    assert not (await of(CSV)).more


async def test_a_file_without_words_has_no_tables():
    seen = await sheet(FakeStore([]), a_file(format="csv", passages=0), Spot())
    assert (seen.tables, seen.pages) == ([], 1)
