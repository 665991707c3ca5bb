import asyncio
import json

import pytest
from fakes import FakeAsker, FakeRetriever, fatal

from manole.agent.events import Complete
from manole_evaluate.questions import parse
from manole_evaluate.runner import run


def asks(text, *answers, **row):
    return parse({"id": text, "question": text, "answers": list(answers), **row})


async def outcomes(questions, **options):
    done = []
    await run(questions, on_outcome=done.append, **options)
    return done


async def test_a_reply_is_scored_with_its_cost_and_citation():
    question = asks("How many?", "308", file="a.pdf", page=3)
    asker = FakeAsker({"How many?": "It was 308 [1]."}, {"How many?": ("a.pdf", 4)})
    [outcome] = await outcomes([question], asker=asker)
    answer = outcome.answer
    assert (answer.correct, answer.declined, answer.citation) == (True, False, True)
    assert answer.cited == (("a.pdf", 4),)
    assert (answer.model_calls, answer.tokens_read, answer.tokens_written) == (2, 40, 7)
    assert answer.tools == ("fake",)
    assert 0 < answer.first_token_s <= answer.total_s


async def test_a_crash_is_a_wrong_answer_and_the_run_goes_on():
    questions = [asks("a", "1"), asks("b", "2"), asks("c", "3"), asks("d", "4")]
    asker = FakeAsker({"a": ValueError("broken"), "b": fatal("no model"), "c": [], "d": "4"})
    done = await outcomes(questions, asker=asker)
    assert [o.answer.correct for o in done] == [False, False, False, True]
    assert [o.answer.error for o in done] == [
        "ValueError: broken",
        "no model",
        "the turn ended without an answer",
        None,
    ]
    assert asker.closed == 4


async def test_a_crash_on_an_unanswerable_question_is_not_declining():
    question = asks("a", answerable=False)
    [outcome] = await outcomes([question], asker=FakeAsker({"a": ValueError("broken")}))
    assert (outcome.answer.correct, outcome.answer.declined) == (False, False)


async def test_an_answer_after_an_error_counts():
    answer = [*fatal("the loop failed"), Complete(answer="4")]
    [outcome] = await outcomes([asks("a", "4")], asker=FakeAsker({"a": answer}))
    assert outcome.answer.correct
    assert outcome.answer.error is None


async def test_a_question_over_its_time_is_wrong():
    class FakeSleeper:
        cites = True
        closed = False

        async def ask(self, question):
            try:
                await asyncio.sleep(60)
                yield Complete(answer="4")
            finally:
                self.closed = True

    sleeper = FakeSleeper()
    [outcome] = await outcomes([asks("a", "4")], asker=sleeper, timeout_s=0.01)
    assert not outcome.answer.correct
    assert "no answer within" in outcome.answer.error
    assert sleeper.closed


async def test_declined_answers_have_no_citation_to_check():
    question = asks("a", "4", file="a.md")
    [outcome] = await outcomes([question], asker=FakeAsker({"a": None}))
    assert (outcome.answer.declined, outcome.answer.citation) == (True, None)


async def test_citations_are_not_checked_of_an_asker_that_is_handed_the_file():
    asker = FakeAsker({"a": "4"}, {"a": ("a.md", None)})
    asker.cites = False
    [outcome] = await outcomes([asks("a", "4", file="a.md")], asker=asker)
    assert (outcome.answer.correct, outcome.answer.citation) == (True, None)


async def test_retrieval_is_measured_on_files_and_pages_within_the_scope():
    question = asks("a", "4", file="a.pdf", page=3, scope="a.pdf")
    retriever = FakeRetriever({"a": [("b.pdf", 3), ("a.pdf", 9), ("a.pdf", 4)]})
    [outcome] = await outcomes([question], retriever=retriever)
    assert outcome.answer is None
    assert outcome.files.reciprocal_rank == 0.5
    assert outcome.pages.reciprocal_rank == pytest.approx(1 / 3)
    assert retriever.scopes == ["a.pdf"]


async def test_unanswerable_questions_and_those_without_files_are_not_searched_for():
    retriever = FakeRetriever({})
    questions = [asks("a", answerable=False, file="a.md"), asks("b", "4")]
    done = await outcomes(questions, retriever=retriever)
    assert [o.files for o in done] == [None, None]


async def test_a_search_that_crashes_is_a_miss_and_named():
    retriever = FakeRetriever({"a": OSError("gone")})
    [outcome] = await outcomes([asks("a", "4", file="a.md")], retriever=retriever)
    assert outcome.files.recall_10 == 0
    assert outcome.search_error == "OSError: gone"


async def test_what_was_done_before_a_stop_is_kept():
    done = []
    asker = FakeAsker({"a": "4", "b": asyncio.CancelledError()})
    with pytest.raises(asyncio.CancelledError):
        await run([asks("a", "4"), asks("b", "4")], asker=asker, on_outcome=done.append)
    assert [o.question.id for o in done] == ["a"]


async def test_an_outcome_is_one_json_object():
    question = asks("a", "4", file="a.md")
    retriever = FakeRetriever({"a": [("a.md", None)]})
    [outcome] = await outcomes([question], asker=FakeAsker({"a": "4"}), retriever=retriever)
    row = json.loads(json.dumps(outcome.as_json()))
    assert row["answer"]["reply"] == "4"
    assert row["retrieval"]["hit_1"] == 1
    assert row["ranking"] == [["a.md", None]]
