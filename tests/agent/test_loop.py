"""A turn from question to answer over the real household, with fakes for the model's words."""

from __future__ import annotations

import asyncio
import re
from datetime import date

import pytest

from manole.agent.events import (
    EVENTS,
    Complete,
    Decision,
    ErrorEvent,
    EvidenceEvent,
    StatusEvent,
    Token,
)
from manole.agent.languages import ENGLISH
from manole.agent.loop import Agent
from manole.agent.turn import MAX_QUESTION_CHARS
from manole.errors import ModelError, NotIndexedError, UsageError
from manole.library import Library
from manole.models.chat.protocol import Message

from .fake_models import FakeBreakingModel, FakeMissingModel, FakeModel

NOTICE = "What is our notice period as tenants?"
CONTRACT = "home/rental-contract.pdf"


@pytest.fixture
def ask(household, session_settings):
    """`await ask(model, question)` gives the events of a turn."""

    async def run(model, question, history=(), *, scope=None, **limits):
        changed = session_settings.agent.model_copy(update=limits)
        settings = session_settings.model_copy(update={"agent": changed})
        agent = Agent(household, model, settings, today=lambda: date(2025, 1, 15))
        events = [event async for event in agent.ask(question, history, scope=scope)]
        assert isinstance(events[-1], Complete)
        assert sum(isinstance(e, Complete) for e in events) == 1
        assert [EVENTS.validate_json(e.model_dump_json()) for e in events] == events
        return events

    return run


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


def calls(events):
    return [(d.tool, repr(d.inputs)) for d in of(events, Decision)]


def streamed(events):
    return "".join(token.content for token in of(events, Token))


async def verbatim(household, source):
    """Whether every part of a source's quote stands in its file as indexed."""
    (file,) = [f for f in await household.files() if f.path == source.file]
    text = " ".join(p.text for p in await household.passages(file))
    flat = re.sub(r"\s+", " ", text)
    return all(re.sub(r"\s+", " ", part) in flat for part in source.quote.split(" … "))


# -- answers -----------------------------------------------------------------------------------


async def test_a_count_needs_no_model(ask):
    events = await ask(FakeMissingModel(), "How many invoices are there?")
    assert calls(events)[0][0] == "query"
    assert "12" in events[-1].answer
    assert streamed(events).strip() == events[-1].answer
    assert events[-1].model_calls == 0
    assert not of(events, StatusEvent)


@pytest.mark.usefixtures("a_model_plans")
@pytest.mark.usefixtures("a_model_answers")
async def test_an_answer_from_a_document_is_streamed_and_cited(ask, household):
    model = FakeModel("The notice period for the tenants is three months.")
    events = await ask(model, f"Please: {NOTICE}")
    end = events[-1]
    assert end.found
    assert not end.corrected
    assert streamed(events).strip() == end.answer
    assert "three months" in end.answer
    (n,) = {int(m) for m in re.findall(r"\[(\d+)\]", end.answer)}
    cited = [s for s in end.sources if s.cited]
    assert [(s.n, s.file, s.page) for s in cited] == [(n, CONTRACT, 1)]
    assert all([await verbatim(household, source) for source in end.sources])
    assert end.model_calls <= 4  # the plan, the kind, whether it is there, the answer
    assert end.tokens.prompt > 0
    assert {"total", "first_token", "evidence", "first_evidence"} <= end.timings.keys()


async def test_a_plain_look_up_is_one_call(ask):
    model = FakeModel("Three months.")
    end = (await ask(model, NOTICE))[-1]
    assert end.found
    assert end.model_calls <= 2  # the parser tells the kind; perhaps whether it is there


async def test_a_row_that_begins_with_the_code_asked_for_is_shown(ask):
    asked = "what does error E07 on the boiler mean"
    events = await ask(FakeModel("The fan does not reach its speed."), asked)
    assert "E07" in "".join(e.text for e in of(events, EvidenceEvent)[0].extracts)


