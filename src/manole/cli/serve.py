"""`manole serve`: the HTTP interface, until Ctrl-C."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manole.cli.library import open_library
from manole.cli.options import settings as load_settings
from manole.cli.output import printable
from manole.cli.running import run
from manole.errors import UsageError

if TYPE_CHECKING:
    from manole.settings import Settings


def serve(
    folder: Annotated[
        str | None,
        typer.Argument(help="A folder or a library's name; else that of the working directory."),
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
    model: Annotated[
        str | None, typer.Option(help="Chat model: a name, a .gguf file, openai:NAME.")
    ] = None,
    reuse: Annotated[
        bool, typer.Option("--reuse", help="Use the index as it is, without looking for changes.")
    ] = False,
    log: Annotated[bool, typer.Option("--log", help="Print a line for every request.")] = False,
) -> None:
    """Answer questions over HTTP, for programs on this machine.

    The index is brought up to date in the background. /openapi.json describes what can be asked.

    Example: manole serve ~/Documents
    """
    settings = load_settings(
        model__name=model,
        serve__host=host,
        serve__port=port,
        serve__token=_token(token_file) if token_file else None,
    )
    run(_serve(folder, settings, openai_api=openai, reuse=reuse, log=log))


async def _serve(
    folder: str | None, settings: Settings, *, openai_api: bool, reuse: bool, log: bool
) -> None:
    import logging

    from manole.serve.http.app import create_app
    from manole.serve.http.server import serve
    from manole.serve.listening import address, listen
    from manole.serve.security import check_exposure
    from manole.serve.service import Service

    check_exposure(settings.serve)
    library = await open_library(folder, settings)
    if log:
        logging.basicConfig(format="%(asctime)s %(message)s")
        logging.getLogger("manole.serve").setLevel(logging.INFO)
    async with Service(settings) as service:
        room = await service.open(library.roots)
        sock = listen(settings.serve)
        if not reuse:
            room.sync()
        folders = printable(", ".join(str(root) for root in library.roots))
        typer.echo(f"Manole answers for {folders} at {address(sock)} (Ctrl-C stops it).")
        await serve(create_app(service, openai_api=openai_api), sock)
    typer.echo("Stopped.")


def _token(path: Path) -> str:
    """The token in a file, without its line end. Raises `UsageError`."""
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise UsageError(f"{path} cannot be read: {reason}.", "Name a file with a token.") from None
