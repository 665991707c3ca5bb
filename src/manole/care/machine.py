"""Estimates of each model's speed on a machine, from a measurement if there is one.

One model at hand reads and writes for some seconds; the speeds of the others follow from their
weights and bytes (`manole.models.machine.outlook`). The time of embedding is that of this machine's
libraries, of a probe of the embedder at hand, or an estimate from MiniLM's weights.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

from manole.errors import ManoleError
from manole.index.store.languages import kept
from manole.index.store.libraries import libraries
from manole.models.catalog.encoders import ENCODERS, USUAL
from manole.models.catalog.table import CATALOG
from manole.models.chat.rates import PROSE
from manole.models.choose import chat_at_hand
from manole.models.endpoints import chosen_embedder
from manole.models.machine.outlook import CONTEXT, Machine, Outlook, Speed, outlook
from manole.models.machine.tuning import recall_speed
from manole.models.weights.cache import Weights
from manole.settings import Settings

FILES = 100_000  # whose embedding is estimated
USUAL_PASSAGES = 8.0  # of a file, set by hand; used if no library gives their number
_MINILM = 10.6e6  # weights of an encoder of cost 1: 6 layers of 1.77 million
_PASSAGE_TOKENS = 200  # of a usual passage; set by hand
_PROBED = 16  # passages that a measurement embeds; set by hand
_ASKED = " Now forget the boiler, and count in words from one to thirty."
How = Literal["remembered", "measured", "reckoned"]


@dataclass(frozen=True, slots=True)
class Embedding:
    """The cost of embedding: seconds a passage, passages a file."""

    seconds: float
    passages: float
    how: How

    @property
    def hours(self) -> float:
        """The hours for `FILES` files."""
        return self.seconds * self.passages * FILES / 3600


@dataclass(frozen=True, slots=True)
class Report:
    """A machine, and its outlook for each model; `best` is the best chat model for it."""

    machine: Machine
    outlooks: tuple[Outlook, ...]
    embedding: Embedding | None
    best: str | None

    def as_json(self) -> dict[str, Any]:
        """Return the report for programs: bytes, seconds, tokens a second."""
        machine = self.machine
        return {
            "machine": {
                "name": machine.name,
                "memory": machine.memory,
                "free": machine.free,
                "cores": machine.cores,
                "gpus": [gpu.description for gpu in machine.gpus],
                "speed": machine.speed and machine.speed.model_dump(),
                "gpu_speed": machine.gpu_speed and machine.gpu_speed.model_dump(),
            },
            "best": self.best,
            "models": [
                {
                    "name": one.spec.name,
                    "kind": one.spec.kind,
                    "memory": one.needed,
                    "place": one.place and one.place.name,
                    "first_seconds": _rounded(one.first_s),
                    "answer_seconds": _rounded(one.answer_s),
                    "page_seconds": _rounded(one.page_s),
                    "quick_enough": one.quick,
                    "how": how(one),
                }
                for one in self.outlooks
            ],
            "embedding": self.embedding
            and {
                "files": FILES,
                "seconds_a_passage": round(self.embedding.seconds, 5),
                "passages_a_file": round(self.embedding.passages, 2),
                "hours": round(self.embedding.hours, 1),
                "how": self.embedding.how,
            },
        }


def how(one: Outlook) -> str:
    """Return "measured" if it was with this model, "reckoned" if not, and "" without a speed."""
    speed = one.place and one.place.speed
    if not speed:
        return ""
    measured = speed.how == "measured" and speed.model == one.spec.name
    return "measured" if measured else "reckoned"


def report(
    machine: Machine,
    licences: Collection[str],
    embedding: Embedding | None,
    context: int = CONTEXT,
) -> Report:
    """Return the outlook of the machine for the chat models to choose from and vision models."""
    rows = [s for s in CATALOG.values() if s.traits and (s.preference or s.kind == "vision")]
    rows.sort(key=lambda spec: (spec.kind, spec.preference))
    found = tuple(outlook(spec, machine, context) for spec in rows)
    good = [
        one.spec
        for one in found
        if one.spec.kind == "chat" and one.spec.licence in licences
        and one.place is not None and one.answer_s is not None and one.quick
    ]  # fmt: skip
    best = max(good, key=lambda spec: spec.preference, default=None)
    return Report(machine, found, embedding, best.name if best else None)


async def measured(
    settings: Settings, weights: Weights, tell: Callable[[str], None], *, again: bool
) -> tuple[Speed | None, bool]:
    """Return this machine's speed, remembered or else measured with the model at hand.

    The speed is `None` if no model runs. A measurement is remembered. The second value tells
    whether other programs were busy during it.
    """
    from manole.models.chat.protocol import Message
    from manole.models.cores import free_cores, physical_cores
    from manole.models.load import ChatLoader

    known = recall_speed(settings.cache_dir)
    found = chat_at_hand(settings, weights)
    if found is None or (known is not None and not again):
        return known, False
    name = found[0].name
    tell(f"how fast {name} reads and writes here")
    model = settings.model.model_copy(update={"name": name, "download": False, "gpu": "off"})
    loader = ChatLoader(settings.model_copy(update={"model": model}), weights)
    busy = await asyncio.to_thread(free_cores) < physical_cores()
    try:
        ready = await loader.get()
        await ready.complete([Message("user", PROSE + _ASKED)], max_tokens=24)
    except ManoleError:
        return known, False
    finally:
        await loader.close()  # which remembers
    return recall_speed(settings.cache_dir), busy


def embedding_here(
    settings: Settings, weights: Weights, tell: Callable[[str], None]
) -> Embedding | None:
    """Return the cost of embedding here; `None` without a local embedder. May block."""
    infos = [info for info in libraries(settings) if info.files and info.passages]
    files = sum(info.files for info in infos)
    passages = sum(info.passages for info in infos) / files if files else USUAL_PASSAGES
    encoder = ENCODERS.get(chosen_embedder(settings))
    if encoder is None:
        return None
    known = (kept(info.path) for info in infos)
    seconds = [one.seconds for one in known if one is not None and one.seconds]
    if seconds:
        return Embedding(min(seconds) * encoder.cost, passages, "remembered")
    if weights.path(chosen_embedder(settings)) is None:
        return None
    from manole.models.encode.embedder import load_embedder

    tell("how long embedding takes here")
    try:
        embedder = load_embedder(settings, weights)
        embedder.embed([PROSE])
        started = time.perf_counter()
        embedder.embed([f"{n}. {PROSE} {PROSE}" for n in range(_PROBED)])
    except ManoleError:
        return None
    return Embedding((time.perf_counter() - started) / _PROBED, passages, "measured")


def embedding_of(machine: Machine) -> Embedding | None:
    """Return the cost of embedding with the usual encoder on another machine's processor."""
    if machine.speed is None:
        return None
    seconds = _MINILM * ENCODERS[USUAL].cost * _PASSAGE_TOKENS / machine.speed.weights
    return Embedding(seconds, USUAL_PASSAGES, "reckoned")


def _rounded(seconds: float | None) -> float | None:
    return seconds and round(seconds, 1)


def with_gpus(machine: Machine) -> Machine:
    """Return the machine with the graphics processors that the engine sees."""
    from manole.models.gpu.devices import devices

    return replace(machine, gpus=devices())
