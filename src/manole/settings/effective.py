"""The effective settings: defaults < `manole.toml` < `MANOLE_*` < flags.

Unknown keys and values out of range are refused with the field's name and the place where it was
set. In the environment, two underscores stand between section and field: `MANOLE_MODEL__NAME=auto`.
`config_files.py` says which `manole.toml` counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from platformdirs import user_cache_path, user_data_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from manole import hooks
from manole.config_files import flat, own_path, read
from manole.errors import SettingsError
from manole.settings.sections import (
    SECRETS,
    AgentSettings,
    ConversationsSettings,
    ExtractSettings,
    IndexSettings,
    ModelSettings,
    S,
    ServeSettings,
    VisionSettings,
    VoiceSettings,
    WatchSettings,
)


class Settings(BaseModel):
    """All settings, with their defaults. See the module for the order of sources."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    data_dir: Path = Field(
        default_factory=lambda: user_data_path("manole"), description="where indexes live"
    )
    cache_dir: Path = Field(
        default_factory=lambda: user_cache_path("manole"), description="where weights live"
    )
    links: Literal["auto", "always", "never"] = Field(
        "auto", description="clickable citations in the terminal"
    )
    language: Literal["auto", "en", "de"] = Field(
        "auto", description="of what commands print; auto: as the terminal's locale says"
    )
    extract: ExtractSettings = Field(default_factory=ExtractSettings)
    index: IndexSettings = Field(default_factory=IndexSettings)
    watch: WatchSettings = Field(default_factory=WatchSettings)
    model: ModelSettings = Field(default_factory=ModelSettings)
    vision: VisionSettings = Field(default_factory=VisionSettings)
    voice: VoiceSettings = Field(default_factory=VoiceSettings)
    agent: AgentSettings = Field(default_factory=AgentSettings)
    conversations: ConversationsSettings = Field(default_factory=ConversationsSettings)
    serve: ServeSettings = Field(default_factory=ServeSettings)

    @classmethod
    def load(cls, flags: dict[str, Any] | None = None) -> Settings:
        """Return the effective settings. `flags` maps dotted fields (`model.name`) to values.

        Raises `SettingsError` with the field, its origin and the fault.
        """
        return cls.explain(flags)[0]

    @classmethod
    def explain(
        cls,
        flags: dict[str, Any] | None = None,
        *,
        instead: str | None = None,
        every: bool = False,
    ) -> tuple[Settings, dict[str, str]]:
        """Return the effective settings, and the origin of each dotted field that was set.

        `instead` is a text that replaces the user's own file. The sections of plug-ins are
        included if anything is set in them, or with `every`.
        """
        values: dict[str, Any] = {}
        origins: dict[str, str] = {}
        path = own_path()
        own = read(path) if instead is None else flat(path, instead)
        for origin, layer in (
            (str(path), own or {}),
            ("environment", _from_environment()),
            ("flag", {k: v for k, v in (flags or {}).items() if v is not None}),
        ):
            for dotted, value in layer.items():
                _put(values, dotted, value)
                origins[dotted] = (
                    f"environment ({env_name(dotted)})" if origin == "environment" else origin
                )
        try:
            kind = _with_plugins(cls, hooks.SETTINGS.names() if every else values)
            return kind(**values), origins
        except ValidationError as error:
            raise _readable(error, origins) from None

    def section(self, name: str, kind: type[S]) -> S:
        """Return the section that a plug-in brings; its defaults if nothing is set in it."""
        return getattr(self, name, None) or kind()

    @property
    def weights_dir(self) -> Path:
        """The folder that model weights are cached in."""
        return self.cache_dir / "models"

    def describe(self) -> dict[str, tuple[Any, str]]:
        """Return every dotted field with its value and description, in order of definition."""
        out: dict[str, tuple[Any, str]] = {}
        for name, info in type(self).model_fields.items():
            value = getattr(self, name)
            if isinstance(value, BaseModel):
                for key, sub in type(value).model_fields.items():
                    shown = getattr(value, key)
                    if f"{name}.{key}" in SECRETS and shown:
                        shown = "(set)" if name != "conversations" else without_password(shown)
                    out[f"{name}.{key}"] = (shown, sub.description or "")
            else:
                out[name] = (value, info.description or "")
        return out


def _with_plugins(cls: type[Settings], names: Iterable[str]) -> type[Settings]:
    """Return `cls` with those of the sections `names` that plug-ins bring."""
    others = [name for name in names if name not in cls.model_fields]
    found = {name: kind for name in others if (kind := hooks.SETTINGS.get(name))}
    more: dict[str, Any] = {
        name: (kind, Field(default_factory=kind)) for name, kind in found.items()
    }
    return create_model(cls.__name__, __base__=cls, **more) if more else cls


def names_in(text: str) -> tuple[str, ...]:
    """Return the names between the commas of a setting."""
    return tuple(name for part in text.split(",") if (name := part.strip()))


def without_password(address: str) -> str:
    """Return a database's address without password and parameters, so that it may be shown."""
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "(set)"
    if "@" in address and "@" not in parts.netloc:  # the seeming host is part of a password
        return "(set)"
    user = parts.username or ""
    signs = f"{user}{':***' if parts.password else ''}@" if user or parts.password else ""
    return f"{parts.scheme}://{signs}{parts.hostname or ''}{port}{parts.path}"


def _from_environment() -> dict[str, Any]:
    """Return the settings of the environment by dotted names."""
    flat: dict[str, Any] = {}
    for variable, value in os.environ.items():
        if variable.startswith("MANOLE_") and variable != "MANOLE_CONFIG":
            dotted = dotted_name(variable)
            flat[dotted] = value.split(",") if dotted == "index.exclude" else value
    return flat


def dotted_name(variable: str) -> str:
    """Return the setting that a variable sets: `model.name` for `MANOLE_MODEL__NAME`."""
    return variable.removeprefix("MANOLE_").lower().replace("__", ".", 1)


def env_name(dotted: str) -> str:
    """Return the variable that sets a setting."""
    return "MANOLE_" + dotted.upper().replace(".", "__")


def _put(tree: dict[str, Any], dotted: str, value: Any) -> None:
    """Set a dotted name in a tree of sections. Raises `SettingsError`."""
    head, _, tail = dotted.partition(".")
    if not tail:
        tree[head] = value
        return
    section = tree.setdefault(head, {})
    if not isinstance(section, dict):
        raise SettingsError(f"{head} is a section of settings, not a value.", f"Set {dotted}.")
    section[tail] = value


def _readable(error: ValidationError, origins: dict[str, str]) -> SettingsError:
    """Return the error with each wrong field, its value, its origin and the fault."""
    parts = []
    for item in error.errors():
        dotted = ".".join(str(p) for p in item["loc"][:2])
        near = (o for name, o in origins.items() if name.startswith(f"{dotted}."))
        origin = origins.get(dotted) or origins.get(dotted.partition(".")[0]) or next(near, "?")
        if item["type"] == "extra_forbidden":
            parts.append(f"{dotted} (from {origin}) is not a setting.")
        else:
            given = "(not shown)" if dotted in SECRETS else str(item.get("input"))[:80]
            what = item["msg"][0].lower() + item["msg"][1:]
            parts.append(f"{dotted} = {given} (from {origin}): {what}.")
    return SettingsError(" ".join(parts), "`manole config` lists every setting.")
