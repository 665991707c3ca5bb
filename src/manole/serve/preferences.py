"""Changing settings while the server runs: what the settings file alone cannot know.

A wrong model name is refused here: it is text to the settings, and the program would not start with
it the next time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from manole.errors import UsageError
from manole.models.vision import vision_at_hand
from manole.models.weights import Weights, choose_chat
from manole.serve.queue import turns_at_once
from manole.settings import Settings
from manole.settings_file import CHANGEABLE, change, value_of, with_changes

_ENDPOINTS = ("openai:", "ollama:")


def change_preferences(
    changes: Mapping[str, Any], settings: Settings, flags: Mapping[str, Any], weights: Weights
) -> Settings:
    """Write settings to their file; gives `settings` with those that need no restart.

    Raises `SettingsError`, and `UsageError` for a name that is no model's. May block.
    """
    _check_models(changes, settings, weights)
    written = change(changes, flags)
    return with_changes(settings, written, _at_once(changes))


def is_pending(settings: Settings, name: str, value: object) -> bool:
    """Whether a setting was written, and what runs goes by another value until a restart."""
    return CHANGEABLE[name] == "restart" and value_of(settings, name) != value


def _at_once(names: Iterable[str]) -> list[str]:
    return [name for name in names if CHANGEABLE[name] != "restart"]


def _check_models(changes: Mapping[str, Any], settings: Settings, weights: Weights) -> None:
    chat, vision = changes.get("model.name"), changes.get("vision.name")
    if chat is not None and not _is_endpoint(chat):
        choose_chat(weights, chat)
    if chat is not None:  # as many questions at once as are set are too many for some
        chosen = settings.model.model_copy(update={"name": chat})
        turns_at_once(settings.model_copy(update={"model": chosen}))
    if vision is None or _is_endpoint(vision):
        return
    if vision.lower().endswith(".gguf"):
        weights.spec(vision)
        if settings.vision.projector is None:
            raise UsageError(
                f"vision.name = {vision} cannot see without its projector.",
                "Set vision.projector in manole.toml to the mmproj file that came with it.",
            )
    eyes = settings.vision.model_copy(update={"name": vision})
    vision_at_hand(settings.model_copy(update={"vision": eyes}), weights)


def _is_endpoint(name: str) -> bool:
    return name.startswith(_ENDPOINTS) and bool(name.partition(":")[2])
