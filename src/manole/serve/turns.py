"""Turns as jobs of the server: they go on when the client leaves, and can be followed again.

A question becomes a job with an id. Its events are numbered from 1 and kept, so that several
readers at once can read them from any number on: after a reload, in a second tab, when the laptop
wakes. It ends when the answer is complete or it is stopped, not when nobody reads.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from manole.agent.events import Complete, ErrorEvent, Event, StatusEvent, Stopped
from manole.errors import ManoleError

STOPPED = "stopped"  # the message of a cancellation by a person
_KEPT = 64  # ended turns that can still be read; set by hand, to bound memory
_ENDED = "This answer was ended: its library was removed, or the server stops."
_LOG = logging.getLogger(__name__)


def failed(error: ManoleError) -> tuple[Event, Event]:
    """Return the events that end a failed turn."""
    why = ErrorEvent(message=error.message, recoverable=False, suggestion=error.hint)
    return why, Complete.of_nothing()


@dataclass
class TurnJob:
    """One question that is being answered, or was."""

    library: str
    conversation: str | None
    question: str
    scope: str | None = None
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    asked: datetime = field(default_factory=lambda: datetime.now(UTC))
    events: list[Event] = field(default_factory=list)
    _pulse: asyncio.Event = field(
        default_factory=asyncio.Event, repr=False
    )  # set by the next event
    _task: asyncio.Task[None] | None = field(default=None, repr=False)
    _stopped: bool = False

    @property
    def state(self) -> Literal["running", "done", "stopped"]:
        """Whether the turn goes on, was stopped, or has ended with an answer or an error."""
        if self._task is not None and not self._task.done():
            return "running"
        return "stopped" if self._stopped else "done"

    def start(self, events: AsyncIterator[Event], ended: Callable[[], None]) -> None:
        """Run the turn; `ended` is called at its end."""
        self._task = asyncio.create_task(self._run(events))
        self._task.add_done_callback(lambda _: ended())

    async def follow(self, after: int = 0) -> AsyncIterator[Event]:
        """Yield the events behind number `after` as they come, to the end."""
        at = after
        while True:
            pulse = self._pulse
            for event in self.events[at:]:
                at += 1
                yield event
            if self._over:
                return
            await pulse.wait()

    def waits(self, why: str) -> None:
        """Add the event that something comes first: other turns, or the model's loading."""
        self._add(StatusEvent(message=why))

    async def stop(self) -> None:
        """Stop the turn, the model's call included, and wait until it has ended."""
        if self.state != "running" or self._task is None:
            return
        if not self._stopped:  # a second press must not disturb the end of the first
            self._stopped = True
            self._task.cancel(STOPPED)
        await asyncio.wait([self._task])

    async def cancel(self) -> None:
        """Cancel the turn because its library is removed or the server stops."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task])

    @property
    def _over(self) -> bool:
        last = self.events[-1] if self.events else None
        return isinstance(last, (Complete, Stopped)) or self.state != "running"

    async def _run(self, events: AsyncIterator[Event]) -> None:
        ended: tuple[Event, ...] = ()
        try:
            async with aclosing(events) as stream:  # type: ignore[type-var]  # a generator
                async for event in stream:
                    self._add(event)
        except asyncio.CancelledError:
            ended = (Stopped(),) if self._stopped else failed(ManoleError(_ENDED))
        except ManoleError as error:
            ended = failed(error)
        except Exception:  # a fault of ours, reported to whoever waits
            _LOG.exception("a turn failed")
            ended = failed(ManoleError("Something went wrong inside Manole.", "See its log."))
        for event in ended:
            self._add(event)

    def _add(self, event: Event) -> None:
        self.events.append(event)
        self._pulse.set()
        self._pulse = asyncio.Event()


class Turns:
    """The turns of a server: running ones, and the last that ended."""

    def __init__(self) -> None:
        self._jobs: dict[str, TurnJob] = {}

    def begin(self, job: TurnJob, events: AsyncIterator[Event]) -> TurnJob:
        """Run a turn that yields these events."""
        self._jobs[job.id] = job
        job.start(events, self._forget)
        return job

    def get(self, id: str) -> TurnJob | None:
        """Return the turn with an id; `None` where there is none, or no longer."""
        return self._jobs.get(id)

    @property
    def known(self) -> list[TurnJob]:
        """Running turns and the last that ended, oldest first."""
        return list(self._jobs.values())

    async def close(self, library: str | None = None) -> None:
        """Cancel every turn, or those of a library; conversations keep them unfinished."""
        jobs = [job for job in self.known if library in (None, job.library)]
        await asyncio.gather(*(job.cancel() for job in jobs))

    def _forget(self) -> None:
        ended = [id for id, job in self._jobs.items() if job.state != "running"]
        for id in ended[:-_KEPT]:
            del self._jobs[id]
