"""`manole serve`: the page and the HTTP interface, until Ctrl-C."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manole.care.findings import command
from manole.cli.library import open_library
from manole.cli.options import Folder, Model, Reuse, exclude, flags, run
from manole.cli.output import printable
from manole.errors import UsageError
from manole.private import environment, person, readable_by_others

if TYPE_CHECKING:
    from manole.library import Library
    from manole.settings import Settings


def serve(
    folder: Folder = None,
    place: Annotated[
        str | None,
        typer.Option("--library", metavar="ADDRESS", help="Serve the index at this address."),
    ] = None,
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; others than loopback need a token.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0: any free one.")] = None,
    token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Demand the token that this file holds.")
    ] = None,
    openai: Annotated[
        bool, typer.Option("--openai", help="Answer chat programs too, at /v1.")
    ] = False,
    model: Model = None,
    reuse: Reuse = False,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser.")
    ] = False,
    log: Annotated[bool, typer.Option("--log", help="Print a line for every request.")] = False,
    install: Annotated[
        bool, typer.Option("--install", help="Instead: have it started so at every login.")
    ] = False,
    uninstall: Annotated[
        bool, typer.Option("--uninstall", help="Instead: have it started at login no more.")
    ] = False,
) -> None:
    """Serve a page to ask and look at your files, and answer programs over HTTP.

    The index is brought up to date in the background. Without any library, the page lets you
    choose a folder. /openapi.json describes what programs can ask.

    Example: manole serve ~/Documents --open
    """
    given = flags(
        model__name=model,
        serve__host=host,
        serve__port=port,
        serve__token=_token(token_file) if token_file else None,
    )
    exclude("A folder", "--library", place is not None and folder is not None)
    if install or uninstall:
        from manole.cli import at_login

        if uninstall:
            return at_login.uninstall()
        if open_page:
            raise UsageError("--install opens no browser: leave out --open.")
        own = Path(model) if model and Path(model).is_file() else None
        options = {
            "--library": place, "--host": host, "--port": port, "--token-file": token_file,
            "--openai": openai, "--model": own or model, "--reuse": reuse, "--log": log,
        }  # fmt: skip
        return at_login.install(folder, options, given)
    return run(
        _serve(place or folder, given, openai_api=openai, reuse=reuse, log=log, open_page=open_page)
    )


async def _serve(
    folder: str | None,
    given: dict[str, Any],
    *,
    openai_api: bool,
    reuse: bool,
    log: bool,
    open_page: bool,
) -> None:
    import logging

    from manole.serve.http.app import create_app, serve
    from manole.serve.security import check_exposure
    from manole.serve.server import address, listen
    from manole.serve.service import Service
    from manole.serve.turn_recorder import check_conversations
    from manole.settings import Settings

    settings = Settings.load(given)
    check_exposure(settings.serve)
    await check_conversations(settings)
    library = await _library(folder, settings)
    if log:
        logging.basicConfig(format="%(asctime)s %(message)s")
        logging.getLogger("manole.serve").setLevel(logging.INFO)
    async with Service(settings, flags=given, watch=not reuse) as service:
        opened = await service.take(library) if library else None
        sock = listen(settings.serve)
        if opened and not reuse and opened.library.follows:
            opened.sync()
        app, url = create_app(service, openai_api=openai_api), f"{address(sock)}/"
        typer.echo(_greeting(library, url))
        await serve(app, sock, lambda _: _open(url) if open_page else None)
    typer.echo("Stopped.")


async def _library(folder: str | None, settings: Settings) -> Library | None:
    """Return the library to begin with; `None` where there is none, since the page can make one.

    Without a folder, of several libraries it is the last that was brought up to date. The page and
    programs can name the others.
    """
    import asyncio

    from manole.index.store.libraries import libraries
    from manole.library import Library

    if folder is not None:
        return await open_library(folder, settings)
    here = await Library.open(Path.cwd(), settings)
    if here.indexed:
        return here
    found = [info for info in await asyncio.to_thread(libraries, settings) if not info.problem]
    for info in sorted(found, key=lambda info: info.updated or "", reverse=True):
        with contextlib.suppress(
            UsageError
        ):  # its folder is gone, or on a disk that is not mounted
            return await Library.find(info.name, settings)
    return None


def _greeting(library: Library | None, url: str) -> str:
    if library is None:
        return f"No library is open. Choose a folder at {url} (Ctrl-C stops it)."
    folders = printable(", ".join(library.places))
    return f"Manole answers for {folders} at {url} (Ctrl-C stops it)."


def _open(url: str) -> None:
    """Open the page in a thread, because a browser in the terminal returns only when it is closed.

    The browser starts from a process of its own, without secrets in its environment, and saves
    files with the person's own mask.
    """
    import subprocess
    import sys
    import threading

    opening = "import sys, webbrowser; sys.exit(not webbrowser.open(sys.argv[1]))"

    def show() -> None:
        browser = [sys.executable, "-P", "-c", opening, url]
        if subprocess.call(browser, env=environment(), umask=person()):
            typer.echo("No browser could be opened; go to that address yourself.", err=True)

    threading.Thread(target=show, daemon=True).start()


def _token(path: Path) -> str:
    """Read the token in a file, without its line end. Raises `UsageError`."""
    try:
        token = path.read_text("utf-8").strip()
        if readable_by_others(path):
            warning = f"{printable(str(path))} can be read by other users of this machine."
            typer.echo(f"{warning} {command('chmod', 600, path)} puts that right.", err=True)
        return token
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise UsageError(f"{path} cannot be read: {reason}.", "Name a file with a token.") from None
