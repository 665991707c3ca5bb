"""Which model of a kind would be used, and its files: what vision and speech models have in common.

A setting names a model of the table, a file of one's own or an endpoint; "off" is none, and "auto"
the preferred one of those that are at hand. What nobody named is not fetched.
"""

from __future__ import annotations

from pathlib import Path

from manole.errors import UsageError, WeightsError
from manole.models.catalog.table import CATALOG, Kind, ModelSpec
from manole.models.endpoints import endpoint_of
from manole.models.weights.cache import Weights

NAMES = {"vision": "vision model", "voice": "speech model"}


def model_at_hand(
    kind: Kind, name: str, weights: Weights, *, files: tuple[str, ...], otherwise: str
) -> str | None:
    """The name of the model that would be used; `None` where there is none.

    `name` is what the setting says, `files` are the endings of files of one's own, and `otherwise`
    says what may be named beside the table. Raises `UsageError` for a name that is none of these.
    """
    if name == "off":
        return None
    table = models_of(kind)
    if name == "auto":
        return next((spec.name for spec in table if weights.path(spec.name)), None)
    if not endpoint_of(name)[0] and not name.endswith(files):
        spec = CATALOG.get(name)
        if spec is None or spec.kind != kind:
            known = ", ".join(spec.name for spec in table)
            raise UsageError(
                f"{kind}.name = {name} is no {NAMES[kind]}.", f"Known are {known}; or {otherwise}."
            )
    return name


def models_of(kind: Kind) -> list[ModelSpec]:
    """The models of the table of this kind, the preferred one first."""
    found = (spec for spec in CATALOG.values() if spec.kind == kind)
    return sorted(found, key=lambda spec: -spec.preference)


def files_of(name: str, weights: Weights, *, named: bool) -> dict[str, Path]:
    """The files of a model of the table, fetched where it was `named`. Raises `WeightsError`."""
    if named:
        return weights.ensure(name)
    found = weights.whole(name)
    if found is None:
        raise WeightsError(f"{name} has the wrong bytes; `manole models fetch {name}` mends it.")
    return found
