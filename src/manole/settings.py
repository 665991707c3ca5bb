"""One strict, typed settings model: defaults < `manole.toml` < `MANOLE_*` < flags.

Unknown keys and values out of range are refused with the field's name and where it was set.
Sections nest with two underscores in the environment: `MANOLE_MODEL__NAME=auto`.
`config_files.py` says which `manole.toml` counts, and how far each is believed.
"""

from __future__ import annotations

import logging
import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlsplit

from platformdirs import user_cache_path, user_data_path
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
)
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from manole import hooks
from manole.config_files import ConfigFile, folder_file, own_file
from manole.errors import SettingsError

_LOG = logging.getLogger(__name__)
_TOLD: set[str] = set()  # what was said of files that are not believed, once each

SECRETS = (
    "model.api_key",
    "vision.api_key",
    "voice.api_key",
    "serve.token",
    "conversations.database",
)
PAGES = ("lines", "off")  # of `index.pages`, beside what plug-ins bring
STRATEGIES = ("agent", "journal", "pipeline", "simple")  # of `agent.strategy`, likewise
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


def _joined(value: Any) -> Any:
    """A list of addresses, as a file may give it, in the form that the environment gives."""
    several = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
    return ", ".join(value) if several else value


def _database(value: str | None) -> str | None:
    known = [] if value is None else hooks.CONVERSATIONS.names()
    if value is not None and value.partition("://")[0] not in known:
        forms = ", ".join(f"{name}://" for name in known) or "none"
        raise ValueError(f"no plug-in keeps conversations there; known are {forms}")
    return value


def _brought(hook: hooks.Hook[Any], own: tuple[str, ...], more: str = "") -> AfterValidator:
    """The value is one of `own` or a name that plug-ins bring; with `more`, also NAME:MORE."""

    def check(value: str) -> str:
        name, colon, rest = value.partition(":") if more else (value, "", "")
        known = [] if value in own else hook.names()
        if value not in own and (name not in known or bool(colon) != bool(rest)):
            forms = [form for name in known for form in (name, f"{name}:{more}")[: 1 + bool(more)]]
            raise ValueError(f"it should be one of {', '.join([*own, *forms])}")
        return value

    return AfterValidator(check)


Addresses = Annotated[str | None, BeforeValidator(_joined)]  # one, or several with commas between


S = TypeVar("S", bound="Section")


