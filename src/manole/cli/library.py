"""`manole index`, `manole status` and `manole library`: make, show, copy and remove indexes.

`index` and `status` are functions for the main app to mount; `app` is the sub-app `library`.
Errors are raised as `ManoleError`; the main app prints them. Heavy modules are imported when a
command runs, so that `manole --help` stays quick.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from manole.cli.library_print import (
    library_json,
    print_counts,
    print_libraries,
    print_problems,
    print_report,
    report_json,
)
from manole.cli.options import Reuse, exclude, run
from manole.cli.options import settings as load_settings
from manole.cli.output import Json, print_json, printable, say, tell
from manole.cli.progress import ProgressBars
from manole.errors import UsageError, WouldDropError
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


def index(
    folders: Annotated[
        list[str],
        typer.Argument(help="Folders to index, as one library; or an address."),
    ],
    force: Annotated[
        bool, typer.Option("--force", help="Read every file again and rebuild the index.")
    ] = False,
    reuse: Reuse = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Drop files that are gone, even if most of them are.")
    ] = False,
    store: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What keeps a new index: lancedb, or a plug-in's."),
    ] = None,
    place: Annotated[
        str | None,
        typer.Option("--library", metavar="ADDRESS", help="Keep the index at this address."),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on until Ctrl-C: what changes is read at once.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make the index of your folders, or bring it up to date, and with --watch keep it so.

    Only new and changed files are read. It can be stopped at any moment and goes on next time.
    `serve`, `chat`, `stdio` and `mcp` watch as well while they run.
    """
    exclude("--force", "--reuse", force and reuse)
    if watch:
        from manole.cli.watch import followed

        options = "--force", "--reuse", "--yes", "--store", "--library"
        for name, given in zip(options, (force, reuse, yes, store, place), strict=True):
            exclude("--watch", name, bool(given))
        run(followed(folders, load_settings(), as_json))
        return
    settings = load_settings(index__store=store)
    begin = partial(_index, folders, place, settings, force, reuse, store, as_json)
    try:
        try:
            run(begin(yes=yes))
        except WouldDropError as error:
            if as_json or not _asked(error):
                raise
            run(begin(yes=True))
    except KeyboardInterrupt:
        say("Stopped. What was read is kept; the same command goes on from there.", err=True)
        raise typer.Exit(130) from None


def status(
    folder: Annotated[
        str | None, typer.Argument(help="An indexed folder, or a library's name.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what became of each file: indexed, partial, skipped or failed, and why."""
    run(_status(folder, as_json))


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
            return await _addresses(folder).open(folder, settings)
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


def _asked(error: WouldDropError) -> bool:
    """Ask a person at the terminal whether to go on; `False` where there is none."""
    import sys

    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    return typer.confirm(said(f"{printable(error.message)} Drop them from the index?"), err=True)


def _address(folders: Sequence[str], index: str | None) -> str | None:
    """Return an address of an index, or of folders, that is not on this machine, if any."""
    from manole.index.sync.roots import is_address

    return index or next(filter(is_address, folders), None)


async def _index(
    folders: Sequence[str],
    place: str | None,
    settings: Settings,
    force: bool,
    reuse: bool,
    store: str | None,
    as_json: bool,
    *,
    yes: bool,
) -> None:
    from manole.care.languages import after_sync
    from manole.care.tidy import tidy

    with ProgressBars(quiet=as_json) as bars:
        async with await _opened(folders, place, settings, bars.weights) as opened:
            if store and not force and opened.kept_by not in (None, store):
                raise UsageError(
                    f"The index of {opened.roots[0]} is kept by {opened.kept_by}.",
                    f"`manole index --force --store {store}` builds it anew from your files.",
                )
            report = None
            if not reuse:
                report = await opened.sync(force, bars.sync, yes=yes)
                await tidy(settings)
            index = await opened.store()  # it counts; a list of a million files would take 1 GB
            counts = Counter(await index.statuses())
            passages = (await index.count())[0]
            offered = None
            if report is not None and not _address(folders, place):
                offered = await after_sync(opened.roots, index, report, settings)
            answer = report_json(opened, report, counts.total())
    if as_json:
        print_json(answer)
        return
    print_report(opened, report, counts, passages)
    if offered:
        say(offered)


async def _opened(
    folders: Sequence[str], place: str | None, settings: Settings, on_weights: Any
) -> Library:
    """Open the library to index. Raises `UsageError`."""
    from manole.library import Library

    if address := _address(folders, place):
        return _addresses(address).make(folders, place, settings, on_weights=on_weights)
    return await Library.open([Path(name) for name in folders], settings, on_weights=on_weights)


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


def _addresses(address: str) -> Addresses:
    """Return the plug-in for an address. Raises `UsageError` where there is none."""
    from manole.hooks import ADDRESSES

    scheme = address.partition(":")[0].lower()
    if (found := ADDRESSES.get(scheme)) is None:
        known = ", ".join(f"{name}://" for name in ADDRESSES.names()) or "none"
        raise UsageError(
            f"No plug-in opens {printable(address)}.", f"Known are folders, and addresses: {known}."
        )
    return found


async def _status(folder: str | None, as_json: bool) -> None:
    from manole.serve.shapes import file_json

    async with await open_library(folder, load_settings()) as opened:
        files = await opened.files()
    if as_json:
        print_json(
            {
                "library": opened.name,
                "folders": list(opened.places),
                "languages": opened.info().languages,
                "files": [file_json(file) for file in files],
            }
        )
        return
    counts = Counter(file.status.value for file in files)
    print_counts(opened, counts, sum(file.passages for file in files))
    print_problems([file for file in files if file.status != "indexed"], limit=None)
