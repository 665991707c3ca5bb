"""Questions that one tool answers by itself, known by how they are worded or parsed.

Everything about somebody, what is due, who answered whom: code finds all of it, no plan is made and
no text is chosen. A tool that finds nothing answers nothing, and the question goes its usual way.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from manole.agent.dossier.answer import ABOUT, TellAbout, name_asked
from manole.agent.due.answer import DUE, TellDue, due_asked
from manole.agent.mail import MAIL, TellMail, mail_asked
from manole.agent.plan.understand import understood
from manole.agent.recurring import RECURRING, TellRecurring, recurring_asked
from manole.agent.turn import Step
from manole.agent.versions.answer import VERSIONS, TellVersions
from manole.agent.versions.answer import asked as versions_asked
from manole.tools.base import AnyAction, TurnState


def tools() -> tuple[AnyAction, ...]:
    """Return the tools that answer so."""
    return TellAbout(), TellDue(), TellMail(), TellVersions(), TellRecurring()


async def steps(state: TurnState) -> AsyncIterator[Step]:
    """Yield the steps of which the first that finds something answers the question."""
    if name := name_asked(state.question):
        yield Step(ABOUT, {"name": name}, "all that names it, in order of time", "auto")
    if days := due_asked(await understood(state), state.question):
        yield Step(DUE, days.model_dump(), "what is due then", "parser")
    if mails := await mail_asked(state):
        yield Step(MAIL, mails.model_dump(), "asks who answered whom", "parser")
    if what := versions_asked(state.question):
        yield Step(VERSIONS, {"asked": what}, "compares the versions of a file", "auto")
    if asked := recurring_asked(state.question):
        yield Step(RECURRING, {"asked": asked}, "what statements have again and again", "auto")
