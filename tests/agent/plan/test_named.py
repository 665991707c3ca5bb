"""What a question names is its scope, and what is nowhere is said to be nowhere."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest
import pytest_asyncio

from agent.fake_models import FakeMissingModel, FakeModel
from agent.plan.parsed import of as chain
from agent.plan.parsed import parsed
from agent.plan.sheets import sheet_of
from agent.turns import of, tools, turn
from manole.agent.events import EvidenceEvent
from manole.agent.plan.linking_tables import TableLinker
from manole.agent.plan.named import named_scope
from manole.agent.plan.typed import Condition
from manole.agent.plan.understand import understood
from manole.index.search.scope import Scope
from manole.library import Library
from manole.models.chat.protocol import Message
from manole.text.question import Question
from manole.tools.base import TurnState

TODAY = date(2025, 1, 15)
FILES = {
    "manuals/pump x200.md": "# Pump X200: manual\n\nThe maximum pressure is 6.5 bar.",
    "manuals/pump x300.md": "# Pump X300: manual\n\nThe maximum pressure is 8.0 bar.",
    "manuals/pump x400.md": "# Pump X400: manual\n\nThe maximum pressure is 9.5 bar.",
    "log/2024_06_16.md": "The server moved to rack four.",
    "log/2024-06-16.md": "The printer jammed on floor two.",
    "books/sea.md": "# The lighthouse\n\nAda reaches the island in fog.",
    "books/letters.md": "The keeper of the lighthouse writes from Bergen about the fog.",
    "electricity.md": "The meter shows 4,211.",
    "home/flat contract.md": "The electricity contract of the flat ends in June.",
    "garage/prices.md": "# Prices\n\n| model | tyre change | windscreen replacement |\n"
    "|---|---|---|\n| Alva 3 | 79 EUR | 610 EUR |\n| Brisa | 65 EUR | 480 EUR |\n",
    "bills/stadtwerke.txt": "Stadtwerke Freiburg\n\nInvoice\n\nInvoice number: 4411\n"
    "Date: 3 March 2024\n\nTotal: 120.00 EUR\n",
    "diary/2023-11-20.md": "Dentist at nine, then soup with Paul.",
    "diary/2023-11-22.md": "Read on the sofa.",
    "diary/2024-05-03.md": "Planted beans and washed the car.",
}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def library(tmp_path_factory, session_settings):
    folder = tmp_path_factory.mktemp("named")
    for name, text in FILES.items():
        path = Path(folder, name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    async with await Library.open(folder, session_settings) as opened:
        await opened.sync()
        yield opened


@pytest.fixture
def ask(library, session_settings):
    async def run(question, history=(), model=None):
        model = model or FakeMissingModel()
        return await turn(library, session_settings, model, question, history)

    return run


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("Using only pump x300.md: what is the maximum pressure?", ("manuals/pump x300.md",)),
        ("what is the maximum pressure according to the x400 manual?", ("manuals/pump x400.md",)),
        ("what does 2024_06_16.md say?", ("log/2024_06_16.md",)),
        ("what does 2024-06-16.md say?", ("log/2024-06-16.md",)),
        ("summarize the lighthouse chapter by chapter", ("books/sea.md",)),
        ("give me a brief overview of the documents in the manuals folder", ("manuals",)),
        ("compare pump x200.md and pump x300.md", ("manuals/pump x200.md", "manuals/pump x300.md")),
        ("according to the electricity contract, when does it end?", ()),  # no meter is meant
        ("what does the manual say about pressure?", ()),  # there are three
        ("what is the maximum pressure outside the manuals folder?", ()),
        ("what is the maximum pressure?", ()),
    ],
)
async def test_what_is_named_is_the_scope(library, session_settings, question, places):
    state = TurnState(Question(question, TODAY), library, session_settings)
    assert set((await named_scope(state, await understood(state))).paths) == set(places)


async def test_what_is_named_lies_within_a_scope_that_was_given(library, session_settings):
    for given, places in (("log", ("log",)), ("manuals", ("manuals/pump x300.md",))):
        asked = Question("Using only pump x300.md: what is the maximum pressure?", TODAY)
        state = TurnState(asked, library, session_settings, scope=Scope((given,)))
        assert (await named_scope(state, await understood(state))).paths == places


async def test_nothing_outside_what_is_named_is_shown_or_cited(ask):
    events = await ask("Using only pump x300.md: what is the maximum pressure?")
    shown = {e.file for event in of(events, EvidenceEvent) for e in event.extracts}
    assert shown == {"manuals/pump x300.md"}
    assert {source.file for source in events[-1].sources} == shown


async def test_a_follow_up_stays_in_the_file_that_was_named(ask):
    before = "Using only pump x300.md: what is the maximum pressure?"
    said = (Message("user", before), Message("assistant", "8.0 bar."))
    events = await ask("and how high is it at least?", said)
    assert {source.file for source in events[-1].sources} <= {"manuals/pump x300.md"}


async def test_a_follow_up_stays_in_the_row_of_a_price_list(ask):
    said = (
        Message("user", "How much is a tyre change for the Alva 3?"),
        Message("assistant", "79 EUR."),
    )
    plan = "SELECT windscreen_replacement FROM t WHERE model = 'Alva 3'"
    events = await ask("and a windscreen replacement?", said, FakeModel(plan))
    assert "610" in events[-1].answer
    assert "480" not in events[-1].answer


PRICES = """\
model,tyre change,service,windscreen
Alva 3,79,240,610
Brisa,65,190,480
"""


@pytest.mark.parametrize(
    ("follow_up", "shown", "row"),
    [
        ("and a [value:windscreen]?", "windscreen", "Brisa"),
        ("and for the [value:Alva 3]?", "service", "Alva 3"),
        ("and the [value:tyre change] of the [value:Alva 3]?", "tyre_change", "Alva 3"),
    ],
)
def test_a_follow_up_keeps_the_row_or_the_column_that_it_does_not_exchange(follow_up, shown, row):
    first = parsed("sheet", "rows", "what is a [value:service] of the [value:Brisa]?")
    then = parsed("sheet", "rows", follow_up, leans="yes")
    plan = (
        TableLinker(chain(first, then), {"prices": sheet_of(PRICES, "prices.csv")}, TODAY)
        .plan()
        .plan
    )
    assert plan.shown[0] == shown
    assert plan.conditions == ((Condition("is", "model", (row,)),),)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what was done on 21 November 2023?",
         "No entry is dated on 21 November 2023. The nearest: 20 November 2023 [1], "
         "22 November 2023 [2]."),
        ("qu'est-ce que j'ai fait le 21 novembre 2023 ?",
         "Il n'y a aucune note du 21 novembre 2023. Au plus près : 20 novembre 2023 [1], "
         "22 novembre 2023 [2]."),
        ("Was habe ich am 21. November 2023 gemacht?",
         "Es gibt keinen Eintrag vom 21. November 2023. Am nächsten: 20. November 2023 [1], "
         "22. November 2023 [2]."),
    ],
)  # fmt: skip
async def test_an_empty_day_is_said_to_be_empty_and_no_other_is_told(ask, question, answer):
    end = (await ask(question))[-1]
    assert end.answer == answer
    assert [s.file for s in end.sources] == ["diary/2023-11-20.md", "diary/2023-11-22.md"]
    assert (end.found, end.model_calls) == (False, 0)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_day_with_an_entry_is_told_from_it(ask):
    end = (await ask("what was done on 20 November 2023?"))[-1]
    assert "Dentist" in end.answer
    assert {s.file for s in end.sources} == {"diary/2023-11-20.md"}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("is there an invoice from Vattenfall?", "“Vattenfall” is nowhere in these files."),
        ("how much did I pay Vattenfall in 2024?", "“Vattenfall” is nowhere in these files."),
        ("gibt es eine Rechnung von Vattenfall?",
         "„Vattenfall“ kommt in diesen Dateien nirgends vor."),
        ("is there an invoice from Stadwerke?",
         "“Stadwerke” is nowhere in these files. The nearest: Stadtwerke Freiburg."),
        ("how many files are in the folder Zanzibar?", "“Zanzibar” is nowhere in these files."),
        ("what does pump x500.md say?", "“pump x500.md” is nowhere in these files. "
         "The nearest: pump x400.md, pump x300.md, pump x200.md."),
    ],
)  # fmt: skip
async def test_a_name_that_is_nowhere_is_said_to_be_nowhere(ask, question, answer):
    end = (await ask(question))[-1]
    assert end.answer.startswith(answer)
    assert (end.found, end.outcome, end.model_calls) == (False, "nothing", 0)


@pytest.mark.parametrize(
    "question",
    [
        "gibt es eine Rechnung vom Zahnarzt?",  # it may stand there in another language
        "gibt es Rechnungen von Handwerkern?",
        "is there an invoice from the Dentist?",
        "is there an invoice from Bergen?",  # which a text names
        "is there an invoice from the landlord?",
        "is there an invoice from MR DIY?",  # initials are written in many ways
    ],
)
async def test_what_may_be_somewhere_in_other_words_is_not_said_to_be_nowhere(ask, question):
    events = await ask(question)
    assert "nowhere" not in events[-1].answer
    assert "nirgends" not in events[-1].answer


@pytest.mark.parametrize("question", ["summarise sales.csv", "what is in sales.csv?"])
async def test_a_table_of_which_nothing_is_asked_is_told_as_a_whole(
    tmp_path, session_settings, question
):
    (tmp_path / "sales.csv").write_text("city,units\nUlm,3\nBonn,4\nKiel,5\n")
    (tmp_path / "plan.md").write_text("The village plan is for 2026.")
    async with await Library.open(tmp_path, session_settings) as opened:
        await opened.sync()
        events = await turn(opened, session_settings, FakeMissingModel(), question)
    assert tools(events) == ["query"]
    assert {"3", "12"} <= set(re.findall(r"\d+", events[-1].answer))
