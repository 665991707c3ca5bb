"""What a model is given to read follows from what it can, and never exceeds a person's setting."""

from __future__ import annotations

from manole.agent.answer.evidence import answer_tokens, context, evidence_tokens, room
from manole.models.chat.rates import Reach
from manole.settings import AgentSettings, ModelSettings, Settings

USUAL = Settings()
QUICK = Reach(context=32_768, weights=8_000_000_000, read=900, write=60)


def test_nothing_changes_with_a_small_model_or_one_that_tells_nothing():
    for reach in (
        Reach(),
        Reach(8192, 1_777_088_000, 46, 19),  # the usual model, on two cores
        Reach(8192, 1_777_088_000, 4000, 200),  # and on a graphics processor
        Reach(32_768, 8_000_000_000),  # not measured yet
        Reach(32_768, 8_000_000_000, 20, 4),  # large and slow
    ):
        assert evidence_tokens(USUAL, reach) == USUAL.agent.evidence_tokens
        assert answer_tokens(USUAL, reach) == USUAL.agent.answer_tokens


def test_a_large_model_that_reads_fast_is_given_more():
    assert evidence_tokens(USUAL, QUICK) == 1200
    assert answer_tokens(USUAL, QUICK) == 360
    assert 230 < evidence_tokens(USUAL, Reach(32_768, 8_000_000_000, 200, 40)) == 400


def test_more_than_its_context_holds_it_is_never_given():
    small = Reach(2048, 8_000_000_000, 900, 60)
    assert evidence_tokens(USUAL, small) == 512
    assert room(USUAL, small) < 0.8 * 2048
    assert room(USUAL, Reach()) == 0.8 * (8192 - 160 - 400)


def test_a_setting_of_ones_own_is_kept_to():
    own = USUAL.model_copy(
        update={
            "agent": AgentSettings(evidence_tokens=300, answer_tokens=100),
            "model": ModelSettings(context=4096),
        }
    )
    assert evidence_tokens(own, QUICK) == 300
    assert answer_tokens(own, QUICK) == 100
    assert context(own, QUICK) == 4096
