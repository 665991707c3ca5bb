"""Settings given on the command line, for every command alike.

`manole --set index.hidden=true ask ...` sets any field; `--model` is short for `model.name`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from manole.errors import UsageError
from manole.sentences import LANGUAGES, of_environment, speak

if TYPE_CHECKING:
    from manole.settings import Settings

_given: dict[str, Any] = {}
_assigned: list[str] = []


def remember(typed: list[str]) -> None:
    """Take in the `--set` options of this run. Raises `UsageError` for one without `=`."""
    _given.clear()
    _assigned[:] = typed
    for assignment in typed:
        name, equals, value = assignment.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--set {assignment} has no value.", "Write --set NAME=VALUE.")
        text = value.strip()
        _given[name.strip()] = text.split(",") if name.strip() == "index.exclude" else text


def assignments() -> list[str]:
    """What this run was given by `--set`, as it was typed."""
    return list(_assigned)


def flags(**more: Any) -> dict[str, Any]:
    """The settings given as flags: `--set`, and `more` (`model__name="auto"`)."""
    named = {key.replace("__", "."): value for key, value in more.items() if value is not None}
    return {**_given, **named}


def settings(**more: Any) -> Settings:
    """The effective settings of this command. Raises `SettingsError`."""
    from manole.private import enclose
    from manole.settings import Settings

    found = Settings.load(flags(**more))
    enclose(found.data_dir, found.cache_dir)
    speak_as(found.language)
    return found


def speak_as(language: str) -> None:
    """Say sentences in a language: `auto` is that of the terminal."""
    speak(language if language in LANGUAGES else of_environment())