@pytest.mark.usefixtures("a_model_plans")
async def test_what_the_model_alone_finds_nowhere_is_read(ask):
    nothing = "SELECT path, total FROM papers WHERE type = 'invoice' AND total > 90000"
    asked = "Which contracts have a notice period for tenants?"
    events = await ask(FakeModel("Three months.", plan=nothing), asked)
    assert {tool for tool, _ in calls(events)} == {"query", "semantic_search"}
    assert CONTRACT in {source.file for source in events[-1].sources}


@pytest.mark.usefixtures("a_model_plans")
async def test_a_query_by_none_of_the_words_of_a_question_for_a_table_is_not_run(ask):
    files = "SELECT path, size FROM files WHERE during(modified, '2024')"
    events = await ask(FakeModel("Six.", plan=files), "What is in our big pots outside in 2024?")
    assert {tool for tool, _ in calls(events)} == {"semantic_search"}


@pytest.mark.usefixtures("a_model_answers")
async def test_the_evidence_stays_within_its_budget(ask):
    model = FakeModel("Three months.")
    await ask(model, NOTICE, evidence_tokens=60)
    small = len(model.prompts[0])
    await ask(model, NOTICE, evidence_tokens=800)
    assert small < len(model.prompts[1])


@pytest.mark.usefixtures("a_model_plans")
@pytest.mark.usefixtures("a_model_answers")
async def test_a_figure_from_nowhere_is_never_shown(ask):
    events = await ask(FakeModel("The notice period is 47 months, says the contract."), NOTICE)
    end = events[-1]
    assert "47" not in streamed(events)
    assert "47" not in end.answer
    assert end.corrected
    assert not end.found
    assert end.confidence == "low"
    assert re.search(r"\[\d+\]", end.answer)  # the closest passage, cited
    assert end.outcome == "nearest"
    assert end.model_calls <= 4  # the kind, whether it is there, the answer, once more


@pytest.mark.parametrize("text", ["Not found.", "not found", "Not found. The extracts do not say."])
@pytest.mark.usefixtures("a_model_answers")
async def test_a_model_that_declines_is_heard(ask, text):
    events = await ask(FakeModel(text), NOTICE)
    assert not events[-1].found
    assert events[-1].answer.startswith(ENGLISH.not_stated)
    assert events[-1].outcome == "nearest"
    assert events[-1].confidence == "low"
    assert "not found" not in streamed(events).lower()


@pytest.mark.usefixtures("a_model_answers")
async def test_an_empty_reply_is_told_and_the_best_extract_quoted(ask):
    events = await ask(FakeModel(""), NOTICE)
    (error,) = of(events, ErrorEvent)
    assert error.message == "The model wrote no answer."
    end = events[-1]
    assert not end.answer.startswith(ENGLISH.not_stated)
    assert (end.corrected, end.confidence) == (True, "low")
    assert [source for source in end.sources if source.cited]


@pytest.mark.usefixtures("a_model_answers")
async def test_an_endless_reply_is_cut(ask):
    reply = "The notice period of the tenants is three months. " * 400
    events = await ask(FakeModel(reply), NOTICE, answer_tokens=50)
    messages = [status.message for status in of(events, StatusEvent)]
    assert "The reply was cut after 400 characters." in messages
    assert len(events[-1].answer) < 1500


# -- models that fail --------------------------------------------------------------------------


@pytest.mark.parametrize("model", [FakeMissingModel(), FakeBreakingModel("x")])
@pytest.mark.usefixtures("a_model_answers")
async def test_without_a_working_model_the_closest_passage_is_cited(ask, household, model):
    events = await ask(model, NOTICE)
    end = events[-1]
    assert of(events, ErrorEvent)
    assert end.corrected
    assert end.confidence == "low"
    (cited,) = [s for s in end.sources if s.cited]
    assert f"[{cited.n}]" in end.answer
    assert " ".join(cited.quote.split()) in end.answer
    assert await verbatim(household, cited)
    assert CONTRACT in {s.file for s in end.sources}


@pytest.mark.usefixtures("a_model_plans")
async def test_a_plan_that_fails_becomes_a_search(ask):
    events = await ask(FakeBreakingModel("x"), "how many PDF files mention the landlord?")
    assert "semantic_search" in {tool for tool, _ in calls(events)}
    assert events[-1].sources


class FakeFailingSource:
    async def get(self):
        raise ModelError("Not enough memory.", "Close other programs.")


