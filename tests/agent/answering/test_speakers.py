"""Who said it: another person's story is no answer."""

import numpy as np
import pytest

from manole.agent.answering.speakers import spoken_by_another

CHAT = [
    "**Ann:** I adopted a puppy from the shelter last week, his name is Rex.",
    "**Bob:** Congratulations on your puppy!",
    "**Bob:** I went sailing on the lake with my brother.",
    "**Ann:** Sailing sounds fun. I have never been on a boat.",
]


def plain(texts):
    """No meaning at all: the words alone decide."""
    return np.zeros((len(texts), 4), dtype=np.float32)


def passages(lines=CHAT):
    return [{"text": "\n".join(lines)}]


@pytest.mark.parametrize(
    ("question", "another"),
    [
        ("Which shelter did Bob adopt his puppy from last week?", True),
        ("Which shelter did Ann adopt her puppy from last week?", False),
        ("Who did Bob go sailing with on the lake?", False),
        ("Who did Ann go sailing on the lake with, her brother?", True),
        ("Which shelter is nearest?", False),  # nobody is named
        ("Did Ann and Bob go sailing?", False),  # both are
        ("Who did Carl adopt?", False),  # no speaker
    ],
)
def test_the_other_ones_story_is_told_apart(question, another):
    assert spoken_by_another(question, passages(), plain) is another


def test_texts_without_speakers_are_left_alone():
    assert not spoken_by_another("What did Ann adopt?", [{"text": "Ann adopted a puppy."}], plain)
