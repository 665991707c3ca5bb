"""`manole models use`: the choice of the chat model.

The choice is written into the user's own `manole.toml`, as the page writes it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from manole.cli.options import flags
from manole.cli.options import settings as load_settings
from manole.cli.output import Json, tell
from manole.cli.progress import ProgressBars
from manole.errors import UsageError

if TYPE_CHECKING:
    from manole.models.catalog.table import ModelSpec
    from manole.models.weights.cache import Weights
    from manole.settings import Settings


def use(
    name: Annotated[
        str,
        typer.Argument(help="A chat model of `manole models`, a .gguf file, openai:NAME, or auto."),
    ],
    force: Annotated[
        bool, typer.Option("--force", help="Even if it does not fit this machine's memory.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Fetch it without asking.")] = False,
    as_json: Json = False,
) -> None:
    """Choose the chat model from now on; `auto` goes back to what Manole chooses.

    It is written into your own manole.toml. What is not at hand is fetched, once you agree.
    """
    from manole.config_files import own_path
    from manole.models.choose import chat_for, choose_chat
    from manole.models.endpoints import ENDPOINTS, addresses_of, endpoint_of
    from manole.models.weights.cache import Weights
    from manole.settings_file import change

    settings = load_settings()
    weights = Weights(settings.weights_dir)
    if name == "auto":
        settings = change({"model.name": None}, flags())
        taken = chat_for(settings, weights)[0].name
    elif (kind := endpoint_of(name)[0]) or name.startswith(ENDPOINTS):
        if not kind:
            raise UsageError(f"{name} names no model.", f"Write {name}NAME.")
        addresses_of(kind, settings.model.base_url, "model.base_url")
        taken = name
        change({"model.name": taken}, flags())
    else:
        spec, _ = choose_chat(weights, name)
        _check_memory(spec, settings, as_json=as_json, force=force)
        _fetch(spec, weights, yes=yes, as_json=as_json)
        taken = spec.name
        change({"model.name": taken}, flags())
    how = f"Manole chooses again: {taken}" if name == "auto" else f"{taken} is used from now on"
    done = {"model": name, "used": taken, "file": str(own_path())}
    tell(as_json, done, f"{how} (model.name in {own_path()}).")


def _check_memory(spec: ModelSpec, settings: Settings, *, as_json: bool, force: bool) -> None:
    """Raise `UsageError` for a model without room; warn of one that would be slow."""
    from manole.models.machine.outlook import here, outlook
    from manole.models.weights.files import human_size

    machine = here(settings.cache_dir)
    found = outlook(spec, machine, settings.model.context)
    if not found.fits and not force:
        raise UsageError(
            f"{spec.name} needs about {human_size(found.needed)} of memory; "
            f"{human_size(machine.room)} of this machine's {human_size(machine.memory)} "
            "are for a model.",
            "`manole models` names one that fits; --force uses it all the same.",
        )
    if found.quick is False and not as_json:
        typer.echo(f"{spec.name} takes long to answer on this machine.", err=True)


def _fetch(spec: ModelSpec, weights: Weights, *, yes: bool, as_json: bool) -> None:
    """Fetch a missing model, once a person agrees. Raises `UsageError`, `WeightsError`."""
    from manole.models.weights.sources import source_in_words

    if weights.path(spec.name) is not None:
        return
    what = f"{spec.name} is not at hand: {to_fetch(spec)} from the {source_in_words(spec)}."
    if not yes:
        if as_json or not sys.stdin.isatty():
            raise UsageError(what, f"`manole models fetch {spec.name}` fetches it; so does --yes.")
        if not typer.confirm(f"{what} Fetch it now?", default=True):
            raise UsageError(f"{spec.name} was not fetched, and nothing was changed.")
    with ProgressBars(quiet=as_json) as bars:
        weights.ensure(spec.name, bars.weights)


def to_fetch(spec: ModelSpec) -> str:
    """Return the size of what fetching a model transfers, in words."""
    from manole.models.machine.outlook import weights_bytes
    from manole.models.weights.files import human_size
    from manole.models.weights.sources import bytes_to_fetch

    known = [bytes_to_fetch(file) for file in spec.files]
    if all(known):
        return human_size(sum(known))
    return f"about {human_size(weights_bytes(spec))}"
