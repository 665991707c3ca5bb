"""Loading a model on a graphics processor, as far as it fits and computes correctly.

A crash of the driver would end the program, so an engine on a GPU is always a child process. The
first start on a device compares its answer to a short text with the CPU's. Layers that do not load
are tried by half, and so on down to none. The result is noted (`notes.py`), so that later starts
need not try again.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from manole.errors import ModelError
from manole.models.chat.rates import PROSE
from manole.models.engine.child import ChildLlama
from manole.models.engine.llamaserver import LlamaServer
from manole.models.gpu.devices import Gpu
from manole.models.gpu.layers import Room
from manole.models.gpu.notes import (
    Answer,
    Note,
    Token,
    key_for,
    recall,
    recall_answer,
    remember,
)

_LOG = logging.getLogger(__name__)
_FEWEST = 2  # layers, set by hand: one brings less than the way to and from the device costs
# Long enough to multiply whole tiles of matrices, and then one column at a time.
_TEXT = f"{PROSE} Days of the week: Monday, Tuesday, Wednesday,"
_TOKENS = 8  # compared; set by hand
_CHECK_S = 120.0  # set by hand: a device that takes longer hangs, or is slower than any CPU
# Difference of log probabilities. Sums in another order, and activations in 8 bits on one side
# only, moved them by up to 0.24 (docs/benchmarks.md); wrong arithmetic moves them by several.
_TOLERANCE = 0.7
_SLOW = 0.5  # of the CPU's rate of reading, set by hand: less is no noise, and no help

Open = Callable[[int], Awaitable[LlamaServer]]  # takes the number of layers on the GPU


@dataclass(frozen=True, slots=True)
class Place:
    """A model, and the devices for it. `weights` and `engine` identify these."""

    cache: Path
    model: str
    weights: str
    engine: str
    gpus: tuple[Gpu, ...]
    room: Room

    @property
    def key(self) -> str:
        """The key of its note."""
        return key_for(self.weights, self.engine, self.gpus)

    @property
    def title(self) -> str:
        """The devices, for people."""
        return " and ".join(gpu.description for gpu in self.gpus)

    @property
    def free(self) -> int:
        """Bytes that the devices claim are free."""
        return sum(gpu.free for gpu in self.gpus)

    def layers(self, note: Note | None) -> int:
        """Return the layers to begin with: those that fit and, by the note, did not fail."""
        return self.room.layers if note is None else note.limit(self.room.layers, self.free)


@dataclass(frozen=True, slots=True)
class Started:
    """A model that answers, with `layers` on a GPU; `notice` says why not all of them."""

    model: LlamaServer
    layers: int = 0
    notice: str = ""


async def start(place: Place, open_: Open) -> Started:
    """Load with as many layers on the GPU as work. Raises `ModelError` if the CPU fails, too."""
    if not place.gpus:
        return Started(await open_(0))
    note = recall(place.cache, place.key)
    layers = place.layers(note)
    if (note is not None and note.unused()) or layers < _FEWEST:
        return Started(await open_(0), 0, why_not_all(place, note))
    checked = note is not None and note.checked
    wanted = None if checked else await _reference(place, open_)
    failed, hung = 0, False
    while True:
        try:
            model = await open_(layers)
            answer = await _checked(model) if wanted and layers else Answer(tokens=[])
            break
        except ModelError as error:
            if not layers:
                raise
            failed = layers
            layers = layers // 2 if layers // 2 >= _FEWEST else 0
            _LOG.info("%d layers did not load on %s: %s", failed, place.title, error.message)
        except TimeoutError:
            hung, layers = True, 0
            _LOG.info("%s had not answered after %.0f seconds", place.title, _CHECK_S)
    found: dict[str, object] = {"ended": _now()} if hung else {}
    if failed:
        found |= {"layers": layers, "failed": failed, "free": place.free}
    if wanted is not None and layers:
        found |= {
            "checked": True,
            "wrong": difference(wanted.tokens, answer.tokens),
            "slow": answer.read_rate < wanted.read_rate * _SLOW,
            "read_rate": answer.read_rate,
            "cpu_read_rate": wanted.read_rate,
        }
    if note is None or found:
        first = Note(model=place.model, gpu=place.title, layers=layers, total=place.room.total)
        note = (note or first).model_copy(update=found)
        remember(place.cache, place.key, note)
    if note.wrong or note.slow:
        await model.close()
        layers, model = 0, await open_(0)
    notice = why_not_all(place, note)
    if notice and (failed or hung or note.wrong or note.slow):
        _LOG.warning(notice)
    if layers and isinstance(model, ChildLlama):
        _watch(model, place, note)
    return Started(model, layers, notice)


def why_not_all(place: Place, note: Note | None) -> str:
    """Return a sentence on why not the whole model is on the GPU; empty if it is."""
    title, room = place.title, place.room
    if note is not None and note.wrong:
        return f"{title} computes wrongly ({note.wrong}); the CPU is used."
    if note is not None and note.slow:
        rates = f"{note.read_rate:.0f} tokens/s, the CPU {note.cpu_read_rate:.0f}"
        return f"{title} reads {rates}; the CPU is used."
    if note is not None and note.resting():
        return f"The engine ended, or hung, on {title}; the CPU is used for a day."
    layers = place.layers(note)
    if note is not None and layers < room.layers:
        if not layers:
            return f"{place.model} did not load on {title}; the CPU is used."
        return (
            f"{title} takes {layers} of {room.total} layers of {place.model}: with {note.failed} "
            "it did not load. The CPU does the others."
        )
    free = f"{place.free / 2**30:.1f} GiB are free"
    if layers < _FEWEST:
        return f"{title} has no room for {place.model} ({free}); the CPU is used."
    if layers < room.total:
        return f"{title} has room for {layers} of {room.total} layers of {place.model} ({free})."
    return ""


async def _reference(place: Place, open_: Open) -> Answer | None:
    """Return the CPU's answer to the check, which is remembered; `None` if it cannot answer."""
    key = f"{place.weights} {place.engine}"
    answer = recall_answer(place.cache, key)
    if answer is None:
        try:
            model = await open_(0)
            try:
                answer = await answer_of(model)
            finally:
                await model.close()
        except ModelError as error:
            _LOG.info("the CPU has nothing to compare %s with: %s", place.title, error.message)
            return None
        remember(place.cache, key, answer)
    return answer


