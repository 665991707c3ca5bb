"""The server in this process, over real pipes and a real index, with a fake model."""

from __future__ import annotations

import asyncio

import pytest
from talk import fill

from agent.fake_models import FakeBreakingModel, FakeMissingModel, FakeModel
from manole.errors import StoreError
from manole.index.sync.report import Progress, SyncReport
from manole.library import Library
from manole.models.chat.protocol import Delta
from manole.serve.queue import QUESTIONS
from manole_stdio.server import MAX_RUNNING


@pytest.fixture(autouse=True)
def unsure(monkeypatch, a_model_answers):
    """No sentence is told as it stands: the model writes each answer."""
    monkeypatch.setattr("manole.agent.answer.said.SURE", 2.0)


QUESTION = "What is the notice period of the flat?"
ANSWER = "The notice period is three months."


DECISION = '{"tool": "fast_vector_search", "inputs": {"query": "notice period"}}'


class FakeSlowModel(FakeModel):
    """Says a few words and then nothing more, until it is closed."""

    def __init__(self, *texts):
        super().__init__(*texts)
        self.stopped = 0

    async def stream(self, messages, **options):
        if options.get("slot") == "catalog":  # it plans at once
            async for item in super().stream(messages, **options):
                yield item
            return
        self._next(messages)
        try:
            for piece in ("The", " notice", " period", " is", " three", " months", " and"):
                yield Delta(piece)
            await asyncio.Event().wait()
        finally:
            self.stopped += 1

    async def complete(self, messages, **options):
        async for _ in self.stream(messages):
            pass
        raise AssertionError("it never ends by itself")


def answering(talk):
    """The requests that words of an answer have come for."""
    return {token["request"] for token in talk.events("token")}


async def aside(wait, *arguments, **more):
    """What a talk says, without holding up the server in this loop."""
    return await asyncio.to_thread(wait, *arguments, **more)


async def test_a_question_gives_steps_tokens_and_a_cited_answer(serving):
    async with serving(FakeModel(ANSWER)) as talk:
        id = talk.ask("query", text=QUESTION)
        answer = await aside(talk.answer, id)
    assert answer["type"] == "result"
    data = answer["data"]
    assert set(data) == {
        "answer", "found", "outcome", "confidence", "sources", "model_calls", "tokens", "timings",
    }  # fmt: skip
    assert "three months" in data["answer"]
    assert data["found"] is True
    assert data["model_calls"] >= 1
    (source,) = data["sources"]
    assert set(source) == {"n", "file", "page", "line", "quote"}
    assert (source["n"], source["file"], source["line"]) == (1, "home/lease.md", 3)
    assert "three months" in source["quote"]
    step = talk.events("agent_step", request=id)[0]
    assert step["tool"] == "semantic_search"
    assert isinstance(step["input"], str)
    assert step["inputs"]["query"]
    assert talk.events("agent_result", request=id)[0]["payload_type"] == "passages"
    words = "".join(token["text"] for token in talk.events("token", request=id))
    assert "three months" in words
    # The answer comes last, and once.
    place = talk.messages.index(answer)
    told = [m for m in talk.messages if m["data"].get("request") == id]
    assert max(talk.messages.index(m) for m in told) < place
    assert sum(m["id"] == id for m in talk.messages) == 1


async def test_a_question_may_name_its_strategy(serving):
    async with serving(FakeModel(DECISION)) as talk:
        id = talk.ask("query", text=QUESTION, strategy="tree")
        assert (await aside(talk.answer, id))["data"]["answer"]
    assert talk.events("agent_step", request=id)[0]["tool"] == "fast_vector_search"
    assert talk.events("agent_result", request=id)[0]["payload_type"] == "chunks"


async def test_a_cancelled_question_stops_the_model_and_says_so(serving):
    model = FakeSlowModel("never")
    async with serving(model) as talk:
        id = talk.ask("query", text=QUESTION)
        await aside(talk.wait, lambda m: m["type"] == "token" and m["data"]["request"] == id)
        assert (await aside(talk.result, "cancel", id=id)) == {"cancelled": True}
        answer = await aside(talk.answer, id)
        assert (answer["type"], answer["data"]["code"]) == ("error", "cancelled")
        assert model.stopped == 1
        assert (await aside(talk.result, "cancel", id=id)) == {"cancelled": False}
        # The next one gets the model.
        again = talk.ask("query", text=QUESTION)
        await aside(talk.wait, lambda m: m["type"] == "token" and m["data"]["request"] == again)


