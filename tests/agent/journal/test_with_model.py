"""Turns over the household's journal with the real model."""

from __future__ import annotations

from datetime import date

import pytest

from agent.turns import Loaded, chosen, of, told
from manole.agent.events import Decision, ErrorEvent
from manole.agent.journal.times import of_oneself
from manole.agent.loop import make

TODAY = date(2024, 12, 15)
STRESSED = "What have I been stressed about lately vs last year?"


async def asked(household, settings, model, question):
    way = make(settings, household, Loaded(model), today=lambda: TODAY)
    return [event async for event in way.ask(question)]


@pytest.mark.model
@pytest.mark.parametrize("led_by", ["code", "model"])
async def test_stressed_lately_and_last_year_is_answered_from_entries_of_those_times(
    household, session_settings, chat_model, led_by
):
    settings = chosen(session_settings, "journal", led_by=led_by)
    events = await asked(household, settings, chat_model, STRESSED)
    decisions = of(events, Decision)
    searches = [d for d in decisions if d.tool != "DONE"]
    assert len(searches) >= 2
    assert not of(events, ErrorEvent)
    assert "could not be read" not in told(events)
    if led_by == "model":
        assert searches[0].by == "model"
        assert all(d.reasoning for d in decisions)
    end = events[-1]
    lately, last_year = end.answer.split("\nLast year: ")
    assert lately.startswith("Lately: ")
    cited = {source.n: source.file for source in end.sources if source.cited}
    assert {file for n, file in cited.items() if f"[{n}]" in lately} == {"journal/2024-12-08.md"}
    assert {file[:12] for n, file in cited.items() if f"[{n}]" in last_year} == {"journal/2023"}
    for part in (lately, last_year):  # in the second person, or an extract
        assert "“" in part or not of_oneself(part)


@pytest.mark.model
async def test_the_model_chooses_a_search_by_its_subject(household, session_settings, chat_model):
    settings = chosen(session_settings, "journal", led_by="model")
    events = await asked(household, settings, chat_model, "What did Mr Okafor lend us?")
    assert of(events, Decision)[0].by == "model"
    assert "drill" in events[-1].answer
    assert any(s.file == "journal/2022-03-02.md" and s.cited for s in events[-1].sources)