class Section(BaseModel):
    """A section of settings: the core's, or one that a plug-in brings."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ExtractSettings(Section):
    """Reading files. Limits hold for each file; a file over them fails, the sync goes on."""

    timeout_s: float = Field(60.0, gt=0, le=3600, description="seconds one file may take")
    memory_mb: int = Field(1200, ge=256, le=65536, description="MiB a worker may use for one file")
    workers: int = Field(1, ge=1, le=64, description="extraction processes")
    max_file_mb: int = Field(512, ge=1, le=1_048_576, description="larger files are skipped, MiB")
    max_chars: int = Field(20_000_000, ge=1000, description="characters kept of one file")


class IndexSettings(Section):
    """Splitting, embedding and what is left out."""

    embedder: str = Field(
        "auto",
        description="of `manole models`, or openai:NAME@URL; auto: each index keeps its own",
    )
    passage_tokens: int = Field(
        256, ge=32, le=512, description="passage size, embedder tokens, at most"
    )
    store: Annotated[str, _brought(hooks.STORES, ("lancedb",))] = Field(
        "lancedb", description="what keeps a new index: lancedb, or a store that a plug-in brings"
    )
    kind: Literal["auto", "files", "journal"] = Field(
        "auto", description="journal: every dated text is an entry; files: none is"
    )
    ocr: bool = Field(True, description="read the words in pictures and scanned pages")
    ocr_pages: int = Field(
        500, ge=1, le=100_000, description="scanned pages of one file that are read, at most"
    )
    pages: Annotated[str, _brought(hooks.PAGES, PAGES, "MODEL")] = Field(
        "lines", description="how pages are found: lines, off, or what a plug-in brings"
    )
    reranker: str = Field(
        "off", description="off, or a reranker of `manole models`: it orders the best twelve anew"
    )
    rerank_ms: int = Field(
        1500, ge=10, le=60_000, description="milliseconds a search may take for that, about"
    )
    exclude: tuple[str, ...] = Field((), description="glob patterns that are left out")
    hidden: bool = Field(False, description="read hidden files and folders too")
    max_cpu: int = Field(
        100, ge=1, le=100, description="percent of the cores that indexing may take"
    )


class WatchSettings(Section):
    """Following changes of the files while a program runs (`manole watch`)."""

    enabled: bool = Field(True, description="watch in serve, chat, stdio and mcp")
    scan_seconds: float = Field(
        60.0, ge=1, le=86_400, description="pause between scans of folders that do not tell"
    )
    on_battery: Literal["pause", "go-on"] = Field(
        "pause", description="what background indexing does on battery"
    )


class ModelSettings(Section):
    """The chat model, and how it is sampled."""

    name: str = Field("auto", description="a name of `manole models`, a .gguf file, openai:NAME")
    base_url: Addresses = Field(
        None, description="endpoint of openai:/ollama: models; several with commas between"
    )
    api_key: str | None = Field(None, description="key of that endpoint", repr=False)
    context: int = Field(8192, ge=1024, le=131072, description="context window, tokens")
    threads: int = Field(0, ge=0, le=256, description="0: the cores at hand")
    gpu: Literal["auto", "off"] = Field(
        "auto", description="auto: a graphics processor that the engine can use; off: none"
    )
    parallel: int = Field(4, ge=1, le=64, description="sequences evaluated at once")
    temperature: float = Field(0.1, ge=0, le=2, description="sampling temperature")
    top_p: float = Field(0.1, gt=0, le=1, description="nucleus sampling")
    top_k: int = Field(50, ge=1, le=1000, description="top-k sampling")
    repeat_penalty: float = Field(1.05, ge=1, le=2, description="repetition penalty")
    timeout_s: float = Field(300, gt=0, le=7200, description="seconds one call may take")
    download: bool = Field(True, description="obtain missing weights without asking")
    licences: Annotated[str, BeforeValidator(_joined)] = Field(
        "Apache-2.0, MIT, LFM Open License v1.0",
        description="licences of models that auto may choose, with commas between",
    )


class VisionSettings(Section):
    """The model that says what a picture shows. Without one, its words and data are all there is.

    `auto` takes one that was fetched; nothing is obtained without being asked for.
    """

    name: str = Field(
        "auto", description="auto, off, a name of `manole models`, a .gguf file, openai:NAME"
    )
    projector: Path | None = Field(None, description="projector (mmproj) of a .gguf file")
    base_url: Addresses = Field(
        None, description="endpoint of openai:/ollama: models; several with commas between"
    )
    api_key: str | None = Field(None, description="key of that endpoint", repr=False)
    timeout_s: float = Field(120, gt=0, le=7200, description="seconds one picture may take")
    max_tokens: int = Field(80, ge=8, le=1000, description="length of what is said, tokens")


class VoiceSettings(Section):
    """The model that writes down what is said in recordings; without one, their names are all.

    `auto` takes one that was fetched; nothing is obtained without being asked for.
    """

    name: str = Field(
        "auto", description="auto, off, a name of `manole models`, a ggml .bin file, openai:NAME"
    )
    base_url: Addresses = Field(None, description="endpoint of an openai: model")
    api_key: str | None = Field(None, description="key of that endpoint", repr=False)
    language: str = Field(
        "", pattern=r"^([a-z]{2,3})?$", description="language of the speech; empty: it is told"
    )
    hours: int = Field(30, ge=1, le=1000, description="hours of one recording, at most")
    timeout_s: float = Field(
        900, gt=0, le=7200, description="seconds that two minutes of speech may take"
    )


class AgentSettings(Section):
    """How answers are made, the loop's limits and its token budgets."""

    strategy: Annotated[str, _brought(hooks.STRATEGIES, STRATEGIES)] = Field(
        "agent", description="how an answer is made; a plug-in may bring another way"
    )
    profile: Literal["default", "literal"] = Field(
        "default", description="how the agent decides and answers"
    )
    thorough: bool = Field(False, description="let the model read what rules cannot")
    max_iterations: int = Field(5, ge=1, le=20, description="tool calls a turn may make")
    history_turns: int = Field(4, ge=0, le=20, description="earlier turns a question may lean on")
    evidence_tokens: int = Field(230, ge=50, le=8000, description="evidence read for an answer")
    answer_tokens: int = Field(160, ge=16, le=4096, description="length of an answer, at most")
    search_limit: int = Field(12, ge=1, le=200, description="passages a search keeps")
    max_question_chars: int = Field(4000, ge=100, description="longer questions are refused")
    keep_conversations: bool = Field(True, description="save what is said in `manole chat`")