async def test_a_question_cancelled_before_it_began_is_answered_too(serving):
    async with serving(FakeSlowModel("never")) as talk:
        talk.send(
            b'{"id": 1, "method": "query", "params": {"text": "notice period?"}}\n'
            b'{"id": 2, "method": "cancel", "params": {"id": 1}}'
        )
        assert (await aside(talk.answer, 2))["data"] == {"cancelled": True}
        assert (await aside(talk.answer, 1))["data"]["code"] == "cancelled"


async def test_while_a_question_waits_for_the_model_everything_else_is_answered(serving):
    async with serving(FakeSlowModel("never")) as talk:
        one, two = (talk.ask("query", text=QUESTION) for _ in range(2))
        await aside(talk.wait, lambda m: m["type"] == "token")
        found = await aside(talk.result, "search", text="boiler", limit=1)
        assert [r["file"] for r in found["results"]] == ["home/boiler.txt"]
        counted = await aside(talk.result, "query", text="how many PDF files are there?")
        assert counted["answer"].startswith("You have 1 PDF file: broken.pdf")
        assert (await aside(talk.result, "status"))["counts"]["files"] == 3
        assert not [m for m in talk.messages if m["id"] in {one, two}]
        # Each event says whose it is.
        for id in (one, two):
            await aside(talk.wait, lambda m, id=id: talk.events("agent_step", request=id))
        assert not {t["request"] for t in talk.events("token")} >= {one, two}


async def test_a_signal_cancels_what_runs(serving):
    model = FakeSlowModel("never")
    async with serving(model) as talk:
        id = talk.ask("query", text=QUESTION)
        await aside(talk.wait, lambda m: m["type"] == "token")
    assert talk.answer(id)["data"]["code"] == "cancelled"
    assert model.stopped == 1


async def test_shutdown_is_answered_last_and_what_comes_after_it_is_refused(serving):
    async with serving(FakeSlowModel("never")) as talk:
        id = talk.ask("query", text=QUESTION)
        await aside(talk.wait, lambda m: m["type"] == "token")
        talk.send(b'{"id": 7, "method": "shutdown"}\n{"id": 8, "method": "status"}')
        assert (await aside(talk.answer, 7))["data"] == {"stopped": True}
        assert sorted(m["id"] for m in talk.messages if m["id"]) == [7, 8, id]
        assert talk.messages[-1]["id"] == 7
        assert talk.answer(id)["data"]["code"] == "cancelled"
        late = talk.answer(8)["data"]
        assert (late["code"], late["message"]) == (
            "cancelled", "status comes too late: the server is ending.",
        )  # fmt: skip


async def test_an_id_in_use_is_refused_and_its_owner_not_disturbed(serving):
    async with serving(FakeSlowModel("never")) as talk:
        id = talk.ask("query", text=QUESTION)
        for method in ("search", "cancel", "shutdown"):
            talk.send({"id": id, "method": method, "params": {}})
            refused = await aside(
                talk.wait, lambda m: m["type"] == "error" and m["data"].get("request") == id
            )
            assert (refused["id"], refused["data"]["code"]) == (None, "bad_request")
            talk.messages.remove(refused)
        assert not [m for m in talk.messages if m["id"] == id]
        assert (await aside(talk.result, "cancel", id=id)) == {"cancelled": True}
        assert (await aside(talk.answer, id))["data"]["code"] == "cancelled"
        talk.send({"id": id, "method": "dance"})  # free again
        await aside(talk.wait, lambda m: m["id"] == id and m["data"]["code"] == "unknown_method")


async def test_too_many_questions_are_told_when_to_ask_again(serving):
    limit = QUESTIONS
    async with serving(FakeSlowModel("never")) as talk:
        ids = [talk.ask("query", text=QUESTION) for _ in range(limit + 1)]
        busy = await aside(talk.wait, lambda m: m["id"] in ids)
        assert busy["data"]["code"] == "busy"
        assert busy["data"]["retry_after"] > 0


