"""A question that leads to a sheet is answered by a query, with the rows as sources."""

from __future__ import annotations

import re

import pytest

from agent.fake_models import FakeModel
from agent.turns import Loaded, chosen, of, told, tools, turn
from manole.agent.events import ResultEvent

METER = "electricity/meter-readings.csv"
BANK = "finance/bank-transactions-2024-q3.csv"


@pytest.fixture
def ask(household, session_settings):
    async def run(question, *replies, scope=None):
        settings = chosen(session_settings, "agent")
        return await turn(household, settings, FakeModel(*replies), question, scope=scope)

    return run


@pytest.mark.usefixtures("a_model_plans")
async def test_a_lookup_in_a_sheet(ask):
    events = await ask(
        "What was the meter reading on 30 June 2024?",
        "SELECT reading_kwh FROM t WHERE date = '2024-06-30'",
    )
    end = events[-1]
    assert tools(events)[-1] == "query_table"
    assert re.fullmatch(r"reading kwh: 55017 \[\d\]", end.answer)
    (source,) = end.sources
    assert (source.file, source.line, source.cited) == (METER, 9, True)
    assert "55017" in source.quote
    assert end.model_calls == 2  # the plan, the query


@pytest.mark.usefixtures("a_model_plans")
async def test_what_is_calculated_is_calculated_by_code(ask):
    events = await ask(
        "How much did we spend on groceries in the bank transactions?",
        "SELECT SUM(amount_eur) FROM t WHERE purpose = 'Groceries'",
        scope=BANK,
    )
    (result,) = [e for e in of(events, ResultEvent) if e.tool == "query_table"]
    assert result.payload_type == "rows"
    assert len(result.objects) == 3
    assert events[-1].answer.startswith("-")
    assert "(amount eur, purpose = “Groceries”)" in events[-1].answer
    assert all(s.file == BANK for s in events[-1].sources)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("I do not know.", "cannot be read"),
        ("SELECT remark FROM t WHERE read_by LIKE '%Ferdinand%'", "says “Ferdinand”"),
        ("SELECT colour FROM t", "no column colour"),
        ("SELECT reading_kwh > 50000 FROM t", "SELECT reading_kwh"),  # many, where one is asked for
        ("SELECT COUNT(*) FROM t WHERE reading_kwh > 99999", "SELECT COUNT"),  # none
    ],
)
async def test_a_query_that_cannot_be_trusted_leaves_the_extracts(ask, reply, why):
    events = await ask("What does the meter reading of 30 June 2024 say?", reply, "55017 kWh.")
    assert why in told(events)
    assert not [e for e in of(events, ResultEvent) if e.tool == "query_table"]
    assert "55017" in events[-1].answer
    assert events[-1].sources


async def test_a_sheet_is_known_by_its_name(ask):
    question = "What was the largest expense in the bank transactions of 2024 q3?"
    events = await ask(question, "SELECT purpose FROM t ORDER BY amount_eur LIMIT 1")
    assert tools(events)[-1] == "query_table"
    assert events[-1].sources[0].file == BANK


PLANNED = "SELECT max(reading_kwh) FROM meter_readings"


@pytest.mark.usefixtures("a_model_plans")
async def test_the_query_of_a_plan_is_run_as_it_is(household, session_settings):
    model = FakeModel("never asked", plan=PLANNED)
    question = "What is the highest reading of the meter readings?"
    events = await turn(household, session_settings, model, question)
    assert tools(events) == ["query"]
    assert "(highest reading kwh)" in events[-1].answer
    assert {source.file for source in events[-1].sources} == {METER}
    assert not model.prompts


@pytest.mark.usefixtures("a_model_plans")
async def test_a_plan_that_does_not_fit_the_table_is_written_anew(household, session_settings):
    model = FakeModel("SELECT MAX(reading_kwh) FROM t", plan=PLANNED.replace("reading_kwh", "gas"))
    question = "What is the highest of all meter readings?"
    events = await turn(household, session_settings, model, question)
    assert tools(events) == ["query_table"]
    assert "(highest reading kwh)" in events[-1].answer
    assert len(model.prompts) == 1


@pytest.mark.usefixtures("a_model_plans")
async def test_a_row_that_leaves_out_what_a_passage_says_gives_way_to_it(
    household, session_settings
):
    written = "SELECT planned_eur FROM budget_2023 WHERE category = 'Electricity'"
    model = FakeModel("We used 2,986 kWh.", plan=written)
    question = "How many kWh of electricity did we use according to the 2023 bill?"
    events = await turn(household, session_settings, model, question)
    assert "electricity/electricity-bill-2023.pdf says more of what is asked" in told(events)
    assert "2,986" in events[-1].answer


async def test_other_files_are_not_queried(ask):
    events = await ask("Who is the landlord?", "The landlord is Gerda Hollerbach.")
    assert "query_table" not in tools(events)


@pytest.mark.usefixtures("a_model_plans")
async def test_a_broken_engine_is_no_end(household, session_settings, ask):
    events = await turn(
        household,
        session_settings,
        Loaded(_Breaking("x")),
        "What was the meter reading on 30 June 2024?",
    )
    assert any(e.type == "error" for e in events)
    assert events[-1].sources


class _Breaking(FakeModel):
    async def complete(self, messages, **options):
        from manole.errors import ModelError

        raise ModelError("The engine broke off.", "Ask again.")


async def test_the_real_model_writes_a_query(household, session_settings, chat_model):
    events = await turn(
        household,
        session_settings,
        Loaded(chat_model),
        "How many meter readings were read by Mara?",
        scope=METER,
    )
    end = events[-1]
    assert end.answer.startswith("2 rows fit (read by ")
    assert [s.line for s in end.sources] == [5, 6]