@pytest.mark.usefixtures("a_model_answers")
async def test_the_reason_and_the_hint_are_told(ask):
    events = await ask(FakeFailingSource(), NOTICE)
    (error,) = of(events, ErrorEvent)
    assert error.message == "Not enough memory."
    assert error.suggestion == "Close other programs."


# -- decisions ---------------------------------------------------------------------------------


async def test_one_step_is_enough_for_a_content_question(ask):
    events = await ask(FakeModel("Three months."), NOTICE, max_iterations=1)
    assert calls(events)[0][0] == "semantic_search"
    assert len(calls(events)) == 1
    assert events[-1].found


EVERYDAY = "whats the licence plate of our car"


async def test_of_one_file_more_is_shown_before_the_model_reads(ask):
    scope = CONTRACT  # over many files the reader alone is asked
    events = await ask(FakeModel("Within six months."), EVERYDAY, scope=scope)
    first, second = of(events, EvidenceEvent)
    assert [e.n for e in (*first.extracts, *second.extracts)] == [1, 2, 3, 4, 5]
    shown = [(e.file, e.page, e.line) for e in (*first.extracts, *second.extracts)]
    assert len(set(shown)) == 5


async def test_evidence_is_shown_before_anything_is_asked_of_a_model(ask, household):
    model = FakeModel("Three months.")
    kinds = [event.type for event in await ask(model, NOTICE)]
    assert kinds.index("evidence") < kinds.index("token")
    shown = of(await ask(FakeMissingModel(), NOTICE), EvidenceEvent)[0]
    assert CONTRACT in [extract.file for extract in shown.extracts]
    for extract in shown.extracts:
        assert extract.marks
        assert all(0 <= start < end <= len(extract.text) for start, end in extract.marks)


@pytest.mark.usefixtures("a_model_plans")
async def test_no_passage_is_shown_while_a_count_is_planned(ask, monkeypatch):
    monkeypatch.setattr("manole.agent.loop._PATIENCE", 0)

    class FakeSlowModel(FakeModel):
        """Needs a moment for its plan."""

        async def stream(self, messages, **options):
            await asyncio.sleep(0.2)
            async for item in super().stream(messages, **options):
                yield item

    first = {}
    for question in ("How many PDF files are older than the contract?", "What costs the flat?"):
        events = await ask(FakeSlowModel("Some."), question)
        first[question] = of(events, Decision)[0].reasoning
    assert list(first.values()) == ["asks what stands in the files", "shown while the model plans"]


async def test_both_sides_of_a_comparison_are_told_without_a_model(ask):
    model = FakeModel("The deposit.")
    question = "compare the premium of the household insurance with that of the liability insurance"
    end = (await ask(model, question))[-1]
    assert model.prompts == []
    assert len({source.file for source in end.sources}) == 2
    assert {"148.20", "71.40"} <= set(re.findall(r"\d+\.\d\d", end.answer))


@pytest.mark.usefixtures("a_model_answers")
async def test_what_is_not_stated_shows_what_is_nearest(ask):
    end = (await ask(FakeModel("Not found."), "How high is the deposit?"))[-1]
    assert not end.found
    assert end.outcome == "nearest"
    assert end.answer.startswith(ENGLISH.not_stated)
    assert "“" in end.answer
    assert [source.n for source in end.sources if source.cited]


# -- history -----------------------------------------------------------------------------------

TALK = (
    Message("user", "What about the tax assessment?"),
    Message("assistant", "An older answer."),
    Message("user", "How high is the deposit of the rental contract?"),
    Message("assistant", "The deposit is 3,540.00 euros. [1]"),
)


async def test_a_follow_up_is_read_behind_the_question_before_it(ask):
    events = await ask(FakeMissingModel(), "And when is it paid back?", TALK)
    (search,) = (e for e in of(events, Decision) if e.tool == "semantic_search")
    assert search.inputs["query"] == f"And when is it paid back? ({TALK[2].content})"
    assert CONTRACT in {source.file for source in events[-1].sources if source.cited}
    assert events[-1].model_calls == 0


