"""Records inside texts are sheets, under names of their own, as soon as a question is planned."""

from __future__ import annotations

from datetime import date

import pytest_asyncio

from manole.agent.plan.open_catalog import catalog_of, sheets
from manole.agent.plan.query_catalog import QueryCatalog
from manole.agent.plan.value_linking import links
from manole.agent.turn import TurnUsage
from manole.catalog.records import with_records
from manole.library import Library
from manole.settings import Settings
from manole.text.question import Question
from manole.tools.base import Result, TurnState

TODAY = date(2026, 11, 20)
GRANTS = "# Grants\n\n" + "\n".join(
    f"## Application {n:03}: {firm}\n\nApplicant: {who}. Sum asked for: {n * 100} EUR.\n"
    for n, (firm, who) in enumerate([("Bees", "club"), ("Path", "school"), ("Hall", "club")] * 8, 1)
)
FILES = {
    "grants.md": GRANTS,
    "runs.md": "".join(f"- 2026-03-0{n} · {n + 9} km · 1:0{n}\n" for n in range(1, 8)),
    "lib/words.py": "def fold(text):\n    '''Fold it.'''\n\n\nclass Word:\n    pass\n",
    "tasks.csv": "task,owner\nroof,Ann\ngate,Tom\nwell,Ann\n",
    "letter.md": "# Dear Ann\n\nHow are you? Note: I am fine.\n\n## Later\n\nYours, Tom\n",
}


@pytest_asyncio.fixture
async def library(tmp_path):
    folder = tmp_path / "files"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    settings = Settings(data_dir=tmp_path / "data", cache_dir=Settings.load().cache_dir)
    async with await Library.open(folder, settings) as library:
        await library.sync()
        yield library


async def test_they_are_sheets_under_their_names(library):
    state = TurnState(Question("", TODAY), library, library.settings)
    found = await sheets(state)
    assert {name: (sheet.file, len(sheet.rows)) for name, sheet in found.items()} == {
        "applications": ("grants.md", 24),
        "runs": ("runs.md", 7),
        "words_py": ("lib/words.py", 2),
        "tasks_2": ("tasks.csv", 3),  # `tasks` is a relation
    }
    kinds = {column.name: column.kind for column in found["applications"].columns}
    assert kinds == {
        "number": "REAL", "title": "TEXT", "applicant": "TEXT",
        "sum_asked_for": "REAL",
    }  # fmt: skip
    catalog = await catalog_of(state)
    assert await with_records(catalog, library) is await with_records(catalog, library)


async def test_a_question_about_them_is_linked_and_answered(library):
    async def model():
        raise AssertionError("no model has a part in it")

    question = "How many applications of a school are there?"
    state = TurnState(Question(question, TODAY), library, library.settings)
    linked = links(Question(question, TODAY), await catalog_of(state), await sheets(state))
    assert linked.sheet == "applications"
    query = QueryCatalog(model, TurnUsage())
    inputs = query.inputs(sql="SELECT count(*) FROM applications WHERE applicant = 'school'")
    told = [one async for one in query(state, inputs)]
    assert isinstance(told[-1], Result)
    assert told[-1].llm_message.startswith("8 ")
    assert next(row.line for row in told[-1].objects) == 7