async def _checked(model: LlamaServer) -> Answer:
    """Return a device's answer to the check. Raises `ModelError`; `TimeoutError` if it hangs."""
    try:
        async with asyncio.timeout(_CHECK_S):
            return await answer_of(model)
    except BaseException:
        await model.close()
        raise


async def answer_of(model: LlamaServer) -> Answer:
    """Return an engine's answer to the check, and how fast it reads. Raises `ModelError`.

    It is asked twice, as a GPU may still compile its programs the first time.
    """
    try:
        tokens = tokens_of(await model.likeliest(_TEXT, _TOKENS))
        again = await model.likeliest(_TEXT, 1)
        rate = round(float(again["timings"]["prompt_per_second"]), 1)
    except (httpx.HTTPError, KeyError, TypeError, ValueError) as error:
        why = str(error) or type(error).__name__
        raise ModelError(f"The engine broke off when it was checked ({why}).") from None
    return Answer(tokens=tokens, read_rate=rate)


def tokens_of(answer: dict[str, Any]) -> list[Token]:
    """Return the tokens from `LlamaServer.likeliest`. Raises `KeyError`, `ValueError`."""
    return [
        Token(
            id=one["id"],
            logprob=one["logprob"],
            others={other["id"]: other["logprob"] for other in one["top_logprobs"]},
        )
        for one in answer["completion_probabilities"]
    ]


def difference(wanted: list[Token], found: list[Token]) -> str:
    """Return how `found` differs from the CPU's tokens; empty if it does not.

    Of two tokens that are about as likely for the CPU, either is right; the tokens after them
    cannot be compared.
    """
    if not found:
        return "it says nothing"
    for place, (one, other) in enumerate(zip(wanted, found, strict=False), start=1):
        if other.logprob is None or not math.isfinite(other.logprob):
            return f"token {place} has no probability"
        near = one.others.get(other.id) if one.id != other.id else one.logprob
        if near is None or one.logprob is None or one.logprob - near > _TOLERANCE:
            return f"token {place} is another than the CPU's"
        if abs(near - other.logprob) > _TOLERANCE:
            return f"token {place} is {math.exp(abs(near - other.logprob)):.0f} times as likely"
        if one.id != other.id:
            break
    return ""


def _watch(model: ChildLlama, place: Place, note: Note) -> None:
    """Note it if the engine ends in the middle of an answer, so that the CPU gives the next."""

    def ended() -> None:
        remember(place.cache, place.key, note.model_copy(update={"ended": _now()}))

    model.on_end = ended
    model.hint = f"Ask again: {place.title} may be gone or full, and the CPU answers from now on."


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)
