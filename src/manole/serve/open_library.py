"""One open library with its conversations, its turns and its sync."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from manole.agent.about import About, about
from manole.agent.conversations import Conversations
from manole.agent.due import Due, due_in
from manole.agent.events import Complete, Event, Stopped
from manole.agent.loop import make
from manole.agent.turn import HISTORY_TURNS, check_question
from manole.errors import ManoleError, UsageError
from manole.index.search.pages import PageHit
from manole.index.search.typed import LookedUp
from manole.index.store.records import Filters
from manole.index.sync.pace import Pace, background
from manole.library import Library
from manole.models.chat.protocol import Message
from manole.serve.answers import DueList, due_list
from manole.serve.queue import OnWait, TurnQueue, quiet
from manole.serve.syncs import SyncJob, SyncQueue
from manole.serve.turn_recorder import TurnRecorder
from manole.serve.turns import STOPPED, TurnJob, Turns, failed
from manole.settings import Settings

if TYPE_CHECKING:
    from manole.index.graph import FileMap, Graph

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TurnOptions:
    """Options of one question; where one is `None`, the settings decide."""

    scope: str | None = None  # the text of a `Scope`, the part of the library to ask
    strategy: str | None = None  # a value of `agent.strategy`
    led_by: str | None = None  # a value of `agent.led_by`
    max_iterations: int | None = None  # 1 to 20
    thorough: bool | None = None
    today: date | None = None  # the day that "last month" counts from

    def applied(self, settings: Settings) -> Settings:
        """Return the settings with these options applied."""
        changes: dict[str, Any] = {
            "strategy": self.strategy,
            "led_by": self.led_by,
            "max_iterations": self.max_iterations,
            "thorough": self.thorough,
        }
        update = {name: value for name, value in changes.items() if value is not None}
        agent = settings.agent.model_copy(update=update)
        return settings.model_copy(update={"agent": agent})


class OpenLibrary:
    """One open library with its conversations and its sync. Made by `Service`."""

    def __init__(
        self, library: Library, settings: Settings, queue: TurnQueue, turns: Turns
    ) -> None:
        self.library = library
        self.conversations = Conversations.of(settings, library.name)
        self._settings = settings
        self._queue = queue
        self._turns = turns
        self._syncs = SyncQueue(library, Pace(busy=self._busy), background(settings, self._busy))
        self._watching: asyncio.Task[None] | None = None
        self._map: FileMap | None = None  # made at its first request

    @property
    def name(self) -> str:
        """The library's name, as `manole library list` shows it."""
        return self.library.name

    @property
    def syncing(self) -> SyncJob | None:
        """The last sync of this process, running or ended."""
        return self._syncs.current

    async def ask(
        self,
        question: str,
        *,
        client: str = "",
        conversation: str | None = None,
        history: Sequence[Message] = (),
        options: TurnOptions = TurnOptions(),
        on_wait: OnWait = quiet,
    ) -> AsyncIterator[Event]:
        """Answer a question; yield the events of the turn, at last `Complete`.

        A turn of a conversation begins when the turns before it have ended; its history is read
        from there, and each event is kept as it comes. Without a conversation, `history` is what
        came before, and nothing is kept. A failure to keep is reported in an event, and the
        question is answered. Closing the iterator stops the turn, the model's call included; a
        cancellation with the message `STOPPED` is kept as well. `on_wait` is called with a
        sentence when other turns come first or the model has to be loaded.
        Raises `BusyError`, `UsageError`, `UnknownConversationError`, `LibraryError`.
        """
        check_question(question)
        settings = options.applied(self._settings)
        talk = (self.name, conversation) if conversation else None
        async with self._queue.turn(client, talk, on_wait) as model:
            recorder = TurnRecorder(self.conversations, conversation)
            try:
                if conversation:
                    history, notice = await recorder.begin(question, options.scope, HISTORY_TURNS)
                    if notice is not None:
                        yield notice
                day = options.today
                strategy = make(settings, self.library, model, today=lambda: day or date.today())
                events = strategy.ask(question, history, scope=options.scope)
                async with aclosing(events) as stream:  # type: ignore[type-var]  # a generator
                    async for event in stream:
                        if (notice := await recorder.append(event)) is not None:
                            yield notice
                        yield event
            except asyncio.CancelledError as cancelled:
                await recorder.ended(*[Stopped()] if STOPPED in cancelled.args else [])
                raise
            except ManoleError as error:
                await recorder.ended(*failed(error))
                raise

    def begin(
        self,
        question: str,
        *,
        conversation: str | None = None,
        options: TurnOptions = TurnOptions(),
        **how: Any,
    ) -> TurnJob:
        """Begin a turn that goes on whether or not it is read. Takes what `ask` takes.

        Raises `UsageError`; what else goes wrong is an event of the turn.
        """
        check_question(question)
        how |= {"conversation": conversation, "options": options}

        def ask(on_wait: OnWait) -> AsyncIterator[Event]:
            return self.ask(question, **how, on_wait=on_wait)

        return self._turns.begin(TurnJob(self.name, question, conversation, options.scope, ask))

    async def answer(
        self,
        question: str,
        *,
        on_event: Callable[[Event], Awaitable[None]] | None = None,
        **how: Any,
    ) -> Complete:
        """Return the last event of a turn; `on_event` gets the others. As `ask` otherwise."""
        end: Complete | None = None
        turn = self.ask(question, **how)
        async with aclosing(turn) as events:  # type: ignore[type-var]  # a generator
            async for event in events:
                if isinstance(event, Complete):
                    end = event
                elif on_event is not None:
                    await on_event(event)
        if end is None:
            raise RuntimeError("a turn ended without its last event")
        return end

    async def search(self, query: str, limit: int = 10, filters: Filters | None = None) -> LookedUp:
        """Find the passages that fit best, without a model. Raises `UsageError`, `LibraryError`."""
        _check_query(query)
        return await self.library.look_up(query, limit, filters)

    async def search_pages(
        self, query: str, limit: int = 10, filters: Filters | None = None
    ) -> list[PageHit]:
        """Find the pages that fit best, without a model. Raises as `search`."""
        _check_query(query)
        return await self.library.search_pages(query, limit=limit, filters=filters)

    async def about(self) -> About:
        """Describe the library and suggest questions. Raises `LibraryError`."""
        return await about(self.library, self._settings, date.today())

    async def found_due(self, days: int, today: date | None = None) -> list[Due]:
        """Return what is due within so many days. Raises `LibraryError`."""
        return await due_in(self.library, self._settings, today or date.today(), days)

    async def due(self, days: int, today: date | None = None) -> DueList:
        """Return the same for programs, with today and counts. Raises `LibraryError`."""
        day = today or date.today()
        return due_list(await self.found_due(days, day), day, days)

    async def graph(self, threshold: float) -> Graph:
        """Return the map of files, those alike from `threshold` on. Raises `LibraryError`."""
        from manole.index.graph import FileMap  # loads modules that only this needs

        self._map = self._map or FileMap()
        store, files = await self.library.reader(), await self.library.files()
        return await self._map.graph(store, files, threshold)

    def sync(self, *, force: bool = False, yes: bool = False) -> SyncJob:
        """Begin a sync, or join the one that is running; `yes` as in `Library.sync`."""
        return self._syncs.begin(force=force, yes=yes)

    def watch(self) -> None:
        """Bring the index up to date, now and whenever files change, until it is closed."""
        if self._watching is None:
            low = background(self._settings, self._busy)
            watch = self.library.watch(self._syncs.changed, _LOG.warning, low)
            self._syncs.listening = watch.ready
            self._watching = asyncio.create_task(watch.run())
            self._watching.add_done_callback(_watching_ended)
            self._watching.add_done_callback(lambda _: watch.ready.set())

    def reread(self, path: str) -> SyncJob:
        """Begin a sync that reads this file again, after the running one."""
        return self._syncs.reread(path)

    async def stop_sync(self) -> None:
        """Stop the running sync and the one that waits for it; what was read is kept."""
        await self._syncs.stop()

    def adopt(self, settings: Settings) -> None:
        """Use these settings from the next question and the next sync on."""
        self._settings = settings
        self.library.adopt(settings)

    def _busy(self) -> bool:
        return self._queue.turns > 0

    async def close(self) -> None:
        """Stop watching and syncing, and release the store."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait([self._watching])
        await self.stop_sync()
        await self.library.close()
        self.conversations.close()


def _check_query(query: str) -> None:
    if not query.strip():
        raise UsageError("The query is empty.", "Give some words to look for.")


def _watching_ended(task: asyncio.Task[None]) -> None:
    if task.cancelled() or not (error := task.exception()):
        return
    known = isinstance(error, ManoleError)
    _LOG.error("Files are not watched any more: %s", error, exc_info=None if known else error)
