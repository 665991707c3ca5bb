"""`manole conversations`: see, replay, rename, export and delete what was asked in a chat.

A library's conversations outlive its index, so they can be found by the name of a removed library
too; citations are then shown without links.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manole.cli.library import open_library
from manole.cli.options import Folder, exclude, run
from manole.cli.options import settings as load_settings
from manole.cli.output import Json, print_json, printable, tell, writing
from manole.errors import UsageError
from manole.text.counted import counted

if TYPE_CHECKING:
    from manole.agent.conversations import Conversation, Conversations
    from manole.library import Library
    from manole.settings import Settings

app = typer.Typer(
    name="conversations",
    help="List, replay, export and delete saved conversations; without a command: list.",
    invoke_without_command=True,
    no_args_is_help=False,
)

Id = Annotated[str, typer.Argument(help="An id of `manole conversations list`.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
LISTED = 20  # a screenful, set by hand


@app.callback()
def conversations(context: typer.Context, as_json: Json = False) -> None:
    """List, replay, export and delete saved conversations; without a command: list."""
    if context.invoked_subcommand is None:
        list_conversations(as_json=as_json)


@app.command("list")
def list_conversations(
    folder: Folder = None,
    containing: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only those that contain this.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Conversations at most.")] = LISTED,
    as_json: Json = False,
) -> None:
    """Show a library's conversations, the last used first."""
    with _opened(folder) as (store, _):
        found = store.list(limit=limit, containing=containing)
        if as_json:
            listed = [_json(conversation) for conversation in found]
            print_json({"library": store.library, "conversations": listed})
        elif found:
            _print(found)
        else:
            what = "such conversation" if containing else "saved conversation"
            typer.echo(f"{printable(store.library)}: no {what}.")


@app.command()
def show(
    id: Id,
    folder: Folder = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show every stage.")] = False,
    as_json: Json = False,
) -> None:
    """Replay a conversation as it was shown. No model is needed, and nothing is asked again."""
    from manole.cli.ask import screen
    from manole.cli.render import replay

    with _opened(folder) as (store, library):
        if as_json:
            _write(store.export(id, "json"))
            return
        conversation = store.get(id)
        typer.echo(f"{printable(conversation.title)} ({conversation.id})")
        replay(screen(library, load_settings(), debug=debug), store.turns(id))


@app.command()
def rename(
    id: Id,
    title: Annotated[str, typer.Argument(help="The new title.")],
    folder: Folder = None,
    as_json: Json = False,
) -> None:
    """Give a conversation another title."""
    with _opened(folder) as (store, _):
        renamed = store.rename(id, title)
    done = f"{renamed.id} is now called: {renamed.title}"
    tell(as_json, {"renamed": _json(renamed)}, done)


@app.command()
def export(
    id: Id,
    folder: Folder = None,
    format: Annotated[
        str | None, typer.Option(metavar="markdown|json", help="What to write; else markdown.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a new file, not the screen.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Short for --format json.")] = False,
) -> None:
    """Write a conversation as Markdown, to be read, or as JSON with all it holds."""
    chosen = format or ("json" if as_json else "markdown")
    if chosen not in {"markdown", "json"}:
        raise UsageError(f"{chosen} is no format.", "Choose markdown or json.")
    exclude("--json", f"--format {chosen}", as_json and chosen != "json")
    with _opened(folder) as (store, _):
        text = store.export(id, "json" if chosen == "json" else "markdown")
    if output is None:
        _write(text)
        return
    with writing(output), output.open("xb") as file:
        file.write(text.encode("utf-8", "backslashreplace"))
    typer.echo(f"Written to {printable(str(output))}.", err=True)


@app.command()
def delete(id: Id, folder: Folder = None, yes: Yes = False, as_json: Json = False) -> None:
    """Delete a conversation for good."""
    with _opened(folder) as (store, _):
        conversation = store.get(id)
        if not _agreed(
            f"Delete “{conversation.title}” ({counted(conversation.turns, 'question')})?", yes
        ):
            return
        store.delete(id)
    tell(as_json, {"deleted": _json(conversation)}, f"Deleted: {conversation.title}")


@app.command("set-aside")
def set_aside(folder: Folder = None, yes: Yes = False, as_json: Json = False) -> None:
    """Rename a damaged file of conversations, so that a new one can be begun."""
    with _opened(folder) as (store, _):
        if (
            store.path is not None
            and store.path.exists()
            and not _agreed(f"Move all conversations of {store.library} aside?", yes)
        ):
            return
        aside = store.set_aside()
    done = f"They are in {aside} now; nothing was deleted."
    tell(as_json, {"set_aside": str(aside)}, done)


@contextmanager
def _opened(folder: str | None) -> Iterator[tuple[Conversations, Library | None]]:
    """Yield the conversations of a library, and the library itself, `None` if it was removed."""
    from manole.agent.conversations import Conversations

    settings = load_settings()
    library, name = run(_chosen(folder, settings))
    store = Conversations.of(settings, name)
    try:
        yield store, library
    finally:
        store.close()


async def _chosen(folder: str | None, settings: Settings) -> tuple[Library | None, str]:
    import asyncio

    from manole.agent.conversations import kept_libraries
    from manole.index.store.libraries import libraries
    from manole.library import Library

    kept = set(kept_libraries(settings))
    indexed = {info.name for info in libraries(settings)}
    if folder is None:
        here = await Library.open(Path.cwd(), settings)
        if here.name in kept:
            return here, here.name
        if len(kept) == 1 and not indexed:
            return None, kept.pop()
    elif folder in kept - indexed and not await asyncio.to_thread(Path(folder).exists):
        return None, folder
    library = await open_library(folder, settings)
    return library, library.name


def _agreed(question: str, yes: bool) -> bool:
    """Ask whether the person agrees. Raises `UsageError` where nobody can be asked."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError("Nobody can be asked whether that is wanted.", "Add --yes.")
    agreed = typer.confirm(printable(question), err=True)
    if not agreed:
        typer.echo("Nothing was done.", err=True)
    return agreed


def _json(conversation: Conversation) -> dict[str, Any]:
    from manole.agent.conversations.export import conversation_json

    return conversation_json(conversation)


def _write(text: str) -> None:
    """Write to standard output, as UTF-8 whatever the locale is."""
    typer.echo(text.encode("utf-8", "backslashreplace"), nl=False)


def _print(found: list[Conversation]) -> None:
    from manole.cli.rows import print_rows

    print_rows(
        ("Id", "Last used", "Questions", "Title"),
        [
            (
                item.id,
                item.updated.astimezone().strftime("%Y-%m-%d %H:%M"),
                str(item.turns),
                printable(item.title),
            )
            for item in found
        ],
        right={"Questions"},
    )
