"""The ledger: model calls, tokens and seconds of a turn."""

from __future__ import annotations

from manole.agent.events import TokensUsed
from manole.agent.usage import Ledger
from manole.models.chat import Completion, Usage


def test_calls_and_tokens_add_up():
    ledger = Ledger()
    ledger.add(Completion("a", Usage(100, 40, 10, 0.5, 1.5)))
    ledger.add(Completion("b", Usage(50, 50, 5, 0.2, 0.5)))
    assert ledger.calls == 2
    assert ledger.tokens() == TokensUsed(prompt=150, cached=90, completion=15)
    assert ledger.timings()["model"] == 2.0


def test_seconds_are_kept_by_name():
    ledger = Ledger()
    ledger.spent("evidence", 0.25)
    ledger.spent("evidence", 0.5)
    assert ledger.timings()["evidence"] == 0.75


def test_the_first_token_is_the_first():
    ledger = Ledger()
    ledger.first("token")
    first = ledger.timings()["first_token"]
    ledger.first("token")
    assert ledger.timings()["first_token"] == first
    assert ledger.timings()["total"] >= first


def test_without_a_token_the_first_is_the_end():
    timings = Ledger().timings()
    assert timings["first_token"] == timings["total"]
