"""The talk behind `manole chat`: reads questions, shows turns, keeps the history."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from typing import TYPE_CHECKING

from rich.text import Text

from manole.agent.events import Complete
from manole.errors import ManoleError
from manole.models.chat import Message

if TYPE_CHECKING:
    from manole.agent.turn import Strategy
    from manole.cli.render import Screen

HELP = """\
/help   this list
/new    forget the conversation
/debug  show or hide every stage
/quit   end (also Ctrl-D)
Ctrl-C stops an answer."""


def talk(runner: asyncio.Runner, agent: Strategy, screen: Screen) -> None:
    """Read questions until the end of input. Errors of one turn do not end the talk."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  # line editing and history for input()
    console = screen.console
    console.print(Text("Ask about your files. /help for help.", style="dim"))
    history: list[Message] = []
    while True:
        console.print()
        try:
            question = console.input(Text("› ", style="bold cyan")).strip()
        except EOFError:
            console.print()
            return
        except KeyboardInterrupt:
            console.print(Text("Ctrl-D or /quit ends the talk.", style="dim"))
            continue
        if not question:
            continue
        if not sys.stdin.isatty():  # nothing echoes what a pipe asks
            console.print(Text(question))
        if question.startswith("/"):
            if _command(question, screen, history):
                return
            continue
        try:
            answer = runner.run(_turn(agent, screen, question, history))
        except KeyboardInterrupt:
            console.print(Text("\nStopped.", style="yellow"))
            continue
        except ManoleError as error:
            console.print(Text(str(error), style="red"))
            continue
        history += [Message("user", question), Message("assistant", answer)]


async def _turn(agent: Strategy, screen: Screen, question: str, history: list[Message]) -> str:
    answer = ""
    async for event in agent.ask(question, tuple(history)):
        screen.show(event)
        if isinstance(event, Complete):
            answer = event.answer
    return answer


def _command(text: str, screen: Screen, history: list[Message]) -> bool:
    """Run a `/` command; true when it ends the talk."""
    match text.split()[0]:
        case "/quit" | "/exit" | "/q":
            return True
        case "/new":
            history.clear()
            screen.console.print(Text("Forgotten.", style="dim"))
        case "/debug":
            screen.debug = not screen.debug
            state = "shown" if screen.debug else "hidden"
            screen.console.print(Text(f"Stages are {state}.", style="dim"))
        case _:
            screen.console.print(Text(HELP, style="dim"))
    return False
