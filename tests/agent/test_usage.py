"""The usage: model calls, tokens and seconds of a turn."""

from __future__ import annotations

from manole.agent.events import TokensUsed
from manole.agent.turn import TurnUsage
from manole.models.chat.protocol import Completion, Usage


def test_calls_and_tokens_add_up():
    usage = TurnUsage()
    usage.add(Completion("a", Usage(100, 40, 10, 0.5, 1.5)))
    usage.add(Completion("b", Usage(50, 50, 5, 0.2, 0.5)))
    assert usage.calls == 2
    assert usage.tokens() == TokensUsed(prompt=150, cached=90, completion=15)
    assert usage.timings()["model"] == 2.0
    assert usage.timings()["prompt"] == 0.7


def test_seconds_are_kept_by_name():
    usage = TurnUsage()
    usage.spent("evidence", 0.25)
    usage.spent("evidence", 0.5)
    assert usage.timings()["evidence"] == 0.75


def test_the_first_token_is_the_first():
    usage = TurnUsage()
    usage.first("token")
    first = usage.timings()["first_token"]
    usage.first("token")
    assert usage.timings()["first_token"] == first
    assert usage.timings()["total"] >= first


def test_without_a_token_the_first_is_the_end():
    timings = TurnUsage().timings()
    assert timings["first_token"] == timings["total"]
