"""A strategy that plays a turn with each kind of result, for the page to show. It asks no model.

The server of `test_payloads.py` finds it as a plug-in under the name `fake`. The objects are those
of the real tools, or what a document or a model could put into them.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple

from manole.agent.events import Complete, Decision, ErrorEvent, Event, ResultEvent
from manole.documents.model import Box
from manole.index.search.pages import ScoredLine
from manole.tools.objects import FileCount, Found, FoundEntry, FoundFile, FoundPage, FoundPassage

MANUAL = "home/boiler-thermaro-b24-manual.pdf"
LINE = "E07 Fan does not reach its speed Ring a specialist."
THINKING = "I will look at the pages, since the text has no drawing. " * 20
HOSTILE = "<img src=x onerror=alert(1)><script>document.title='owned'</script>"

GO = Path(os.environ.get("FAKE_GO", ""))


def passage(text: str, page: int = 6, **more: Any) -> FoundPassage:
    """A passage of the boiler's manual."""
    where = {"file": MANUAL, "page": page, "line": 1, "line_end": 4, "headings": ("Faults",)}
    return FoundPassage(id=f"passage:{page}{len(text)}", text=text, score=0.9, **where, **more)


def page(number: int, line: str) -> FoundPage:
    """A page of the boiler's manual that was found by a line."""
    lines = (ScoredLine(line, Box(0.1, 0.1, 0.9, 0.15), 0.8),)
    where = {"id": f"page:{number}", "file": MANUAL, "page": number}
    return FoundPage(score=1.0, lines=lines, passages=(), **where)


def file(name: str, day: date | None) -> FoundFile:
    """A file of 48.2 kB."""
    changed = datetime(2024, 3, 2, 10, tzinfo=UTC)
    own = {"id": f"file:{name}", "file": name, "date": day, "status": "indexed"}
    return FoundFile(size=48_200, modified=changed, **own)


ENTRY = FoundEntry(
    id="entry:1",
    entry_id="1",
    date=date(2022, 3, 2),
    title="First night",
    text="We slept on mattresses.",
    tags=(),
    file="journal/2022-03-02.md",
    line=6,
    line_end=8,
    headings=(),
    retrieval_method="VECTOR_SEARCH",
    relevance_score=0.8,
    score=0.8,
)
FILES = [file(f"invoices/{n}.pdf", date(2024, 1 + n % 12, 3)) for n in range(29)]
SUMMARY = {
    "id": "summary:1",
    "kind": "summary",
    "summary": "- The boiler has 12 faults.\n- E07 is the fan.",
}
ROW = {
    "id": "row:1",
    "kind": "row",
    "n": 1,
    "file": MANUAL,
    "page": 6,
    "line": 1,
    "quote": LINE,
    "columns": {"code": "E07"},
}


class Played(NamedTuple):
    """A result: the tool, what it says, what it found."""

    tool: str
    message: str
    objects: Sequence[Found | dict[str, Any]]


RESULTS = {  # by payload type
    "chunks": Played(
        "semantic_search",
        "2 chunks, the best of page 6.",
        [passage(f"{LINE} " * 9), passage("The pressure is low.", page=3)],
    ),
    "colqwen_pages": Played(
        "visual_search",
        "3 pages with visual matches.",
        [page(6, LINE), page(2, "Fig. 1 The front"), page(3, "Pressure")],
    ),
    "interpretations": Played(
        "visual_interpretation",
        "2 pages were looked at.",
        [passage("A table of fault codes. E07 is the fan.", seen_by="moondream2"), passage(LINE)],
    ),
    "summary": Played("summarize", "A summary of 5 results.", [SUMMARY]),
    "entries": Played("vector_search", "1 entries:\n- 2022-03-02: First night", [ENTRY]),
    "files": Played("list_files", "The 30 newest files:", [file(MANUAL, None), *FILES]),
    "tree": Played(
        "directory_tree",
        "household/\n  home/ (7 files)",
        [FileCount.of_folder("home", 7), FileCount.of_folder("holidays/photos", 3)],
    ),
    "folders": Played(
        "folder_stats", "1 folder, measured.", [FileCount.of_folder("home", 7, 4_100_000)]
    ),
    "usage": Played("disk_usage", "1 type, measured.", [FileCount.of_type(".pdf", 21, 4_100_000)]),
    "table": Played("query", "1 row", [ROW]),
    "of_tomorrow": Played("divine", "A message.\nIts second line.", [{"ghost": True}]),
}


def turn() -> list[Event]:
    """A step for each kind of result, one that fails, and an answer."""
    events: list[Event] = []
    for step, (kind, (tool, message, objects)) in enumerate(RESULTS.items(), start=1):
        reasoning = THINKING if kind == "colqwen_pages" else f"shows {kind}"
        told = [one if isinstance(one, dict) else one.to_json() for one in objects]
        events.append(Decision(step=step, tool=tool, inputs={"query": "E07"}, reasoning=reasoning))
        events.append(result(step, tool, kind, told, message))
    step, tool = len(RESULTS) + 1, "semantic_search"
    next_ = "Try visual_search for drawings."
    events.append(Decision(step=step, tool=tool, reasoning="looks for a drawing"))
    events.append(ErrorEvent(message="Nothing fits.", suggestion=next_, step=step, tool=tool))
    return [*events, Complete(answer="The fan does not reach its speed.")]


def hostile() -> list[Event]:
    """Each kind of result with fields that try to be part of the page, or are of a wrong type."""
    texts = ["file", "title", "text", "seen_by", "folder", "type", "date", "modified", "quote"]
    lists = {"headings": [HOSTILE], "lines": [{"text": HOSTILE}], "summary": [HOSTILE]}
    numbers = {"size": 1, "files": 1, "page": 1}
    bad = dict.fromkeys(texts, HOSTILE) | lists | numbers | {"columns": {HOSTILE: HOSTILE}}
    odd = {"file": 7, "page": "x", "text": None, "lines": [None, 3], "headings": "no"}
    events: list[Event] = []
    for step, kind in enumerate([*RESULTS, "constructor", "__proto__"], start=1):
        objects = [bad] if kind == "table" else [bad, odd, {}]
        query = {"query": HOSTILE}
        events.append(Decision(step=step, tool=HOSTILE, inputs=query, reasoning=HOSTILE))
        events.append(result(step, HOSTILE, kind, objects, f"{HOSTILE}\n{HOSTILE}"))
    return [*events, ErrorEvent(message=HOSTILE, suggestion=HOSTILE), Complete(answer="done")]


def result(step: int, tool: str, kind: str, objects: list[Any], message: str) -> ResultEvent:
    """A result of a step, by its payload type."""
    more = {"name": kind, "payload_type": kind, "objects": objects, "message": message}
    return ResultEvent(step=step, tool=tool, seconds=0.1, **more)


class Fake:
    """The strategy. "hostile" gets the hostile turn; "wait" ends once `$FAKE_GO` is there."""

    def __init__(self, *_: object, **__: object) -> None:
        """Take what every strategy takes."""

    async def ask(self, question: str, *_: object, **__: object) -> AsyncIterator[Event]:
        """Yield the events of the turn."""
        for event in hostile() if question == "hostile" else turn():
            while question == "wait" and event.type == "complete" and not GO.exists():
                await asyncio.sleep(0.05)
            yield event
