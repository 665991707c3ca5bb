"""The check of the machine: its memory and cores, the chat model for it, and how quick that was."""

from __future__ import annotations

import contextlib

from manole.care.findings import Finding, command, good, warning
from manole.errors import ManoleError
from manole.models.catalog.table import ModelSpec
from manole.models.choose import chat_at_hand, recommended
from manole.models.cores import physical_cores
from manole.models.endpoints import endpoint_of
from manole.models.machine.outlook import here, outlook
from manole.models.weights.cache import Weights
from manole.models.weights.files import human_size
from manole.settings import Settings

MACHINE = "machine"


def check_machine(settings: Settings) -> list[Finding]:
    """Check whether the chat model has room, and tell how quick it was. Measures nothing."""
    weights, machine = Weights(settings.weights_dir), here(settings.cache_dir)
    threads = settings.model.threads or physical_cores()
    of, room = human_size(machine.memory), human_size(machine.room)
    found = [good(MACHINE, f"{of} of memory, {room} for a chat model with {threads} threads")]
    best = recommended(settings, weights)
    if best:
        found.append(good(MACHINE, f"the best chat model for it is {best.spec.name}"))
    if spec := _used(settings, weights):
        used = outlook(spec, machine, settings.model.context)
        if not used.fits:
            text = f"{spec.name} needs about {human_size(used.needed)} of memory"
            another = command("manole", "models", "use", best.spec.name if best else "auto")
            found.append(warning(MACHINE, text, "model.name", another))
        elif used.answer_s:
            found.append(good(MACHINE, f"{spec.name} took {used.answer_s:.0f} s for an answer"))
    return found


def _used(settings: Settings, weights: Weights) -> ModelSpec | None:
    """Return the chat model at hand; `None` for an endpoint, or a name that another check finds."""
    name = settings.model.name
    if name == "auto":
        taken = chat_at_hand(settings, weights)
        return taken[0] if taken else None
    with contextlib.suppress(ManoleError):
        return None if endpoint_of(name)[0] else weights.spec(name)
    return None
