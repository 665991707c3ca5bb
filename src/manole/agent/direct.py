"""Questions that one tool answers by itself, as the parser tells (`training/README.md`, "Tool").

Everything about somebody, what is due, who answered whom: code finds all of it, no plan is made and
no text is chosen. A tool that finds nothing answers nothing, and the question goes its usual way.
"""

from __future__ import annotations

from manole.agent.dossier.answer import ABOUT, TellAbout, about_asked
from manole.agent.due.answer import DUE, TellDue, due_asked
from manole.agent.mail import MAIL, TellMail, mail_asked
from manole.agent.plan.understand import understood
from manole.agent.recurring import RECURRING, TellRecurring, recurring_asked
from manole.agent.turn import Step
from manole.agent.versions.answer import VERSIONS, TellVersions, versions_asked
from manole.tools.base import AnyAction, TurnState


def tools() -> tuple[AnyAction, ...]:
    """Return the tools that answer so."""
    return TellAbout(), TellDue(), TellMail(), TellVersions(), TellRecurring()


async def step_of(state: TurnState) -> Step | None:
    """Return the step that may answer the question, `None` where it has to be planned."""
    asked = await understood(state)
    if about := about_asked(asked):
        return Step(ABOUT, about.model_dump(), "all that names it, in order of time", "parser")
    if days := due_asked(asked, state.question):
        return Step(DUE, days.model_dump(), "what is due then", "parser")
    if mails := mail_asked(asked):
        return Step(MAIL, mails.model_dump(), "asks who answered whom", "parser")
    if versions := versions_asked(asked):
        return Step(VERSIONS, versions.model_dump(), "compares the versions of a file", "parser")
    if recurs := recurring_asked(asked):
        return Step(RECURRING, recurs.model_dump(), "what is paid again and again", "parser")
    return None
