"""The writing of an answer: replies that are empty, endless, or held back whole."""

from __future__ import annotations

import pytest

from agent.fake_models import FakeModel
from manole.agent.answer.draft import AGENT, PLAIN, Draft, write
from manole.agent.answer.evidence import Evidence
from manole.errors import ModelError
from manole.text.question import Question

RENT = "The rent is due on the first day of each month, and a reminder costs five euros."
EVIDENCE = [Evidence(1, "lease.txt", None, 1, 1, "lease.txt", RENT, 0.9)]
DUE = Question("When is the rent due?")
FAELLIG = Question("Wann ist die Miete fällig?")


async def written(*replies, question=DUE, style=AGENT, max_tokens=40):
    """What is shown of an answer, and its draft."""
    items = [
        item async for item in write(question, EVIDENCE, FakeModel(*replies), max_tokens, style)
    ]
    assert isinstance(items[-1], Draft)
    return "".join(items[:-1]), items[-1]


@pytest.mark.parametrize("style", [AGENT, PLAIN])
async def test_an_endless_reply_is_cut(style):
    shown, draft = await written("rent " * 4000, style=style)
    assert draft.cut == 320  # 8 characters for each of 40 tokens
    assert draft.text == shown.strip()
    assert 300 < len(shown) < 340
    assert [completion.finish for completion in draft.completions] == ["cancelled"]


async def test_a_reply_of_the_allowed_length_is_whole():
    _, draft = await written(RENT)
    assert draft.cut == 0
    assert draft.text == f"{RENT} [1]"


@pytest.mark.parametrize("reply", ["", " \n\t "])
@pytest.mark.parametrize("style", [AGENT, PLAIN])
async def test_an_empty_reply_is_an_error(reply, style):
    with pytest.raises(ModelError, match="The model wrote no answer"):
        await written(reply, style=style)


async def test_an_empty_second_reply_is_an_error():
    english = "The rent has to be paid on the first day of each month, as the lease says."
    with pytest.raises(ModelError, match="The model wrote no answer"):
        await written(english, "", question=FAELLIG)


async def test_a_reply_that_the_gate_holds_back_is_not_empty():
    shown, draft = await written("4711 euros.")
    assert (shown, draft.outcome, draft.corrected) == ("", "nearest", True)


async def test_a_reply_that_the_check_of_its_language_holds_back_is_not_empty():
    english = "The rent has to be paid on the first day of each month, as the lease says."
    shown, draft = await written(english, question=FAELLIG)
    assert (shown, draft.outcome, draft.corrected) == ("", "nearest", True)
    assert len(draft.completions) == 2


async def test_a_reply_that_only_repeats_the_prefix_is_not_empty():
    shown, draft = await written("The files say that")
    assert (shown, draft.outcome, draft.found) == ("", "nothing", False)
