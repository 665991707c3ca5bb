"""Several askers, one model: who may use it now, who waits, who is sent away.

A turn holds the model from its first call to its end, because two answers at once on two cores take
longer than one after the other. A turn that needs no model (a count, a list) never waits. Among
those that wait, each client is served in rotation, so that one client with many questions does not
keep the others waiting. Beyond `limit` turns in all, a new one is refused at once.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from manole.agent.turn import ModelSource
from manole.errors import BusyError
from manole.models.chat import ChatModel

_USUAL = 12.0  # seconds a turn takes, before one was seen
_MEMORY = 0.3  # weight of the newest turn in the mean


class TurnQueue:
    """Hands one model to one turn at a time. `limit` counts all turns, running or waiting."""

    def __init__(self, model: ModelSource, limit: int) -> None:
        self._model = model
        self._limit = limit
        self._turns = 0
        self._held = False
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._usual = _USUAL

    @property
    def turns(self) -> int:
        """Turns that are under way, those that wait included."""
        return self._turns

    @property
    def waiting(self) -> int:
        """Turns that wait for the model."""
        return sum(len(line) for line in self._waiting.values())

    def check(self) -> None:
        """Raises `BusyError` when no further turn would be taken."""
        if self._turns >= self._limit:
            after = max(1.0, round(self._usual * (self.waiting + 1), 0))
            raise BusyError(
                f"{self._turns} questions are being answered or wait; no more are taken now.",
                f"Ask again in about {after:.0f} seconds.",
                retry_after=after,
            )

    @asynccontextmanager
    async def turn(self, client: str = "") -> AsyncIterator[ModelSource]:
        """A model source for one turn of `client`. Raises `BusyError` when the queue is full."""
        self.check()
        self._turns += 1
        lease = _Lease(self, client)
        try:
            yield lease
        finally:
            self._turns -= 1
            lease.release()

    async def acquire(self, client: str) -> None:
        """Wait until the model is free and it is this client's turn."""
        if not self._held:
            self._held = True
            return
        ticket = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(ticket)
        try:
            await ticket
        except asyncio.CancelledError:
            if ticket.done() and not ticket.cancelled():  # it was ours already
                self.release()
            else:
                self._forget(client, ticket)
            raise

    def release(self) -> None:
        """Hand the model to the next client in rotation."""
        while self._waiting:
            client, line = self._waiting.popitem(last=False)
            ticket = line.popleft()
            if line:
                self._waiting[client] = line  # to the end of the rotation
            if not ticket.done():
                ticket.set_result(None)
                return
        self._held = False

    def took(self, seconds: float) -> None:
        """Note how long a turn held the model."""
        self._usual += _MEMORY * (seconds - self._usual)

    async def load(self) -> ChatModel:
        """The model itself."""
        return await self._model.get()

    def _forget(self, client: str, ticket: asyncio.Future[None]) -> None:
        line = self._waiting.get(client)
        if line and ticket in line:
            line.remove(ticket)
            if not line:
                del self._waiting[client]


class _Lease:
    """The model source of one turn: waits for the model when the turn first needs it."""

    def __init__(self, queue: TurnQueue, client: str) -> None:
        self._queue = queue
        self._client = client
        self._since: float | None = None
        self._lock = asyncio.Lock()

    async def get(self) -> ChatModel:
        async with self._lock:
            if self._since is None:
                await self._queue.acquire(self._client)
                self._since = time.perf_counter()
        return await self._queue.load()

    def release(self) -> None:
        if self._since is not None:
            self._queue.took(time.perf_counter() - self._since)
            self._since = None
            self._queue.release()
