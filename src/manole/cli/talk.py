"""The talk behind `manole chat`: its prompt, its turns and its history."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from rich.text import Text

from manole.agent.events import Complete, ErrorEvent
from manole.agent.turn import check_question
from manole.errors import ManoleError, UnknownConversationError
from manole.models.chat.protocol import Message
from manole.serve.turn_recorder import TurnRecorder, unsaved

if TYPE_CHECKING:
    from manole.agent.turn import Strategy
    from manole.cli.render import Screen

HELP = """\
/help   this list
/new    begin a new conversation
/debug  show or hide every stage
/quit   end (also Ctrl-D)
Ctrl-C stops an answer."""


class Talk:
    """One talk on a terminal, or from a pipe."""

    def __init__(
        self,
        runner: asyncio.Runner,
        agent: Strategy,
        screen: Screen,
        recorder: TurnRecorder | None,
        *,
        history: Sequence[Message],
    ) -> None:
        """Prepare a talk after the messages of `history`; without a `recorder`, it is not saved."""
        self._runner = runner
        self._agent = agent
        self._screen = screen
        self._recorder = recorder
        self._history = list(history)

        self.busy = False  # whether a question is being answered
        self._notes: deque[str] = deque()

    def note(self, message: str) -> None:
        """Print this before the next question; may be called from any thread."""
        self._notes.append(message)

    def run(self) -> None:
        """Read questions until the end of input. Errors of one turn do not end the talk."""
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  # line editing and history for input()
        console = self._screen.console
        self._say("Ask about your files. /help for help.", "dim")
        while True:
            while self._notes:
                self._say(self._notes.popleft(), "yellow")
            console.print()
            try:
                question = console.input(Text("› ", style="bold cyan")).strip()
            except EOFError:
                console.print()
                return
            except KeyboardInterrupt:
                self._say("Ctrl-D or /quit ends the talk.", "dim")
                continue
            if not question:
                continue
            if not sys.stdin.isatty():  # the terminal does not echo a pipe's questions
                console.print(Text(question))
            if question.startswith("/"):
                if self._command(question):
                    return
                continue
            self._ask(question)

    def _ask(self, question: str) -> None:
        self.busy = True
        try:
            answered = self._runner.run(self._turn(question))
        except KeyboardInterrupt:
            self._screen.stop()
            self._say("\nStopped.", "yellow")
        except ManoleError as error:
            self._screen.stop()
            self._say(str(error), "red")
        else:
            self._history += [Message("user", question), answered]
        finally:
            self.busy = False

    async def _turn(self, question: str) -> Message:
        check_question(question)  # so that only questions are saved
        answered = Message("assistant", "")
        try:
            await self._begin(question)
            turn = self._agent.ask(question, tuple(self._history))
            async with aclosing(turn) as events:  # type: ignore[type-var]  # an async generator
                async for event in events:
                    if self._recorder is not None:
                        self._warn(await self._recorder.append(event))
                    self._screen.show(event)
                    if isinstance(event, Complete):
                        answered = Message("assistant", event.answer, files=event.cited)
        except asyncio.CancelledError:
            if self._recorder is not None:
                await self._recorder.ended()  # or the next question might begin before this one
            raise
        return answered

    async def _begin(self, question: str) -> None:
        """Begin to save a turn, where turns are saved."""
        if self._recorder is None:
            return
        try:
            _, notice = await self._recorder.begin(question)
        except UnknownConversationError as error:  # deleted meanwhile, elsewhere
            notice = unsaved(error)
        self._warn(notice)

    def _warn(self, notice: ErrorEvent | None) -> None:
        """Show why a turn is not saved, which does not end the talk."""
        if notice is not None:
            self._screen.stop()
            text = " ".join(filter(None, (notice.message, notice.suggestion)))
            self._screen.console.print(Text(text, style="yellow"), soft_wrap=True)

    def _command(self, text: str) -> bool:
        """Run a `/` command; true when it ends the talk."""
        match text.split()[0]:
            case "/quit" | "/exit" | "/q":
                return True
            case "/new":
                self._history.clear()
                if self._recorder is not None:
                    self._recorder.leave()
                self._say("A new conversation.", "dim")
            case "/debug":
                self._screen.debug = not self._screen.debug
                state = "shown" if self._screen.debug else "hidden"
                self._say(f"Stages are {state}.", "dim")
            case _:
                self._say(HELP, "dim")
        return False

    def _say(self, text: str, style: str) -> None:
        self._screen.console.print(Text(text, style=style))
