"""The sections of the settings: what can be set, its default and its bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
)
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from manole import hooks
from manole.hooks import Hook

SECRETS = (
    "model.api_key",
    "vision.api_key",
    "voice.api_key",
    "serve.token",
    "conversations.database",
)


class OneOf:
    """The annotation of a field with the core's `own` value, or a name that plug-ins bring."""

    def __init__(self, own: str, hook: Hook[Any]) -> None:
        self.own = own
        self.hook = hook

    @property
    def values(self) -> tuple[str, ...]:
        """All allowed values."""
        return self.own, *self.hook.names()

    def check(self, value: str) -> str:
        """Return an allowed value. Raises the error of a `Literal` for any other."""
        if value == self.own or value in self.hook.names():
            return value
        *most, last = map(repr, self.values)
        allowed = f"{', '.join(most)} or {last}" if most else last
        raise PydanticKnownError("literal_error", {"expected": allowed})

    def __get_pydantic_core_schema__(self, source: Any, inner: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, inner(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, inner: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return inner(schema) | {"enum": list(self.values)}


def _joined(value: Any) -> Any:
    """Join a list of addresses, as a file may have it, into the form of the environment."""
    several = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
    return ", ".join(value) if several else value


def _database(value: str | None) -> str | None:
    known = [] if value is None else hooks.CONVERSATIONS.names()
    if value is not None and value.partition("://")[0] not in known:
        forms = ", ".join(f"{name}://" for name in known) or "none"
        raise ValueError(f"no plug-in keeps conversations there; known are {forms}")
    return value


def _pages(value: str) -> str:
    name, colon, model = value.partition(":")
    known = [] if value in ("lines", "off") else hooks.PAGES.names()
    if value not in ("lines", "off") and (name not in known or bool(colon) != bool(model)):
        forms = [form for name in known for form in (name, f"{name}:MODEL")]
        raise ValueError(f"pages are found by one of {', '.join(['lines', 'off', *forms])}")
    return value


Strategy = Annotated[str, OneOf("agent", hooks.STRATEGIES)]
Addresses = Annotated[str | None, BeforeValidator(_joined)]  # one, or several with commas between


S = TypeVar("S", bound="Section")


class Section(BaseModel):
    """A section of settings: the core's, or one that a plug-in brings."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ExtractSettings(Section):
    """Reading of files. Limits hold for each file; a file beyond them fails, the sync goes on."""

    timeout_s: float = Field(
        60.0, gt=0, le=3600, description="seconds of computing one file may take"
    )
    memory_mb: int = Field(1200, ge=256, le=65536, description="MiB a worker may use for one file")
    workers: int = Field(1, ge=1, le=64, description="extraction processes")
    max_file_mb: int = Field(512, ge=1, le=1_048_576, description="larger files are skipped, MiB")
    max_chars: int = Field(20_000_000, ge=1000, description="characters kept of one file")
    archives: bool = Field(True, description="read the files inside .zip, .7z and .tar archives")


class IndexSettings(Section):
    """Splitting and embedding of files, and the files that are left out."""

    embedder: str = Field(
        "auto",
        description="of `manole models`, or openai:NAME@URL; auto: each index keeps its own",
    )
    passage_tokens: int = Field(
        256, ge=32, le=512, description="passage size, embedder tokens, at most"
    )
    store: Annotated[str, OneOf("lancedb", hooks.STORES)] = Field(
        "lancedb", description="what keeps a new index: lancedb, or a store that a plug-in brings"
    )
    kind: Literal["auto", "files", "journal"] = Field(
        "auto", description="journal: every dated text is an entry; files: none is"
    )
    ocr: bool = Field(
        True, description="read the words in scans and pictures, too; a first update takes longer"
    )
    ocr_pages: int = Field(
        500, ge=1, le=100_000, description="scanned pages of one file that are read, at most"
    )
    pages: Annotated[str, AfterValidator(_pages)] = Field(
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


class WatchSettings(Section):
    """Following changes of the files while a program runs (`manole watch`)."""

    enabled: bool = Field(True, description="read a file that changes at once, while Manole runs")
    scan_seconds: float = Field(
        60.0, ge=1, le=86_400, description="pause between scans of folders that do not tell"
    )
    on_battery: Literal["pause", "go-on"] = Field(
        "pause",
        description="what reading in the background does while the machine is not plugged in",
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
        "auto",
        description="auto: a graphics processor helps to answer, where there is one; off: none",
    )
    parallel: int = Field(4, ge=1, le=64, description="sequences evaluated at once")
    temperature: float = Field(0.1, ge=0, le=2, description="sampling temperature")
    top_p: float = Field(0.1, gt=0, le=1, description="nucleus sampling")
    top_k: int = Field(50, ge=1, le=1000, description="top-k sampling")
    repeat_penalty: float = Field(1.05, ge=1, le=2, description="repetition penalty")
    timeout_s: float = Field(300, gt=0, le=7200, description="seconds one call may take")
    download: bool = Field(
        True, description="fetch a model that is needed and missing without asking"
    )
    licences: Annotated[str, BeforeValidator(_joined)] = Field(
        "Apache-2.0, MIT, LFM Open License v1.0",
        description="licences of models that auto may choose, with commas between",
    )


class VisionSettings(Section):
    """The model that describes pictures. Without one, only their words and data are found.

    `auto` takes a model that was fetched; nothing is fetched unasked.
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
    """The model that transcribes recordings. Without one, only their names and dates are found.

    `auto` takes a model that was fetched; nothing is fetched unasked.
    """

    name: str = Field(
        "auto", description="auto, off, a name of `manole models`, a ggml .bin file, openai:NAME"
    )
    base_url: Addresses = Field(None, description="endpoint of an openai: model")
    api_key: str | None = Field(None, description="key of that endpoint", repr=False)
    language: str = Field(
        "", pattern=r"^([a-z]{2,3})?$", description="language of the speech; empty: detected"
    )
    hours: int = Field(30, ge=1, le=1000, description="hours of one recording, at most")
    timeout_s: float = Field(
        900, gt=0, le=7200, description="seconds that two minutes of speech may take"
    )


class AgentSettings(Section):
    """The strategy of answers, the loop's limits and its token budgets."""

    strategy: Strategy = Field(
        "agent",
        description="how an answer is made; agent is the usual way, others come from plug-ins",
    )
    led_by: Literal["code", "model"] = Field(
        "code", description="who chooses the searches of a journal: rules, or the model"
    )
    thorough: bool = Field(
        False,
        description="read every paper that rules cannot with the model: fuller lists, in minutes",
    )
    max_iterations: int = Field(
        5, ge=1, le=20, description="how often one answer may look something up, at most"
    )
    history_turns: int = Field(4, ge=0, le=20, description="earlier turns a question may lean on")
    evidence_tokens: int = Field(230, ge=50, le=8000, description="evidence read for an answer")
    answer_tokens: int = Field(160, ge=16, le=4096, description="length of an answer, at most")
    summarize_tokens: int = Field(
        50_000, ge=200, le=1_000_000, description="of what tools found; beyond, it is summarized"
    )
    search_limit: int = Field(12, ge=1, le=200, description="passages a search keeps")
    max_question_chars: int = Field(4000, ge=100, description="longer questions are refused")
    keep_conversations: bool = Field(
        True,
        description="keep what is said in a terminal, on this machine, among the conversations",
    )


class ConversationsSettings(Section):
    """The place of conversations: a file for each library, or a database that servers share."""

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
