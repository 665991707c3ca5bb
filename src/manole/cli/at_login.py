"""`manole serve --install` and `--uninstall`: what is written, and how to start it now."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import typer

from manole.cli.options import assignments
from manole.cli.output import printable, say
from manole.errors import UsageError
from manole.serve.at_login import at_login
from manole.serve.security import check_exposure
from manole.settings import SECRETS, Settings
from manole.settings.layers import env_name

_SECRET = {env_name(name) for name in SECRETS}
_PLACES = ("MANOLE_CONFIG", "MANOLE_DATA_DIR", "MANOLE_CACHE_DIR")


def install(folder: str | None, options: Mapping[str, object], given: Mapping[str, object]) -> None:
    """Have `manole serve` started at login with these options of its own.

    `given` are the settings that they come to. Raises `UsageError` for what would not start.
    """
    secret = [name for name in os.environ if name.upper() in _SECRET]
    for assignment in assignments():
        if (name := assignment.partition("=")[0].strip()) in SECRETS:
            raise UsageError(
                f"{name} would stand there for others to read.",
                "Put it into your manole.toml, or a token into a file for --token-file.",
            )
    settings = Settings.load(dict(given)).serve
    if "MANOLE_SERVE__TOKEN" in secret and "--token-file" not in _words(options):
        raise UsageError(
            "The token of MANOLE_SERVE__TOKEN is not there at login.",
            "Put it into a file of your own, and name that by --token-file.",
        )
    check_exposure(settings)
    words = [*_assigned(), "serve", *_words(options), *(["--", _folder(folder)] if folder else [])]
    entry = at_login(words, _environment())
    say(printable(entry.install()))
    for name in secret:
        say(f"{name} is not written there: put it into your manole.toml.", err=True)
    say("Manole is started at your next login. To start it now:")
    typer.echo(f"  {entry.start}")
    if settings.port:
        say(f"The page is then at http://127.0.0.1:{settings.port}/")


def uninstall() -> None:
    """Have it started at login no more."""
    entry = at_login([], {})
    say(printable(entry.remove()))
    say("To end one that runs now:")
    typer.echo(f"  {entry.stop}")


def _assigned() -> list[str]:
    return [word for assignment in assignments() for word in ("--set", assignment)]


def _words(options: Mapping[str, object]) -> list[str]:
    """Options as they are typed: `{"--port": 8000, "--reuse": True, "--model": None}`."""
    words = []
    for name, value in options.items():
        if value is True:
            words.append(name)
        elif value is not None and value is not False:
            whole = value.absolute() if isinstance(value, Path) else value
            words += [name, _folder(str(whole)) if name == "--library" else str(whole)]
    return words


def _folder(given: str) -> str:
    """A folder by its whole path; a library's name, or `all`, as it is."""
    path = Path(given).expanduser()
    return str(path.absolute()) if path.is_dir() else given


def _environment() -> dict[str, str]:
    """The settings of this environment, without secrets."""
    found = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("MANOLE_") and name.upper() not in _SECRET
    }
    return found | {n: str(Path(found[n]).expanduser().absolute()) for n in _PLACES if n in found}
