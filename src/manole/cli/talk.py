"""The talk behind `manole chat`: reads questions, shows turns, keeps the history."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from manole.agent.events import Complete, Event
from manole.agent.turn import check_question
from manole.errors import ConversationError, ManoleError
from manole.models.chat.protocol import Message

if TYPE_CHECKING:
    from manole.agent.conversations import Conversations
    from manole.agent.turn import Strategy
    from manole.cli.render import Screen

HELP = """\
/help   this list
/new    begin a new conversation
/debug  show or hide every stage
/quit   end (also Ctrl-D)
Ctrl-C stops an answer."""


class Record:
    """Saves the turns of a talk. A turn that cannot be saved is told, and does not end the talk."""

    def __init__(self, store: Conversations | None, screen: Screen, id: str | None = None) -> None:
        """Save into `store`, nowhere when it is `None`; go on with the conversation `id`."""
        self.id = id
        self.saved: str | None = None  # the conversation that the last saved turn belongs to
        self._store = store
        self._screen = screen
        self._turn = 0  # 0: this turn is not saved

    def begin(self, question: str) -> None:
        """A question was asked. The first one of a conversation begins it."""
        self._turn = 0
        if self._store is None:
            return
        try:
            if self.id is None:
                self.id = self._store.create().id
            self._turn = self._store.begin(self.id, question)
            self.saved = self.id
        except ConversationError as error:
            self._failed(error)

    def append(self, event: Event) -> None:
        """An event of this turn."""
        if self._store is None or self.id is None or not self._turn:
            return
        try:
            self._store.append(self.id, self._turn, event)
        except ConversationError as error:
            self._failed(error)

    def new(self) -> None:
        """The next question begins another conversation."""
        self.id, self._turn = None, 0

    def _failed(self, error: ConversationError) -> None:
        self._turn = 0
        self._screen.stop()
        self._screen.console.print(
            Text(f"This turn is not saved. {error}", style="yellow"), soft_wrap=True
        )


class Talk:
    """One talk on a terminal, or from a pipe."""

    def __init__(
        self,
        runner: asyncio.Runner,
        agent: Strategy,
        screen: Screen,
        record: Record,
        *,
        history: Sequence[Message] = (),
        longest: int = 4000,
    ) -> None:
        """`history` is what was said before, `longest` the characters a question may have."""
        self._runner = runner
        self._agent = agent
        self._screen = screen
        self._record = record
        self._history = list(history)
        self._longest = longest
        self.busy = False  # a question is being answered
        self._notes: deque[str] = deque()

    def note(self, message: str) -> None:
        """Say this before the next question; from any thread."""
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
            if not sys.stdin.isatty():  # nothing echoes what a pipe asks
                console.print(Text(question))
            if question.startswith("/"):
                if self._command(question):
                    return
                continue
            self._ask(question)

    def _ask(self, question: str) -> None:
        self.busy = True
        try:
            answer = self._runner.run(self._turn(question))
        except KeyboardInterrupt:
            self._screen.stop()
            self._say("\nStopped.", "yellow")
        except ManoleError as error:
            self._screen.stop()
            self._say(str(error), "red")
        else:
            self._history += [Message("user", question), Message("assistant", answer)]
        finally:
            self.busy = False

    async def _turn(self, question: str) -> str:
        check_question(question, self._longest)  # what is no question is not saved
        self._record.begin(question)
        answer = ""
        async for event in self._agent.ask(question, tuple(self._history)):
            self._record.append(event)
            self._screen.show(event)
            if isinstance(event, Complete):
                answer = event.answer
        return answer

    def _command(self, text: str) -> bool:
        """Run a `/` command; true when it ends the talk."""
        match text.split()[0]:
            case "/quit" | "/exit" | "/q":
                return True
            case "/new":
                self._history.clear()
                self._record.new()
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
