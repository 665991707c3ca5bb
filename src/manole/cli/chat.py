"""`manole chat`: a talk that is saved turn by turn, and can be continued.

`--resume` takes an id, or nothing for the conversation that was last used. Typer has no option with
an optional value, so `ChatCommand` adds an empty one.
"""

from __future__ import annotations

import contextlib
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from manole.cli.ask import Debug, Force, LedBy, Sources, opened, screen
from manole.cli.library import open_library
from manole.cli.options import Folder, Model, Reuse, Strategy, exclude
from manole.cli.options import settings as load_settings
from manole.errors import ConversationError

if TYPE_CHECKING:
    from manole.agent.conversations import Conversations, Turn
    from manole.models.chat.protocol import Message
    from manole.settings import Settings

_RESUME = "--resume"


class ChatCommand(TyperCommand):
    """A command whose `--resume` may lack its value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as any command does, with an empty value for a missing one."""
        given = list(args)
        for place, word in enumerate(args):
            if word == "--":
                break
            if word == _RESUME and (place + 1 == len(args) or args[place + 1].startswith("-")):
                given[place] = f"{_RESUME}="
        return super().parse_args(ctx, given)


@dataclass(frozen=True)
class _Earlier:
    """The conversation that a chat continues."""

    id: str | None = None
    turns: tuple[Turn, ...] = ()
    history: tuple[Message, ...] = ()


def chat(
    folder: Folder = None,
    model: Model = None,
    resume: Annotated[
        str | None,
        typer.Option(
            _RESUME, metavar="[ID]", help="Go on with a conversation; without ID the last one."
        ),
    ] = None,
    no_save: Annotated[bool, typer.Option("--no-save", help="Save nothing of this talk.")] = False,
    reuse: Reuse = False,
    force: Force = False,
    sources: Sources = False,
    debug: Debug = False,
    strategy: Strategy = None,
    led_by: LedBy = None,
) -> None:
    """Talk about your files: a follow-up question may lean on the answers before it.

    Ctrl-C stops an answer, Ctrl-D or /quit ends the talk; /help lists the rest.

    What is said is saved on this machine; `manole conversations` lists it.
    """
    import asyncio

    from manole.agent.conversations import Conversations
    from manole.cli.render import replay
    from manole.cli.talk import Talk
    from manole.serve.turn_recorder import TurnRecorder

    exclude("--force", "--reuse", reuse and force)
    settings = load_settings(
        model__name=model,
        agent__strategy=strategy,
        agent__led_by=led_by,
    )
    with asyncio.Runner() as runner, contextlib.ExitStack() as beside:
        folder, resume = _folder_and_id(folder, resume, settings)
        found = runner.run(open_library(folder, settings))
        store = Conversations.of(settings, found.name)
        saved = settings.agent.keep_conversations and not no_save
        if saved:
            store.check()
        earlier = _earlier(store, resume)
        session = opened(folder, settings, reuse=reuse, force=force, quiet=False)
        library, agent = runner.run(session.__aenter__())
        try:
            shown = screen(library, settings, debug=debug, sources=sources)
            replay(shown, earlier.turns, brief=True)
            recorder = TurnRecorder(store, earlier.id) if saved else None
            talk = Talk(runner, agent, shown, recorder, history=earlier.history)
            if settings.watch.enabled and not reuse and found.follows:
                from manole.cli.watch import following

                beside.enter_context(
                    following(found.roots, settings, busy=lambda: talk.busy, say=talk.note)
                )
            talk.run()
            if recorder and recorder.saved:
                typer.echo(f"Saved; to go on: {_again(folder, recorder.saved)}")
        finally:
            beside.close()
            runner.run(session.__aexit__(None, None, None))
            store.close()


def _folder_and_id(
    folder: str | None, resume: str | None, settings: Settings
) -> tuple[str | None, str | None]:
    """Return folder and id; in `--resume FOLDER`, the word that is no id is the folder."""
    from manole.agent.conversations.model import is_id
    from manole.index.store.libraries import libraries

    if folder is None and resume and not is_id(resume):
        named = resume in {info.name for info in libraries(settings)}
        if named or Path(resume).expanduser().exists():
            return resume, ""
    return folder, resume


def _earlier(store: Conversations, resume: str | None) -> _Earlier:
    """Return the conversation to continue. Raises `ConversationError` when there is none."""
    from manole.agent.turn import HISTORY_TURNS

    if resume is None:
        return _Earlier()
    if resume:
        id = store.get(resume).id
    else:
        latest = store.latest()
        if latest is None:
            raise ConversationError(
                f"{store.library} has no saved conversation.", "`manole chat` begins one."
            )
        id = latest.id
    return _Earlier(id, tuple(store.turns(id)), tuple(store.history(id, HISTORY_TURNS)))


def _again(folder: str | None, id: str) -> str:
    """Return the command that continues a conversation."""
    return shlex.join(["manole", "chat", *([folder] if folder else []), _RESUME, id])
