"""The tool `due`: what is to be paid, cancelled or done, and by when."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import BaseModel, Field

from manole.agent.conversations.markdown import harmless
from manole.agent.due import MOST, USUAL, due_json, lists
from manole.agent.due.wording import head, how, moment, what
from manole.tools.base import Inputs
from manole_mcp.contents import DATA
from manole_mcp.replies import Call, Offer, Reply
from manole_mcp.uris import Place, cited

_MOST = 200  # things told in one reply


class DueInputs(Inputs):
    """`due`: how far ahead, and from which day."""

    days: int = Field(USUAL, ge=1, le=MOST, description="days ahead that are looked at")
    today: date | None = Field(None, description="counted from this day, YYYY-MM-DD; else today")


class ComputedFrom(BaseModel):
    """What a day was computed from: `count` of `unit` from, or before, `day`."""

    of: Literal["ends", "begins", "bought", "written", "yearly"]
    day: date
    count: int | None
    unit: str | None
    yearly: bool


class DueThing(BaseModel):
    """Something that is due; `sure` is false where the text leaves out the year."""

    day: date
    time: str | None
    kind: Literal["pay", "get", "ends", "renews", "cancel", "task", "event", "said"]
    when: Literal["past", "soon", "later", "unsure"]
    text: str
    amount: float | None
    currency: str | None
    how: ComputedFrom | None
    sure: bool
    file: str
    page: int | None
    line: int | None
    quote: str | None
    uri: str


class DueOutputs(BaseModel):
    """What is due, in order of the days; `counts` are of all there is, by `when`."""

    today: date
    days: int
    counts: dict[Literal["past", "soon", "later", "unsure"], int]
    due: list[DueThing]


async def due(call: Call, inputs: DueInputs) -> Reply:
    """Tell what is due, each with its source, without a model."""
    today = inputs.today or date.today()
    found = await call.opened.found_due(inputs.days, today)
    told = due_json(found, today, inputs.days)
    things = [DueThing(**item, uri=_place(item).uri) for item in told.pop("due")[:_MOST]]
    data = DueOutputs(**told, due=things)
    shown = [f"Today is {today.isoformat()}. {DATA if found else 'Nothing is due.'}"]
    for when, part in lists(found[:_MOST], today).items():
        if part:
            lines = [
                f"- {moment(one)}: {what(one)}{f' ({how(one.how)})' if one.how else ''} "
                f"[{cited(one.file, one.page, one.line).words}]"
                for one in part
            ]
            shown.append("\n".join([f"{head(when, today, inputs.days)}:", *lines]))
    if len(found) > _MOST:
        shown.append(f"These are the first {_MOST} of {len(found):,}; ask for fewer days.")
    places = dict.fromkeys(cited(one.file, one.page, one.line) for one in found[:_MOST])
    return Reply(harmless("\n\n".join(shown)), data, tuple(places))


def _place(item: dict[str, object]) -> Place:
    page, line = item["page"], item["line"]
    return cited(
        str(item["file"]),
        page if isinstance(page, int) else None,
        line if isinstance(line, int) else None,
    )


OFFER = Offer(
    "due",
    "What is due",
    "List what is due: payments, last days to cancel contracts, ends, open tasks, appointments and "
    "deadlines in letters, by day, each with its source. At once, without a model.",
    DueInputs,
    DueOutputs,
    due,
)
