"""Turns of the service, kept as they are emitted: finished, followed up, and broken off."""

from __future__ import annotations

import pytest

from agent.fake_models import FakeModel
from manole.agent.events import Complete, Decision, ErrorEvent, Token
from manole.serve.service import Service
from manole.settings import Settings

NOTICE = "What is our notice period as tenants?"


@pytest.fixture
def room(tmp_path, household, session_settings, household_folder):
    """`await room(model)`: the household, its conversations in a folder of their own."""
    (tmp_path / "libraries").symlink_to(session_settings.data_dir / "libraries")
    settings = Settings(data_dir=tmp_path, cache_dir=session_settings.cache_dir)

    async def opened(model):
        return await Service(settings, model).open(household_folder)

    return opened


async def test_what_was_emitted_is_what_is_kept(room):
    model = FakeModel("The notice period is three months.")
    opened = await room(model)
    id = opened.conversations.create().id
    emitted = [event async for event in opened.ask(NOTICE, conversation=id)]
    await opened.answer("And the deposit?", conversation=id)
    first, second = opened.conversations.turns(id)
    assert list(first.events) == emitted
    assert second.answer
    searched = [str(e.inputs) for e in second.events if isinstance(e, Decision)]
    assert any(NOTICE in s and "And the deposit?" in s for s in searched)  # it leaned on it
    assert opened.conversations.get(id).title == NOTICE
    await opened.close()


async def test_a_turn_that_its_asker_leaves_is_kept_as_far_as_it_came(room):
    opened = await room(FakeModel("The notice period is three months."))
    id = opened.conversations.create().id
    emitted, events = [], opened.ask(NOTICE, conversation=id)
    async for event in events:
        emitted.append(event)
        if isinstance(event, Token):
            break
    await events.aclose()
    (turn,) = opened.conversations.turns(id)
    assert list(turn.events) == emitted
    assert turn.streamed
    assert turn.answer is None
    assert opened.conversations.history(id, 4) == []
    await opened.close()


async def test_a_question_is_answered_though_nothing_can_be_kept(room):
    model = FakeModel("The notice period is three months.")
    opened = await room(model)
    id = opened.conversations.create().id
    opened.conversations.close()
    opened.conversations.path.write_bytes(b"no database" * 1000)
    events = [event async for event in opened.ask(NOTICE, conversation=id)]
    notices = [event for event in events if isinstance(event, ErrorEvent)]
    assert [notice.message.partition(".")[0] for notice in notices] == [
        "This turn is not saved, and what was said before it could not be read"
    ]
    assert "damaged" in notices[0].message
    assert isinstance(events[-1], Complete)
    assert "three months" in events[-1].answer
    await opened.close()


async def test_a_turn_goes_on_where_its_rest_cannot_be_kept(room):
    opened = await room(FakeModel("The notice period is three months."))
    id = opened.conversations.create().id
    events = []
    async for event in opened.ask(NOTICE, conversation=id):
        events.append(event)
        if isinstance(event, Token) and opened.conversations.path.is_file():
            opened.conversations.close()
            opened.conversations.path.write_bytes(b"no database" * 1000)
    told = [at for at, event in enumerate(events) if isinstance(event, ErrorEvent)]
    assert [events[at].message[:37] for at in told] == [
        "The rest of this turn is not saved. T"[:37]
    ]
    assert told[0] < len(events) - 1
    assert isinstance(events[-1], Complete)
    await opened.close()
