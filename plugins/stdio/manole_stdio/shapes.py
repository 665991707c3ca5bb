"""Turns, conversations, syncs and fetches as the protocol shows them."""

from __future__ import annotations

import json
from typing import Any

from manole.agent import events
from manole.agent.conversations import Turn
from manole.models.weights.files import Progress as WeightsProgress
from manole.serve.shapes import progress_json, report_json
from manole.serve.syncs import SyncJob
from manole_stdio.protocol import error_data

_QUOTED = {"n", "file", "page", "line", "quote"}  # of a source


def event_of(event: events.Event) -> tuple[str, dict[str, Any]]:
    """Return the type and data of a turn's event; `Complete` becomes the answer instead.

    No event has the type `error`, so that an `error` always answers a request.
    """
    match event:
        case events.Decision():
            return "agent_step", {"tool": event.tool, "input": _input(event.inputs)} | _rest(
                event, "tool"
            )
        case events.Token():
            return "token", {"text": event.content}
        case events.ResultEvent():
            return "agent_result", _rest(event)
        case events.ErrorEvent():
            return "agent_error", _rest(event)
        case events.EvidenceEvent():
            return "evidence", _rest(event)
        case events.ChoicesEvent():
            return "choices", _rest(event)
        case _:
            return "status", _rest(event)


def result_of(end: events.Complete) -> dict[str, Any]:
    """Return the answer to `query`, with the sources that it cites."""
    return {
        "answer": end.answer,
        "found": end.found,
        "outcome": end.outcome,
        "confidence": end.confidence,
        "sources": [s.model_dump(include=_QUOTED) for s in end.sources if s.cited],
        "model_calls": end.model_calls,
        "tokens": end.tokens.model_dump(),
        "timings": end.timings,
    }


def job_json(job: SyncJob) -> dict[str, Any]:
    """Return a sync as an event: its progress, and at its end its report or its error."""
    at = progress_json(job.progress) if job.progress else {}
    return {
        "what": "index",
        "library": job.library.name,
        "state": job.state,
        **at,
        "report": report_json(job.report) if job.report else None,
        "error": error_data(job.error) if job.error else None,
    }


def weights_json(progress: WeightsProgress) -> dict[str, Any]:
    """Return the progress of fetching a model, in bytes."""
    return {
        "what": "model",
        "stage": progress.stage,
        "model": progress.model,
        "current": progress.file,
        "done": progress.done_bytes,
        "total": progress.total_bytes,
    }


def turn_json(turn: Turn) -> dict[str, Any]:
    """Return a turn of a conversation; `result` is the answer of `query`, `None` without one."""
    end = next((event for event in turn.events if isinstance(event, events.Complete)), None)
    return {
        "n": turn.n,
        "question": turn.question,
        "scope": turn.scope,
        "asked": turn.asked.isoformat(),
        "result": result_of(end) if end else None,
        "rating": turn.rating,
        "comment": turn.comment,
    }


def _input(inputs: dict[str, Any]) -> str:
    """Return a tool's inputs on one line: a single one as it is, several with their names."""
    if len(inputs) == 1:
        return _plain(next(iter(inputs.values())))
    return ", ".join(f"{name}={_plain(value)}" for name, value in inputs.items())


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _rest(event: events.Event, *without: str) -> dict[str, Any]:
    return event.model_dump(mode="json", exclude={"type", *without})
