"""The event schema: what is written as a line is read back as the same event."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from manole.agent.events import (
    EVENTS,
    VERSION,
    Complete,
    Decision,
    ErrorEvent,
    ResultEvent,
    Source,
    StatusEvent,
    Token,
    TokensUsed,
)

ALL = [
    Decision(step=1, tool="count_files", inputs={"extension": "x"}, reasoning="asked", by="router"),
    StatusEvent(message="Reading 3 extracts."),
    ResultEvent(
        step=1, tool="grep_files", name="matches", payload_type="files",
        objects=[{"id": "file:1", "file": "a\nb.pdf"}], metadata={"count": 1}, message="one",
    ),
    ErrorEvent(message="nothing", suggestion="try", step=2, tool="grep_files"),
    Token(content=" “straße”\n"),
    Complete(
        answer="It is 3. [1]",
        sources=[Source(n=1, file="a.pdf", page=2, line=3, line_end=4, quote="3")],
        confidence="low", grounding=0.5, found=True, corrected=True,
        timings={"total": 1.5, "first_token": 1.0}, model_calls=2,
        tokens=TokensUsed(prompt=10, cached=5, completion=3),
    ),
]  # fmt: skip


@pytest.mark.parametrize("event", ALL, ids=lambda e: e.type)
def test_every_event_survives_the_line(event):
    line = event.model_dump_json()
    assert "\n" not in line
    assert EVENTS.validate_json(line) == event
    assert json.loads(line)["type"] == event.type


def test_the_six_types_of_the_design():
    assert [e.type for e in ALL] == ["decision", "status", "result", "error", "token", "complete"]


def test_the_end_has_what_a_program_needs():
    end = json.loads(ALL[-1].model_dump_json())
    assert {"answer", "sources", "confidence", "timings", "model_calls", "tokens"} <= end.keys()
    assert {"file", "page", "line", "quote"} <= end["sources"][0].keys()
    assert end["version"] == VERSION


@pytest.mark.parametrize(
    "line",
    ['{"type": "complete"}', '{"type": "token", "content": "x", "more": 1}', '{"type": "dance"}',
     '{"content": "x"}', '{"type": "error", "message": 3}'],
)  # fmt: skip
def test_another_shape_is_refused(line):
    with pytest.raises(ValidationError):
        EVENTS.validate_json(line)


def test_events_do_not_change():
    with pytest.raises(ValidationError):
        ALL[1].message = "other"
