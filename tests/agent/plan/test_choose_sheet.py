"""A question goes to a table when the search leads there and the table speaks of it."""

from __future__ import annotations

import pytest

from agent.passages import passage
from agent.plan.sheets import PLAYERS, sheet_of
from manole.agent.plan.choose_sheet import best_sheet, file_with_table, likely_files
from manole.catalog.sheets import Sheet
from manole.documents.fields import page_lines
from manole.documents.tables import read_tables
from manole.text.question import Question

SHEET = sheet_of(PLAYERS)
TABLE = "Sales by country\n\n| Country | Sales |\n|---|---|\n| Poland | 11,004 |\n"


def passages(*files, text=""):
    return [passage(text, file) for file in files]


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
    assert likely_files(Question(question), passages(*files)) == likely


def test_the_best_sheet_holds_the_words_of_the_question():
    other = sheet_of("city,mayor\nRome,Ada\nBern,Max\n", file="cities.csv")
    assert best_sheet(Question("How many goals has Ann Berg?"), [other, SHEET]) is SHEET
    assert best_sheet(Question("Who is the mayor of Bern?"), [SHEET, other]) is other
    leaks = Question("What does the boiler manual say of leaks?")
    assert best_sheet(leaks, [SHEET, other]) is None
    assert best_sheet(leaks, [SHEET], known=True) is SHEET
    assert best_sheet(Question("x?"), []) is None


def test_a_table_within_a_text():
    found = passages("report.md", "other.md", text=TABLE)
    sales = Question("What are the sales in Poland?")
    assert file_with_table(sales, found) == "report.md"
    for why in (
        "Why did they leave?",
        "Why did the sales in Poland decrease?",
        "What was the reason for the increase in sales?",
    ):
        assert file_with_table(Question(why), found) is None
    assert file_with_table(sales, passages("report.md", text="Sales: 4")) is None


def test_years_in_a_header_of_two_rows_are_words_of_the_table():
    report = "||Years ended||\n|---|---|---|\n||2019|2018|\n|Power|20|30|\n|Total revenue|50|60|\n"
    (table,) = read_tables(page_lines([(None, report)]), "markdown")
    sheet = Sheet.read("report.md", table)
    for question in (
        "What is the percentage change in total revenue from 2018 to 2019?",
        "What is the change in power revenue between 2018 and 2019?",
    ):
        assert best_sheet(Question(question), [sheet]) is sheet
