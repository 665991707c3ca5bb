"""Questions about threads of mail, asked of a real library of real mails, without a model."""

from __future__ import annotations

import re
from datetime import date

import pytest
import pytest_asyncio

from agent.fake_models import FakeMissingModel
from agent.mail.letters import write
from manole.agent.events import Decision
from manole.agent.loop import Agent
from manole.library import Library


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def library(tmp_path_factory, session_settings):
    folder = tmp_path_factory.mktemp("mail") / "mails"
    write(folder)
    async with await Library.open(folder, session_settings) as opened:
        await opened.sync()
        yield opened


@pytest.fixture
def ask(library, session_settings):
    async def run(question):
        today = lambda: date(2024, 12, 5)  # noqa: E731
        agent = Agent(library, FakeMissingModel(), session_settings, today=today)
        *events, end = [event async for event in agent.ask(question)]
        print(end.answer)
        return [e.tool for e in events if isinstance(e, Decision)], end

    return run


def files(end):
    """The files of the lines of an answer, in order."""
    by_number = {source.n: source.file.removesuffix(".eml") for source in end.sources}
    marks = re.findall(r"^- .*\[(\d+)\]$", end.answer, re.MULTILINE)
    return [by_number[int(n)] for n in marks]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("what did I answer to Kramer", ["roof3"]),
        ("Was habe ich Kramer geantwortet?", ["roof3"]),
        ("what did I reply to Nina about the rehearsals?", ["proben2"]),
        ("who has not answered me", ["piano"]),
        ("Wer hat mir noch nicht geantwortet?", ["piano"]),
        ("qui ne m'a pas répondu ?", ["piano"]),
        ("which mails have I not answered", ["later", "roof5"]),
        ("Welche Mails habe ich nicht beantwortet?", ["later", "roof5"]),
        ("which mails from Kramer have I not answered in 2024?", ["roof5"]),
        ("which mails from Nina have I not answered?", []),
    ],
)
async def test_mails_with_and_without_an_answer(ask, question, found):
    tools, end = await ask(question)
    assert (tools, files(end), end.model_calls) == (["mail"], found, 0)


@pytest.mark.parametrize(
    "question",
    [
        "show the thread about the roof",
        "zeig den Verlauf zum Thema roof",
        "the mail exchange with Kramer about the roof",
    ],
)
async def test_a_thread_is_told_in_order_of_time(ask, question):
    tools, end = await ask(question)
    assert tools == ["mail"]
    assert files(end)[:5] == ["roof1", "roof2", "roof3", "roof4", "roof5"]
    lines = [line for line in end.answer.split("\n") if line.startswith("- ")]
    assert "Mina Terpstra → Kramer Dachbau, Nina Weber" in lines[0]
    assert "the roof leaks above the stairs. When can you come?" in lines[0]
    assert "0123" not in lines[0]
    assert "“we come on Thursday at nine.”" in lines[1]
    assert "“Thursday suits me, the key hangs in the shed.”" in lines[2]
    assert "“" not in lines[3]  # it quotes all


async def test_a_conversation_with_somebody_about_something(ask):
    _, end = await ask("show me the conversation with Nina about rehearsals")
    assert files(end) == ["proben1", "proben2"]


async def test_how_long_one_waits_and_what_was_asked_is_told(ask):
    _, end = await ask("who has not answered me")
    assert "15 days" in end.answer
    assert "“Is it still for sale?”" in end.answer


@pytest.mark.parametrize(
    "question",
    [
        "When does Kramer come?",
        "How many mails do I have?",
        "What is the exchange rate?",
        "What did Nina answer about the roof?",
        "show the thread about submarines",
        "what did I answer to Kramer about submarines?",
        "which mails from Zacharias have I not answered?",
    ],
)
async def test_other_questions_are_answered_otherwise(ask, question):
    _, end = await ask(question)
    assert not re.search(r"→", end.answer)
