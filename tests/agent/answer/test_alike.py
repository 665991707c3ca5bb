"""What is asked of another thing is found by the sentence that was told before."""

import pytest

from agent.fake_models import FakeModel
from agent.turns import Loaded, turn
from manole.models.chat.protocol import Message
from manole.text.question import Question

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def asked(household, session_settings):
    async def run(before, said, question):
        history = [Message("user", before), Message("assistant", said)]
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
    ],
)
async def test_the_same_of_another_is_told_from_the_sentence_alike(
    asked, before, said, question, file
):
    end = await asked(before, said, question)
    assert end.sources[0].file == file
    assert "Premium" in end.sources[0].quote


async def test_what_asks_something_else_exchanges_nothing():
    before = Question("what does the household insurance cost a year")
    assert Question("and the car?", leans_on=(before,)).exchanged == before
    assert Question("and until when?", leans_on=(before,)).exchanged is None
    assert Question("and the car?").exchanged is None
