import pytest

from manole.agent.events import Complete, Token
from manole.models.chat.protocol import Completion, Delta, Usage
from manole_evaluate.gold import EVIDENCE_TOKENS, GoldAsker
from manole_evaluate.questions import parse


class FakeModel:
    """Says what it was given to say, counts words as tokens, remembers the prompt."""

    name = "fake"

    def __init__(self, reply):
        self.reply = reply
        self.prompt = ""

    async def stream(self, messages, *, max_tokens, schema=None, tools=(), stop=(), slot=None):
        self.prompt = messages[-1].content
        for word in self.reply.split(" "):
            yield Delta(word + " ")
        yield Completion(self.reply, Usage(prompt_tokens=50, cached_tokens=20, completion_tokens=3))

    async def count_tokens(self, text):
        return len(text.split())


async def read(file):
    return {
        "short.txt": [(None, "The defense gave up 308 points.")],
        "book.pdf": [
            (page, f"page {page} " + "word " * (EVIDENCE_TOKENS // 3)) for page in range(1, 9)
        ]
        + [(9, "The key is under the mat.")],
    }[file]


def asks(**row):
    return parse({"question": "How many points?", "answers": ["308"], **row})


async def turn(model, question):
    events = [event async for event in GoldAsker(model, read).ask(question)]
    assert isinstance(events[-1], Complete)
    return events


async def test_the_model_reads_the_gold_file_and_its_reply_is_the_answer():
    model = FakeModel("They gave up 308.")
    *tokens, complete = await turn(model, asks(file="short.txt"))
    assert "The defense gave up 308 points." in model.prompt
    assert "How many points?" in model.prompt
    assert next(t.content for t in tokens if isinstance(t, Token)) == "They "
    assert (complete.answer, complete.found) == ("They gave up 308.", True)
    assert (complete.tokens.prompt, complete.tokens.cached, complete.model_calls) == (50, 20, 1)
    assert complete.sources[0].file == "short.txt"


async def test_only_the_gold_pages_are_read():
    model = FakeModel("x")
    await turn(model, asks(file="book.pdf", pages=[2, 3]))
    assert "page 2 " in model.prompt
    assert "page 3 " in model.prompt
    assert "page 4 " not in model.prompt


async def test_of_a_long_file_the_passage_with_the_answer_goes_first():
    model = FakeModel("x")
    await turn(model, asks(file="book.pdf", answers=["under the mat"]))
    assert "The key is under the mat." in model.prompt
    assert len(model.prompt.split()) < EVIDENCE_TOKENS + 100


@pytest.mark.parametrize("files", [["short.txt"], []])
async def test_a_reply_that_declines_is_not_found(files):
    *_, complete = await turn(FakeModel("I could not find it."), asks(files=files))
    assert not complete.found
