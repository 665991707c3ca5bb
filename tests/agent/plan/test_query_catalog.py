"""Whether what a plan gives is the answer, over the files of the household."""

from __future__ import annotations

from datetime import date

import pytest

from manole.agent.plan.query_catalog import QueryCatalog
from manole.agent.turn import TurnUsage
from manole.text.question import Question
from manole.tools.base import Result, TurnState


@pytest.fixture
def run(household, session_settings):
    async def model():
        raise AssertionError("no model has a part in it")

    async def asked(question, sql, confidence="medium"):
        query = QueryCatalog(model, TurnUsage())
        state = TurnState(Question(question, date(2025, 1, 15)), household, session_settings)
        inputs = query.inputs(sql=sql, confidence=confidence)
        return [outcome async for outcome in query(state, inputs)][-1]

    return asked


@pytest.mark.parametrize(
    ("question", "sql", "file"),
    [
        (
            "How many lentils do I need for the lentil soup?",
            "SELECT count(*) FROM files WHERE mentions('lentil soup')",
            "recipes/lentil-soup.md",
        ),
        (
            "What does the class trip to the Feldberg cost?",
            "SELECT sum(total) AS total FROM papers WHERE type = 'invoice'",
            "school/class-trip-letter-2024.html",
        ),
    ],
)
async def test_what_leaves_out_words_that_a_passage_has_gives_way_to_it(run, question, sql, file):
    outcome = await run(question, sql)
    assert outcome.message == f"{file} says more of what is asked. Reading instead."


@pytest.mark.parametrize(
    ("question", "left_out"),
    [
        ("What do the invoices of the painter add up to?", None),
        ("What did the painter charge for the ceiling?", "ceiling"),
    ],
)
async def test_a_query_that_nobody_bears_out_accounts_for_every_word(run, question, left_out):
    sql = "SELECT sum(total) AS total FROM papers WHERE path LIKE '%painter%'"
    unsure, sure = [await run(question, sql, how) for how in ("low", "medium")]
    assert isinstance(sure, Result)
    assert isinstance(unsure, Result) == (left_out is None)
    if left_out is not None:
        assert unsure.message == f"nothing stands for {left_out}. Reading instead."


async def test_one_day_is_not_the_beginning_and_the_end_of_a_time(run):
    sql = "SELECT max(date) - min(date) FROM entries WHERE mentions('dishwasher warranty')"
    outcome = await run("How long is the warranty of the dishwasher?", sql)
    assert outcome.message == "there is no time between one day and itself. Reading instead."


@pytest.mark.parametrize(
    ("question", "sql", "answer"),
    [
        (
            "How many papers are there?",
            "SELECT count(*) FROM papers",
            "19 papers",
        ),
        (
            "How many days lie between the first and the last invoice of 2024?",
            "SELECT max(date) - min(date) FROM papers WHERE type = 'invoice' "
            "AND during(date, '2024')",
            "311 days: invoices/2024-01-22_invoice_dishwasher_EH-77120.pdf [1], "
            "invoices/2024-11-28_invoice_boiler-service_TH-2024-311.pdf [2]",
        ),
        (
            "How many files speak of lentil soup?",
            "SELECT count(*) FROM files WHERE mentions('lentil soup')",
            "1 file fits: recipes/lentil-soup.md [1]",
        ),
        (
            "How much disk space does this folder use?",
            "SELECT sum(size) AS size FROM files",
            "59 files",
        ),
        (
            "What do the invoices of 2023 come to?",
            "SELECT sum(total) FROM papers WHERE type = 'invoice' AND during(date, '2023')",
            "EUR in all, from 4 invoices.",
        ),
        (
            "How much did the plumber charge in June 2022?",
            "SELECT path, total FROM papers WHERE issuer LIKE '%plumber%' AND "
            "during(date, 'June 2022')",
            "551.57 EUR",
        ),
    ],
)
async def test_what_accounts_for_the_question_is_the_answer(run, question, sql, answer):
    outcome = await run(question, sql)
    assert isinstance(outcome, Result)
    assert answer in outcome.message


METER = "electricity/meter-readings.csv"


@pytest.mark.parametrize(
    ("question", "sql", "answer", "lines"),
    [
        (
            "Wie viele Zählerstände hat Mara abgelesen?",
            "SELECT count(*) FROM meter_readings WHERE read_by = 'mara'",
            "2 Zeilen passen (read by = “mara”).",
            [5, 6],
        ),
        (
            "How long is it between the first and last meter readings?",
            "SELECT max(date) - min(date) FROM meter_readings",
            f"1,005 days (from date): {METER} [1][2]",
            [2, 10],
        ),
        (
            "What was planned for electricity in the budgets of 2023 and 2024?",
            "SELECT a.planned_eur, b.planned_eur FROM budget_2023 AS a JOIN budget_2024 AS b "
            "ON a.category = b.category WHERE a.category = 'electricity'",
            "1300, planned eur 1400 [1]",
            [5],
        ),
    ],
)
async def test_the_tables_of_files_are_relations_like_the_others(run, question, sql, answer, lines):
    outcome = await run(question, sql)
    assert outcome.message == answer
    assert [row.line for row in outcome.objects] == lines
    assert outcome.confidence == "medium"


BOILER = "invoices/2024-11-28_invoice_boiler-service_TH-2024-311.pdf"


@pytest.mark.parametrize(
    ("file", "told"),
    [
        (BOILER, ["TH-2024-311", "Thermaro Service", "28 November 2024", "290.96 EUR", "Yearly"]),
        ("home/rental-contract.pdf", ["Contract", "Gerda Hollerbach", "4 February 2022"]),
    ],
)
async def test_a_paper_that_is_only_named_is_told_with_its_figures(run, file, told):
    outcome = await run(f"what about {file}?", f"SELECT path FROM files WHERE path = '{file}'")
    assert isinstance(outcome, Result)
    assert [part for part in told if part not in outcome.message] == []
    assert [row.file for row in outcome.objects] == [file]


@pytest.mark.parametrize(("column", "more"), [("total", True), ("due", False)])
async def test_what_a_paper_that_is_named_is_for_stands_below_its_total(run, column, more):
    query = f"SELECT path, {column}, type FROM papers WHERE path = '{BOILER}'"
    outcome = await run(f"what was {BOILER} for?", query)
    assert isinstance(outcome, Result)
    assert ("Yearly" in outcome.message) == more


@pytest.mark.parametrize(
    ("question", "file"),
    [
        ("where is 2024-11-28_invoice_boiler-service_TH-2024-311.pdf?", BOILER),
        ("open recipes/lentil-soup.md", "recipes/lentil-soup.md"),  # it is no paper
        ("open finance/budget-2023.xlsx", "finance/budget-2023.xlsx"),  # nor is it that of 2022
    ],
)
async def test_a_file_that_is_looked_for_is_named(run, question, file):
    outcome = await run(question, f"SELECT path FROM files WHERE path = '{file}'")
    assert outcome.message == f"{file} [1]"
