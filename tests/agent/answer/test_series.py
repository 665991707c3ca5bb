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
