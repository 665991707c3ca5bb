"""Headers become names, cells become values, and what is written can be shown again."""

from __future__ import annotations

import pytest

from agent.plan.sheets import PLAYERS, sheet_of
from manole.catalog.catalog import Catalog, CatalogError
from manole.catalog.sheets import Sheet, day, named, number
from manole.documents.fields.model import TextLine
from manole.documents.tables import read_tables


@pytest.fixture
def players():
    return sheet_of(PLAYERS)


def test_names_need_no_quotes_and_are_unlike(players):
    names = [column.name for column in players.columns]
    assert names == ["rank", "name", "nation", "goals", "since", "fee_eur", "y2009"]
    odd = sheet_of("Order,order,%,#,\n1,2,3,4,5\n")
    assert [c.name for c in odd.columns] == ["order_", "order__2", "percent", "number", "column_5"]


def test_the_kinds_of_columns(players):
    kinds = {column.name: column.kind for column in players.columns}
    assert kinds["goals"] == kinds["rank"] == kinds["fee_eur"] == "REAL"
    assert kinds["since"] == "DAY"
    assert kinds["name"] == kinds["y2009"] == "TEXT"


def test_values_are_read_and_gaps_are_gaps(players):
    assert players.column("GOALS").values == (1204, 31, 7, None)
    assert players.column("fee_eur").values == (12.5, 100, None, 9.25)
    assert players.column("since").values[0] == "2009-05-03"


@pytest.mark.parametrize(("last", "rows"), [("210", 6), ("211", 6), ("230", 7)])
def test_a_last_row_that_adds_up_the_others_is_left_out(last, rows):
    parts = "\n".join(f"part {n},{10 * n}" for n in range(1, 7))
    sheet = sheet_of(f"place,area\n{parts}\nValley,{last}\n")
    assert len(sheet.rows) == rows


def test_a_last_row_of_totals_is_left_out(players):
    assert len(players.rows) == 4
    assert len(sheet_of("a,b\nTotal,1\n").rows) == 1  # the only one is none


def test_headers_of_several_rows_are_joined():
    text = """\
# Inventories

| | Year ended June 30, | | |
| --- | --- | --- | --- |
| (in millions) | 2021 | 2020 | 2019 |
| Raw materials | $86.1 | 74.5 | 70.2 |
| Work | (12.4) | — | 9 |

| | Three months | | Year | |
|---|---|---|---|---|
| | 2021 | 2020 | 2021 | 2020 |
| Sales | 1 | 2 | 3 | 4 |
| Costs | 1 | 2 | 3 | 4 |
"""
    lines = [TextLine(line, None, n) for n, line in enumerate(text.split("\n"), start=1)]
    sheets = [Sheet.read("note.md", table) for table in read_tables(lines, "markdown")]
    years, spans = ([c.label for c in sheet.columns] for sheet in sheets)
    assert years == ["item", "2021", "2020", "2019"]
    assert sheets[0].column("y2021").values == (86.1, -12.4)
    assert spans[1:] == ["Three months 2021", "Three months 2020", "Year 2021", "Year 2020"]


def test_a_first_row_of_data_is_no_header():
    assert len(sheet_of("what,a,b\nFounded,1998,2001\nClosed,2003,2004\n").rows) == 2


def test_a_cell_is_shown_as_it_is_written(players):
    assert players.cell(1, players.column("goals")) == "1,204"


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1,234.50", 1234.5), ("€ 12", 12), ("12 km", 12), ("85 %", 85), ("−3", -3), ("(4.5)",
        -4.5),
        ("$-7", -7), ("+2", 2), (".5", 0.5), ("1 204", 1204), ("3*", 3), ("7 [b]", 7),
        ("$1,000", 1000),
        ("", None), ("W 3", None), ("20-0", None), ("5 of 6", None), ("2022-01-02", None), ("x",
        None),
    ],
)  # fmt: skip
def test_a_number_is_a_whole_cell(cell, value):
    assert number(cell) == value


def test_decimal_commas_are_seen_in_the_column():
    sheet = sheet_of("Posten;Betrag\nMiete;1.455,00\nStrom;125,50\nGas;80\n")
    assert sheet.column("betrag").values == (1455.0, 125.5, 80)
    assert sheet_of("a;b\nx;1,204\ny;2,300\nz;7\n").column("b").values == (1204, 2300, 7)


def test_days_of_a_column_are_read_alike():
    sheet = sheet_of("when,what\n03/02/2024,a\n03/25/2024,b\n")
    assert sheet.column("when_").values == ("2024-03-02", "2024-03-25")
    assert day("in May 2009") is None


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("reports/Monthly costs.xlsx", "monthly_costs"),
        ("2024.csv", "t_2024"),
        ("order.csv", "t_order"),
        ("sqlite_master.csv", "t_sqlite_master"),
        ("files.csv", "files_2"),
        ("a/files.csv", "a_files"),
        ("Прайс-лист.csv", "прайс_лист"),
        ("--.csv", "sheet"),
    ],
)
def test_a_sheet_is_named_after_its_file(file, name):
    assert list(named([sheet_of("a,b\n1,2\n", file)], {"files", "found"})) == [name]


def test_sheets_of_one_name_have_their_folder_before_it_and_those_of_one_file_are_counted():
    files = ["home/budget.csv", "home/budget.csv", "club/budget.csv"]
    assert list(named([sheet_of("a,b\n1,2\n", file) for file in files], {})) == [
        "budget", "budget_2", "club_budget",
    ]  # fmt: skip


def test_a_sheet_is_filled_when_it_is_asked_and_the_oldest_make_room(monkeypatch):
    catalog = Catalog([])
    catalog.add_sheets({"one": sheet_of("a,b\n1,2\n3,4\n", "one.csv")})
    with pytest.raises(CatalogError, match="no such table"):
        catalog.run("SELECT a FROM one")
    catalog.fill_sheets(["one", "files"])
    catalog.fill_sheets(["one"])
    assert catalog.run("SELECT row_id, a FROM one")[1] == [(1, 1.0), (2, 3.0)]
    monkeypatch.setattr("manole.catalog.catalog._MOST", 2)
    catalog.add_sheets({"other": sheet_of("a,b\n1,2\n", "other.csv")})
    assert list(catalog.sheets) == ["other"]
    assert "one" not in catalog.relations
    catalog.add_sheets({"one": sheet_of("a,b\n5,6\n", "one.csv")})
    catalog.fill_sheets(["one"])
    assert catalog.run("SELECT a FROM one")[1] == [(5.0,)]
