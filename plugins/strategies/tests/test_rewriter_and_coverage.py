"""What stands around the loop of `literal`: the rewriter before it, the follow-up check in it."""

from __future__ import annotations

import pytest
from fake_leader import ANSWER, SEARCH, FakeLeader, call, contract_fact

from agent.turns import Loaded, chosen, of, told, tools
from manole.agent.events import Decision, ResultEvent
from manole.models.chat.protocol import Message
from manole_strategies.coverage import uncovered
from manole_strategies.literal import Literal
from manole_strategies.rewriter import certain_intent

# -- the rewriter ------------------------------------------------------------------------------


async def test_a_follow_up_is_made_whole_before_the_loop(ask):
    history = (Message("user", "How many PDFs do I have?"), Message("assistant", "21 PDF files."))
    model = FakeLeader("How many images do I have?", "Hm.", "There are 4 pictures.")
    events = await ask(model, "and how many images?", history)
    first = of(events, Decision)[0]
    assert (first.tool, first.inputs) == ("count_files", {"extension": "images"})
    assert not model.read  # nothing is searched for


async def test_the_kind_of_question_and_other_words_are_events(ask):
    events = await ask(FakeLeader(SEARCH, ANSWER), "List the bills of the car")
    said = told(events)
    assert "Kind of question: list." in said
    (also,) = (line for line in said.splitlines() if line.startswith("Looked for too: "))
    assert "rechnung" in also and "bill," not in also and len(also) < 120


async def test_other_words_are_looked_for_and_never_asked(household, session_settings):
    model = FakeLeader(SEARCH, ANSWER)
    seen = []

    async def search(query, **options):
        seen.append((query, options["also"]))
        return []

    settings = chosen(session_settings, "literal")
    turns = Literal(household, Loaded(model), settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(household, "search", search)
        [event async for event in turns.ask("What did the car cost?")]
    assert seen[0][0] == "notice period of tenants"
    assert "vehicle" in seen[0][1]
    assert not any("vehicle" in m.content for talk in model.talks for m in talk)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many PDFs are there?", "count"),
        ("List all invoices", "list"),
        ("Compare both contracts", "compare"),
        ("Summarise the letter", "summarize"),
        ("When was the contract modified?", "metadata"),
        ("Who is the landlord?", ""),
        ("Who is on the guest list?", "list"),
    ],
)
def test_words_tell_the_kind_of_a_question(question, kind):
    assert certain_intent(question) == kind


async def test_the_model_tells_the_kind_only_where_the_router_asks(ask):
    model = FakeLeader("Hm.", '"metadata"', "It is small.")
    events = await ask(model, "Is the rental contract long?")
    first = of(events, Decision)[0]
    assert (first.tool, first.inputs) == ("file_metadata", {"name_hint": "rental contract"})
    assert events[-1].model_calls == 3


# -- the follow-up check -----------------------------------------------------------------------


async def test_missing_words_that_are_names_of_files_are_looked_for_there(ask):
    model = FakeLeader(SEARCH, ANSWER, fact=contract_fact)
    events = await ask(model, "What is the notice period for the tenants, says the boiler manual?")
    follow = [(d.tool, d.inputs) for d in of(events, Decision) if d.by == "followup"]
    assert follow == [("grep_files", {"pattern": "boiler"})]  # the contract has instructions


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("When was the boiler manual modified?", call("file_metadata", name_hint="boiler manual")),
        ("How many images are there?", call("count_files", extension="pictures")),
        ("How much space do my files take?", call("disk_usage")),
        ("Which are the biggest files?", call("list_files", sort_by="size")),
    ],
)
async def test_what_a_file_tool_answers_is_not_searched_for(ask, question, first):
    model = FakeLeader(first, "That is so.")
    events = await ask(model, question)
    assert len(tools(events)) == 2
    assert not model.read


async def test_a_list_reads_each_file_that_is_named_so(ask, household):
    fact = '{"relevant": true, "facts": ["The total is 12.00 EUR."]}'
    model = FakeLeader(call("list_files", extension="txt"), "Twelve of them.", fact=fact)
    events = await ask(model, "list all invoices and their totals")
    named = {f.path for f in await household.files() if "invoice" in f.path}
    assert tools(events) == ["list_files", "grep_files", "semantic_search", "respond"]
    assert {o["file"] for o in of(events, ResultEvent)[-1].objects} == named
    assert len(model.read) == len(named)


def test_what_the_results_hold_is_covered():
    assert uncovered("When was the boiler serviced?", ["The boiler was serviced in May."]) == []


def test_what_no_result_holds_is_named_in_order():
    missing = uncovered("Does the boiler or the dishwasher have a warranty?", ["The boiler."])
    assert missing == ["dishwasher", "warranty"]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("the invoices", "one invoice"),
        ("who is paying", "he pays"),
        ("Übergabe", "ubergabe"),
        ("BOILER", "boiler"),
    ],
)
def test_another_form_of_a_word_covers_it(question, text):
    assert uncovered(question, [text]) == []


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("boiler manual", "home/boiler-thermaro-b24-manual.pdf: 5 KB"),
        ("images", "There are 4 pictures."),
        ("the bill", "invoices/2023-07.pdf: an invoice"),
        ("does it take anything", ""),
    ],
)
def test_names_of_files_kinds_and_synonyms_cover(question, text):
    assert uncovered(question, [text], {"anything"}) == []


def test_function_words_and_short_words_are_not_looked_for():
    assert uncovered("What is the cat of my dog?", ["nothing"]) == []


def test_short_codes_with_digits_are_looked_for():
    assert uncovered("What does E04 mean?", ["nothing"])[0] == "e04"


def test_several_results_cover_together():
    assert uncovered("boiler and dishwasher", ["boiler", "dishwasher"]) == []


def test_nothing_found_leaves_all_words():
    assert uncovered("boiler warranty", []) == ["boiler", "warranty"]
