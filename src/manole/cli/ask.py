"""`manole ask` and `manole search`."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manole.cli.library import open_library
from manole.cli.options import Folder, Model, Reuse, Strategy, exclude, run
from manole.cli.options import settings as load_settings
from manole.cli.output import inert_json, print_json, printable, say
from manole.cli.progress import ProgressBars
from manole.errors import IndexBusyError, ManoleError, StoreError, UsageError
from manole.sentences import said
from manole.text.counted import counted

if TYPE_CHECKING:
    from rich.console import Console

    from manole.agent import turn
    from manole.index.search.scope import Scope
    from manole.library import Library
    from manole.settings import Settings

LedBy = Annotated[
    str | None,
    typer.Option(help="Who chooses the searches of a journal: code, or the model."),
]
Within = Annotated[
    list[str] | None,
    typer.Option("--in", metavar="PATH", help="Only this folder or file; may be given again."),
]
Since = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Dated on or after this day.")
]
Until = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Dated on or before this day.")
]
Thorough = Annotated[
    bool,
    typer.Option("--thorough", help="Let the model read of papers what rules cannot."),
]
Csv = Annotated[
    Path | None, typer.Option("--csv", metavar="FILE", help="Write the table to a CSV file too.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show every stage with its figures.")]
Sources = Annotated[
    bool, typer.Option("--sources", help="Keep the steps, and quote what was found.")
]
Force = Annotated[bool, typer.Option("--force", help="Rebuild the index first.")]
PICTURES = 10  # set by hand; read before an answer at most, since each takes seconds


def ask(
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    folder: Folder = None,
    model: Model = None,
    within: Within = None,
    since: Since = None,
    until: Until = None,
    reuse: Reuse = False,
    force: Force = False,
    sources: Sources = False,
    debug: Debug = False,
    as_json: Json = False,
    strategy: Strategy = None,
    led_by: LedBy = None,
    thorough: Thorough = False,
    csv: Csv = None,
) -> None:
    """Ask one question about your files.

    The index is brought up to date first. With --json, one event a line; the last is "complete".

    Example: manole ask "when does the rental contract end?" ~/Documents
    """
    exclude("--force", "--reuse", reuse and force)
    if csv is not None and not csv.absolute().parent.is_dir():
        raise UsageError(f"There is no folder {csv.parent}.", "Name a file in one that exists.")
    settings = load_settings(
        model__name=model,
        agent__strategy=strategy,
        agent__led_by=led_by,
        agent__thorough=thorough or None,
    )
    scope = str(scope_of(within, since, until))
    run(_ask(question, folder, settings, scope, reuse, force, debug, sources, as_json, csv))


def search(
    query: Annotated[str, typer.Argument(help="Words, or a question.")],
    folder: Folder = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Results at most.")] = 10,
    within: Within = None,
    kind: Annotated[
        str | None, typer.Option("--type", help="File type: pdf, images, spreadsheets.")
    ] = None,
    since: Since = None,
    until: Until = None,
    pages: Annotated[
        bool, typer.Option("--pages", help="Find pages and pictures, with the lines that fit.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Find passages, or pages, at once, without a model.

    Example: manole search "boiler warranty" --type pdf
    """
    from manole.catalog.kinds import extensions_of

    if not query.strip():
        raise UsageError("The query is empty.", "Give some words to look for.")
    filters = scope_of(within, since, until).filters(extensions=extensions_of(kind) if kind else ())
    run(_search(query, folder, limit, filters, pages, as_json))


def scope_of(within: list[str] | None, since: datetime | None, until: datetime | None) -> Scope:
    """Return the part of a library that `--in`, `--since` and `--until` leave."""
    from manole.index.search.scope import Scope

    days = (since.date() if since else None, until.date() if until else None)
    return Scope.parse(Scope.text(within, *days))


async def _search(
    query: str, folder: str | None, limit: int, filters: Any, pages: bool, as_json: bool
) -> None:
    from rich.console import Console

    from manole.cli.hits import pages_of, table_of
    from manole.cli.render import one_line
    from manole.serve.shapes import hit_json, page_json

    searched, waiting = query, 0
    async with await open_library(folder, load_settings()) as library:
        if pages:
            found = await library.search_pages(query, limit=limit, filters=filters)
            results = [page_json(hit) for hit in found]
        else:
            looked = await library.look_up(query, limit, filters)
            searched, waiting = looked.query, looked.waiting
            results = [hit_json(hit) for hit in looked.finds]
    if as_json:
        print_json({"results": results, "query": searched, "waiting": waiting})
        return
    console = Console()
    if searched != query:
        console.print(said(f"Searched for “{one_line(searched, 200)}”."), markup=False, style="dim")
    if not results:
        console.print(said("Nothing found."))
    for line in pages_of(results) if pages else table_of(results):
        console.print(line, soft_wrap=True)
    if waiting:
        passages = counted(waiting, "passage")
        say(f"Found by their words only: {passages}. `manole index` makes vectors.", err=True)