class ConversationsSettings(Section):
    """Where conversations are kept: a file for each library, or a database that servers share."""

    database: Annotated[str | None, AfterValidator(_database)] = Field(
        None, description="address of a database that servers share; else files", repr=False
    )


class ServeSettings(Section):
    """The ways in for programs: where they listen, and how much they take."""

    host: str = Field("127.0.0.1", description="address to listen on; others demand a token")
    port: int = Field(8137, ge=0, le=65535, description="port to listen on; 0: a free one")
    token: str | None = Field(
        None, min_length=16, description="bearer token that is demanded", repr=False
    )
    queue: int = Field(16, ge=1, le=1000, description="questions answered or waiting, at most")
    turns: int = Field(
        0, ge=0, le=256, description="questions a model answers at once; 0: 1, or 4 per endpoint"
    )
    max_body_kb: int = Field(256, ge=1, le=65536, description="size of a request, at most")
    requests_per_minute: int = Field(
        1200, ge=1, le=1_000_000, description="requests one client may send a minute"
    )


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
            ("environment", _from_environment(cls)),
            ("flag", {k: v for k, v in (flags or {}).items() if v is not None}),
        ):
            for dotted, value in layer.items():
                _put(values, dotted, value)
                origins[dotted] = (
                    f"environment ({_env_name(dotted)})" if origin == "environment" else origin
                )
        try:
            kind = _with_plugins(cls, hooks.SETTINGS.names() if every else values)
            return kind(**values), origins
        except ValidationError as error:
            raise _readable(error, origins) from None

    def section(self, name: str, kind: type[S]) -> S:
        """The section that a plug-in brings; its defaults where nothing is set in it."""
        return getattr(self, name, None) or kind()

    @property
    def weights_dir(self) -> Path:
        """Where model weights are cached."""
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
    """What stands between the commas of a setting."""
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

    def may(name: str, value: Any) -> bool:
        own = name != "agent.strategy" or value in STRATEGIES  # no code that somebody installed
        return name in FROM_ANY_FOLDER and own

    return [name for name, v in file.values.items() if is_setting(name) and not may(name, v)]


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


def _from_environment(cls: type[Settings]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for variable, value in os.environ.items():
        if variable.startswith("MANOLE_") and variable != "MANOLE_CONFIG":
            dotted = variable.removeprefix("MANOLE_").lower().replace("__", ".", 1)
            flat[dotted] = value.split(",") if dotted == "index.exclude" else value
    return flat


def _env_name(dotted: str) -> str:
    return "MANOLE_" + dotted.upper().replace(".", "__")


def _put(tree: dict[str, Any], dotted: str, value: Any) -> None:
    head, _, tail = dotted.partition(".")
    if not tail:
        tree[head] = value
        return
    section = tree.setdefault(head, {})
    if not isinstance(section, dict):
        raise SettingsError(f"{head} is a section of settings, not a value.", f"Set {dotted}.")
    section[tail] = value


def _readable(error: ValidationError, origins: dict[str, str]) -> SettingsError:
    parts = []
    for item in error.errors():
        dotted = ".".join(str(p) for p in item["loc"][:2])
        near = (o for name, o in origins.items() if name.startswith(f"{dotted}."))
        origin = origins.get(dotted) or origins.get(dotted.partition(".")[0]) or next(near, "?")
        if item["type"] == "extra_forbidden":
            parts.append(f"{dotted} (from {origin}) is not a setting.")
        else:
            given = "(not shown)" if dotted in SECRETS else str(item.get("input"))[:80]
            said = item["msg"].removeprefix("Value error, ")
            what = said[0].lower() + said[1:]
            parts.append(f"{dotted} = {given} (from {origin}): {what}.")
    return SettingsError(" ".join(parts), "`manole config` lists every setting.")
