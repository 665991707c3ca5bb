"""A turn that plans, over the real household, with a fake for the model's words."""

from __future__ import annotations

import pytest

from agent.fake_models import FakeMissingModel, FakeModel
from agent.turns import of, told, tools, turn
from manole.agent.events import Decision, ErrorEvent
from manole.models.chat.protocol import Message

pytestmark = pytest.mark.usefixtures("a_model_plans")

LARGEST = "Which photo is the largest?"
GOOD = "SELECT path, size FROM files WHERE kind = 'picture' ORDER BY size DESC LIMIT 1"
WRONG = "SELECT path, colour FROM files WHERE kind = 'picture'"


@pytest.fixture
def ask(household, session_settings, monkeypatch):
    monkeypatch.setattr("manole.agent.loop._PATIENCE", 60)  # no search meanwhile on a slow machine
    settings = session_settings

    async def run(model, question, history=()):
        return await turn(household, settings, model, question, history)

    return run


class FakePlanner(FakeModel):
    """Plans with the given texts, one a call; `asked` keeps the last message of each."""

    def __init__(self, *plans):
        super().__init__("Not found.")
        self.plans, self.asked = list(plans), []

    def _told(self, messages, options):
        if options.get("slot") != "catalog":
            return super()._told(messages, options)
        self.asked.append(messages[-1].content)
        return self.plans.pop(0) if len(self.plans) > 1 else self.plans[0]


async def test_a_plan_is_the_answer_and_says_how_it_read_the_question(ask):
    events = await ask(FakePlanner(GOOD), LARGEST)
    (decision,) = of(events, Decision)
    assert (decision.tool, decision.by, decision.inputs) == ("query", "model", {"sql": GOOD})
    assert decision.reasoning.startswith("read as: files, kind = “picture”")
    end = events[-1]
    assert ".jpg" in end.answer or ".png" in end.answer
    assert [source.file for source in end.sources if source.cited]
    assert end.confidence == "low"  # nothing else reads it so


async def test_the_model_is_told_what_is_wrong_with_its_plan(ask):
    model = FakePlanner(WRONG, GOOD.replace("LIMIT 1", "LIMIT 3"))
    events = await ask(model, "Which 3 photos are the largest?")
    assert model.asked[1].endswith("(there is no column colour)")
    assert tools(events) == ["query"]


@pytest.mark.parametrize(
    "plan", ["FIND", "nonsense", "SELECT * FROM sqlite_master", "DROP TABLE files"]
)
async def test_what_is_no_plan_is_searched_for(ask, plan):
    events = await ask(FakePlanner(plan), "Where is the photo of the lake?")
    assert "semantic_search" in tools(events)
    assert "query" not in tools(events)


async def test_a_plan_is_kept_and_asked_for_once(ask):
    model = FakePlanner(GOOD)
    question = "the biggest photo of all"
    first = await ask(model, question)
    again = await ask(model, question)
    assert len(model.asked) == 1
    assert again[-1].answer == first[-1].answer
    assert again[-1].model_calls == 0


async def test_a_follow_up_stands_behind_the_question_before_it(ask):
    model = FakePlanner("SELECT count(*) FROM files WHERE kind = 'text'")
    talk = (Message("user", "how many text files?"), Message("assistant", "Four."))
    events = await ask(model, "and how many are text?", talk)
    assert model.asked == ["and how many are text? (how many text files?)"]
    assert tools(events) == ["query"]


async def test_a_question_that_leans_on_nothing_is_planned_as_if_it_were_the_first(ask):
    talk = (Message("user", "how many text files?"), Message("assistant", "Four."))
    question = "Which photo in the whole folder takes the most room?"
    model = FakePlanner(GOOD)
    await ask(model, question, talk)
    assert [asked.split(" -- ")[0] for asked in model.asked] == [question]


async def test_what_a_rule_makes_whole_needs_no_earlier_question(ask):
    talk = (Message("user", "Which photos are of 2023?"), Message("assistant", "None."))
    model = FakePlanner(GOOD)
    events = await ask(model, "and of 2022?", talk)
    assert model.asked[0].split(" -- ")[0] == "Which photos are of 2022?"
    assert "Understood as: Which photos are of 2022?" in told(events)


@pytest.mark.usefixtures("a_model_answers")
async def test_without_a_model_what_nobody_planned_is_searched_for(ask):
    events = await ask(FakeMissingModel(), "Which recipe has the most sugar?")
    assert tools(events) == ["semantic_search"]
    (said,) = of(events, ErrorEvent)
    assert "no model" in said.message.lower()


async def test_the_highest_amount_is_said_with_its_paper_and_currency(ask):
    plan = "SELECT max(total) FROM papers WHERE type = 'invoice'"
    end = (await ask(FakePlanner(plan), "Which invoice is the highest one?"))[-1]
    assert "1,997.00 EUR" in end.answer
    assert "MS-5521" in end.answer


class FakeTranslator(FakePlanner):
    """Plans as well, and says what a word is called otherwise; `said` keeps what it was asked."""

    def __init__(self, plan, *words):
        super().__init__(plan)
        self.words, self.said = words, []

    def _told(self, messages, options):
        if options.get("slot") != "otherwise":
            return super()._told(messages, options)
        self.said.append(messages[-1].content)
        return ", ".join(self.words)


async def test_a_word_that_the_diary_does_not_have_is_said_in_another(ask):
    plan = "SELECT date, text FROM entries WHERE mentions('Matratzen')"
    model = FakeTranslator(plan, "beds of stone", "mattresses")
    events = await ask(model, "Wann gab es Matratzen?")
    assert model.said == ["English: matratzen"]
    assert tools(events) == ["query"]
    assert "mattresses" in events[-1].answer.lower()
    await ask(model, "Wann hatten wir Matratzen?")
    assert len(model.said) == 1


async def test_a_word_that_nobody_has_is_searched_for(ask):
    model = FakeTranslator("SELECT date, text FROM entries WHERE mentions('zeppelins')", "airship")
    events = await ask(model, "When did we fly zeppelins?")
    assert len(model.asked) == 1
    assert "semantic_search" in tools(events)


async def test_leaving_out_what_nothing_has_is_not_sure(ask):
    plan = "SELECT path FROM papers WHERE type = 'invoice' AND issuer NOT LIKE '%submarines%'"
    end = (await ask(FakePlanner(plan), "all invoices except submarines"))[-1]
    assert end.answer.startswith("12 invoices")
    assert end.confidence == "low"
