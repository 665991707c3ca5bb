"""`manole trust`: the folders whose `manole.toml` may set everything."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from manole.cli.output import Json, tell
from manole.errors import UsageError


def trust(
    folder: Annotated[
        Path, typer.Argument(help="The folder whose manole.toml you have looked at.")
    ] = Path(),
    listed: Annotated[bool, typer.Option("--list", help="Show what is trusted.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Trust it no longer.")] = False,
    as_json: Json = False,
) -> None:
    """Let the manole.toml of a folder set everything, as your own does.

    Without that it may set what cannot send, load, write or listen. Trust holds for the file as it
    is now: when it changes, it has to be trusted anew.
    """
    from manole.config_files import CONFIG_NAME
    from manole.trust import trusted_files, without_trust

    if listed:
        _list(as_json)
        return
    path = folder.expanduser().resolve() / CONFIG_NAME
    if not remove:
        _trust(path, as_json)
        return
    if path not in trusted_files():
        raise UsageError(f"{path} is not trusted.", "`manole trust --list` shows what is.")
    _keep(without_trust(path))
    tell(as_json, {"file": str(path), "trusted": False}, f"{path} is trusted no longer.")


def _trust(path: Path, as_json: bool) -> None:
    from manole.config_files import ConfigFile, flat, read
    from manole.settings import not_believed
    from manole.trust import is_trusted, list_path, with_trust

    try:
        data, _ = read(path, links=False)
    except OSError as error:
        reason = "it is a link" if path.is_symlink() else error.strerror
        raise UsageError(
            f"{path} cannot be trusted: {reason}.", "Give a folder with a manole.toml in it."
        ) from None
    values = flat(path, data)
    gained = not_believed(ConfigFile(path, values, trusted=False))
    _keep(with_trust(path, data))
    if not is_trusted(path, data):
        raise UsageError(
            f"{path} is not trusted: every user may write {list_path()}, on a disk without modes.",
            "Name a settings file by MANOLE_CONFIG instead.",
        )
    names = ", ".join(gained) or "nothing that it could not set before"
    done = f"{path} is trusted as it is now. It sets: {names}."
    tell(as_json, {"file": str(path), "trusted": True, "sets": gained}, done)


def _keep(text: str) -> None:
    """Write the list for its owner alone: a list that others may write is not believed."""
    from manole.config_files import write
    from manole.trust import list_path

    write(list_path(), text)
    with suppress(OSError):
        list_path().chmod(0o600)


def _list(as_json: bool) -> None:
    from manole.config_files import read
    from manole.trust import is_trusted, trusted_files

    def state(path: Path) -> str:
        try:
            return "trusted" if is_trusted(path, read(path, links=False)[0]) else "changed since"
        except OSError:
            return "gone"

    found = [
        {
            "file": str(path),
            "since": f"{entry.since:%Y-%m-%d %H:%M} UTC",
            "state": state(path),
        }
        for path, entry in trusted_files().items()
    ]
    lines = [f"{item['since']}  {item['state']:13}  {item['file']}" for item in found]
    tell(as_json, {"files": found}, *(lines or ["No folder's manole.toml is trusted."]))
