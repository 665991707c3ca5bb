"""`/journal_chat_agent` over a folder with a journal and other papers."""

import shutil

import pytest

from agent.fake_models import FakeModel
from manole.library import Library

from .conftest import EXAMPLES
from .running import running

DONE = '{"reasoning": "enough", "tool": "DONE"}'
RANGE = (
    '{"reasoning": "that year", "tool": "DATE_RANGE_SEARCH", "query": "stress",'
    ' "start_date": "2023-01-01", "end_date": "2023-12-31"}'
)
LATELY = "What was I stressed about last year?"


@pytest.fixture(scope="module")
async def folder(tmp_path_factory, settings):
    folder = tmp_path_factory.mktemp("diary")
    shutil.copytree(EXAMPLES / "journal", folder / "journal")
    shutil.copy(EXAMPLES / "home" / "rental-contract.pdf", folder)
    async with await Library.open(folder, settings) as library:
        await library.sync()
    return folder


def asked(folder, settings, model, **body):
    with running(folder, settings, model) as server:
        response = server.client.post("/journal_chat_agent", json=body | {"today": "2024-12-15"})
        assert response.status_code == 200, response.text
        return response.json()


def test_the_trace_has_the_days_of_a_range(folder, settings):
    got = asked(folder, settings, FakeModel("You bought a sofa."), message=LATELY)
    search, done = got["search_trace"]
    assert search["query"] == "stressed, 2023-01-01 to 2023-12-31"
    assert search["inputs"] == {
        "query": "stressed", "start_date": "2023-01-01", "end_date": "2023-12-31",
    }  # fmt: skip
    assert (search["results_count"], search["new_entries_added"]) == (2, 2)
    assert (done["tool"], done["query"]) == ("DONE", None)


def test_the_model_leads_when_asked_to(folder, settings):
    model = FakeModel(RANGE, DONE, "The beach was full of seaweed.")
    beach = "How did we find the beach last year?"
    got = asked(folder, settings, model, message=beach, led_by="model")
    assert [step["reasoning"] for step in got["search_trace"]] == ["that year", "enough"]
    assert got["search_trace"][0]["query"] == "stress, 2023-01-01 to 2023-12-31"
    assert "The beach was full of seaweed. [" in got["response"]


def test_who_leads_is_one_of_two(folder, settings):
    with running(folder, settings, FakeModel("x")) as server:
        for path, field in (("/journal_chat_agent", "message"), ("/agentic_search", "query")):
            body = {field: LATELY, "led_by": "nobody"}
            assert server.client.post(path, json=body).status_code == 422


def test_agentic_search_takes_the_field(folder, settings):
    body = {"query": LATELY, "strategy": "journal", "led_by": "model", "today": "2024-12-15"}
    with running(folder, settings, FakeModel(RANGE, DONE, "A sofa.")) as server:
        lines = server.client.post("/agentic_search", json=body).text.splitlines()
    assert '"tool":"date_range_search"' in lines[0]
    assert '"by":"model"' in lines[0]


def test_what_the_journal_does_not_tell_is_answered_from_all_files(folder, settings):
    model = FakeModel("The deposit is 3,540.00 euros.")
    got = asked(folder, settings, model, message="How high is the deposit?")
    assert any(source["file"] == "rental-contract.pdf" for source in got["sources"])
    assert {step["tool"] for step in got["search_trace"]}.isdisjoint(
        {"vector_search", "recent_entries", "date_range_search"}
    )


def test_a_year_without_entries_is_said_to_have_none(folder, settings):
    got = asked(folder, settings, FakeModel("x"), message="What was I worried about in 2019?")
    assert got["response"].startswith("No entry is dated in 2019.")
    assert got["found"] is False
    assert [s["file"] for s in got["sources"]] == ["journal/2022-03-02.md"]  # the nearest
