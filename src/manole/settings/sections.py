"""The sections of the settings: what can be set, its default and its bounds."""

from __future__ import annotations

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
    """Reading of files. `documents/limits.py` has the other limits of each file."""

    max_file_mb: int = Field(512, ge=1, le=1_048_576, description="larger files are skipped, MiB")
    archives: bool = Field(True, description="read the files inside .zip, .7z and .tar archives")


class IndexSettings(Section):
    """What is read and how it is found, and the files that are left out."""

    embedder: str = Field(
        "auto",
        description="of `manole models`, or openai:NAME@URL; auto: each index keeps its own",
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
    pages: Annotated[str, AfterValidator(_pages)] = Field(
        "lines", description="how pages are found: lines, off, or what a plug-in brings"
    )
    reranker: str = Field(
        "off", description="off, or a reranker of `manole models`: it orders the best twelve anew"
    )
    exclude: tuple[str, ...] = Field((), description="glob patterns that are left out")
    hidden: bool = Field(False, description="read hidden files and folders too")


class WatchSettings(Section):
    """Following changes of the files while a program runs (`manole index --watch`)."""

    enabled: bool = Field(True, description="read a file that changes at once, while Manole runs")
    on_battery: Literal["pause", "go-on"] = Field(
        "pause",
        description="what reading in the background does while the machine is not plugged in",
    )


TURN_TOKENS = 4096  # of the context of a model on this machine for each question; set by hand
_SEQUENCES = 4  # at least; set by hand


class ModelSettings(Section):
    """The chat model."""

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
    timeout_s: float = Field(300, gt=0, le=7200, description="seconds one call may take")
    download: bool = Field(
        True, description="fetch a model that is needed and missing without asking"
    )
    licences: Annotated[str, BeforeValidator(_joined)] = Field(
        "Apache-2.0, MIT, LFM Open License v1.0",
        description="licences of models that auto may choose, with commas between",
    )

    @property
    def parallel(self) -> int:
        """The sequences that a model on this machine evaluates at once; all share its context."""
        return max(_SEQUENCES, self.context // TURN_TOKENS)


class VisionSettings(Section):
    """The model that describes pictures. Without one, only their words and data are found.

    `auto` takes a model that was fetched; nothing is fetched unasked.
    """

    name: str = Field(
        "auto", description="auto, off, a name of `manole models`, a .gguf file, openai:NAME"
    )
    base_url: Addresses = Field(
        None, description="endpoint of openai:/ollama: models; several with commas between"
    )
    api_key: str | None = Field(None, description="key of that endpoint", repr=False)


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


class AgentSettings(Section):
    """The strategy of answers, and what one may cost."""

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
    evidence_tokens: int = Field(230, ge=50, le=8000, description="evidence read for an answer")
    answer_tokens: int = Field(160, ge=16, le=4096, description="length of an answer, at most")
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
    turns: int = Field(
        0, ge=0, le=256, description="questions a model answers at once; 0: 1, or 4 per endpoint"
    )
    requests_per_minute: int = Field(
        1200, ge=1, le=1_000_000, description="requests one client may send a minute"
    )
