"""The relations of what is marked inside texts, filled from real files when a query needs them."""

from __future__ import annotations

import asyncio
from datetime import date

import pytest
import pytest_asyncio

from manole.agent.plan.open_catalog import catalog_of, filled
from manole.agent.plan.query_catalog import QueryCatalog
from manole.agent.turn import TurnUsage
from manole.catalog.catalog import CatalogError
from manole.library import Library
from manole.settings import Settings
from manole.text.question import Question
from manole.tools.base import TurnState

TODAY = date(2026, 11, 20)
FILES = {
    "garden project.md": "# Garden\n\n- [ ] order gravel 📅 2026-11-19\n"
    "- [x] measure ✅ 2026-11-02\n- [ ] ring the fence builder 📅 2026-11-21 #home\n"
    "\n```\n- [ ] in code\n```\n",
    "move.txt": "- [ ] return keys (due 22 Nov 2026)\n- [ ] buy two lamps due: 2026-02-31\n",
    "todo.txt": "x 2026-11-10 cancel internet\n(A) pay rent due:2026-11-30 +home +money\n",
    "knee.md": "---\ntags: [health, sport]\nstatus: open\nselect: '1'\n---\n"
    "# '; DROP TABLE tags; --\n\nWalk #Health/daily, not #fff.\n",
    "sleep.md": "---\ntags: health\nstatus: done\n---\n\nI slept.\n",
    "family.ics": "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261201T180000\nSUMMARY:Choir\n"
    "ATTENDEE;CN=Ann Lee:mailto:ann@a.example\nLOCATION:Hall\nEND:VEVENT\nBEGIN:VTODO\n"
    "SUMMARY:Taxes\nDUE:20261231\nEND:VTODO\nEND:VCALENDAR\n",
    "main.py": "# - [ ] a comment #tag\nprint('- [ ]')\n",
}  # fmt: skip


@pytest_asyncio.fixture
async def library(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    settings = Settings(data_dir=tmp_path / "data", cache_dir=Settings.load().cache_dir)
    async with await Library.open(folder, settings) as library:
        await library.sync()
        yield library


def state(library, question=""):
    return TurnState(Question(question, TODAY), library, library.settings)


async def test_they_are_filled_when_a_query_needs_one(library):
    catalog = await catalog_of(state(library))
    before = set(catalog.filled)
    assert await filled(state(library), {"files"}) is catalog
    assert catalog.filled == before
    await filled(state(library), {"tags"})
    assert catalog.filled - before == {"tasks", "events", "tags", "properties"}
    await asyncio.gather(*(filled(state(library), {"tasks"}) for _ in range(3)))
    assert catalog.run("SELECT count(*) FROM tasks")[1] == [(8,)]


async def test_what_stands_in_them(library):
    catalog = await filled(state(library), {"tasks"})
    assert catalog.run("SELECT path, line, text, status, due, done, tag FROM tasks")[1] == [
        ("family.ics", 8, "Taxes", "open", "2026-12-31", None, None),
        ("garden project.md", 3, "order gravel", "open", "2026-11-19", None, "Garden"),
        ("garden project.md", 4, "measure", "done", None, "2026-11-02", "Garden"),
        ("garden project.md", 5, "ring the fence builder", "open", "2026-11-21", None,
         "home, Garden"),
        ("move.txt", 1, "return keys", "open", "2026-11-22", None, None),
        ("move.txt", 2, "buy two lamps due: 2026-02-31", "open", None, None, None),
        ("todo.txt", 1, "cancel internet", "done", None, "2026-11-10", None),
        ("todo.txt", 2, "pay rent", "open", "2026-11-30", None, "home, money"),
    ]  # fmt: skip
    assert catalog.run("SELECT * FROM events")[1] == [
        (
            "family.ics", None, 2, "Choir", "2026-12-01", "2026-12-01", "18:00", "Hall", "Ann Lee",
            None,
        ),
    ]  # fmt: skip
    assert catalog.run("SELECT path, tag FROM tags ORDER BY path, tag")[1] == [
        ("garden project.md", "home"), ("knee.md", "health"), ("knee.md", "Health/daily"),
        ("knee.md", "sport"), ("sleep.md", "health"),
    ]  # fmt: skip
    assert catalog.run("SELECT path, key, value FROM properties WHERE key != 'tags'")[1] == [
        ("knee.md", "status", "open"), ("knee.md", "select", "1"), ("sleep.md", "status", "done"),
    ]  # fmt: skip
    with pytest.raises(CatalogError):
        catalog.run("DELETE FROM tasks")


@pytest.mark.parametrize(
    ("question", "sql", "answer"),
    [
        (
            "How many open tasks does the garden project have?",
            "SELECT count(*) FROM tasks WHERE status = 'open' AND mentions('garden project')",
            "2 tasks fit",
        ),
        (
            "what do I still have to do this week?",
            "SELECT text, due FROM tasks WHERE status = 'open' AND during(due, 'this week')",
            "- return keys, due 22 November 2026",
        ),
        (
            "what is overdue?",
            "SELECT text FROM tasks WHERE status = 'open' AND due < '2026-11-20'",
            "order gravel [1]",
        ),
        (
            "which tasks are not about the garden?",
            "SELECT text FROM tasks WHERE NOT mentions('garden')",
            "5 tasks:",
        ),
        ("tasks tagged #money", "SELECT text FROM tasks WHERE tag = '#money'", "pay rent [1]"),
        (
            "How many notes are tagged health?",
            "SELECT count(DISTINCT path) FROM tags WHERE tag = '#health'",
            "2 files",
        ),
        (
            "Welche Notizen haben den Status offen?",
            "SELECT path FROM properties WHERE key = 'status' AND value = 'open'",
            "knee.md [1]",
        ),
        (
            "Wie viele Aufgaben sind offen?",
            "SELECT count(*) FROM tasks WHERE status = 'open'",
            "6 Aufgaben",
        ),
        (
            "when do I sing with Ann?",
            "SELECT date, title FROM events WHERE people LIKE '%Ann%'",
            "1 December 2026, Choir [1]",
        ),
        (
            "where is the choir?",
            "SELECT place FROM events WHERE mentions('choir')",
            "Hall [1]",
        ),
    ],
)
async def test_a_query_over_them_is_said(library, question, sql, answer):
    async def model():
        raise AssertionError("no model has a part in it")

    query = QueryCatalog(model, TurnUsage())
    (outcome,) = [one async for one in query(state(library, question), query.inputs(sql=sql))]
    assert answer in outcome.llm_message
    assert outcome.objects
