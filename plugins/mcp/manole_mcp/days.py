"""The tool `due`: what is to be paid, cancelled or done, and by when."""

from __future__ import annotations

from datetime import date

from pydantic import Field

from manole.agent.conversations.markdown import harmless
from manole.agent.due import MOST, USUAL, lists
from manole.agent.due.wording import head, how, moment, what
from manole.serve.answers import DueItem, DueList, due_list
from manole.tools.base import Inputs
from manole_mcp.contents import DATA
from manole_mcp.replies import Call, Cited, Offer, Reply
from manole_mcp.uris import cited

_MOST = 200  # things told in one reply


class DueInputs(Inputs):
    """`due`: how far ahead, and from which day."""

    days: int = Field(USUAL, ge=1, le=MOST, description="days ahead that are looked at")
    today: date | None = Field(None, description="counted from this day, YYYY-MM-DD; else today")


class DueThing(Cited, DueItem):
    """Something that is due, with its address."""


class DueOutputs(DueList):
    """What is due, in order of the days; `counts` are of all there is, by `when`."""

    due: list[DueThing]  # type: ignore[assignment]  # only read


async def due(call: Call, inputs: DueInputs) -> Reply:
    """Tell what is due, each with its source, without a model."""
    today = inputs.today or date.today()
    found = await call.opened.found_due(inputs.days, today)
    data = DueOutputs.model_validate(due_list(found, today, inputs.days))
    del data.due[_MOST:]
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


OFFER = Offer(
    "due",
    "What is due",
    "List what is due: payments, last days to cancel contracts, ends, open tasks, appointments and "
    "deadlines in letters, by day, each with its source. At once, without a model.",
    DueInputs,
    DueOutputs,
    due,
)
