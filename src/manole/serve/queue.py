"""A fair, bounded queue for the model: who runs, who waits, who is refused.

A turn holds its share of the model from its first call to its end. The model of this machine has
one share, because two answers at once on two cores take longer than one after the other; servers
elsewhere take many questions at once (`turns_at_once`). A turn that needs no model (a count, a
list) never waits. Clients that wait are served in rotation, so that one with many questions does
not keep the others waiting. Turns of one conversation run one after the other, in the order they
came, since each reads the turns before it. Beyond `limit` turns, a new one is refused.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from manole.agent.turn import ModelSource
from manole.errors import BusyError, SettingsError
from manole.models.chat.protocol import ChatModel
from manole.models.endpoints import addresses_of, endpoint_of
from manole.settings import Settings
from manole.settings.sections import TURN_TOKENS

# Set by hand. The first two only make the hint of `BusyError`, when to ask again.
_USUAL = 12.0  # seconds that a turn takes, until one has been measured
_MEMORY = 0.3  # weight of the newest turn in the mean
_EACH = {"openai": 4, "ollama": 1}  # turns at once of one server; Ollama's own default is 1
QUESTIONS = 16  # answered or waiting
_NOTICED = 0.5  # seconds after which whoever waits for the model's loading is told so

OnWait = Callable[[str], None]  # called with a sentence: what is waited for
BEHIND = "Another answer is being written; this one comes after it."
LOADING = "The model is being loaded."
LOADED = "The model is loaded and reads the question."


def quiet(_: str) -> None:
    """Tell nobody."""


def turns_at_once(settings: Settings) -> int:
    """Return how many turns the model of these settings answers at once.

    Raises `SettingsError` where `serve.turns` is more than that.
    """
    asked, model = settings.serve.turns, settings.model
    kind, _ = endpoint_of(model.name)
    if kind:
        servers = len(addresses_of(kind, model.base_url, "model.base_url"))
        return asked or servers * _EACH[kind]
    if asked > 1 and asked > model.context // TURN_TOKENS:
        raise SettingsError(
            f"serve.turns = {asked}: the model on this machine has model.context = "
            f"{model.context} tokens for all.",
            f"For {asked} turns set model.context to {asked * TURN_TOKENS} at least, "
            "or serve.turns to 1.",
        )
    return asked or 1


class TurnQueue:
    """The queue for a model that `at_once` turns may hold.

    All turns are `least` at most, or twice those at once, if that is more, so that some can wait.
    """

    def __init__(self, model: ModelSource, least: int = QUESTIONS, at_once: int = 1) -> None:
        self.at_once = at_once
        self._model = model
        self._least = least
        self._turns = 0
        self._free = at_once
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._conversations: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()
        self._after_another = 0  # turns that wait for another one of their conversation
        self._usual = _USUAL

    def adopt(self, at_once: int) -> None:
        """Hand the model to `at_once` turns from now on."""
        self._free += at_once - self.at_once
        self.at_once = at_once
        while self._free > 0 and self._waiting:
            self._free -= 1
            self.release()

    @property
    def limit(self) -> int:
        """The number of turns that may be under way."""
        return max(self._least, 2 * self.at_once)

    @property
    def turns(self) -> int:
        """The number of turns under way, waiting ones included."""
        return self._turns

    @property
    def waiting(self) -> int:
        """The number of turns that wait for the model or for a turn of their conversation."""
        return self._after_another + sum(len(line) for line in self._waiting.values())

    def check(self) -> None:
        """Raise `BusyError` when there is no room for another turn."""
        if self._turns >= self.limit:
            after = max(1.0, round(self._usual * (self.waiting + 1) / self.at_once, 0))
            raise BusyError(
                f"{self._turns} questions are being answered or wait; no more are taken now.",
                f"Ask again in about {after:.0f} seconds.",
                retry_after=after,
            )

    @asynccontextmanager
    async def turn(
        self,
        client: str = "",
        conversation: Hashable | None = None,
        on_wait: OnWait = quiet,
    ) -> AsyncIterator[ModelSource]:
        """Yield a model source for one turn of `client`. Raises `BusyError` when the queue is full.

        Waits while another turn of the same `conversation` runs (`None`: of none). `on_wait` is
        called with why, when it has to wait: here, later for the model, and until that is loaded.
        """
        self.check()
        self._turns += 1
        lease = _Lease(self, client, on_wait)
        try:
            if conversation is None:
                yield lease
            else:
                async with self._next_in(conversation, on_wait):
                    yield lease
        finally:
            self._turns -= 1
            lease.release()

    async def acquire(self, client: str, on_wait: OnWait = quiet) -> None:
        """Wait until a share of the model is free and it is this client's turn."""
        if self._free > 0:
            self._free -= 1
            return
        on_wait(BEHIND)
        ticket = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(ticket)
        try:
            await ticket
        except asyncio.CancelledError:
            if ticket.done() and not ticket.cancelled():  # the share was handed over already
                self.release()
            else:
                self._forget(client, ticket)
            raise

    def release(self) -> None:
        """Hand a share of the model to the next client in rotation."""
        while self._waiting and self._free >= 0:
            client, line = self._waiting.popitem(last=False)
            ticket = line.popleft()
            if line:
                self._waiting[client] = line  # to the end of the rotation
            if not ticket.done():
                ticket.set_result(None)
                return
        self._free += 1

    def took(self, seconds: float) -> None:
        """Note how long a turn held the model."""
        self._usual += _MEMORY * (seconds - self._usual)

    async def load(self, on_wait: OnWait = quiet) -> ChatModel:
        """Return the model itself; say when it has to be loaded first, and when it is."""
        told = False

        def tell() -> None:
            nonlocal told
            told = True
            on_wait(LOADING)

        timer = asyncio.get_running_loop().call_later(_NOTICED, tell)
        try:
            model = await self._model.get()
        finally:
            timer.cancel()
        if told:
            on_wait(LOADED)
        return model

    @asynccontextmanager
    async def _next_in(self, conversation: Hashable, on_wait: OnWait) -> AsyncIterator[None]:
        lock = self._conversations.setdefault(conversation, asyncio.Lock())
        if lock.locked():
            on_wait(BEHIND)
        self._after_another += 1
        try:
            await lock.acquire()
        finally:
            self._after_another -= 1
        try:
            yield
        finally:
            lock.release()

    def _forget(self, client: str, ticket: asyncio.Future[None]) -> None:
        line = self._waiting.get(client)
        if line and ticket in line:
            line.remove(ticket)
            if not line:
                del self._waiting[client]


class _Lease:
    """The model source of one turn; it waits for the model when the turn first needs it."""

    def __init__(self, queue: TurnQueue, client: str, on_wait: OnWait) -> None:
        self._queue = queue
        self._client = client
        self._on_wait = on_wait
        self._since: float | None = None
        self._lock = asyncio.Lock()

    async def get(self) -> ChatModel:
        async with self._lock:
            if self._since is None:
                await self._queue.acquire(self._client, self._on_wait)
                self._since = time.perf_counter()
        return await self._queue.load(self._on_wait)

    def release(self) -> None:
        if self._since is not None:
            self._queue.took(time.perf_counter() - self._since)
            self._since = None
            self._queue.release()
