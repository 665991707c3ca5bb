"""The graphics processor: which one, how much of the chat model it takes, or why none."""

from __future__ import annotations

from manole.care.findings import Finding, good, warning
from manole.care.words import command
from manole.errors import ManoleError
from manole.models.choose import chat_at_hand
from manole.models.endpoints import endpoint_of
from manole.models.weights.cache import Weights
from manole.settings import Settings

GRAPHICS = "graphics processor"


def check_graphics(settings: Settings) -> list[Finding]:
    """What the chat model at hand has of it. Nothing is loaded."""
    if endpoint_of(settings.model.name)[0]:
        return []
    from manole.models.machine.gpu_report import told

    weights = Weights(settings.weights_dir)
    name = settings.model.name
    if name == "auto":
        taken = chat_at_hand(settings, weights)
        name = taken[0].name if taken else ""
    try:
        files = weights.path(name) if name else None
        if not files:
            return []
        found = told(name, next(iter(files.values())), settings.cache_dir, settings.model)
    except (OSError, ManoleError):
        return []  # whatever is wrong with the weights is said of the weights
    if not found.fault:
        return [good(GRAPHICS, found.text.rstrip("."))]
    again = command("manole", "models", "tune")
    return [warning(GRAPHICS, found.text.rstrip("."), remedy=f"{again} tries it anew.")]