async def test_as_many_questions_run_as_there_are_turns(serving):
    model = FakeSlowModel("never")
    async with serving(model, turns=2) as talk:
        for _ in range(3):
            talk.ask("query", text=QUESTION)
        await aside(talk.wait, lambda _: len(answering(talk)) == 2)
        assert len(model.prompts) == 2  # the third one waits
        assert (await aside(talk.result, "cancel", id=answering(talk).pop())) == {"cancelled": True}
        await aside(talk.wait, lambda _: len(answering(talk)) == 3)
    assert model.stopped == 3  # the end of the input ended those that ran


async def test_too_many_requests_are_refused_and_cancel_still_works(serving, monkeypatch):
    async def wait(self, query, **_):
        await asyncio.Event().wait()

    monkeypatch.setattr(Library, "search", wait)
    async with serving(FakeModel(ANSWER)) as talk:
        ids = [talk.ask("search", text="boiler") for _ in range(MAX_RUNNING + 1)]
        assert (await aside(talk.answer, ids[-1]))["data"]["code"] == "busy"
        assert (await aside(talk.result, "cancel", id=ids[0])) == {"cancelled": True}
        assert (await aside(talk.answer, ids[0]))["data"]["code"] == "cancelled"


@pytest.mark.parametrize("model", [FakeMissingModel(), FakeBreakingModel("x")])
async def test_without_a_model_the_passage_is_the_answer(serving, model):
    async with serving(model) as talk:
        data = await aside(talk.result, "query", text=QUESTION)
    assert data["sources"][0]["file"] == "home/lease.md"


async def test_a_fault_of_ours_is_an_answer_and_the_server_lives_on(serving, monkeypatch, caplog):
    real = Library.search

    async def fail(self, query, *more, **how):
        if query == "boom":
            raise ZeroDivisionError("secret detail")
        if query == "nan":
            return [_hit_without_number(hit) for hit in await real(self, "boiler", *more, **how)]
        return await real(self, query, *more, **how)

    monkeypatch.setattr(Library, "search", fail)
    async with serving(FakeModel(ANSWER)) as talk:
        for text in ("boom", "nan"):
            error = await aside(talk.error, "search", text=text)
            assert error["code"] == "internal"
            assert "secret" not in str(error)
        assert (await aside(talk.result, "search", text="boiler"))["results"]
    assert "secret detail" in caplog.text


def _hit_without_number(hit):
    from dataclasses import replace

    return replace(hit, score=float("nan"))


async def test_a_conversation_is_kept_renamed_exported_and_forgotten(serving):
    async with serving(FakeModel(ANSWER)) as talk:
        made = await aside(talk.result, "conversation_create", title="The flat")
        assert set(made) == {"id", "title", "created", "updated", "turns"}
        id = made["id"]
        asked = await aside(talk.result, "query", text=QUESTION, conversation=id)
        kept = await aside(talk.result, "conversation_get", id=id)
        (turn,) = kept["turns"]
        assert (turn["n"], turn["question"], turn["result"]) == (1, QUESTION, asked)
        renamed = await aside(talk.result, "conversation_rename", id=id, title="Notice")
        assert renamed["title"] == "Notice"
        listed = await aside(talk.result, "conversations")
        assert ("Notice", 1) in {(c["title"], c["turns"]) for c in listed["conversations"]}
        for format in ("markdown", "json"):
            text = (await aside(talk.result, "conversation_export", id=id, format=format))["text"]
            assert QUESTION in text
        assert (await aside(talk.result, "conversation_delete", id=id)) == {"deleted": id}
        for method in ("conversation_get", "conversation_delete", "conversation_export"):
            assert (await aside(talk.error, method, id=id))["code"] == "conversation"
        gone = await aside(talk.error, "query", text=QUESTION, conversation=id)
        assert gone["code"] == "conversation"


# Syncs ----------------------------------------------------------------------------------------


