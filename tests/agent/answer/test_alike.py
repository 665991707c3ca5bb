"""What is asked of another thing is found by the sentence that was told before."""

import pytest

from agent.fake_models import FakeModel
from agent.turns import Loaded, turn
from manole.models.chat.protocol import Message
from manole.text.question import Question

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def asked(household, session_settings):
    async def run(*said, question):
        history = [Message(("user", "assistant")[at % 2], text) for at, text in enumerate(said)]
        model = Loaded(FakeModel("FIND"))
        return (await turn(household, session_settings, model, question, history))[-1]

    return run


@pytest.mark.parametrize(
    ("before", "said", "question", "file"),
    [
        (
            "was kostet die hausratversicherung im jahr",
            "148,20 Euro",
            "und die haftpflicht?",
            "insurance/liability-insurance-policy.pdf",
        ),
        (
            "what does the household insurance cost a year",
            "148.20 euros a year",
            "and the car?",
            "insurance/car-insurance-policy.pdf",
        ),
        (  # which would be computed, as nothing is known to be paid for it
            "what does our household insurance cost a year?",
            "148.20 euros a year",
            "and the car?",
            "insurance/car-insurance-policy.pdf",
        ),
    ],
)
async def test_the_same_of_another_is_told_from_the_sentence_alike(
    asked, before, said, question, file
):
    end = await asked(before, said, question=question)
    assert [(s.file, s.cited) for s in end.sources] == [(file, True)]
    assert end.sources[0].quote.startswith("Premium")
    assert end.model_calls == 0


async def test_what_was_told_twice_before_is_not_told_again(asked):
    end = await asked(
        "what does the household insurance cost a year",
        "“Premium · 148.20 euros a year, due on 1 March” [1]\n\n“cash up to 1,500 euros” [1]",
        "and the car?",
        "Premium · 512.60 euros a year, due on 1 January [1]",
        question="und die haftpflicht?",
    )
    assert "71.40" in end.answer
    assert "148.20" not in end.answer
    assert "512.60" not in end.answer


async def test_what_asks_something_else_exchanges_nothing():
    before = Question("what does the household insurance cost a year")
    assert Question("and the car?", leans_on=(before,)).exchanged == before
    assert Question("and until when?", leans_on=(before,)).exchanged is None
    assert Question("and the car?").exchanged is None
