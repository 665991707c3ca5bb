"""The effective settings: defaults < `manole.toml` < `MANOLE_*` < flags.

Unknown keys and values out of range are refused with the field's name and where it was set.
Sections nest with two underscores in the environment: `MANOLE_MODEL__NAME=auto`.
`config_files.py` says which `manole.toml` counts, and how far each is believed.
"""

from __future__ import annotations

import logging
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from platformdirs import user_cache_path, user_data_path
from pydantic import BaseModel, Field, ValidationError, create_model
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from manole import hooks
from manole.config_files import ConfigFile, folder_file, own_file
from manole.settings.layers import env_name, from_environment, put, readable
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

_LOG = logging.getLogger(__name__)
_TOLD: set[str] = set()  # what was said of files that are not believed, once each

# What the manole.toml of any folder may set: it sends, loads, writes and opens nothing, and raises
# no limit that protects from the folder's own files. Whatever is not named here, it may not.
FROM_ANY_FOLDER = frozenset(
    {
        "links", "language", "index.exclude", "index.kind", "index.ocr", "index.passage_tokens",
        "index.max_cpu", "watch.enabled", "watch.scan_seconds", "watch.on_battery",
        "model.temperature", "model.top_p", "model.top_k", "model.repeat_penalty",
        "agent.strategy", "agent.profile", "agent.thorough", "agent.max_iterations",
        "agent.history_turns", "agent.evidence_tokens", "agent.answer_tokens",
        "agent.search_limit",
    }
)  # fmt: skip


class Settings(BaseSettings):
    """Everything that can be set, with its default. See the module for the order of sources."""

    model_config = SettingsConfigDict(
        env_prefix="MANOLE_", env_nested_delimiter="__", extra="forbid", frozen=True
    )

    data_dir: Path = Field(
        default_factory=lambda: user_data_path("manole"), description="where indexes live"
    )
    cache_dir: Path = Field(
        default_factory=lambda: user_cache_path("manole"), description="where weights live"
    )
    cache_mb: int = Field(
        2048, ge=16, le=1_048_576, description="kept of read pictures and thumbnails, MiB, at most"
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
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags and file arrive merged through `load`, so that each origin is known."""
        return (init_settings,)

    @classmethod
    def load(cls, flags: dict[str, Any] | None = None) -> Settings:
        """The effective settings. `flags` maps dotted fields (`model.name`) to values.

        Raises `SettingsError` naming the field, its origin and what is wrong.
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
        """The effective settings, and for each dotted field that was set, where it came from.

        `instead`: a text to go by in place of the user's own file. The sections of plug-ins are
        there where something is set in them; `every`: all of them.
        """
        values: dict[str, Any] = {}
        origins: dict[str, str] = {}
        for origin, layer in (
            *_from_files(instead),
            ("environment", from_environment()),
            ("flag", {k: v for k, v in (flags or {}).items() if v is not None}),
        ):
            for dotted, value in layer.items():
                put(values, dotted, value)
                origins[dotted] = (
                    f"environment ({env_name(dotted)})" if origin == "environment" else origin
                )
        try:
            kind = _with_plugins(cls, hooks.SETTINGS.names() if every else values)
            return kind(**values), origins
        except ValidationError as error:
            raise readable(error, origins) from None

    def section(self, name: str, kind: type[S]) -> S:
        """The section that a plug-in brings; its defaults where nothing is set in it."""
        return getattr(self, name, None) or kind()

    @property
    def weights_dir(self) -> Path:
        """The folder that model weights are cached in."""
        return self.cache_dir / "models"

    def describe(self) -> dict[str, tuple[Any, str]]:
        """Every dotted field with its value and description, in order of definition."""
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
    """`cls` with those of the sections `names` that plug-ins bring."""
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
    """A database's address as it may be shown: without password and parameters."""
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "(set)"
    if "@" in address and "@" not in parts.netloc:  # what seems the host is part of a password
        return "(set)"
    user = parts.username or ""
    signs = f"{user}{':***' if parts.password else ''}@" if user or parts.password else ""
    return f"{parts.scheme}://{signs}{parts.hostname or ''}{port}{parts.path}"


def not_believed(file: ConfigFile) -> list[str]:
    """The settings that a file names and may not set, in its order."""
    if file.trusted:
        return []
    known = {*Settings().describe()}

    def is_setting(name: str) -> bool:
        return name in known or name.partition(".")[0] in hooks.SETTINGS.names()

    return [name for name in file.values if name not in FROM_ANY_FOLDER and is_setting(name)]


def _from_files(instead: str | None) -> list[tuple[str, dict[str, Any]]]:
    layers = []
    for file in (own_file(instead), folder_file()):
        if file is not None:
            passed_over = not_believed(file)
            _tell(file, passed_over)
            kept = {name: v for name, v in file.values.items() if name not in passed_over}
            layers.append((str(file.path), kept))
    return layers


def _tell(file: ConfigFile, passed_over: list[str]) -> None:
    """One line on what of a file is ignored, once in a run."""
    if file.problem:
        line = f"manole: {file.path} is ignored: {file.problem}."
    elif passed_over:
        let = shlex.join(["manole", "trust", str(file.path.parent)])
        line = f"manole: {file.path} may not set {', '.join(passed_over)}; `{let}` lets it."
    else:
        return
    if line not in _TOLD:
        _TOLD.add(line)
        _LOG.warning("".join(sign if sign.isprintable() else "\ufffd" for sign in line))
