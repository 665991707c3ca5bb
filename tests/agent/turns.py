"""Runs a turn of any strategy and checks what all of them promise of their events."""

from __future__ import annotations

from datetime import date

from manole.agent.events import EVENTS, Complete, Decision, StatusEvent, Token
from manole.agent.loop import make


class Loaded:
    """A model source whose model is there already."""

    def __init__(self, model):
        self.model = model

    async def get(self):
        return self.model


def chosen(settings, strategy, **more):
    """The settings with that strategy, and `more` of the agent's."""
    update = {"strategy": strategy, **more}
    return settings.model_copy(update={"agent": settings.agent.model_copy(update=update)})


async def turn(library, settings, model, question, history=(), *, scope=None):
    """The events of a turn."""
    strategy = make(settings, library, model, today=lambda: date(2025, 1, 15))
    events = [event async for event in strategy.ask(question, history, scope=scope)]
    assert [EVENTS.validate_json(e.model_dump_json()) for e in events] == events
    end = events[-1]
    assert isinstance(end, Complete)
    assert sum(isinstance(e, Complete) for e in events) == 1
    assert {"total", "first_token"} <= end.timings.keys()
    assert [s.n for s in end.sources] == sorted({s.n for s in end.sources})
    return events


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


def told(events):
    """All status messages, a line each."""
    return "\n".join(event.message for event in of(events, StatusEvent))


def tools(events):
    return [decision.tool for decision in of(events, Decision)]


def streamed(events):
    return "".join(token.content for token in of(events, Token))


def cited(end):
    return {(source.file, source.page) for source in end.sources if source.cited}
