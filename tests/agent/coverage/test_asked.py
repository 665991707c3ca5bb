"""What a question asks of papers, and that other questions are left alone."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from manole.agent.coverage.asked import understand_asked
from manole.agent.coverage.routes import collect_route

TODAY = date(2025, 1, 15)
QUESTIONS = Path(__file__).parents[3] / "examples" / "household.questions.jsonl"


@pytest.mark.parametrize(
    ("question", "paper", "field", "operations"),
    [
        ("list all invoices and their totals", "invoice", "total", ("list",)),
        ("sum of the electricity bills in 2023", "bill", "total", ("sum",)),
        ("which invoice was the largest in March 2024", "invoice", "total", ("max",)),
        ("How many receipts from Rosegarden do I have, and what do they add up to?", "receipt",
         "total", ("count", "sum")),
        ("which contracts end this year", "contract", "end_date", ("list",)),
        ("which invoices are due in March?", "invoice", "due_date", ("list",)),
        ("average of my invoices in 2024", "invoice", "total", ("average",)),
        ("compare the electricity bills of 2022 and 2023", "bill", "total", ("compare",)),
        ("how much VAT is on my invoices?", "invoice", "tax", ("sum",)),
        ("Summe aller Rechnungen 2023", "bill", "total", ("sum",)),
        ("cheapest receipt", "receipt", "total", ("min",)),
    ],
)  # fmt: skip
def test_questions_about_many_papers(question, paper, field, operations):
    asked = understand_asked(question, TODAY)
    assert (asked.paper, asked.field, asked.operations) == (paper, field, operations)
    assert collect_route(question, TODAY).tool == "collect_fields"


def test_what_somebody_charged_stands_on_an_invoice():
    asked = understand_asked("How much did the plumber charge in June 2022?", TODAY)
    assert (asked.paper, asked.field, asked.several) == ("invoice", "total", False)
    assert asked.words == ("plumber",)


@pytest.mark.parametrize(
    ("question", "several", "words"),
    [
        ("How much did I pay at Hill Bakery Ltd on 18 November 2023?", False, "hill bakery ltd"),
        ("How much did we spend at the Hill Bakery in 2023?", True, "hill bakery"),
        ("How much have I paid to the plumber?", True, "plumber"),
    ],
)
def test_what_was_paid_somewhere_stands_on_a_paper_of_whatever_kind(question, several, words):
    asked = understand_asked(question, TODAY)
    assert (asked.paper, asked.field, asked.several) == ("paper", "total", several)
    assert asked.words == tuple(words.split())


def test_words_period_and_threshold_are_taken_apart():
    asked = understand_asked("which electricity bills of 2023 are over 1,000 EUR?", TODAY)
    assert asked.words == ("electricity",)
    assert asked.period.start == date(2023, 1, 1)
    assert asked.above == Decimal("1000.00")


@pytest.mark.parametrize(
    "question",
    [
        "how many invoices do I have?",
        "List all my invoices",
        "What is our notice period as tenants?",
        "What do all our subscriptions cost a month in total?",
        "Which is my oldest insurance policy, and what does it cost a year?",
        "What is the largest file?",
        "what is the total of the plumber's invoice?",
        "How many kWh of electricity did we use according to the 2023 bill?",
    ],
)
def test_other_questions_are_not_taken_for_one(question):
    assert collect_route(question, TODAY) is None


def test_of_the_example_questions_only_the_highest_invoice_asks_of_many():
    asked = [json.loads(line)["question"] for line in QUESTIONS.read_text("utf-8").splitlines()]
    taken = [q for q in asked if collect_route(q, TODAY)]
    assert taken == ["How many invoices do I have and which one is the highest?"]


def test_thorough_mode_asks_every_paper_for_a_field_that_is_named():
    assert collect_route("list the totals", TODAY) is None
    assert collect_route("list the totals", TODAY, force=True).tool == "collect_fields"
