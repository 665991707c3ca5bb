"""What several files say alike is added up where a sum is asked, and asked back where none is."""

import pytest

from agent.fake_models import FakeModel
from agent.turns import Loaded, turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def asked(household, session_settings):
    async def run(question):
        return (await turn(household, session_settings, Loaded(FakeModel("FIND")), question))[-1]

    return run


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("how many kWh have we used since we moved in", "**7,941 kWh** (2,214 + 2,986 + 2,741)"),
        ("quanto abbiamo speso di gas in tre anni", "**3.558** (1.120 + 1.248 + 1.190)"),
    ],
)
async def test_the_figures_of_several_files_are_added_up_each_with_its_source(
    asked, question, told
):
    end = await asked(question)
    assert end.answer.startswith(told)
    assert (end.outcome, end.confidence) == ("answered", "low")
    assert len({s.file for s in end.sources if s.cited}) == 3


async def test_what_has_two_figures_that_may_be_meant_is_asked_back(asked):
    end = await asked("hoeveel kwh verbruikt sinds de verhuizing")  # readings of the meter, and use
    assert end.outcome == "choices"
    assert "159" not in end.answer  # no sum of readings


async def test_one_of_several_is_asked_back_where_nothing_is_computed(asked):
    end = await asked("the meter reading at the end of the bill")
    assert "150,000" not in end.answer
    assert " + " not in end.answer


async def test_a_sum_of_papers_that_only_mention_a_thing_is_not_told(asked):
    end = await asked("what did we pay for water in all")
    assert "3,654.03" not in end.answer
    assert (await asked("how many invoices mention Pippa")).answer.startswith("1 invoice")


async def test_two_years_are_the_sides_of_a_difference(asked):
    end = await asked("how much more did we pay for electricity in 2023 than in 2024")
    assert "216.92 EUR" in end.answer


async def test_two_files_are_compared_by_the_lines_that_begin_alike(asked):
    end = await asked("compare the household insurance with the liability insurance")
    assert "| Deductible · 150 euros for each claim" in end.answer
    assert "| Sum insured · 65,000 euros" in end.answer
    one = await asked("compare the premium of the household and the liability insurance")
    assert "Sum insured" not in one.answer


async def test_the_one_bill_that_is_called_so_tells_what_it_cost(asked):
    end = await asked("how much did the dentist cost")
    assert end.answer.startswith("836.20 EUR")
    assert end.model_calls == 0


async def test_readings_of_a_counter_are_not_added_up_and_no_rows_are_counted_for_a_unit(asked):
    assert (await asked("how many kWh did we use in total")).answer.startswith("**7,941 kWh**")
    told = await asked("sum of all meter readings in kWh")
    assert "470,463" not in told.answer


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("when was Pippa last at the vet", "14 March 2024."),
        ("when was Pippa first weighed by the vet", "14 March 2022."),
    ],
)
async def test_of_the_lines_of_a_record_the_last_or_first_is_told(asked, question, day):
    assert (await asked(question)).answer.startswith(day)


async def test_nothing_is_added_up_where_it_is_not_sure_that_a_sum_is_asked(asked):
    end = await asked("what does the electricity bill say of the meter reading")
    assert " + " not in end.answer


async def test_a_file_of_another_year_is_no_part_of_what_one_year_came_to(asked):
    end = await asked("how many kWh did we use in 2023")
    assert "2,986 kWh" in end.answer
    assert "2,741" not in end.answer


async def test_a_unit_that_is_no_money_is_not_what_papers_come_to(asked):
    assert "EUR" not in (await asked("kWh of electricity for each year please")).answer
