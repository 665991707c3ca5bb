"""What tools find, as events carry it: byte for byte what saved conversations hold.

`objects.jsonl` was written before objects had types; it changes only with `events.VERSION`.
"""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from manole.agent.plan.answered import cited
from manole.agent.turn import as_event
from manole.documents.fields import TextLine
from manole.documents.journal import Entry
from manole.documents.model import Box, Status
from manole.index.search.duplicates import Find
from manole.index.search.hybrid import Hit
from manole.index.search.pages import PageHit, ScoredLine
from manole.index.store.records import FileRecord, PassageRecord
from manole.tools.base import Result
from manole.tools.objects import (
    Figure,
    FileCount,
    FoundEntry,
    FoundFile,
    FoundPage,
    FoundPassage,
    FoundRow,
)

DAY = date(2024, 3, 1)
BOX = Box(0.1, 0.2, 0.3, 0.4)
FILE = FileRecord(
    id="f1", root="/r", path="bills/März.pdf", size=1234, mtime_ns=1_700_000_000_123_456_789,
    content_hash="ab", status=Status.INDEXED, date=DAY,
)  # fmt: skip
BARE = FileRecord(
    id="f2", root="/r", path="a.bin", size=0, mtime_ns=0, content_hash="", status=Status.SKIPPED
)
PASSAGE = PassageRecord(
    id="f1:3", file_id="f1", root="/r", path="bills/März.pdf", ordinal=3, page=2, line_start=4,
    line_end=5, start=10, end=30, text="Total “12 €”\nDue", headings=("", "Bill"), boxes=(BOX,),
    title="Bill", date=DAY,
)  # fmt: skip
PLAIN = PassageRecord(
    id="f2:0", file_id="f2", root="/r", path="a.md", ordinal=0, page=None, line_start=1,
    line_end=1, start=0, end=1, text="x",
)  # fmt: skip
WALK = Entry("e1", DAY, "A walk", "d.md", 3, (TextLine("Rain", 1, 4),), tags=("out",))
EMPTY = Entry("e2", date(2024, 3, 2), "Nothing", "d.md", 6, ())
PLAYER = '1,Ann Berg,Sweden (SWE),"1,204",3 May 2009,"12.50",A'
HEADS = ("Rank", "Name", "Nation", "Goals", "Since", "Fee (EUR)", "2009")
CELLS = ("1", "Ann Berg", "Sweden (SWE)", "1,204", "3 May 2009", "12.50", "A")
SHEET_ROWS = (  # as saved conversations hold them
    FoundRow(
        id="row:league/players.csv:None:1:1", n=1, file="league/players.csv", page=None, line=2,
        quote=PLAYER, value=PLAYER, columns=dict(zip(HEADS, CELLS, strict=True)),
    ),
    FoundRow(
        id="row:league/players.csv:None:1:0", n=1, file="league/players.csv", page=None, line=1,
        quote=" | ".join(HEADS), value=" | ".join(HEADS), columns={},
    ),
)  # fmt: skip
GOLDEN = Path(__file__).with_name("objects.jsonl").read_text("utf-8").splitlines()


def objects():
    line = ScoredLine("Total", BOX, 0.75)
    yield FoundPassage.of(Find(PASSAGE, 0.123456, 0.5, 7.25, also=("b.pdf",)))
    yield FoundPassage.of(Find(PLAIN, 1.0, relevance=0.25))
    yield replace(FoundPassage.of(Find(PLAIN, 1.0)), facts=("x is “y”",))
    yield FoundPassage(
        id="sight:page:f1:2", file="bills/März.pdf", page=2, line=1, line_end=1, text="A pump",
        score=0.5, seen_by="Eye",
    )  # fmt: skip
    yield FoundEntry.of(WALK, 0.43219, "vector_search")
    yield FoundEntry.of(EMPTY, None, "recent_entries")
    yield FoundFile.of(FILE)
    yield FoundFile.of(BARE)
    yield FoundPage.of(PageHit(FILE, 2, 0.5, (line,), (Hit(PASSAGE, 0.5),)))
    yield FoundPage.of(PageHit(BARE, None, 0.25, (), ()))
    yield FileCount.of_folder("bills", 1)
    yield FileCount.of_folder("bills", 1, 1234)
    yield FileCount.of_type(".pdf", 1, 1234)
    yield from SHEET_ROWS
    yield from cited(
        [{"path": "a.pdf", "page": 2, "line": 7, "quote": "Total"}],
        [{"total": 12.5, "currency": None}],
    )
    yield from cited([{"path": "a.pdf", "text": "words"}])
    yield Figure(id="query:SELECT 1")


@pytest.fixture
def in_utc(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_events_carry_each_kind_of_object_as_ever(in_utc):
    results = [Result([found], {"count": 1}, "n", "p", "m") for found in objects()]
    assert [as_event(r, 1, "t", 0.0).model_dump_json() for r in results] == GOLDEN
