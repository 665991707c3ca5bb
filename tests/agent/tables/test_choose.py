"""A question goes to a table when the search leads there and the table speaks of it."""

from __future__ import annotations

import pytest

from agent.tables.sheets import PLAYERS, sheet_of
from manole.agent.tables.choose import best_sheet, file_with_table, likely_files

SHEET = sheet_of(PLAYERS)
TABLE = "Sales by country\n\n| Country | Sales |\n|---|---|\n| Poland | 11,004 |\n"


def passages(*files, text=""):
    return [{"file": file, "text": text} for file in files]


@pytest.mark.parametrize(
    ("question", "files", "likely"),
    [
        ("Who is first?", ["a.csv", "b.md", "c.md"], ["a.csv"]),
        ("Who is first?", ["b.md", "a.csv", "x/c.xlsx"], ["a.csv", "x/c.xlsx"]),
        ("Who is first?", ["b.md", "a.csv", "c.md"], []),
        ("What is in the players of the league?", ["b.md", "c.md", "league-players.ods"],
         ["league-players.ods"]),
        ("Who is first?", [], []),
    ],
)  # fmt: skip
def test_sheets_that_lead_the_search(question, files, likely):
    assert likely_files(question, passages(*files)) == likely


def test_the_best_sheet_holds_the_words_of_the_question():
    other = sheet_of("city,mayor\nRome,Ada\nBern,Max\n", file="cities.csv")
    assert best_sheet("How many goals has Ann Berg?", [other, SHEET]) is SHEET
    assert best_sheet("Who is the mayor of Bern?", [SHEET, other]) is other
    assert best_sheet("What does the boiler manual say of leaks?", [SHEET, other]) is None
    assert best_sheet("What does the boiler manual say of leaks?", [SHEET], known=True) is SHEET
    assert best_sheet("x?", []) is None


def test_a_table_within_a_text():
    found = passages("report.md", "other.md", text=TABLE)
    assert file_with_table("What are the sales in Poland?", found) == "report.md"
    assert file_with_table("Why did they leave?", found) is None
    assert file_with_table("Why did the sales in Poland decrease?", found) is None
    assert file_with_table("What was the reason for the increase in sales?", found) is None
    assert file_with_table("What are the sales?", passages("report.md", text="Sales: 4")) is None
