"""The settings as a page shows them, and their changes while the server runs.

The settings take any text as a model's name. Here it must be a name of the catalog: a client must
not make the server read a file, or ask an endpoint, that its owner did not choose.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin

from pydantic import Field
from pydantic.fields import FieldInfo

from manole.errors import UsageError
from manole.models.choose import choose_chat
from manole.models.vision import vision_at_hand
from manole.models.weights.cache import Weights
from manole.serve.base import Sent, Spoken
from manole.serve.queue import turns_at_once
from manole.settings import Settings
from manole.settings.sections import OneOf
from manole.settings_file import CHANGEABLE, Effect, change, field_of, shown, value_of, with_changes

Kind = Literal["bool", "int", "choice", "text"]
PAGES = ("lines", "off")  # values of `index.pages` to choose from; others need an extra


class SettingItem(Sent):
    """A setting, its value and where it came from."""

    name: str = Field(examples=["agent.thorough"])
    value: bool | int | str = Field(description="what a start of Manole would take now")
    default: bool | int | str
    description: Spoken
    origin: str = Field(description="default, a file's path, environment (NAME), or flag")
    kind: Kind
    choices: list[str] | None
    minimum: int | None
    maximum: int | None
    takes_effect: Effect
    pending: bool = Field(False, description="written, and in force after a restart only")


class OtherSetting(Sent):
    """A setting that is changed in the file only."""

    name: str = Field(examples=["serve.port"])
    value: str
    description: Spoken
    origin: str


def changeable(running: Settings, flags: Mapping[str, Any]) -> list[SettingItem]:
    """Return every setting that may be changed, with the value that a new start would take.

    One that a restart would change is `pending`. Raises `SettingsError`.
    """
    settings, origins = Settings.explain(dict(flags))
    items = [_described(settings, name, origins.get(name, "default")) for name in CHANGEABLE]
    for item in items:
        late = item.takes_effect == "restart"
        item.pending = late and value_of(running, item.name) != item.value
    return items


def others(flags: Mapping[str, Any]) -> list[OtherSetting]:
    """Return every other setting, secrets hidden. Raises `SettingsError`."""
    settings, origins = Settings.explain(dict(flags), every=True)
    return [
        OtherSetting(
            name=name, value=shown(value), description=about, origin=origins.get(name, "default")
        )
        for name, (value, about) in settings.describe().items()
        if name not in CHANGEABLE
    ]


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


def _described(settings: Settings, name: str, origin: str) -> SettingItem:
    field, value = field_of(name), value_of(settings, name)
    kind, choices = _kind(name, field, value)
    limits = {key: _limit(field, key) for key in ("ge", "le")}
    return SettingItem(
        name=name,
        value=value,
        default=field.default,
        description=field.description or "",
        origin=origin,
        kind=kind,
        choices=choices,
        minimum=limits["ge"],
        maximum=limits["le"],
        takes_effect=CHANGEABLE[name],
    )


def _kind(name: str, field: FieldInfo, value: Any) -> tuple[Kind, list[str] | None]:
    if name == "index.pages":
        return "choice", list(dict.fromkeys((*PAGES, value)))
    if get_origin(field.annotation) is Literal:
        return "choice", list(get_args(field.annotation))
    for named in field.metadata:
        if isinstance(named, OneOf):
            return "choice", list(named.values)
    kinds: dict[Any, Kind] = {bool: "bool", int: "int"}
    return kinds.get(field.annotation, "text"), None


def _limit(field: FieldInfo, key: str) -> int | None:
    found = (getattr(item, key, None) for item in field.metadata)
    return next((limit for limit in found if limit is not None), None)
