"""Changes of settings from a page: which are possible, when they take effect, and their writing.

They are written into the user's own `manole.toml`. Comments, order and everything else in it stay.
A change that would not be read back as it was meant (out of range, or hidden by a source that goes
before that file) is refused before anything is written.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from manole.config_files import own_path, write
from manole.errors import SettingsError
from manole.settings import Settings
from manole.settings.sections import OneOf

Effect = Literal["now", "next sync", "restart"]
Kind = Literal["bool", "int", "choice", "text"]

CHANGEABLE: dict[str, Effect] = {
    "index.ocr": "next sync",
    "index.pages": "next sync",
    "agent.thorough": "now",
    "agent.strategy": "now",
    "agent.max_iterations": "now",
    "model.name": "now",
    "vision.name": "restart",
    "agent.keep_conversations": "now",  # `manole chat` reads it when it starts
    "watch.enabled": "restart",
    "watch.on_battery": "restart",
    "model.gpu": "restart",
    "model.download": "restart",
}
PAGES = ("lines", "off")  # values of `index.pages` to choose from; others need an extra
_WRITING = threading.Lock()


@dataclass(frozen=True, slots=True)
class Changeable:
    """A setting that may be changed.

    `origin`: `default`, the path of a file, `environment (NAME)` or `flag`; a value from the last
    two cannot be changed in a file. `value` is the one for a new start of the program.
    """

    name: str
    value: bool | int | str
    default: bool | int | str
    description: str
    origin: str
    kind: Kind
    choices: tuple[str, ...] | None
    minimum: int | None
    maximum: int | None
    takes_effect: Effect


def changeable(flags: Mapping[str, Any] | None = None) -> list[Changeable]:
    """Return every setting that may be changed, with its value. Raises `SettingsError`."""
    settings, origins = Settings.explain(dict(flags or {}))
    return [_described(settings, name, origins.get(name, "default")) for name in CHANGEABLE]


@dataclass(frozen=True, slots=True)
class Other:
    """A setting that is changed in a file only. `value` is as people read it."""

    name: str
    value: str
    description: str
    origin: str


def others(flags: Mapping[str, Any] | None = None) -> list[Other]:
    """Return every other setting, secrets hidden. Raises `SettingsError`."""
    settings, origins = Settings.explain(dict(flags or {}), every=True)
    return [
        Other(name, shown(value), description, origins.get(name, "default"))
        for name, (value, description) in settings.describe().items()
        if name not in CHANGEABLE
    ]


def shown(value: Any) -> str:
    """Return a setting's value for people."""
    if value in ((), None, ""):
        return "—"
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def change(changes: Mapping[str, Any], flags: Mapping[str, Any] | None = None) -> Settings:
    """Write these settings; return the effective ones. `None` restores a default.

    Raises `SettingsError`, and writes nothing, for a setting that may not be changed, a value that
    is out of range or hidden, and a file that cannot be written.
    """
    for name in changes:
        if name not in CHANGEABLE:
            raise SettingsError(f"{name} cannot be changed here.", "Edit manole.toml instead.")
    given = dict(flags or {})
    with _WRITING:
        before, origins = Settings.explain(given)
        if not changes:
            return before
        path = own_path()
        for name in changes:
            _check_origin(name, origins.get(name, "default"))
        text = _edited(path, changes)
        after, _ = Settings.explain(given, instead=text)
        for name, value in changes.items():
            found = value_of(after, name)
            wanted = _field(name).default if value is None else value
            if found != wanted:
                raise SettingsError(f"{name} = {value} was read back as {found}.")
        write(path, text)
    return after


def value_of(settings: Settings, name: str) -> Any:
    """Return the value of a dotted field."""
    section, _, field = name.partition(".")
    return getattr(getattr(settings, section), field)


def with_changes(settings: Settings, source: Settings, names: Iterable[str]) -> Settings:
    """Return `settings` with the values of `source` for these names."""
    sections: dict[str, dict[str, Any]] = {}
    for name in names:
        section, _, field = name.partition(".")
        sections.setdefault(section, {})[field] = value_of(source, name)
    update = {
        section: getattr(settings, section).model_copy(update=values)
        for section, values in sections.items()
    }
    return settings.model_copy(update=update)


def _check_origin(name: str, origin: str) -> None:
    if origin == "flag":
        raise SettingsError(
            f"{name} is set by a flag, which goes before every file.",
            "Start Manole without that flag to change it here.",
        )
    if origin.startswith("environment"):
        raise SettingsError(
            f"{name} is set by the {origin}, which goes before every file.",
            "Unset that variable to change it here.",
        )


def _described(settings: Settings, name: str, origin: str) -> Changeable:
    field, value = _field(name), value_of(settings, name)
    kind, choices = _kind(name, field, value)
    limits = {key: _limit(field, key) for key in ("ge", "le")}
    return Changeable(
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


def _kind(name: str, field: FieldInfo, value: Any) -> tuple[Kind, tuple[str, ...] | None]:
    if name == "index.pages":
        return "choice", tuple(dict.fromkeys((*PAGES, value)))
    if get_origin(field.annotation) is Literal:
        return "choice", get_args(field.annotation)
    for named in field.metadata:
        if isinstance(named, OneOf):
            return "choice", named.values
    kinds: dict[Any, Kind] = {bool: "bool", int: "int"}
    return kinds.get(field.annotation, "text"), None


def _field(name: str) -> FieldInfo:
    section, _, inner = name.partition(".")
    model = Settings.model_fields[section].annotation
    assert isinstance(model, type) and issubclass(model, BaseModel)
    return model.model_fields[inner]


def _limit(field: FieldInfo, key: str) -> int | None:
    found = (getattr(item, key, None) for item in field.metadata)
    return next((limit for limit in found if limit is not None), None)


def _edited(path: Path, changes: Mapping[str, Any]) -> str:
    """Return the text of the file with the changes."""
    import tomlkit

    document = tomlkit.parse(_text(path))
    for name, value in changes.items():
        section, _, field = name.partition(".")
        if value is not None:
            if section not in document:
                document.add(section, tomlkit.table())
            document[section][field] = value
        elif section in document:
            document[section].pop(field, None)
            if not document[section].as_string().strip():  # not even a comment is left
                document.remove(section)
    return tomlkit.dumps(document)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from None
