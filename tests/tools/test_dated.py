"""Searches that heed a period or an occasion, over the household."""

from __future__ import annotations

from datetime import date

import pytest

from manole.index.store.records import Filters
from manole.text.periods import Period, find_period
from manole.tools.search import day_of, find_occasion, search_dated

CAR_SERVICE = "invoices/2024-03-27_invoice_car-service_AK-24-0931.pdf"


def files_of(result):
    return list(dict.fromkeys(item.file for item in result.objects))


@pytest.mark.parametrize(
    ("query", "file"),
    [
        ("Which invoices came in last March?", CAR_SERVICE),
        ("Welche Rechnung kam im September 2023?",
         "invoices/2023-09-04_invoice_piano-lessons_PL-2023-17.docx"),
        ("What did I write in December?", "journal/2024-12-08.md"),
        ("Which invoice did we get in the first quarter of 2022?",
         "invoices/2022-02-14_invoice_bicycle_RB-2022-0117.pdf"),
    ],
)  # fmt: skip
async def test_documents_of_the_period_come_early(run, query, file):
    assert file in files_of(await run("semantic_search", query=query))[:3]


async def test_a_year_in_the_question_excludes_nothing(run):
    # The contract of 2022 is the only document that tells it.
    result = await run("semantic_search", query="What is our notice period in 2024?")
    assert "home/rental-contract.pdf" in files_of(result)
    assert "dated 2024" in result.message


async def test_a_period_without_documents_is_said_and_all_are_searched(run):
    result = await run("semantic_search", query="Who paid the deposit in 1987?")
    assert "none is dated 1987" in result.message
    assert "holidays/holiday-house-booking.eml" in files_of(result)


async def test_dates_that_were_asked_for_hold_while_they_find_something(run):
    day = date(2024, 9, 1)
    result = await run("semantic_search", query="flour", date_from=day, date_to=day)
    assert {item.date for item in result.objects} == {date(2024, 9, 1)}
    nowhere = date(1987, 1, 1)
    result = await run("semantic_search", query="flour", date_from=nowhere, date_to=nowhere)
    assert "none is dated 1 January 1987" in result.message
    assert "recipes/pancakes.md" in files_of(result)


async def test_scores_stay_between_zero_and_one_and_fall(state):
    hits, said = await search_dated(
        state, "invoices", 12, Filters(), find_period("in 2024", state.question.today)
    )
    scores = [hit.score for hit in hits]
    assert len(scores) == 12
    assert scores == sorted(scores, reverse=True)
    assert 0 <= scores[-1] <= scores[0] <= 1
    assert "dated 2024" in said


async def test_recently_is_too_vague(state):
    vague = find_period("recently", state.question.today)
    hits, said = await search_dated(state, "invoices", 5, Filters(), vague)
    assert (hits, said) == await search_dated(state, "invoices", 5, Filters(), None)
    assert said == ""


async def test_an_occasion_counts_where_a_document_dates_it(run, state):
    occasion = find_occasion("What did we pay after the water damage?")
    assert await day_of(occasion, state) == (
        date(2022, 6, 28), "insurance/water-damage-claim-2022.eml",
    )  # fmt: skip
    result = await run("semantic_search", query="What did we pay after the water damage?")
    assert "28 June 2022" in result.message


@pytest.mark.parametrize("occasion", ["the wedding", "the move"])
async def test_an_occasion_that_nothing_dates_is_left_alone(run, occasion):
    # The vet saw the dog "after the move": that dates the visit.
    result = await run("semantic_search", query=f"What was repaired since {occasion}?")
    assert f"no document dates “{occasion}”" in result.message
    assert result.objects


@pytest.mark.parametrize(
    ("text", "occasion"),
    [
        ("What was repaired since the move?", "the move"),
        ("after our wedding, what changed?", "our wedding"),
        ("Was wurde seit dem Umzug repariert?", "dem Umzug"),
        ("What came after the summer?", None),  # a period
        ("What came since 2020?", None),
        ("What is the notice period?", None),
        ("", None),
    ],
)
def test_what_counts_as_an_occasion(text, occasion):
    found = find_occasion(text)
    assert (found.text if found else None) == occasion


@pytest.mark.parametrize(
    ("relation", "period"),
    [
        ("since", (date(2022, 3, 1), None)),
        ("after", (date(2022, 3, 2), None)),
        ("before", (None, date(2022, 2, 28))),
        ("until", (None, date(2022, 3, 1))),
    ],
)
def test_an_occasion_opens_or_ends_a_period(relation, period):
    occasion = find_occasion(f"what {relation} the move?")
    made = occasion.period(date(2022, 3, 1))
    assert made == Period(f"{relation} the move", *period)
