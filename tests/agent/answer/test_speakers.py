"""Who said it: another person's story is no answer."""

import numpy as np
import pytest

from agent.passages import passage
from manole.agent.answer.contradictions import Chat
from manole.text.question import Question

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
    return [passage("\n".join(lines))]


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
    chat = Chat.about(Question(question), passages(), plain)
    assert bool(chat and chat.another_fits()) is another


def test_texts_without_speakers_are_left_alone():
    question = Question("What did Ann adopt?")
    assert Chat.about(question, [passage("Ann adopted a puppy.")], plain) is None


@pytest.mark.parametrize(
    ("question", "answer", "another"),
    [
        ("Who is Bob's new friend?", "Bob's new friend is a puppy from the shelter, Rex.", True),
        ("Who is Ann's new friend?", "Ann's new friend is a puppy from the shelter, Rex.", False),
        ("Where was Bob?", "On the lake, with his brother.", False),
        ("Where was Ann?", "On the lake, with her brother.", True),
        ("Where was Ann?", "Ann.", False),
    ],
)
def test_an_answer_from_the_other_ones_story_is_told_apart(question, answer, another):
    chat = Chat.about(Question(question), passages(), plain)
    assert chat is not None and not chat.another_fits()
    assert chat.another_said(answer) is another
