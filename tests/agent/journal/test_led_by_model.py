"""A turn over a journal whose searches the model chooses (with a fake one)."""

import json

import pytest

from agent.fake_models import FakeModel
from agent.journal.diary import STRESSED, asked
from agent.turns import chosen, of, told
from manole.agent.events import Decision, ErrorEvent
from manole.errors import ModelError


class FakeFailingSelector(FakeModel):
    """Fails to choose, and writes."""

    async def complete(self, messages, **options):
        if options.get("slot") == "journal-select":
            raise ModelError("The engine broke off.", "Ask again.")
        return await super().complete(messages, **options)


def call(tool, **fields):
    return json.dumps({"reasoning": f"because of {tool}", "tool": tool, **fields})


async def led(journal, settings, model, question=STRESSED, **more):
    kept = chosen(settings, "journal", led_by="model", **more)
    return await asked(journal, kept, model, question, None)


def steps(events):
    return [(d.tool, d.by) for d in of(events, Decision)]


async def test_it_chooses_each_search_until_it_is_done(journal, session_settings):
    model = FakeModel(
        call("DATE_RANGE_SEARCH", query="stress", start_date="2024-11-16", end_date="2025-01-15"),
        call("DATE_RANGE_SEARCH", query="stress", start_date="2023-01-01", end_date="2023-12-31"),
        call("DONE"),
        "Boxes everywhere.", "The exam in statistics.",
    )  # fmt: skip
    events = await led(journal, session_settings, model)
    assert steps(events) == [
        ("date_range_search", "model"), ("date_range_search", "model"), ("DONE", "model"),
    ]  # fmt: skip
    assert [d.reasoning for d in of(events, Decision)][-1] == "because of DONE"
    first, second, third = model.prompts[:3]
    assert "none yet" in first.rsplit("Question:", 1)[1]
    assert "2024-12-20" in second.rsplit("Question:", 1)[1]  # what was found, for the next choice
    assert "Search 3 of at most 5" in third
    assert "exam in statistics" in events[-1].answer
    assert events[-1].model_calls == 5


async def test_entries_found_again_are_not_kept_again(journal, session_settings):
    model = FakeModel(
        call("RECENT_ENTRIES", limit=3), call("RECENT_ENTRIES", limit=5), call("DONE"), "A knife.",
    )  # fmt: skip
    events = await led(journal, session_settings, model, "What did I write?")
    found = [e for e in events if e.type == "result"]
    assert [len(e.objects) for e in found] == [3, 5]
    assert model.prompts[-1].count("Bought a bread knife") == 1


async def test_it_makes_no_more_searches_than_allowed(journal, session_settings):
    model = FakeModel(*[call("RECENT_ENTRIES", limit=n) for n in (1, 2, 3, 4)])
    events = await led(journal, session_settings, model, "What did I write?", max_iterations=2)
    assert steps(events) == [("recent_entries", "model")] * 2 + [("DONE", "router")]


async def test_the_same_search_again_ends_it(journal, session_settings):
    model = FakeModel(*[call("RECENT_ENTRIES", limit=2)] * 2, "A knife.")
    events = await led(journal, session_settings, model, "What did I write?")
    assert steps(events) == [("recent_entries", "model"), ("DONE", "router")]


async def test_a_time_that_it_forgot_is_searched_for(journal, session_settings):
    model = FakeModel(call("RECENT_ENTRIES", limit=1), call("DONE"), "Boxes.", "The exam.")
    events = await led(journal, session_settings, model)
    assert steps(events) == [
        ("recent_entries", "model"), ("date_range_search", "fallback"), ("DONE", "model"),
    ]  # fmt: skip
    assert "2023: The exam. [" in events[-1].answer


@pytest.mark.parametrize(
    "choice",
    [
        "I would look for my boss.",
        "x" * 20_000,
        "",
        call("DROP_TABLE"),
        call("DONE"),  # before anything was found
        call("DATE_RANGE_SEARCH", query="boss"),
        call("DATE_RANGE_SEARCH", start_date="9999-01-01", end_date="9999-12-31"),
    ],
)
async def test_a_choice_that_cannot_be_made_is_a_simple_search_that_is_made(
    journal, session_settings, choice
):
    model = FakeModel(choice, "You cannot think of anything else.")
    events = await led(journal, session_settings, model, "What about my boss?")
    assert steps(events) == [("vector_search", "fallback"), ("DONE", "router")]
    assert told(events).count("imple search") + told(events).count("cannot be made") == 1
    assert events[-1].sources


async def test_a_selector_that_fails_is_a_simple_search_that_is_made(journal, session_settings):
    model = FakeFailingSelector("You cannot think of anything else.")
    events = await led(journal, session_settings, model, "What about my boss?")
    assert steps(events) == [("vector_search", "fallback"), ("DONE", "router")]
    assert "The engine broke off." in told(events)
    assert not of(events, ErrorEvent)
    assert events[-1].found


@pytest.mark.parametrize(
    ("choice", "inputs"),
    [
        (call("DATE_RANGE_SEARCH", start_date="2024-02-01", end_date="2024-02-31"),
         {"start_date": "2024-02-01", "end_date": "2024-02-29"}),
        (call("DATE_RANGE_SEARCH", start_date="2024-12-31", end_date="2024-01-01"),
         {"start_date": "2024-01-01", "end_date": "2024-12-31"}),
        (call("DATE_RANGE_SEARCH", start_date="2024-01-01", end_date="9999-12-31"),
         {"start_date": "2024-01-01", "end_date": "2025-01-15"}),
        (call("VECTOR_SEARCH", query=" "), {"query": "What about my boss?"}),
        (call("RECENT_ENTRIES", limit=0), {}),
        (call("RECENT_ENTRIES", limit=10**9), {}),
    ],
)  # fmt: skip
async def test_an_impossible_value_is_mended_and_said(journal, session_settings, choice, inputs):
    model = FakeModel(choice, call("DONE"), "The deadline.")
    events = await led(journal, session_settings, model, "What about my boss?")
    first = of(events, Decision)[0]
    assert (first.by, first.inputs) == ("model", inputs)
    assert told(events).count("The choice was mended: ") == 1