async def _ask(
    question: str,
    folder: str | None,
    settings: Settings,
    scope: str,
    reuse: bool,
    force: bool,
    debug: bool,
    sources: bool,
    as_json: bool,
    csv: Path | None = None,
) -> None:
    from manole.agent.events import ResultEvent
    from manole.agent.turn import check_question

    check_question(question)
    session = opened(folder, settings, reuse=reuse, force=force, quiet=as_json)
    rows: list[dict[str, Any]] = []
    async with session as (library, agent):
        shown = None if as_json else screen(library, settings, debug=debug, sources=sources)
        with contextlib.ExitStack() as stack:
            if shown is not None:
                stack.callback(shown.stop)
            async for event in agent.ask(question, scope=scope):
                if isinstance(event, ResultEvent) and event.payload_type == "table":
                    rows += event.objects
                if shown is not None:
                    shown.show(event)
                    continue
                sys.stdout.write(inert_json(event.model_dump_json()) + "\n")
                sys.stdout.flush()
    if csv is not None:
        _write_table(csv, rows)


def _write_table(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write the rows to a CSV file. Raises `UsageError` when there are none."""
    from manole.cli.table import write_csv

    if not rows:
        raise UsageError(
            f"There is no table to write to {path}.",
            'Ask for a list, such as "all invoices and their totals".',
        )
    write_csv(path, rows)


@asynccontextmanager
async def opened(
    folder: str | None, settings: Settings, *, reuse: bool, force: bool, quiet: bool
) -> AsyncIterator[tuple[Library, turn.Strategy]]:
    """Yield an up-to-date library and an agent over it; the model is loaded when needed."""
    from manole.agent.loop import make
    from manole.models.load import ChatLoader
    from manole.models.weights.cache import Weights

    library = await open_library(folder, settings)
    try:
        if not reuse and library.follows:
            await _up_to_date(library, force=force, quiet=quiet)
        else:
            await library.reader()
        with contextlib.ExitStack() as stack:
            loader = ChatLoader(
                settings, Weights(settings.weights_dir), _download_bar(stack, quiet)
            )
            try:
                yield library, make(settings, library, loader)
            finally:
                await loader.close()
    finally:
        await library.close()


async def _up_to_date(library: Library, *, force: bool, quiet: bool) -> None:
    """Bring the index up to date, or use it as it is while it cannot be written."""
    from manole.care.tidy import tidy

    try:
        with ProgressBars(quiet=quiet or not sys.stderr.isatty()) as bars:
            report = await library.sync(force, bars.sync, pictures=PICTURES)
        await tidy(library.settings)
    except IndexBusyError:
        if force or not library.info().updated:
            raise
        if not quiet:
            say("Another process is indexing; what it has read so far is used.", err=True)
        return
    except StoreError as error:
        if force or not library.info().updated:
            raise
        await library.close()  # so that nothing half written is read
        why = printable(error.message)
        say(f"The index is used as it is, it could not be brought up to date: {why}", err=True)
        return
    if report.waiting and not quiet:
        say(
            f"Not read yet: {counted(report.waiting, 'picture')}. `manole index` reads them.",
            err=True,
        )


def _download_bar(stack: contextlib.ExitStack, quiet: bool) -> Any:
    """Return a progress callback whose bar opens with the first byte; `None` when quiet."""
    if quiet:
        return None
    bars: list[ProgressBars] = []

    def show(progress: Any) -> None:
        if not bars:
            bars.append(stack.enter_context(ProgressBars(quiet=False)))
        bars[0].weights(progress)

    return show


def screen(
    library: Library | None, settings: Settings, *, debug: bool, sources: bool = False
) -> Any:
    """Return the terminal's view of turns, their citations linked to a library's files."""
    from rich.console import Console

    from manole.cli.render import Screen

    console: Console = Console()

    def resolve(file: str) -> Path | None:
        try:
            return library.resolve(file) if library else None
        except ManoleError:
            return None

    links = settings.links == "always" or (settings.links == "auto" and console.is_terminal)
    return Screen(console, resolve, debug=debug, sources=sources, links=links)
