"""Runs one step: results go to the environment, the step to the trace, events to the caller."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

from manole.agent.events import (
    Decider,
    Decision,
    ErrorEvent,
    Event,
    ResultEvent,
    StatusEvent,
)
from manole.tools.base import Confidence, Error, Inputs, Progress, Result, TraceStep, TurnState
from manole.tools.registry import Registry


@dataclass(frozen=True, slots=True)
class Step:
    """A tool or action to run, the reason, who decided, and the seconds of that decision."""

    tool: str
    inputs: Mapping[str, object] = field(default_factory=dict)
    reasoning: str = ""
    by: Decider = "router"
    seconds: float = 0.0


class Executor:
    """Runs the steps of one turn. A call with the same inputs is never run twice."""

    def __init__(self, state: TurnState, tools: Registry) -> None:
        self.state = state
        self.tools = tools
        self._ran: set[tuple[str, Inputs]] = set()

    @property
    def steps(self) -> int:
        """The number of tool calls so far."""
        return len(self.state.trace)

    @property
    def exhausted(self) -> bool:
        """Whether the turn may make no further call."""
        return self.steps >= self.state.settings.agent.max_iterations

    async def run_triggered(self) -> AsyncIterator[Event]:
        """Run the tools that trigger themselves now, before the next decision is made."""
        for tool in self.tools.available(self.state):
            inputs = tool.run_if_true(self.state)
            if inputs is not None:
                triggered = Step(tool.name, inputs.model_dump(), "triggered itself", "auto")
                async for event in self.run(triggered):
                    yield event

    async def run(self, taken: Step) -> AsyncIterator[Event]:
        """Run a step, unless its inputs are invalid or it has been run before."""
        name = taken.tool
        action, inputs = self.tools.action(name), self.tools.parse(name, taken.inputs)
        if action is None or inputs is None:
            message = f"{name} cannot be called with {dict(taken.inputs)}."
            yield ErrorEvent(message=message, tool=name)
            return
        if self.exhausted or (name, inputs) in self._ran:
            return
        self._ran.add((name, inputs))
        step = self.steps + 1
        shown = inputs.model_dump(exclude_defaults=True, mode="json")
        yield Decision(
            step=step,
            tool=name,
            inputs=shown,
            reasoning=taken.reasoning,
            by=taken.by,
            seconds=taken.seconds,
        )
        started = time.perf_counter()
        results = new = 0
        message, answers = "", False
        confidence: Confidence = "high"
        async for outcome in action(self.state, inputs):
            if isinstance(outcome, Progress):
                yield StatusEvent(message=outcome.message)
                continue
            message = outcome.message
            if isinstance(outcome, Result):
                new += self.state.environment.add(name, outcome)
                results += len(outcome.objects)
                answers, confidence = outcome.answers, outcome.confidence
            yield as_event(outcome, step, name, time.perf_counter() - started)
        spent = time.perf_counter() - started
        self.state.trace.append(
            TraceStep(
                iteration=step,
                tool=name,
                reasoning=taken.reasoning,
                inputs=shown,
                query=str(shown.get("query", "")),
                results=results,
                new_entries=new,
                message=message,
                seconds=spent,
                answers=answers,
                confidence=confidence,
            )
        )


def as_event(outcome: Result | Error, step: int, tool: str, seconds: float) -> Event:
    """Return what a tool yielded at a step as an event, with its objects as JSON."""
    if isinstance(outcome, Error):
        return ErrorEvent(
            message=outcome.message,
            recoverable=outcome.recoverable,
            suggestion=outcome.suggestion,
            step=step,
            tool=tool,
        )
    return ResultEvent(
        step=step,
        tool=tool,
        name=outcome.name,
        payload_type=outcome.payload_type,
        objects=[found.to_json() for found in outcome.objects],
        metadata=dict(outcome.metadata),
        message=outcome.message,
        seconds=round(seconds, 4),
    )
