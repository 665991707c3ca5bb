"""`manole serve --install` and `--uninstall`: the file for the login, and how to start now."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import typer

from manole.cli.library import open_library
from manole.cli.options import assignments, run
from manole.cli.output import printable, say
from manole.errors import UsageError
from manole.index.store.libraries import libraries
from manole.serve.at_login import at_login
from manole.serve.security import check_exposure
from manole.settings import SECRETS, Settings
from manole.settings.effective import dotted_name, env_name

_SECRET = {env_name(name) for name in SECRETS}
_CONFIG = "MANOLE_CONFIG"  # names the settings' file, and is no setting itself


def install(folder: str | None, options: Mapping[str, object], given: Mapping[str, object]) -> None:
    """Let `manole serve` start at login with these options.

    `given` are the settings that these options make. Raises `UsageError` for a server that would
    not start, and where no folder is named and there are several libraries.
    """
    secret = [name for name in os.environ if name.upper() in _SECRET]
    for assignment in assignments():
        if (name := assignment.partition("=")[0].strip()) in SECRETS:
            raise UsageError(
                f"{name} would stand there for others to read.",
                "Put it into your manole.toml, or a token into a file for --token-file.",
            )
    settings = Settings.load(dict(given))
    if "MANOLE_SERVE__TOKEN" in secret and "--token-file" not in _words(options):
        raise UsageError(
            "The token of MANOLE_SERVE__TOKEN is not there at login.",
            "Put it into a file of your own, and name that by --token-file.",
        )
    check_exposure(settings.serve)
    folder = _folder(folder) if folder else None
    if not (folder or options["--library"]):
        folder = run(_usual(settings))
    words = [*_assigned(settings), "serve", *_words(options), *(["--", folder] if folder else [])]
    entry = at_login(words, _environment(settings))
    say(printable(entry.install()))
    if served := folder or options["--library"]:
        say(f"It serves {printable(str(served))}.")
    for name in secret:
        say(f"{name} is not written there: put it into your manole.toml.", err=True)
    say("Manole is started at your next login. To start it now:")
    typer.echo(f"  {entry.start}")
    if port := settings.serve.port:
        say(f"The page is then at http://127.0.0.1:{port}/")


def uninstall() -> None:
    """Let nothing start at login any more."""
    entry = at_login([], {})
    say(printable(entry.remove()))
    say("To end one that runs now:")
    typer.echo(f"  {entry.stop}")


async def _usual(settings: Settings) -> str | None:
    """Return the folder, or the name, of the library that commands use when none is named.

    `None` where there is no library yet: the page lets a person choose a folder. Raises
    `UsageError` where there are several.
    """
    found = [info for info in libraries(settings) if not info.problem]
    if not found:
        return None
    if len(found) == 1:  # its folder may be on a disk that is not mounted now
        return found[0].roots[0] if len(found[0].roots) == 1 else found[0].name
    library = await open_library(None, settings)
    await library.close()
    return str(library.roots[0]) if len(library.roots) == 1 else library.name


def _assigned(settings: Settings) -> list[str]:
    words = []
    for assignment in assignments():
        name, _, value = assignment.partition("=")
        words += ["--set", f"{name}={_absolute(name.strip(), value.strip(), settings)}"]
    return words


def _absolute(name: str, typed: str, settings: Settings) -> str:
    """Return a setting's value as it was typed; paths, and names of files, are made absolute.

    The service starts in another folder.
    """
    value, path = settings.describe().get(name, (None, ""))[0], Path(typed).expanduser()
    is_file = value == typed and path.suffix and path.is_file()  # such as a model's weights
    return str(path.absolute()) if isinstance(value, Path) or is_file else typed


def _words(options: Mapping[str, object]) -> list[str]:
    """Return options as they are typed, from `{"--port": 8000, "--reuse": True}`."""
    words = []
    for name, value in options.items():
        if value is True:
            words.append(name)
        elif value is not None and value is not False:
            whole = value.absolute() if isinstance(value, Path) else value
            words += [name, _folder(str(whole)) if name == "--library" else str(whole)]
    return words


def _folder(given: str) -> str:
    """Return a folder's whole path; a library's name, or `all`, stays as it is."""
    path = Path(given).expanduser()
    return str(path.absolute()) if path.is_dir() else given


def _environment(settings: Settings) -> dict[str, str]:
    """Return the settings of this environment, without secrets."""
    found = {
        name: _absolute(dotted_name(name), value, settings)
        for name, value in os.environ.items()
        if name.startswith("MANOLE_") and name.upper() not in _SECRET
    }
    if config := found.get(_CONFIG):
        found[_CONFIG] = str(Path(config).expanduser().absolute())
    return found
