"""What is due over HTTP: as JSON, and as a calendar."""

from __future__ import annotations

import shutil

import pytest

from agent.fake_models import FakeModel
from manole.library import Library

from .conftest import EXAMPLES
from .running import running
from .test_http_ask import problem

DAY = {"today": "2024-12-05"}
BOILER = "invoices/2024-11-28_invoice_boiler-service_TH-2024-311.pdf"


@pytest.fixture(scope="module")
async def folder(tmp_path_factory, settings):
    folder = tmp_path_factory.mktemp("due") / "papers"
    for name in ("invoices", "insurance", "notes"):
        shutil.copytree(EXAMPLES / name, folder / name)
    async with await Library.open(folder, settings) as library:
        await library.sync()
    return folder


@pytest.fixture(scope="module")
def server(folder, settings):
    with running(folder, settings, FakeModel("x")) as server:
        yield server


def test_what_is_due_has_counts_and_sources(server):
    got = server.client.get("/due", params=DAY | {"days": 30}).json()
    assert (got["today"], got["days"]) == ("2024-12-05", 30)
    assert got["counts"] == {
        when: sum(one["when"] == when for one in got["due"])
        for when in ("past", "soon", "later", "unsure")
    }
    (boiler,) = [one for one in got["due"] if one["file"] == BOILER]
    assert set(boiler) == {
        "day", "time", "kind", "when", "text", "amount", "currency", "how", "sure", "file", "page",
        "line", "quote",
    }  # fmt: skip
    assert (boiler["day"], boiler["when"], boiler["kind"]) == ("2024-12-12", "soon", "pay")
    assert (boiler["amount"], boiler["currency"], boiler["page"]) == (290.96, "EUR", 1)
    assert [one["day"] for one in got["due"]] == sorted(one["day"] for one in got["due"])


def test_a_source_opens_where_it_is_said(server):
    for one in server.client.get("/due", params=DAY | {"days": 400}).json()["due"]:
        asked = {"path": one["file"], "page": one["page"], "quote": one["quote"]}
        asked = {name: value for name, value in asked.items() if value is not None}
        view = server.client.get(f"/libraries/{server.name}/view", params=asked).json()
        assert view["marks"] or one["quote"] is None, one


def test_a_calendar_is_read_again(server, tmp_path):
    got = server.client.get("/due.ics", params=DAY | {"days": 60})
    assert got.headers["content-type"] == "text/calendar; charset=utf-8"
    assert "due.ics" in got.headers["content-disposition"]
    assert max(map(len, got.content.split(b"\r\n"))) <= 75
    text = got.text.replace("\r\n ", "")
    assert "SUMMARY:to pay: 290.96 EUR\\, Thermaro" in text
    assert text.count("BEGIN:VEVENT") == sum(
        server.client.get("/due", params=DAY | {"days": 60}).json()["counts"].values()
    )
    german = server.client.get("/due.ics", params=DAY, headers={"accept-language": "de"}).text
    assert "SUMMARY:zu zahlen: 290\\,96 EUR" in german.replace("\r\n ", "")


@pytest.mark.parametrize(
    ("query", "status"),
    [("days=0", 422), ("days=99999", 422), ("today=soon", 422), ("library=none-0", 404)],
)
def test_what_makes_no_sense_is_refused(server, query, status):
    problem(server.client.get(f"/due?{query}"), status)
    problem(server.client.get(f"/due.ics?{query}"), status)
