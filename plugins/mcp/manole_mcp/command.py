"""`manole mcp`: the library for programs that speak the Model Context Protocol."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from manole.cli.library import open_library
from manole.cli.options import Folder, Model, Reuse, run
from manole.cli.options import settings as load_settings
from manole.cli.output import printable
from manole.cli.progress import STAGES, ProgressBars

if TYPE_CHECKING:
    from manole.errors import ManoleError
    from manole.index.sync.report import Progress
    from manole.settings import Settings
    from manole_mcp.server import McpServer
    from manole_stdio.descriptors import Descriptors

_EVERY = 5.0  # seconds between two lines of progress without a terminal; set by hand


def mcp(
    folder: Folder = None,
    http: Annotated[
        bool, typer.Option("--http", help="Listen on a port instead of standard input.")
    ] = False,
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; one others can reach demands a token.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on; 0: a free one.")
    ] = None,
    model: Model = None,
    reuse: Reuse = False,
) -> None:
    """Serve your files to a program that speaks the Model Context Protocol.

    Such programs start it themselves and talk to it by standard input and output. The folder is
    indexed on the first start, and brought up to date in the background on every other.

    Example: manole mcp ~/Documents
    """
    from manole_stdio.descriptors import claim

    settings = load_settings(model__name=model, serve__host=host, serve__port=port)
    ends = None if http else claim("mcp")  # before an event loop takes their descriptors
    run(_mcp(folder, settings, ends, reuse=reuse))


async def _mcp(
    folder: str | None, settings: Settings, ends: Descriptors | None, *, reuse: bool
) -> None:
    from manole.serve.security import check_exposure
    from manole.serve.service import Service
    from manole_mcp.ready import Ready
    from manole_mcp.server import make_server

    if ends is None:
        check_exposure(settings.serve)
    found = await open_library(folder, settings)
    reuse = reuse or not found.follows
    async with Service(settings, watch=not reuse) as service:
        opened = await service.take(found)
        if reuse:
            await opened.library.reader()  # fails at once if there is no index
        with _progress() as show:
            ready = Ready(opened, on_progress=show, on_problem=_problem)
            server = make_server(opened, None if reuse else ready)
            if not reuse:
                ready.start()
            try:
                await _serve(server, settings, ends)
            finally:
                await ready.close()


async def _serve(server: McpServer, settings: Settings, ends: Descriptors | None) -> None:
    if ends is None:
        from manole_mcp.http import serve_http

        await serve_http(server, settings.serve, _listening)
    else:
        from manole_mcp.stdio import serve_stdio

        await serve_stdio(server, ends)


def _listening(url: str) -> None:
    typer.echo(f"Listening at {url}. Ctrl-C ends.", err=True)


def _problem(error: ManoleError) -> None:
    typer.echo(f"manole: the index is not brought up to date: {printable(str(error))}", err=True)


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None]]:
    """Show a sync's progress on standard error: bars in a terminal, else a line now and then."""
    if sys.stderr.isatty():
        with ProgressBars(quiet=False) as bars:
            yield bars.sync
        return
    last = ("", 0.0)  # the stage and the time of the last line

    def show(progress: Progress) -> None:
        nonlocal last
        stage, since = last
        if progress.stage == stage and time.monotonic() - since < _EVERY:
            return
        last = (progress.stage, time.monotonic())
        count = f": {progress.done} of {progress.total}" if progress.total else ""
        typer.echo(f"{STAGES[progress.stage]}{count}", err=True)

    yield show
