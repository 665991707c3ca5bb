"""`manole library`: show, copy and remove indexes; and which one a command is about.

Errors are raised as `ManoleError`; the main app prints them. Heavy modules are imported when a
command runs, so that `manole --help` stays quick.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from manole.cli.library_print import (
    library_json,
    print_libraries,
)
from manole.cli.options import run
from manole.cli.options import settings as load_settings
from manole.cli.output import Json, print_json, printable, say, tell
from manole.errors import UsageError
from manole.sentences import said
from manole.text.counted import counted

if TYPE_CHECKING:
    from manole.index.store.libraries import LibraryInfo
    from manole.library import Library
    from manole.models.weights.files import OnProgress
    from manole.settings import Settings

app = typer.Typer(
    name="library",
    help="List, describe, map, rename, copy and remove indexes; without a command: list.",
    invoke_without_command=True,
    no_args_is_help=False,
)

Name = Annotated[str, typer.Argument(help="A name of `manole library list`, or its folder.")]


@app.callback()
def library(context: typer.Context, as_json: Json = False) -> None:
    """List, describe, map, rename, copy and remove indexes; without a command: list."""
    if context.invoked_subcommand is None:
        list_libraries(as_json)


@app.command("list")
def list_libraries(as_json: Json = False) -> None:
    """Show every library that has an index."""
    from manole.index.store.libraries import libraries

    found = libraries(load_settings())
    if as_json:
        print_json({"libraries": [library_json(info) for info in found]})
        return
    if not found:
        say("There is no index yet; `manole index FOLDER` makes one.")
        return
    print_libraries(found)


@app.command()
def info(name: Name, as_json: Json = False) -> None:
    """Describe one library."""
    from manole.care.languages import in_words
    from manole.index.store.libraries import library_info
    from manole.models.weights.files import human_size

    found = library_info(name, load_settings())
    if as_json:
        print_json(library_json(found))
        return
    for key, value in library_json(found).items():
        text = ", ".join(value) if isinstance(value, list) else str(value)
        if isinstance(value, dict):
            text = in_words(value)
        shown = human_size(found.size) if key == "size" else printable(text)
        typer.echo(f"{key + ':':<10} {shown}")


@app.command()
def remove(name: Name, as_json: Json = False) -> None:
    """Delete a library's index. Your files stay as they are."""
    from manole.index.store.libraries import remove as remove_library
    from manole.models.weights.files import human_size

    found = remove_library(name, load_settings())
    done = f"{found.name}: index removed, {human_size(found.size)} freed. Your files are untouched."
    tell(as_json, {"removed": library_json(found)}, said(done))


@app.command()
def rename(
    name: Name,
    title: Annotated[str, typer.Argument(help='What to call it; "" takes a title away.')],
    as_json: Json = False,
) -> None:
    """Give a library a title to be known by. Its name, its index and your files stay."""
    from manole.index.store.libraries import rename as rename_library

    found = rename_library(name, title, load_settings())
    name = f"called “{found.title}”" if found.title else "called by its folder again"
    tell(as_json, {"renamed": library_json(found)}, said(f"{found.name} is {name}."))


@app.command()
def copy(
    name: Name,
    target: Annotated[Path, typer.Argument(help="A new folder. It will hold your files' texts.")],
    as_json: Json = False,
) -> None:
    """Copy a library's index into a folder, for another machine or to keep."""
    from manole.care.copying import copy_out

    _tell_copied(as_json, "copied", run(copy_out(name, target, load_settings())))


@app.command()
def add(
    copied: Annotated[Path, typer.Argument(help="A folder that `manole library copy` made.")],
    folder: Annotated[
        list[Path] | None,
        typer.Option(help="Where its files are now; once for each of its folders."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Take in a copied index. Files that are the same here are not read again."""
    from manole.care.copying import take_in

    _tell_copied(as_json, "added", run(take_in(copied, folder or [], load_settings())))


async def open_library(folder: str | None, settings: Settings) -> Library:
    """Open the library of a folder or a name; without one, that of the working directory.

    `all` is every library at once. Where the working directory has no index and there is only one
    library, that is opened. Raises `UsageError`.
    """
    import asyncio

    from manole.index.store.libraries import libraries
    from manole.index.sync.roots import is_address
    from manole.joined import ALL, JoinedLibrary
    from manole.library import Library

    if folder is not None:
        named = {info.name for info in libraries(settings)}
        if folder in {ALL, *named} and not await asyncio.to_thread(Path(folder).exists):
            if folder == ALL:
                return await JoinedLibrary.all(settings, lambda left: say(left, err=True))
            return await Library.find(folder, settings)
        if is_address(folder):
            return await addresses(folder).open(folder, settings)
        return await Library.open(Path(folder), settings)
    here = await Library.open(Path.cwd(), settings)
    if here.indexed:
        return here
    found = libraries(settings)
    if len(found) == 1:
        return await Library.find(found[0].name, settings)
    if not found:
        raise UsageError("There is no index yet.", "`manole index FOLDER` makes one.")
    names = ", ".join(info.name for info in found)
    raise UsageError("Which library?", f"Name its folder, or one of: {names}, or all of them: all.")


def _tell_copied(as_json: bool, done: str, made: LibraryInfo) -> None:
    from manole.models.weights.files import human_size

    held = f"{counted(made.files, 'file')}, {counted(made.passages, 'passage')}"
    tell(
        as_json, {done: library_json(made)}, said(f"{made.path}: {held}, {human_size(made.size)}.")
    )


def address_of(folders: Sequence[str], index: str | None) -> str | None:
    """Return an address of an index, or of folders, that is not on this machine, if any."""
    from manole.index.sync.roots import is_address

    return index or next(filter(is_address, folders), None)


class Addresses(Protocol):
    """A plug-in's libraries that lie elsewhere; its name is the scheme of their addresses."""

    async def open(
        self, address: str, settings: Settings, *, on_weights: OnProgress | None = None
    ) -> Library:
        """Open the library at an address. Raises `UsageError`, `NotIndexedError`."""

    def make(
        self,
        documents: Sequence[str],
        index: str | None,
        settings: Settings,
        *,
        on_weights: OnProgress | None = None,
    ) -> Library:
        """Make a library of documents in folders or at addresses; `index` is its own address."""


def addresses(address: str) -> Addresses:
    """Return the plug-in for an address. Raises `UsageError` where there is none."""
    from manole.hooks import ADDRESSES

    scheme = address.partition(":")[0].lower()
    if (found := ADDRESSES.get(scheme)) is None:
        known = ", ".join(f"{name}://" for name in ADDRESSES.names()) or "none"
        raise UsageError(
            f"No plug-in opens {printable(address)}.", f"Known are folders, and addresses: {known}."
        )
    return found
