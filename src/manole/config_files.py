"""The user's own `manole.toml`: in the configuration folder, or named by `MANOLE_CONFIG`.

No other file sets anything. A `manole.toml` in the working directory may be anybody's, as in the
unpacked archive of a stranger, and is not looked at.
"""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from manole.errors import SettingsError
from manole.files import write_file


def own_path() -> Path:
    """Return the path of the file, which need not exist.

    Raises `SettingsError` for a `MANOLE_CONFIG` that is no file.
    """
    named = os.environ.get("MANOLE_CONFIG")
    if named and not Path(named).is_file():
        raise SettingsError(
            f"MANOLE_CONFIG names {named}, which is not a file.", "Correct it, or unset it."
        )
    return Path(named) if named else user_config_path("manole") / "manole.toml"


def read(path: Path) -> dict[str, Any] | None:
    """Return the values of the file by dotted name; `None` if it does not exist.

    Raises `SettingsError` if it cannot be read, and if others may have written it, unless
    `MANOLE_CONFIG` names it.
    """
    try:
        with path.open("rb") as file:
            data, info = file.read(), os.fstat(file.fileno())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        reason = error.strerror or error
        raise SettingsError(f"{path} cannot be read: {reason}.", "Correct or remove it.") from None
    own = info.st_uid in (os.getuid(), 0) and not info.st_mode & stat.S_IWOTH
    if not own and not os.environ.get("MANOLE_CONFIG"):
        raise SettingsError(
            f"Other users of this machine may have written {path}.",
            "Look at it and make it yours alone, or name it by MANOLE_CONFIG.",
        )
    return flat(path, data)


def flat(path: Path, text: bytes | str) -> dict[str, Any]:
    """Return the values of a settings file by dotted name. Raises `SettingsError`."""
    try:
        data = tomllib.loads(text if isinstance(text, str) else text.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # an error of UTF-8 is a ValueError, too
        reason = "nested too deep" if isinstance(error, RecursionError) else error
        raise SettingsError(f"{path} is not valid TOML: {reason}.", "Correct that line.") from None
    values: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, dict):
            values |= {f"{key}.{inner}": item for inner, item in value.items()}
        else:
            values[key] = value
    return values


def write(path: Path, text: str) -> None:
    """Write `text` in one piece; a new file is for its owner alone, and a link stays a link.

    Raises `SettingsError`.
    """
    place = path.resolve()
    try:
        mode = place.stat().st_mode & 0o7777 if place.exists() else 0o600
        write_file(place, text, make=True, mode=mode)
    except UnicodeEncodeError:
        raise SettingsError("That is no text that a file of settings can hold.") from None
    except OSError as error:
        raise SettingsError(
            f"{place} cannot be written: {error.strerror}.", "Check its permissions."
        ) from None
