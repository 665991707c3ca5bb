"""What a search tells of each result, and the timeline of what is dated."""

from __future__ import annotations

import asyncio

import pytest

from agent.fake_models import FakeModel
from manole.library import Library
from serve.conftest import ANSWER
from serve.running import running
from serve.test_http_ask import problem


def search(server, **params):
    return server.client.get("/search", params=params).json()["results"]


def test_a_result_shows_the_sentence_that_fits_with_the_words_asked_for(server):
    best = search(server, q="How long is the notice period for the landlord?")[0]
    assert best["file"] == "home/rental-contract.pdf"
    assert "notice period" in best["snippet"].lower()
    assert len(best["snippet"]) <= 300
    words = {best["snippet"][start:end].lower() for start, end in best["marks"]}
    assert {"notice", "period"} <= words
    assert not words & {"the", "is", "for"}


def test_a_result_says_what_is_known_of_its_file(server):
    known = {
        file["file"]: file for file in server.client.get(f"{server.library}/files").json()["files"]
    }
    results = search(server, q="flat flour boiler cellar")
    assert len({result["file"] for result in results}) > 1
    for result in results:
        file = known[result["file"]]
        for name in ("title", "date", "modified", "format"):
            assert result[name] == file[name], name
        assert result["line"] <= result["line_end"]


def test_copies_are_one_result_that_names_the_others(tmp_path, settings):
    papers = tmp_path / "papers"
    for name in ("a.txt", "b.txt", "old/c.txt"):
        (papers / name).parent.mkdir(parents=True, exist_ok=True)
        (papers / name).write_text("The rent is 950 euros a month.")

    async def index():
        async with await Library.open(papers, settings) as library:
            await library.sync()

    asyncio.run(index())
    with running(papers, settings, FakeModel(ANSWER)) as copied:
        (result,) = search(copied, q="rent")
        assert (result["file"], result["also"]) == ("a.txt", ["b.txt", "old/c.txt"])
        (result,) = search(copied, q="rent", path="old")
        assert (result["file"], result["also"]) == ("old/c.txt", [])


def test_the_snippet_leads_to_its_place(shelf):
    results = search(shelf, q="kettle of the hall, roof repair, key")
    assert len({result["file"] for result in results}) > 1
    for result in results:
        place = {"path": result["file"], "quote": result["snippet"], "line": result["line"]}
        if result["page"]:
            place["page"] = result["page"]
        seen = shelf.client.get(f"{shelf.library}/view", params=place).json()
        assert seen["marks"], result["snippet"]


def test_what_was_found_is_sorted_by_date(server):
    by_fit = search(server, q="flat flour boiler cellar")
    by_date = search(server, q="flat flour boiler cellar", sort="date")
    assert sorted(map(str, by_fit)) == sorted(map(str, by_date))
    dates = [result["date"] or result["modified"][:10] for result in by_date]
    assert dates == sorted(dates, reverse=True)
    assert len(set(dates)) > 1
    assert search(server, q="flat flour boiler cellar", sort="relevance") == by_fit


@pytest.mark.parametrize("query", ["q=flat&sort=size", "q=flat&sort=", "q=flat&sort=date&limit=0"])
def test_another_order_is_refused(server, query):
    problem(server.client.get(f"/search?{query}"), 422)


@pytest.mark.parametrize("query", ["\x00", "*" * 300, "(" * 3000, "a" * 4000, "\u202e flat", "the"])
def test_a_query_of_any_characters_has_snippets(server, query):
    for result in search(server, q=query):
        assert len(result["snippet"]) <= 300
        for start, end in result["marks"]:
            assert 0 <= start < end <= len(result["snippet"])


# -- the timeline --------------------------------------------------------------------------------


def timeline(server, **params):
    return server.client.get(f"{server.library}/timeline", params=params).json()


def test_the_timeline_has_every_dated_file_once_the_latest_first(server):
    files = server.client.get(f"{server.library}/files").json()["files"]
    dated = {file["file"]: file["date"] for file in files if file["date"]}
    assert dated
    got = timeline(server)
    days = [day["date"] for day in got["days"]]
    assert days == sorted(set(days), reverse=True)
    assert {file["file"]: day["date"] for day in got["days"] for file in day["files"]} == dated
    assert (got["total"], got["undated"]) == (len(dated), len(files) - len(dated))


def test_a_period_of_the_timeline(shelf):
    whole = timeline(shelf)
    (mail,) = [day for day in whole["days"] if day["date"] == "2024-03-05"]
    assert mail["files"] == [
        {"file": "2024-03-05 key.eml", "title": "The key of the cellar", "format": "email"}
    ]
    assert timeline(shelf, since="2024-03-05", until="2024-03-05")["days"] == [mail]
    assert timeline(shelf, since="2024-03-06", until="2024-03-04")["days"] == []
    assert timeline(shelf, until="2024-03-04", limit=1)["undated"] == whole["undated"]


def test_the_timeline_comes_in_parts(shelf):
    whole = timeline(shelf)
    every = [(day["date"], file) for day in whole["days"] for file in day["files"]]
    assert len(every) > 1
    read = []
    for offset in range(len(every)):
        part = timeline(shelf, limit=1, offset=offset)
        assert part["total"] == whole["total"]
        read += [(day["date"], file) for day in part["days"] for file in day["files"]]
    assert read == every
    assert timeline(shelf, offset=len(every))["days"] == []


@pytest.mark.parametrize(
    "query",
    [
        "since=yesterday",
        "since=0",
        "until=2024-02-30",
        "until=20240301",
        "limit=0",
        "limit=1001",
        "offset=-1",
    ],
)
def test_a_timeline_that_makes_no_sense_is_refused(server, query):
    problem(server.client.get(f"{server.library}/timeline?{query}"), 422)
