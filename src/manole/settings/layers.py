"""The layers that settings are made of, put together, and what is wrong with them."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from manole import hooks
from manole.errors import SettingsError
from manole.settings.sections import SECRETS


def from_environment() -> dict[str, Any]:
    """Return the settings of the environment by dotted names."""
    flat: dict[str, Any] = {}
    for variable, value in os.environ.items():
        if variable.startswith("MANOLE_") and variable != "MANOLE_CONFIG":
            dotted = dotted_name(variable)
            flat[dotted] = value.split(",") if dotted == "index.exclude" else value
    return flat


def dotted_name(variable: str) -> str:
    """Return the setting that a variable sets: `model.name` for `MANOLE_MODEL__NAME`."""
    return variable.removeprefix("MANOLE_").lower().replace("__", ".", 1)


def env_name(dotted: str) -> str:
    """The variable that sets it."""
    return "MANOLE_" + dotted.upper().replace(".", "__")


def new_name(old: str) -> str | None:
    """Return the setting that a plug-in's section has for an old one, or for an old option."""
    for section in hooks.SETTINGS.names():
        with suppress(Exception):  # a plug-in that does not load says so where it is used
            if (kind := hooks.SETTINGS.get(section)) and old in kind.renamed:
                return f"{section}.{kind.renamed[old]}"
    return None


def put(tree: dict[str, Any], dotted: str, value: Any) -> None:
    """Set a dotted name in a tree of sections. Raises `SettingsError`."""
    head, _, tail = dotted.partition(".")
    if not tail:
        tree[head] = value
        return
    section = tree.setdefault(head, {})
    if not isinstance(section, dict):
        raise SettingsError(f"{head} is a section of settings, not a value.", f"Set {dotted}.")
    section[tail] = value


def readable(error: ValidationError, origins: dict[str, str]) -> SettingsError:
    """Return an error that says which field is wrong, why, and where it was set."""
    parts = []
    for item in error.errors():
        dotted = ".".join(str(p) for p in item["loc"][:2])
        near = (o for name, o in origins.items() if name.startswith(f"{dotted}."))
        origin = origins.get(dotted) or origins.get(dotted.partition(".")[0]) or next(near, "?")
        if item["type"] == "extra_forbidden":
            parts.append(f"{dotted} (from {origin}) is not a setting.")
            if new := new_name(dotted):
                parts.append(f"It is called {new} now.")
        else:
            given = "(not shown)" if dotted in SECRETS else str(item.get("input"))[:80]
            what = item["msg"][0].lower() + item["msg"][1:]
            parts.append(f"{dotted} = {given} (from {origin}): {what}.")
    return SettingsError(" ".join(parts), "`manole config` lists every setting.")
