"""Settings given on the command line, for every command alike.

`manole --set index.hidden=true ask ...` sets any field; `--model` is short for `model.name`.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from manole.errors import UsageError
from manole.hooks import STRATEGIES
from manole.sentences import LANGUAGES, of_environment, speak

if TYPE_CHECKING:
    from manole.settings import Settings

T = TypeVar("T")
Folder = Annotated[
    str | None,
    typer.Argument(help="A folder or a library's name, or all; else the working directory's."),
]
Model = Annotated[str | None, typer.Option(help="Chat model: a name, a .gguf file, openai:NAME.")]
Strategy = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help=f"How the answer is made: {', '.join(('agent', *STRATEGIES.names()))}."
    ),
]
Reuse = Annotated[
    bool, typer.Option("--reuse", help="Use the index as it is, without looking for changes.")
]

_given: dict[str, Any] = {}
_assigned: list[str] = []


def remember(typed: list[str]) -> None:
    """Keep the `--set` options of this run. Raises `UsageError` for one without `=`."""
    _given.clear()
    _assigned[:] = typed
    for assignment in typed:
        name, equals, value = assignment.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--set {assignment} has no value.", "Write --set NAME=VALUE.")
        text = value.strip()
        _given[name.strip()] = text.split(",") if name.strip() == "index.exclude" else text


def assignments() -> list[str]:
    """Return the `--set` options of this run as they were typed."""
    return list(_assigned)


def flags(**more: Any) -> dict[str, Any]:
    """Return the settings given as flags: `--set`, and `more` (`model__name="auto"`)."""
    named = {key.replace("__", "."): value for key, value in more.items() if value is not None}
    return {**_given, **named}


def settings(**more: Any) -> Settings:
    """Return the effective settings of this command. Raises `SettingsError`."""
    from manole.private import check
    from manole.settings import Settings

    found = Settings.load(flags(**more))
    check(data_dir=found.data_dir, cache_dir=found.cache_dir)
    speak_as(found.language)
    return found


def speak_as(language: str) -> None:
    """Print sentences in a language from now on; `auto` is that of the terminal."""
    speak(language if language in LANGUAGES else of_environment())


def exclude(one: str, other: str, both: bool) -> None:
    """Raise `UsageError` where two options were given that exclude each other."""
    if both:
        raise UsageError(f"{one} and {other} exclude each other.", "Choose one of them.")


def run(task: Coroutine[Any, Any, T]) -> T:
    """Return what `task` returns. An event loop is imported only where one is needed."""
    import asyncio

    return asyncio.run(task)
