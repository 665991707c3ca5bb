"""Questions that a family computes from its own files, with the real parser and no model."""

from __future__ import annotations

import pytest

from agent.fake_models import FakeMissingModel
from agent.turns import tools, turn
from manole.library import Library

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("what do our subscriptions cost a year", "**1,558.80** (129.90 × 12)"),
        ("combien coûtent nos abonnements par an", "558,80** (129,90 × 12)"),
        ("what do our subscriptions cost per month", "129.90 in all"),
        ("bike, plumber and dentist in 2022, what did that come to?", "1,898.88 EUR"),
        ("il y a combien de photos dans le dossier des vacances", "3 images"),
        ("what do both our salaries make together in one month", "September 2024  5,281.95 EUR"),
        ("what did we spend in july 2024", "You paid 3,359.95 EUR"),
        ("how much did we earn in july 2024", "5,281.95 EUR"),
        ("how many things on the todo list are done", "1 task fits"),
        ("how many things on the todo list are not done", "9 tasks fit"),
        ("what did we spend in 2023", "4,248.06 EUR in all, from 5 papers"),
        (
            "how much did we leave at the markthalle in july august and september 24",
            "You paid 445.31 EUR",
        ),
    ],
)
async def test_it_is_computed_from_all_that_is_named(household, session_settings, question, told):
    *events, end = await turn(household, session_settings, FakeMissingModel(), question)
    assert tools(events) == ["query"]
    assert told in end.answer


async def test_a_tax_that_came_back_is_not_the_tax_on_all_bills(household, session_settings):
    question = "how much tax did we get back for 2023"
    end = (await turn(household, session_settings, FakeMissingModel(), question))[-1]
    assert "1,127.43" in end.answer
    assert "623.25" not in end.answer


async def test_what_was_spent_in_a_time_of_no_paper_is_nothing_of_the_diary(
    household, session_settings
):
    question = "what did we spend in march and april 2023"
    *events, _ = await turn(household, session_settings, FakeMissingModel(), question)
    assert "date_range_search" not in tools(events)


async def test_a_remark_with_a_year_is_no_period(household, session_settings):
    question = "which month of 2024 was the most expensive"
    end = (await turn(household, session_settings, FakeMissingModel(), question))[-1]
    assert "finance/subscriptions.json" not in {source.file for source in end.sources}
    assert "1,388.91" in end.answer


async def test_boxes_of_a_list_are_counted_in_the_file_that_its_title_calls_so(
    session_settings, tmp_path
):
    folder = tmp_path / "van"
    folder.mkdir()
    boxes = "- [x] gas\n- [ ] knife\n- [ ] matches\n- [x] lamp\n- [ ] fuse\n"
    (folder / "packing.md").write_text(f"# Berta – packing list and jobs\n\n{boxes}", "utf-8")
    (folder / "house.md").write_text("# House\n\n- [ ] paint\n- [ ] sweep\n", "utf-8")
    settings = session_settings.model_copy(update={"data_dir": tmp_path / "data"})
    question = "how many boxes on bertas packing list are not ticked yet"
    async with await Library.open(folder, settings) as library:
        await library.sync()
        *events, end = await turn(library, settings, FakeMissingModel(), question)
    assert tools(events) == ["query"]
    assert end.answer.startswith("3 tasks")
