"""Changing settings while the server runs: what the settings file alone cannot know.

A model is named to the settings by any text. Here only a name of the catalog will do: who reaches
the server must not have it read a file, or ask an endpoint, that its owner did not choose.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manole.errors import UsageError
from manole.models.choose import choose_chat
from manole.models.vision import vision_at_hand
from manole.models.weights.cache import Weights
from manole.serve.queue import turns_at_once
from manole.settings import Settings
from manole.settings_file import CHANGEABLE, change, value_of, with_changes


def change_preferences(
    changes: Mapping[str, Any], settings: Settings, flags: Mapping[str, Any], weights: Weights
) -> Settings:
    """Write settings to their file; gives `settings` with those that need no restart.

    Raises `SettingsError`, and `UsageError` for a name that is no model's. May block.
    """
    _check_models(changes, settings, weights)
    written = change(changes, flags)
    at_once = [name for name in changes if CHANGEABLE[name] != "restart"]
    return with_changes(settings, written, at_once)


def is_pending(settings: Settings, name: str, value: object) -> bool:
    """Whether a setting was written, and what runs goes by another value until a restart."""
    return CHANGEABLE[name] == "restart" and value_of(settings, name) != value


def _check_models(changes: Mapping[str, Any], settings: Settings, weights: Weights) -> None:
    """Only models of the catalog, and what is set already: the rest reads or reaches elsewhere."""
    for name, usual in (("model.name", {"auto"}), ("vision.name", {"auto", "off"})):
        wanted = changes.get(name)
        if wanted not in {None, value_of(settings, name), *usual, *weights.catalog}:
            raise UsageError(
                f"{name} = {wanted} is no model of the catalog.",
                "A file or an endpoint of your own is set in your manole.toml, or with a flag.",
            )
    chat, vision = changes.get("model.name"), changes.get("vision.name")
    if chat is not None and chat in weights.catalog:
        choose_chat(weights, chat)
    if chat is not None:  # as many questions at once as are set are too many for some
        chosen = settings.model.model_copy(update={"name": chat})
        turns_at_once(settings.model_copy(update={"model": chosen}))
    if vision in weights.catalog:
        eyes = settings.vision.model_copy(update={"name": vision})
        vision_at_hand(settings.model_copy(update={"vision": eyes}), weights)
