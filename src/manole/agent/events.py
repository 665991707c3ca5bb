"""The event stream of a turn, read by every interface.

A turn is a list of typed events: `decision`, `status`, `result`, `error`, `evidence`, `choices`,
`token`, and one last `complete`, or `stopped`. The command line, the servers, saved conversations
and `manole eval` read nothing else. Fields may be added; `version` is raised when one changes its
meaning.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

VERSION = 1

# "choices": several files may be meant; "nearest": not stated outright, and what is nearest was
# quoted; "nothing": nothing is near.
Outcome = Literal["answered", "choices", "nearest", "nothing"]
Decider = Literal["router", "parser", "model", "followup", "fallback", "auto"]


class _Event(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, json_schema_serialization_defaults_required=True
    )


class Decision(_Event):
    """The choice of a tool. `by` is who chose it: an example, the model, a rule, a fallback."""

    type: Literal["decision"] = "decision"
    step: int
    tool: str
    inputs: dict[str, Any] = Field(default_factory=dict)
    reasoning: str
    by: Decider = "model"
    seconds: float = 0.0


class StatusEvent(_Event):
    """A message for the person who waits; with `debug`, only for one who looks closer."""

    type: Literal["status"] = "status"
    message: str
    debug: bool = False


class ResultEvent(_Event):
    """A tool's result: what the screen shows of it and the sentence the model reads."""

    type: Literal["result"] = "result"
    step: int
    tool: str
    name: str
    payload_type: str
    objects: list[dict[str, Any]]
    metadata: dict[str, Any] = Field(default_factory=dict)
    message: str
    seconds: float = 0.0


class ErrorEvent(_Event):
    """The failure of a tool or of the model, or a tool's finding nothing.

    `recoverable` is for whoever reads the events, and decides nothing in a turn: it is false where
    the whole turn failed, which then ends. Manole's own tools yield only recoverable ones.
    """

    type: Literal["error"] = "error"
    message: str
    recoverable: bool = True
    suggestion: str | None = None
    step: int | None = None
    tool: str | None = None


class Extract(_Event):
    """A passage that may hold the answer, as `[n]`.

    `marks` are its deciding sentences and `orders` what may be meant as an instruction to whoever
    answers, as places in `text` (characters, first and one after the last). `boxes` are its places
    on the page (fractions of width and height: left, top, right, bottom).
    """

    n: int
    file: str
    page: int | None = None
    line: int | None = None
    line_end: int | None = None
    headings: list[str] = Field(default_factory=list)
    text: str
    marks: list[tuple[int, int]] = Field(default_factory=list)
    orders: list[tuple[int, int]] = Field(default_factory=list)
    boxes: list[tuple[float, float, float, float]] = Field(default_factory=list)


class EvidenceEvent(_Event):
    """The passages found, before anything is written: they stay, and a second look adds to them."""

    type: Literal["evidence"] = "evidence"
    extracts: list[Extract]
    seconds: float = 0.0  # since the question


class Choice(_Event):
    """A file that a question may mean, and its sentence from extract `[n]`.

    The same question with `file` as its scope is answered for it alone.
    """

    n: int
    file: str
    page: int | None = None
    title: str = ""
    quote: str


class ChoicesEvent(_Event):
    """The request to choose: the question fits several files equally well."""

    type: Literal["choices"] = "choices"
    message: str
    choices: list[Choice]


class Token(_Event):
    """A piece of the answer."""

    type: Literal["token"] = "token"
    content: str


class Source(_Event):
    """The place that an `[n]` in the answer points to, from 1. `quote` stands in the file."""

    n: int
    file: str
    page: int | None = None
    line: int | None = None
    line_end: int | None = None
    quote: str = ""
    cited: bool = True


class TokensUsed(_Event):
    """Tokens over all model calls of a turn."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0


class Complete(_Event):
    """The end of a turn. `answer` is final: it replaces the streamed tokens where they differ."""

    type: Literal["complete"] = "complete"
    version: int = VERSION
    answer: str
    found: bool = True  # False: "I could not find it"
    outcome: Outcome = "answered"
    sources: list[Source] = Field(default_factory=list)
    confidence: Literal["high", "medium", "low"] = "high"
    grounding: float = 1.0  # share of the answer's content tokens that occur in the evidence
    corrected: bool = False  # the model's words were replaced by the tool's own rendering
    signals: dict[str, float] = Field(default_factory=dict)  # what confidence was reckoned from
    timings: dict[str, float] = Field(default_factory=dict)  # seconds: total, first_token, ...
    model_calls: int = 0
    tokens: TokensUsed = Field(default_factory=TokensUsed)

    @property
    def of_code(self) -> bool:
        """Whether `answer` is code's own sentence, which no model wrote and no document holds."""
        return self.outcome == "nothing" and not self.sources and not self.model_calls

    @property
    def cited(self) -> tuple[str, ...]:
        """The files that the answer cites, each once, in its order."""
        return tuple(dict.fromkeys(source.file for source in self.sources if source.cited))

    @classmethod
    def of_nothing(cls) -> Complete:
        """Return the end of a turn that failed; an error event has given the reason."""
        return cls(answer="", found=False, outcome="nothing", confidence="low", grounding=0.0)


class Stopped(_Event):
    """The end of a turn that a person stopped."""

    type: Literal["stopped"] = "stopped"


Event = Annotated[
    Decision
    | StatusEvent
    | ResultEvent
    | ErrorEvent
    | EvidenceEvent
    | ChoicesEvent
    | Token
    | Complete
    | Stopped,
    Field(discriminator="type"),
]
EVENTS: TypeAdapter[Event] = TypeAdapter(Event)
