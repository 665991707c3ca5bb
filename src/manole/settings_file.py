"""Changes of settings: which are possible, when they take effect, and their writing.

They are written into the user's own `manole.toml`. Comments, order and everything else in it stay.
A change that would not be read back as it was meant (out of range, or hidden by a source that goes
before that file) is refused before anything is written.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from manole.config_files import own_path, write
from manole.errors import SettingsError
from manole.settings import Settings

Effect = Literal["now", "next sync", "restart"]

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
_WRITING = threading.Lock()


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
            wanted = field_of(name).default if value is None else value
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


def field_of(name: str) -> FieldInfo:
    """Return what the settings say of a dotted field."""
    section, _, inner = name.partition(".")
    model = Settings.model_fields[section].annotation
    assert isinstance(model, type) and issubclass(model, BaseModel)
    return model.model_fields[inner]


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
