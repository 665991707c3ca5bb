"""Tables of the same columns in several files are asked as one, and cited each in its own."""

from __future__ import annotations

import pytest

from agent.plan.sheets import sheet_of
from manole.catalog.catalog import Catalog
from manole.catalog.families import families, year_of

COSTS = "Item,Planned,Actual\nWool,10,{}\nDye,5,{}\n"
BOOK = "date,who,amount\n{0}-01-03,Mill,-4.50\n{0}-02-01,Fair,12.00\n"


def costs(year, wool, dye):
    return sheet_of(COSTS.format(wool, dye), f"shop/costs-{year}.csv")


def test_its_rows_have_their_year_and_their_place():
    old, new = costs(2022, 11, 4), costs(2023, 12, 6)
    (both,) = families([new, old])
    assert both.file == "shop/costs-*.csv"
    assert both.files == (old.file, new.file)
    assert both.column("actual").values == (11, 4, 12, 6)
    assert both.column(both.years).values == (2022, 2022, 2023, 2023)
    assert both.column(both.of_file).values[-1] == "costs-2023.csv"
    assert both.place(0) == old.place(0)
    assert [both.place(row)["path"] for row in (1, 2, 3, 4)] == 2 * [old.file] + 2 * [new.file]
    assert both.place(4) == new.place(2)
    assert both.cell(3, both.column("actual")) == "12"


def test_days_tell_the_year_where_there_are_any():
    parts = [sheet_of(BOOK.format(y), f"book {y}.csv") for y in (2022, 2023)]
    (both,) = families(parts)
    assert both.years == ""
    assert len(both.rows) == 4


def test_the_sheets_of_a_workbook_are_one():
    parts = [sheet_of(BOOK.format(year), "shop/book.xlsx") for year in (2022, 2023)]
    (both,) = families(parts)
    assert both.file == "shop/book.xlsx"
    assert len(both.rows) == 4
    assert [column.label for column in both.own] == ["date", "who", "amount"]


@pytest.mark.parametrize(
    "files",
    [
        ("a/costs-2022.csv", "a/costs-2022.csv"),  # two tables of one file
        ("a/costs-2022.csv", "b/wool.csv"),  # alike by chance
        ("2022.csv", "2023.csv"),
        ("a/costs-2022.csv",),
    ],
)
def test_what_is_no_series_is_not_joined(files):
    assert not list(families(sheet_of(COSTS.format(1, 2), file) for file in files))


def test_other_columns_are_another_table():
    other = sheet_of("Item,Planned,Spent\nWool,1,2\n", "shop/costs-2024.csv")
    (both,) = families([costs(2022, 1, 1), costs(2023, 1, 1), other])
    assert len(both.parts) == 2


def test_a_catalog_asks_it_like_any_other():
    catalog = Catalog([])
    catalog.add_files({"shop/costs-2022.csv": [costs(2022, 11, 4)]})
    catalog.add_families()
    assert not catalog.families
    catalog.add_files({"shop/costs-2023.csv": [costs(2023, 12, 6)]})
    catalog.add_families()
    (name,) = catalog.families
    catalog.fill_sheets([name])
    assert catalog.run(f"SELECT sum(actual) FROM {name} WHERE year = 2023")[1] == [(18,)]
    catalog.add_files({"shop/costs-2024.csv": [costs(2024, 1, 1)]})
    catalog.add_families()
    catalog.fill_sheets(catalog.families)
    assert catalog.run(f"SELECT count(*) FROM {name}")[1] == [(6,)]


def test_the_year_is_that_of_the_file_or_the_title():
    assert year_of(costs(2022, 1, 1)) == 2022
    assert year_of(sheet_of("Costs 2021\n\nItem,Price\nWool,1\nDye,2\n", "costs.csv")) == 2021
    assert year_of(sheet_of(COSTS.format(1, 1), "costs 2022 to 2024.csv")) is None
    assert year_of(sheet_of(COSTS.format(1, 1), "costs.csv")) is None
