"""The tool that sums up what was found once it is too much for a prompt.

It triggers itself over `TOKENS`, or over what the model can read at once, if that is less. What was
found is read in parts that fit, each once, and a key point stays only if the part bears it out; the
summaries join those of before in `hidden_environment["summary"]`. Only then the environment is
cleared: where a part fails, all is as it was. What was cleared is kept aside
(`hidden_environment["summarized"]`) and can still be cited.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from manole.agent.answer.injection_filter import inert
from manole.agent.answer.selection import estimate_tokens
from manole.agent.turn import GetModel, TurnUsage
from manole.errors import ManoleError, ModelError
from manole.models.chat.protocol import Message
from manole.text.counted import counted
from manole.text.sentences import sentences
from manole.text.words import has_digit, stems
from manole.tools.base import Error, Inputs, Progress, Result, Tool, TurnState
from manole.tools.objects import Found, FoundPassage
from manole_strategies.prompts import prompt

TOKENS = 50_000  # of what tools found
SUMMARY, SUMMARIZED = "summary", "summarized"  # names in the hidden environment
_CHARS = 3.5  # of a token, about
_NEAR, _SHARE = 3, 0.5  # lines that a key point is from, and the share of its words in them
_LEAST = 60  # tokens of a summary: three sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary(Found):
    """The key points of what was found, in the model's words."""

    kind = "summary"

    summary: str


class SummarizeInputs(Inputs):
    """The inputs of `summarize`. `tokens` of the environment tell one call from the next."""

    max_summary_tokens: int = Field(5000, ge=1, le=50_000)
    tokens: int = Field(0, ge=0)


class Summarize(Tool[SummarizeInputs]):
    """The tool that replaces what was found by its key points."""

    name = "summarize"
    description = "sum up the retrieved information when there is too much of it"
    available_when = "something was retrieved that is not summarized yet"
    inputs = SummarizeInputs
    offered: ClassVar[tuple[str, ...]] = ()

    def __init__(self, usage: TurnUsage, model: GetModel) -> None:
        self._usage = usage
        self._model = model
        self.room = 0.0  # tokens that the model can read at once; 0: not known yet

    def limit(self) -> int:
        """Return the tokens of the environment beyond which it is summarized."""
        return int(min(TOKENS, self.room)) if self.room else TOKENS

    def is_tool_available(self, state: TurnState) -> bool:
        """Return whether there is something to sum up, beside a summary."""
        found = state.environment.objects(Found)
        return any(not isinstance(item, Summary) for item in found)

    def run_if_true(self, state: TurnState) -> SummarizeInputs | None:
        """Return inputs once the environment exceeds the limit."""
        tokens = state.environment.estimate_tokens()
        return SummarizeInputs(tokens=tokens) if tokens > self.limit() else None

    async def __call__(
        self, state: TurnState, inputs: SummarizeInputs
    ) -> AsyncIterator[Result | Error | Progress]:
        """Sum up part by part; yield the summary, or an error and leave all as it was."""
        hidden = state.environment.hidden_environment
        limit = self.limit()
        most = max(_LEAST, min(inputs.max_summary_tokens, limit // 4))
        before: str = hidden.get(SUMMARY, "")
        parts = list(_parts(inert("\n".join(state.environment.texts())), limit))
        yield Progress(f"Summing up {counted(len(parts), 'part')} of what was found.")
        try:
            said = [await self._read(state.question.text, p, most // len(parts)) for p in parts]
            if not any(said):
                raise ModelError("The model wrote no summary.", "Ask again, or ask in other words.")
        except ManoleError as error:
            yield Error(
                f"{error.message} Nothing was summarized.", suggestion="Answer from what is there."
            )
            return
        lines = "\n".join([before, *said]).splitlines()
        summary = "\n".join(filter(None, dict.fromkeys(map(str.strip, lines))))
        if estimate_tokens(summary) > limit // 2:  # of several rounds: the newest stay
            summary = summary[-int(limit // 2 * _CHARS) :]
        hidden[SUMMARIZED] = [*hidden.get(SUMMARIZED, ()), *state.environment.objects(FoundPassage)]
        hidden[SUMMARY] = summary
        state.environment.clear()
        yield Result(
            objects=[Summary(summary=summary)],
            metadata={"tokens": inputs.tokens},
            name="summarized",
            payload_type="summary",
            llm_message="What was found is summarized, as it was too much; key points are kept.",
        )

    async def _read(self, question: str, part: str, tokens: int) -> str:
        """Return the key points of a part. Raises `ManoleError`."""
        asked = prompt("tree.summarize.user").substitute(part=part, question=question)
        messages = [
            Message("system", prompt("tree.summarize.system").template),
            Message("user", asked),
        ]
        model = await self._model()
        most = max(_LEAST, tokens)
        completion = await model.complete(messages, max_tokens=most, slot="summarize")
        self._usage.add(completion)
        if not (text := completion.text.strip()):
            raise ModelError("The model wrote no summary.", "Ask again, or ask in other words.")
        text = text[: int(most * _CHARS)]  # an endpoint may heed no limit
        return "\n".join(point for point in _points(text) if is_borne_out(point, part))


def _points(text: str) -> Iterator[str]:
    """Yield the sentences of a summary, without the marks of a list."""
    for line in text.splitlines():
        yield from filter(None, (part.strip(" -*•") for part in sentences(line)))


def is_borne_out(point: str, part: str) -> bool:
    """Return whether neighbouring lines have what a key point says: its figures, half its words.

    A small model makes up what a part does not have: of "fault E10" it makes "10 bar".
    """
    own = stems(point)
    figures = {word for word in own if has_digit(word)}
    lines = [stems(line) for line in part.splitlines() if line.strip()]
    return any(
        figures <= near and len(own & near) >= _SHARE * len(own)
        for at in range(len(lines))
        if (near := frozenset().union(*lines[at : at + _NEAR]))
    )


def _parts(text: str, tokens: int) -> Iterator[str]:
    """Yield a text in parts of so many tokens, cut at lines where they are not too long."""
    most, part = max(1, int(tokens * _CHARS)), ""
    for line in text.split("\n"):
        for at in range(0, max(1, len(line)), most):
            piece = line[at : at + most]
            if part and len(part) + len(piece) + 1 > most:
                yield part
                part = ""
            part = f"{part}\n{piece}" if part else piece
    if part:
        yield part
