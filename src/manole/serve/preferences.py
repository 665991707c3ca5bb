"""Changes of settings while the server runs.

The settings take any text as a model's name. Here it must be a name of the catalog: a client must
not make the server read a file, or ask an endpoint, that its owner did not choose.
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
    """Write settings to their file; return `settings` with those that need no restart.

    Raises `SettingsError`, and `UsageError` for a name that is no model's. Blocks.
    """
    _check_models(changes, settings, weights)
    written = change(changes, flags)
    at_once = [name for name in changes if CHANGEABLE[name] != "restart"]
    return with_changes(settings, written, at_once)


def is_pending(settings: Settings, name: str, value: object) -> bool:
    """Whether a written value takes effect only with a restart, and differs from the present."""
    return CHANGEABLE[name] == "restart" and value_of(settings, name) != value


def _check_models(changes: Mapping[str, Any], settings: Settings, weights: Weights) -> None:
    """Refuse models that are neither in the catalog nor set already. Raises `UsageError`."""
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
    if chat is not None:  # it may not answer as many questions at once as are set
        chosen = settings.model.model_copy(update={"name": chat})
        turns_at_once(settings.model_copy(update={"model": chosen}))
    if vision in weights.catalog:
        eyes = settings.vision.model_copy(update={"name": vision})
        vision_at_hand(settings.model_copy(update={"vision": eyes}), weights)
