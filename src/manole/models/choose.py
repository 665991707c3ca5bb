"""Which chat model is used, and why.

`auto` is one rule: the best model (`preference`) that is at hand, whose licence is accepted, that
fits this machine and is known to be quick enough on it (`machine/outlook.py`). Where none is, one
is fetched; but only of the usual ones (not `by_offer`), for nobody wants gigabytes unasked. Those
need not be known to be quick: a machine that was busy when it was measured seems slower than it is,
and no answer may get worse for that. So a smaller one than these is taken only where they have no
room, and else offered. Where nothing fits, what is at hand is used all the same.
"""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from manole.errors import UsageError
from manole.models.catalog.table import HubSource, ModelSpec, WheelSource
from manole.models.machine.outlook import CONTEXT, Machine, Outlook, here, outlook
from manole.models.machine.tuning import recall_speed
from manole.models.weights.cache import Weights
from manole.models.weights.hub import hub_problem
from manole.settings import Settings, names_in


def chat_for(settings: Settings, weights: Weights) -> tuple[ModelSpec, str]:
    """The chat model that the settings lead to here, and why. Nothing is fetched or measured.

    Raises `UsageError`.
    """
    return choose_chat(weights, settings.model.name, *_circumstances(settings))


def chat_at_hand(settings: Settings, weights: Weights) -> tuple[ModelSpec, str] | None:
    """Return the model at hand that `auto` takes, or `None`. Uses no network."""
    return _at_hand(weights, *_circumstances(settings))


def choose_chat(
    weights: Weights,
    wanted: str = "auto",
    machine: Machine | None = None,
    licences: Collection[str] | None = None,
    context: int = CONTEXT,
) -> tuple[ModelSpec, str]:
    """The chat model to use, and why, in words. Nothing is fetched.

    `wanted` is "auto", a name of the catalog, or the path of a `.gguf` file (whose spec bears
    the path as its name, so that `Weights.ensure(spec.name)` gives it). Without a `machine` every
    model fits, without `licences` each is accepted. Raises `UsageError`.
    """
    if wanted != "auto":
        return _named(weights, wanted)
    found = _at_hand(weights, machine, licences, context)
    return found or _fetched([s for s in candidates(weights, licences) if not s.by_offer])


def _circumstances(settings: Settings) -> tuple[Machine, tuple[str, ...], int]:
    speed = recall_speed(settings.cache_dir)
    return here(speed), names_in(settings.model.licences), settings.model.context


def _at_hand(
    weights: Weights, machine: Machine | None, licences: Collection[str] | None, context: int
) -> tuple[ModelSpec, str] | None:
    ranked = candidates(weights, licences)
    itself = [spec for spec in ranked if not spec.by_offer]
    least = min((spec.preference for spec in itself), default=0)
    there = [spec for spec in ranked if weights.path(spec.name) is not None]
    large = [spec for spec in there if spec.preference >= least]
    for spec in large:
        if _good(spec, machine, context):
            best = spec in itself[:1]
            return spec, "the preferred one, and at hand" if best else "the best one at hand"
    if machine and not any(_good(spec, machine, context) for spec in itself):
        for spec in there:
            if spec.preference < least and machine.place(spec, context):
                return spec, "the best one at hand that this machine has room for"
    for spec in reversed(large):
        found = outlook(spec, machine, context) if machine and spec.traits else None
        if found and found.place and found.answer_s is None:
            return spec, "at hand; how fast it is here was not measured"
        return spec, "at hand, though it is much for this machine"
    return None


def candidates(weights: Weights, licences: Collection[str] | None = None) -> list[ModelSpec]:
    """The chat models that may be chosen by themselves, the best first."""
    found = (
        spec
        for spec in weights.catalog.values()
        if spec.kind == "chat"
        and spec.preference > 0
        and (licences is None or spec.licence in licences)
        and (spec.traits is None or "answer" in spec.traits.roles)
    )
    return sorted(found, key=lambda spec: -spec.preference)


def better(
    weights: Weights, than: ModelSpec, machine: Machine, licences: Collection[str], context: int
) -> list[Outlook]:
    """Estimate, for this machine, each model better than the one in use, the best first."""
    ranked = candidates(weights, licences)
    return [outlook(s, machine, context) for s in ranked if s.preference > than.preference]


def _good(spec: ModelSpec, machine: Machine | None, context: int) -> bool:
    """Whether it fits; what is not usual must be known to be quick, too."""
    if machine is None or spec.traits is None:
        return True
    found = outlook(spec, machine, context)
    if found.place is None:
        return False
    return not spec.by_offer or (found.answer_s is not None and found.quick)


def _named(weights: Weights, wanted: str) -> tuple[ModelSpec, str]:
    chats = [spec.name for spec in weights.catalog.values() if spec.kind == "chat"]
    try:
        spec = weights.spec(wanted)
    except UsageError as error:
        near = get_close_matches(wanted.lower(), chats, n=3, cutoff=0.5)
        hint = f"Did you mean {' or '.join(near)}?" if near else error.hint
        raise UsageError(error.message, hint) from None
    if spec.kind != "chat":
        raise UsageError(f"{wanted} is no chat model.", f"Chat models: {', '.join(chats)}.")
    named = spec.name in weights.catalog
    return spec, "you named it" if named else "you named this file"


def _fetched(ranked: list[ModelSpec]) -> tuple[ModelSpec, str]:
    """Pick the best model that may be fetched unasked and that a reachable source has."""
    problem = hub_problem()
    for spec in ranked:
        kinds = {type(source) for file in spec.files for source in file.sources}
        if problem is None and HubSource in kinds:
            return spec, "the preferred one; the model hub can be reached"
        if WheelSource in kinds:
            why = f"{problem}; this one" if problem else "this one"
            return spec, f"{why} comes from the package index"
    raise UsageError(
        "No chat model can be chosen by itself.",
        "Name one, `--model NAME`, or accept more licences (model.licences).",
    )
