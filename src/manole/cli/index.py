"""`manole index` and `manole status`: make an index, keep it up to date, show what became of files.

Heavy modules are imported when a command runs, so that `manole --help` stays quick.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manole.cli.library import address_of, addresses, open_library
from manole.cli.library_print import (
    print_counts,
    print_problems,
    print_report,
    report_json,
)
from manole.cli.options import Reuse, exclude, run
from manole.cli.options import settings as load_settings
from manole.cli.output import Json, print_json, printable, say
from manole.cli.progress import ProgressBars
from manole.cli.watch import followed
from manole.errors import UsageError, WouldDropError
from manole.sentences import said

if TYPE_CHECKING:
    from manole.library import Library
    from manole.settings import Settings


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


def _asked(error: WouldDropError) -> bool:
    """Ask a person at the terminal whether to go on; `False` where there is none."""
    import sys

    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    return typer.confirm(said(f"{printable(error.message)} Drop them from the index?"), err=True)


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
            if report is not None and not address_of(folders, place):
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

    if address := address_of(folders, place):
        return addresses(address).make(folders, place, settings, on_weights=on_weights)
    return await Library.open([Path(name) for name in folders], settings, on_weights=on_weights)


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
