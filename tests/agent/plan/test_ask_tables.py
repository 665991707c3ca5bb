"""Questions whose table nobody names, with the real parser and embedder over a folder."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from agent.fake_models import FakeMissingModel
from agent.turns import tools, turn
from manole.agent.plan.likeness import Likeness
from manole.agent.plan.planner import Planner
from manole.library import Library
from manole.text.question import Question
from manole.tools.base import TurnState

from .sheets import sheet_of

ACCOUNT = """\
date,counterparty,purpose,category,amount_eur
2024-01-03,Mühle Nord,bread and flour,groceries,-112.40
2024-01-20,Atelier Weber,Salary January,salary,1900.00
2024-02-02,Lindner Ost,Diesel,fuel,-58.10
2024-02-20,Atelier Weber,Salary February,salary,1910.00
2024-03-02,Lindner Ost,Diesel,fuel,-61.90
2024-03-09,Mühle Nord,bread,groceries,-30.00
2024-03-15,Lycée Carmel,Invoice 7,client,250.00
"""
BUDGET = "Category,Planned (EUR),Actual (EUR)\nGroceries,400,{}\nHolidays,900,{}\nClothes,100,50\n"
FILES = {
    "bank/account.csv": ACCOUNT,
    "home/budget-2022.csv": BUDGET.format(410, 800),
    "home/budget-2023.csv": BUDGET.format(420, 950),
    "home/budget-2024.csv": BUDGET.format(430, 1000),
    "work/hours-2024.csv": "date,client,hours,km\n2024-01-23,Okonkwo,5.5,0\n"
    "2024-05-02,Okonkwo,6,12\n2024-05-03,Ehlers,7,30\n",
    "sent/7.txt": "Invoice\n\nInvoice number: 7\nDate: 1 March 2024\n\nTo: Lycée Carmel\n\n"
    "Tuning the grand piano\n\nTotal: 250.00 EUR\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("tables")
    for name, text in FILES.items():
        path = Path(made, name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return made


@pytest.fixture
async def library(folder, session_settings):
    async with await Library.open(folder, session_settings) as opened:
        await opened.sync()
        yield opened


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how much went to mühle nord from january to march 2024 altogether", "You paid 142.40 "),
        ("How much did we actually spend on holidays in 2022, 2023 and 2024 together, according to "
         "the budget tables?", "2,750 EUR"),
        ("Was ging laut den Haushaltstabellen 2022 bis 2024 wirklich für Kleidung drauf, alles "
         "zusammen?", "150 "),
        ("how many hours have i put into the okonkwo garden in 2024", "11.5 "),
    ],
)  # fmt: skip
async def test_the_table_that_has_it_is_asked(library, session_settings, question, answer):
    events = await turn(library, session_settings, FakeMissingModel(), question)
    assert tools(events) == ["query"]
    assert events[-1].answer.startswith(answer)
    assert events[-1].model_calls == 0


async def test_a_name_that_papers_have_is_asked_of_them_and_not_of_the_table(
    library, session_settings
):
    question = "Quanto ho fatturato in tutto al Lyceo Carmel?"
    asked = Question(question, date(2024, 12, 15))
    planner = Planner(TurnState(asked, library, session_settings), FakeMissingModel().get, None)
    assert "FROM papers WHERE recipient = 'Lycée Carmel'" in (await planner.plan()).written


async def test_what_likeness_found_is_of_low_confidence(library, session_settings):
    question = "Wie viel ging 2024 für Kleidung drauf, laut den Haushaltstabellen wirklich?"
    events = await turn(library, session_settings, FakeMissingModel(), question)
    assert events[-1].confidence == "low"


async def test_a_cell_in_another_language_is_found_and_no_other(library):
    account = sheet_of(ACCOUNT, "bank/account.csv")
    question = "Wie viel ging 2024 fürs Tanken drauf?"
    like = Likeness(library.embedder, question, [account])
    (column, cells), _ = like.cell("Tanken", account)
    met = [str(value) in cells for value in column.values]
    assert met == [category == "fuel" for category in account.column("category").values]
    other = Likeness(library.embedder, "Was kosteten die Bücher?", [account])
    assert other.cell("Bücher", account) is None


async def test_a_word_says_which_column_is_measured(library):
    sheet = sheet_of(BUDGET.format(1, 2), "budget.csv")
    like = Likeness(library.embedder, "", [sheet])
    figures = sheet.columns[1:]
    assert like.column(["wirklich"], figures).label == "Actual (EUR)"
    assert like.column(["geplant"], figures).label == "Planned (EUR)"
    assert like.column(["kosten"], figures) is None
    assert like.column(["wirklich", "geplant"], figures) is None
