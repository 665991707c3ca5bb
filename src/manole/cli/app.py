"""The `manole` program: commands, and how errors reach a person.

A `ManoleError` becomes two lines on standard error and its exit code: 2 for wrong usage, 1 for a
failure. Heavy modules are imported when a command runs, so that `manole --help` stays quick.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from manole import __version__, private
from manole.cli import ask, chat, conversations, index, library, models, serve
from manole.cli.about import about
from manole.cli.check import check
from manole.cli.config import config
from manole.cli.doctor import doctor
from manole.cli.due import due
from manole.cli.graph import graph
from manole.cli.grep import grep
from manole.cli.look import look
from manole.cli.options import remember, speak_as
from manole.cli.plugins import WithPlugins
from manole.errors import ManoleError, UsageError
from manole.sentences import said

INTERRUPTED = 130  # the shell's code for Ctrl-C

app = typer.Typer(
    name="manole",
    cls=WithPlugins,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog='Begin with: manole ask "what is in here?" FOLDER',
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def manole(
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Set any setting of `manole config`."),
    ] = None,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", is_eager=True, callback=_version),
    ] = False,
) -> None:
    """Ask your own files. Answers cite the page they come from; nothing leaves this machine."""
    if sys.platform == "win32":
        raise UsageError(
            "Manole runs on Linux and macOS.",
            "On Windows, install it in the Windows Subsystem for Linux (WSL).",
        )
    remember(assignments or [])


app.command()(ask.ask)
app.command(cls=chat.ChatCommand)(chat.chat)
app.command()(ask.search)
app.command()(grep)
app.command()(check)
app.command()(index.index)
app.command()(index.status)
app.command()(due)
app.command()(about)
app.command()(look)
library.app.command("map")(graph)
app.add_typer(library.app)
app.add_typer(conversations.app)
app.add_typer(models.app)
app.command()(serve.serve)
app.command()(config)
app.command()(doctor)


def main() -> None:
    """Run the program and end the process with its exit code."""
    private.begin()
    speak_as(os.environ.get("MANOLE_LANGUAGE", "auto"))  # until the settings are read
    try:
        app()
    except ManoleError as error:
        sys.stderr.write(f"manole: {_printable(said(error.message))}\n")
        if error.hint:
            sys.stderr.write(f"        {_printable(said(error.hint))}\n")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.stderr.write(f"\n{said('Stopped.')}\n")
        sys.exit(INTERRUPTED)
    except SystemExit as end:
        # Typer turns Ctrl-C into an exit without a message.
        if isinstance(getattr(end.__context__, "__cause__", None), KeyboardInterrupt):
            sys.stderr.write(f"\n{said('Stopped.')}\n")
        raise
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)


def _printable(text: str) -> str:
    """Return a message without control characters, which a file's name in it may hold."""
    return "".join(c if c.isprintable() else "�" for c in text)


if __name__ == "__main__":
    main()