async def test_a_first_question_waits_for_the_first_sync_whose_progress_is_told(serving, tmp_path):
    async with serving(FakeModel(ANSWER), fill(tmp_path / "new"), sync=True) as talk:
        id = talk.ask("query", text="how many files are there?")
        counted = await aside(talk.answer, id)
        assert "3 files" in counted["data"]["answer"]
        assert "indexed first" in talk.events("status", request=id)[0]["message"]
        told = talk.events("progress", request=None, what="index")
        assert "read" in {data["stage"] for data in told if "stage" in data}
        done = await aside(
            talk.wait, lambda m: m["type"] == "progress" and m["data"]["state"] == "done"
        )
        assert done["data"]["report"]["added"] == 3
        # Another sync keeps no question waiting, and knows what changed.
        (tmp_path / "new" / "later.txt").write_text("The cat is called Ada.")
        report = await aside(talk.result, "index")
        assert (report["files"], report["added"], report["unchanged"]) == (4, 1, 3)
        assert report["statuses"] == {"indexed": 3, "failed": 1}
        found = await aside(talk.result, "search", text="cat", limit=1)
        assert found["results"][0]["file"] == "later.txt"
        forced = await aside(talk.result, "index", force=True)
        assert (forced["changed"], forced["unchanged"]) == (4, 0)


@pytest.fixture
def held_sync(monkeypatch):
    """Syncs that tell once of themselves and then wait; gives how many began and were stopped."""
    counts = {"begun": 0, "stopped": 0, "forced": 0}
    go_on = asyncio.Event()

    async def sync(self, force=False, progress=None, **how):
        counts["begun"] += 1
        counts["forced"] += force
        try:
            progress(Progress("read", 1, 5, current="a.txt"))
            await go_on.wait()
        except asyncio.CancelledError:
            counts["stopped"] += 1
            raise
        return SyncReport(statuses={"indexed": 5})

    monkeypatch.setattr(Library, "sync", sync)
    counts["go_on"] = go_on
    return counts


async def test_questions_are_answered_from_what_there_is_while_a_later_sync_runs(
    serving, held_sync
):
    async with serving(FakeModel(ANSWER), sync=True) as talk:
        await aside(talk.wait, lambda m: m["type"] == "progress")
        assert "three months" in (await aside(talk.result, "query", text=QUESTION))["answer"]
        assert (await aside(talk.result, "status"))["sync"]["state"] == "running"
    assert held_sync["stopped"] == 1  # with the server


async def test_a_sync_stops_when_the_last_request_for_it_is_cancelled(serving, held_sync):
    async with serving(FakeModel(ANSWER)) as talk:
        one, two = talk.ask("index"), talk.ask("index")
        for id in (one, two):
            await aside(
                talk.wait, lambda m, id=id: m["type"] == "progress" and m["data"]["request"] == id
            )
        talk.ask("cancel", id=one)
        assert (await aside(talk.answer, one))["data"]["code"] == "cancelled"
        assert (held_sync["begun"], held_sync["stopped"]) == (1, 0)
        talk.ask("cancel", id=two)
        assert (await aside(talk.answer, two))["data"]["code"] == "cancelled"
        assert held_sync["stopped"] == 1


async def test_force_begins_anew_and_others_are_told(serving, held_sync):
    async with serving(FakeModel(ANSWER)) as talk:
        plain = talk.ask("index")
        await aside(talk.wait, lambda m: m["type"] == "progress")
        forced = talk.ask("index", force=True)
        stopped = (await aside(talk.answer, plain))["data"]
        assert (stopped["code"], stopped["message"]) == ("cancelled", "The sync was stopped.")
        held_sync["go_on"].set()
        assert (await aside(talk.answer, forced))["data"]["files"] == 5
        assert (held_sync["begun"], held_sync["forced"]) == (2, 1)


@pytest.mark.parametrize("error", [StoreError("No space.", "Make room."), OSError("No space.")])
async def test_a_sync_that_fails_is_told_and_the_next_one_begins(serving, monkeypatch, error):
    real = Library.sync
    failures = [error, error]

    async def fail(self, force=False, progress=None, **how):
        if failures:
            raise failures.pop()
        return await real(self, force, progress, **how)

    monkeypatch.setattr(Library, "sync", fail)
    async with serving(FakeModel(ANSWER), sync=True) as talk:
        told = await aside(talk.wait, lambda m: m["type"] == "progress")
        assert told["data"]["state"] == "failed"
        assert "No space." in told["data"]["error"]["message"]
        assert "No space." in (await aside(talk.error, "index"))["message"]
        assert (await aside(talk.result, "index"))["files"] == 3
