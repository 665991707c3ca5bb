"""One probability from all that speaks for an answer."""

from __future__ import annotations

import pytest

from manole.agent.answering.confidence import level, probability, stated
from manole.agent.answering.evidence import Evidence

USUAL = {"odds": 0.2, "coverage": 0.6, "stated": 0.7}
LEVELS = ("low", "medium", "high")


def test_it_is_a_probability_and_needs_no_odds():
    assert 0 < probability(USUAL) < 1
    assert 0 < probability({name: value for name, value in USUAL.items() if name != "odds"}) < 1


@pytest.mark.parametrize("signal", USUAL)
def test_what_speaks_for_an_answer_does_not_make_it_less_likely(signal):
    more = USUAL | {signal: USUAL[signal] + 0.3}
    assert probability(more) > probability(USUAL)


def test_levels_rise_with_the_probability():
    found = [LEVELS.index(level(chance / 100)) for chance in range(101)]
    assert found == sorted(found)
    assert level(0.0) == "low"


def test_stated_is_the_share_that_stands_in_one_sentence():
    units = (("The deposit is 3,540 euros.", 1, 1), ("It is paid back in June.", 2, 2))
    evidence = [Evidence(1, "a.md", None, 1, 2, "a.md", "", 1.0, units)]
    assert stated("The deposit is 3,540 euros.", "How high is the deposit?", evidence) == 1.0
    assert stated("Blue elephants.", "How high is the deposit?", evidence) == 0.0
    assert stated("", "How high is the deposit?", evidence) == 1.0
