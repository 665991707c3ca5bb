"""A follow-up keeps what the question before asked for, unless it says something else."""

from __future__ import annotations

import pytest

from manole.agent.plan.carry_over import lost

OF_WORK = "SELECT count(*) FROM files WHERE extension = 'pdf' AND under('Work')"
ASKED = "How many pdf files are in Work?"


@pytest.mark.parametrize(
    ("written", "gone"),
    [
        ("SELECT count(*) FROM files WHERE extension = 'jpg'", "under('Work')"),
        ("SELECT path FROM files", "extension = 'pdf' AND under('Work')"),
        ("SELECT path FROM files WHERE extension = 'jpg' AND under('Play')", ""),
        ("SELECT path FROM folders", ""),  # of something else
        ("FIND", ""),
        ("SELECT path FROM files WHERE ((", ""),
    ],
)
def test_what_a_follow_up_gives_up(written, gone):
    assert lost(written, OF_WORK, ASKED) == gone


def test_what_nobody_asked_for_may_be_given_up():
    before = "SELECT sum(amount) FROM costs WHERE shop = 'Lidl' AND payer = 'me'"
    assert lost("SELECT avg(amount) FROM costs", before, "Spent at Lidl?") == "shop = 'Lidl'"
