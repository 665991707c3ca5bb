"""What the window says, as plain text: steps, sources and the line at its foot."""

from __future__ import annotations

from typing import Any

STAGES = {
    "scan": "Looking for changes",
    "read": "Reading files",
    "recognize": "Reading pictures",
    "embed": "Learning what they say",
    "finish": "Tidying up",
    "wait": "Waiting for another program's download",
    "download": "Fetching the model",
    "join": "Unpacking the model",
    "verify": "Checking the model",
}


def step_line(type: str, data: dict[str, Any]) -> str | None:
    """A step of a turn on one line; `None` for what need not be shown."""
    if type == "agent_step":
        return f"{data['tool'].replace('_', ' ')}  {data['input']}".rstrip()
    if type == "status" and not data.get("debug"):
        return str(data["message"])
    if type == "agent_error":
        return str(data["message"])
    return None


def source_line(source: dict[str, Any]) -> str:
    """Where a citation points: `home/lease.pdf, page 2`."""
    page = f", page {source['page']}" if source["page"] else ""
    return f"{source['file']}{page}"


def progress_line(data: dict[str, Any]) -> tuple[str, float | None]:
    """How far a sync or a download is: a sentence, and 0 to 100 where that is known."""
    if data.get("state") == "done":
        report = data["report"]
        problems = len(report["problems"])
        new = report["added"] + report["changed"]
        told = f"{new} new or changed" if new else "Nothing has changed"
        return f"{told}. {problems} could not be read." if problems else f"{told}.", None
    if data.get("error"):
        return str(data["error"]["message"]), None
    if data.get("state") == "cancelled":
        return "Stopped.", None
    stage = STAGES.get(data.get("stage", ""), "Working")
    total = data.get("total") or 0
    if not total:
        return f"{stage} …", None
    counted = f" {data['done']} of {total}" if data["what"] == "index" else ""
    return f"{stage}{counted} …", 100.0 * data["done"] / total
