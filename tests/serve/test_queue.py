"""The queue before the model: shares, rotation, turns of a conversation in order, refusals."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.fake_models import FakeModel
from manole.errors import BusyError, SettingsError
from manole.models.weights.cache import Weights
from manole.serve import queue as queue_module
from manole.serve.preferences import change_preferences
from manole.serve.queue import TurnQueue, turns_at_once
from manole.settings import ModelSettings, ServeSettings, Settings

A, B = "http://127.0.0.1:8001/v1", "http://127.0.0.1:8002/v1"


def settings(name="auto", *, turns=0, **model) -> Settings:
    return Settings(model=ModelSettings(name=name, **model), serve=ServeSettings(turns=turns))


# -- how many at once --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chosen", "turns"),
    [
        (settings(), 1),
        (settings("qwen2.5-coder-1.5b-instruct"), 1),
        (settings("openai:m"), 4),
        (settings("openai:m", base_url=A), 4),
        (settings("openai:m", base_url=f"{A}, {B}, {A}/"), 8),
        (settings("ollama:m"), 1),
        (settings("ollama:m", base_url=f"{A}, {B}"), 2),
        (settings("openai:m", base_url=A, turns=1), 1),
        (settings("openai:m", base_url=A, turns=16), 16),
        (settings(turns=1, context=1024), 1),
        (settings(turns=2), 2),
        (settings(turns=6, context=32768), 6),
    ],
)
def test_as_many_turns_as_the_model_is_good_for(chosen, turns):
    assert turns_at_once(chosen) == turns


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        (settings(turns=3), "model.context to 12288"),
        (settings(turns=2, context=4096), "model.context = 4096"),
        (settings("openai:m", base_url="ftp://a"), "model.base_url = ftp://a"),
    ],
)
def test_more_than_it_can_are_refused(chosen, told):
    with pytest.raises(SettingsError) as caught:
        turns_at_once(chosen)
    assert told in str(caught.value)


@pytest.mark.parametrize("turns", [-1, 257])
def test_numbers_without_sense_are_refused(turns):
    with pytest.raises(SettingsError, match=r"serve\.turns"):
        Settings.load({"serve.turns": turns})


def test_a_model_that_cannot_answer_so_many_is_not_chosen_for_the_next_start(tmp_path):
    chosen = settings("openai:m", turns=9)
    with pytest.raises(SettingsError, match=r"serve\.turns = 9"):
        change_preferences({"model.name": "auto"}, chosen, {}, Weights(tmp_path))


# -- who is next -------------------------------------------------------------------------------


async def turn(queue, client, told, go, conversation=None):
    """A turn that needs the model, and holds it until `go`."""
    async with queue.turn(client, conversation) as source:
        await source.get()
        told.append(client)
        await go.wait()


async def settle():
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize("shares", [1, 2, 3])
async def test_clients_take_turns_over_all_shares(shares):
    queue = TurnQueue(FakeModel("x"), 16, shares)
    told: list[str] = []
    go = [asyncio.Event() for _ in range(8)]
    clients = ["many"] * 6 + ["one", "two"]
    tasks = [
        asyncio.create_task(turn(queue, client, told, event))
        for client, event in zip(clients, go, strict=True)
    ]
    await settle()
    assert told == ["many"] * shares
    assert (queue.turns, queue.waiting) == (8, 8 - shares)
    for event in go[:shares]:  # those that run end, one after the other
        event.set()
        await settle()
    assert told[shares:] == ["many", "one", "two"][:shares]
    for event in go:
        event.set()
    await asyncio.gather(*tasks)
    assert Counter(told) == Counter(clients)
    assert (queue.turns, queue.waiting) == (0, 0)


async def test_a_full_queue_refuses_and_counts_the_shares_into_the_wait():
    waits = {}
    for shares in (1, 4):
        queue = TurnQueue(FakeModel("x"), 8, shares)
        go = asyncio.Event()
        tasks = [asyncio.create_task(turn(queue, "a", [], go)) for _ in range(8)]
        await settle()
        with pytest.raises(BusyError, match="8 questions") as caught:
            async with queue.turn("b"):
                raise AssertionError
        waits[shares] = caught.value.retry_after
        go.set()
        await asyncio.gather(*tasks)
        async with queue.turn("b"):
            assert queue.turns == 1
    assert 1 <= waits[4] < waits[1]


class FakeLoading:
    """A source whose model is there once it is `there`."""

    def __init__(self) -> None:
        self.there = asyncio.Event()

    async def get(self) -> FakeModel:
        await self.there.wait()
        return FakeModel("x")


async def test_who_waits_for_the_model_to_load_is_told_and_when_it_is_loaded(monkeypatch):
    monkeypatch.setattr(queue_module, "_NOTICED", 0)
    loading, told, heard = FakeLoading(), [], asyncio.Event()

    def on_wait(why):
        told.append(why)
        heard.set()

    queue = TurnQueue(loading, 8)
    async with queue.turn("a", on_wait=on_wait) as source:
        getting = asyncio.create_task(source.get())
        await heard.wait()
        assert told == [queue_module.LOADING]
        loading.there.set()
        await getting
        assert told == [queue_module.LOADING, queue_module.LOADED]


async def test_nothing_is_told_of_a_model_that_is_there_at_once():
    told: list[str] = []
    async with TurnQueue(FakeModel("x"), 8).turn("a", on_wait=told.append) as source:
        await source.get()
        await source.get()
    assert told == []


async def test_a_turn_that_needs_no_model_waits_for_none():
    queue, go = TurnQueue(FakeModel("x"), 8), asyncio.Event()
    held = asyncio.create_task(turn(queue, "a", [], go))
    await settle()
    async with queue.turn("b"):
        assert (queue.turns, queue.waiting) == (2, 0)
    go.set()
    await held


async def test_a_conversation_is_no_reason_for_others_to_wait():
    queue, told = TurnQueue(FakeModel("x"), 8, 2), []
    go = [asyncio.Event() for _ in range(3)]
    tasks = [
        asyncio.create_task(turn(queue, name, told, event, talk))
        for name, event, talk in zip("abc", go, ["one", "one", "two"], strict=True)
    ]
    await settle()
    assert told == ["a", "c"]
    assert (queue.turns, queue.waiting) == (3, 1)
    tasks[1].cancel()  # while it waits for the one before it
    await settle()
    assert (queue.turns, queue.waiting) == (2, 0)
    tasks[1] = asyncio.create_task(turn(queue, "b", told, go[1], "one"))
    for event in go:
        event.set()
    await asyncio.gather(*tasks)
    assert told == ["a", "c", "b"]
    assert not queue._conversations  # nothing is kept of conversations that rest


@given(
    shares=st.integers(1, 4),
    asked=st.lists(
        st.tuples(
            st.sampled_from("abc"),  # client
            st.sampled_from([None, 1, 2]),  # conversation
            st.booleans(),  # whether it needs the model
            st.integers(0, 6),  # how long it runs
            st.integers(-1, 12),  # when it is cancelled, if at all
        ),
        max_size=16,
    ),
)
def test_whatever_comes_shares_and_conversations_are_kept(shares, asked):
    async def simulate():
        queue = TurnQueue(FakeModel("x"), 16, shares)
        holding, talking = Counter(), Counter()

        async def one(client, talk, needs, long):
            async with queue.turn(client, talk) as source:
                holds = 0
                talking[talk] += 1
                assert talk is None or talking[talk] == 1
                try:
                    if needs:
                        await source.get()
                        holds = 1
                    holding["all"] += holds
                    assert holding["all"] <= shares
                    for _ in range(long):
                        await asyncio.sleep(0)
                finally:
                    talking[talk] -= 1
                    holding["all"] -= holds

        tasks = [asyncio.create_task(one(*turn[:4])) for turn in asked]
        for now in range(14):
            for task, turn in zip(tasks, asked, strict=True):
                if turn[4] == now:
                    task.cancel()
            await asyncio.sleep(0)
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        wrong = [end for end in ended if isinstance(end, Exception)]
        assert not wrong
        assert (queue.turns, queue.waiting, queue._free) == (0, 0, shares)

    asyncio.run(simulate())
