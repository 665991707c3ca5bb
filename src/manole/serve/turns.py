"""Turns as jobs of the server: they go on when the client leaves, and can be followed again.

A question becomes a job with an id. Its events are numbered from 1 and kept, so that several
readers at once can read them from any number on: after a reload, in a second tab, when the laptop
wakes. It ends when the answer is complete or it is stopped, not when nobody reads.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from datetime import UTC, datetime

from manole.agent.events import Complete, ErrorEvent, Event, StatusEvent, Stopped
from manole.errors import ManoleError
from manole.serve.jobs import Job

STOPPED = "stopped"  # the message of a cancellation by a person
_KEPT = 64  # ended turns that can still be read; set by hand, to bound memory
_ENDED = "This answer was ended: its library was removed, or the server stops."


def failed(error: ManoleError) -> tuple[Event, Event]:
    """Return the events that end a failed turn."""
    why = ErrorEvent(message=error.message, recoverable=False, suggestion=error.hint)
    return why, Complete.of_nothing()


class TurnJob(Job):
    """One question that is being answered, or was."""

    def __init__(
        self,
        library: str,
        question: str,
        conversation: str | None,
        scope: str | None,
        ask: Callable[[Callable[[str], None]], AsyncIterator[Event]],
    ) -> None:
        """Begin it; `ask` gets a function that tells what the turn waits for."""
        self.library = library
        self.question = question
        self.conversation = conversation
        self.scope = scope
        self.id = secrets.token_hex(8)
        self.asked = datetime.now(UTC)
        self.events: list[Event] = []
        self.stopped = False
        super().__init__(self._run(ask(self._waits)))

    async def follow(self, after: int = 0) -> AsyncIterator[Event]:
        """Yield the events behind number `after` as they come, to the end."""
        async for _ in self.changes():
            for event in self.events[after:]:
                after += 1
                yield event

    async def stop(self) -> None:
        """Stop the turn, the model's call included, and wait until it has ended."""
        if self.stopped:  # a second press must not disturb the end of the first
            await self.ended()
        elif self.state == "running":
            self.stopped = True
            await self.cancel(STOPPED)

    def closed(self) -> None:
        """Add the events that end a turn early."""
        if self.error is not None:
            self.events += failed(self.error)
        elif self.state == "cancelled":
            self.events += (Stopped(),) if self.stopped else failed(ManoleError(_ENDED))
        self.state = "stopped" if self.stopped else "done"

    async def _run(self, events: AsyncIterator[Event]) -> None:
        async with aclosing(events) as stream:  # type: ignore[type-var]  # a generator
            async for event in stream:
                self._add(event)

    def _waits(self, why: str) -> None:
        self._add(StatusEvent(message=why))

    def _add(self, event: Event) -> None:
        self.events.append(event)
        self.wake()


class Turns:
    """The turns of a server: running ones, and the last that ended, oldest first."""

    def __init__(self) -> None:
        self.known: list[TurnJob] = []

    def begin(self, job: TurnJob) -> TurnJob:
        """Keep a turn, and of those that have ended the last."""
        ended = [job for job in self.known if job.state != "running"]
        self.known = [job for job in self.known if job not in ended[:-_KEPT]] + [job]
        return job

    def get(self, id: str) -> TurnJob | None:
        """Return the turn with an id; `None` where there is none, or no longer."""
        return next((job for job in self.known if job.id == id), None)

    async def close(self, library: str | None = None) -> None:
        """Cancel every turn, or those of a library; conversations keep them unfinished."""
        running = [job for job in self.known if job.state == "running"]
        asked = [job for job in running if library in (None, job.library)]
        await asyncio.gather(*(job.cancel() for job in asked))
