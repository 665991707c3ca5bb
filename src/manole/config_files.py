"""The `manole.toml` files that count, and how far each is trusted.

The user's own (in the configuration folder, or named by `MANOLE_CONFIG`) counts in full. One in the
working directory goes on top of it, but may be anybody's, as in the unpacked archive of a stranger.
So it may set only what cannot send, load, write or listen (`settings.FROM_ANY_FOLDER`), until the
user has checked it and run `manole trust` (`trust.py`). The same holds for a file at the user's
place that others may have written.

A file is opened once, without waiting and, if it may be a stranger's, without following a link. The
opened file itself is checked, and no more is read than a settings file can need.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from manole import private
from manole.errors import SettingsError
from manole.trust import is_trusted

CONFIG_NAME = "manole.toml"
MOST_BYTES = 1 << 20  # set by hand: far more than all settings need


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A settings file. `values` are by dotted name; `problem` is the reason if there are none."""

    path: Path
    values: dict[str, Any]
    trusted: bool
    problem: str = ""


def own_path() -> Path:
    """Return the path of the user's own file, which need not exist.

    Raises `SettingsError` for a `MANOLE_CONFIG` that is no file.
    """
    named = os.environ.get("MANOLE_CONFIG")
    if named and not Path(named).is_file():
        raise SettingsError(
            f"MANOLE_CONFIG names {named}, which is not a file.", "Correct it, or unset it."
        )
    return Path(named) if named else user_config_path("manole") / CONFIG_NAME


def own_file(instead: str | None = None) -> ConfigFile | None:
    """Return the user's own file, or `instead`, a text in its place; `None` without either.

    Raises `SettingsError` if the file cannot be read.
    """
    path = own_path()
    if instead is not None:
        return ConfigFile(path, flat(path, instead), trusted=True)
    try:
        data, info = read(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        reason = error.strerror or error
        raise SettingsError(f"{path} cannot be read: {reason}.", "Correct or remove it.") from None
    own = "MANOLE_CONFIG" in os.environ or private.is_own(info)
    return ConfigFile(path, flat(path, data), own or is_trusted(path, data))


def folder_file() -> ConfigFile | None:
    """Return the file of the working directory; `None` without one, or with `MANOLE_CONFIG`.

    A file that cannot be read has a `problem`. Raises `SettingsError` for invalid TOML.
    """
    if os.environ.get("MANOLE_CONFIG"):
        return None
    try:
        path = Path.cwd() / CONFIG_NAME
        data, _ = read(path, links=False)
    except (FileNotFoundError, NotADirectoryError):  # even the working directory may be gone
        return None
    except OSError as error:
        return ConfigFile(path, {}, trusted=False, problem=_problem(error))
    if path.parent == own_path().parent.resolve():
        return None
    return ConfigFile(path, flat(path, data), is_trusted(path, data))


def read(path: Path, *, links: bool = True) -> tuple[bytes, os.stat_result]:
    """Return the bytes and the status of a settings file, both of the same open file.

    Raises `OSError`, also for a link unless `links`, for any other than a plain file, and for a
    huge one.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if links else os.O_NOFOLLOW)
    with os.fdopen(os.open(path, flags), "rb") as file:
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode):
            raise OSError(errno.EINVAL, "it is not a plain file")
        if len(data := file.read(MOST_BYTES + 1)) > MOST_BYTES:
            raise OSError(errno.EFBIG, f"it is larger than {MOST_BYTES >> 20} MiB")
    return data, info


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
        private.make(place.parent)
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=place.name, suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            if place.exists():
                Path(name).chmod(place.stat().st_mode & 0o7777)
            Path(name).replace(place)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except UnicodeEncodeError:
        raise SettingsError("That is no text that a file of settings can hold.") from None
    except OSError as error:
        raise SettingsError(
            f"{place} cannot be written: {error.strerror}.", "Check its permissions."
        ) from None


def _problem(error: OSError) -> str:
    if error.errno in (errno.ELOOP, errno.EMLINK):  # the second one on some BSDs
        return "it is a link"
    return f"it cannot be read: {error.strerror}"