async def test_where_nothing_clear_is_found_so_the_model_makes_it_whole(ask):
    whole = "Which colour has the deposit of the rental contract?"
    model = FakeModel(whole, "Not found.")
    events = await ask(model, "And which colour has it?", TALK)
    assert any(whole in status.message for status in of(events, StatusEvent))
    assert of(events, Decision)[-1].inputs["query"] == whole


async def test_an_unfaithful_rewriting_is_not_believed(ask):
    model = FakeModel("Who won the football match in 1974?", "Not found.")
    events = await ask(model, "And which colour has it?", TALK)
    query = of(events, Decision)[-1].inputs["query"]
    assert "1974" not in query
    assert "deposit" in query


async def test_a_question_that_stands_alone_is_not_rewritten(ask):
    events = await ask(FakeMissingModel(), "How many PDF files are there?", TALK)
    assert events[-1].model_calls == 0
    assert "21" in events[-1].answer


async def test_only_the_last_turns_are_seen(ask):
    model = FakeModel("x", "Not found.")
    between = (Message("user", "How high is the rent?"), Message("assistant", "1,180 euros."))
    await ask(model, "And which colour has it?", (*TALK[:2], *between * 3, *TALK[2:]))
    assert "deposit" in model.prompts[0]
    assert "tax assessment" not in model.prompts[0]


# -- questions of every kind -------------------------------------------------------------------


@pytest.mark.parametrize("question", ["", "   ", "?!…", "\n\t", "\x00", "🤷"])
async def test_a_question_without_words_is_refused(ask, question):
    with pytest.raises(UsageError, match="empty"):
        await ask(FakeMissingModel(), question)


async def test_a_question_of_100_000_characters_is_refused(ask):
    with pytest.raises(UsageError, match="100,000"):
        await ask(FakeMissingModel(), "a" * 100_000)


async def test_a_question_as_long_as_allowed_is_answered(ask):
    question = ("what is the rent " * 1000)[:MAX_QUESTION_CHARS]
    events = await ask(FakeModel("1,180.00 euros."), question)
    assert events[-1].answer


async def test_another_language_finds_its_document(ask):
    question = "Wie war der Stand des Gaszählers bei der Übergabe der Wohnung?"
    events = await ask(FakeMissingModel(), question)
    assert "home/uebergabeprotokoll-2022.docx" in {s.file for s in events[-1].sources}


@pytest.mark.parametrize(
    "question", ["家賃はいくらですか", "'; DROP TABLE files; --", "a\x1b[31mb", "%s {0} $x"]
)
async def test_odd_questions_get_an_answer(ask, question):
    assert (await ask(FakeModel("Not found."), question))[-1].answer


async def test_nothing_outside_the_scope_is_used(ask):
    events = await ask(FakeModel("Not found."), "What is the rent?", scope="/recipes/")
    assert events[-1].sources
    assert all(s.file.startswith("recipes/") for s in events[-1].sources)


async def test_an_empty_scope_says_so(ask):
    events = await ask(FakeMissingModel(), "What is the rent?", scope="nowhere")
    assert not events[-1].found
    assert "nowhere" in events[-1].answer


async def test_without_an_index_the_hint_says_what_to_do(tmp_path, session_settings):
    async with await Library.open(tmp_path, session_settings) as library:
        agent = Agent(library, FakeMissingModel(), session_settings)
        with pytest.raises(NotIndexedError, match="manole index"):
            async for _ in agent.ask("What is the rent?"):
                pass


async def test_a_turn_can_be_stopped_and_the_next_one_works(household, session_settings):
    agent = Agent(household, FakeModel("Three months."), session_settings)
    turn = agent.ask(NOTICE)
    assert isinstance(await anext(turn), Decision)
    await turn.aclose()
    events = [event async for event in agent.ask(NOTICE)]
    assert events[-1].found


async def test_two_turns_at_once_do_not_mix(ask):
    import asyncio

    one, two = await asyncio.gather(
        ask(FakeModel("Three months."), NOTICE),
        ask(FakeModel("300 g."), "How many lentils do I need for the lentil soup?"),
    )
    assert one[-1].sources[0].file == CONTRACT
    assert two[-1].sources[0].file == "recipes/lentil-soup.md"
