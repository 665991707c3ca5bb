"""What every way in stands on: one model and its queue, libraries, conversations, syncs.

HTTP, stdio and MCP translate requests into calls of a `Service` and its answers back; none of them
knows the agent, the index or the model.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal

from manole import private
from manole.agent.about import About, about
from manole.agent.conversations import Conversations
from manole.agent.events import Complete, Event, Stopped
from manole.agent.strategies import make
from manole.agent.turn import ModelSource, check_question
from manole.errors import ManoleError, UsageError
from manole.index.search.duplicates import Find
from manole.index.search.pages import PageHit
from manole.index.store.libraries import LibraryInfo, libraries, library_info, library_names, remove
from manole.index.store.protocol import Filters
from manole.index.sync.pace import Pace, background
from manole.joined import ALL, JoinedLibrary
from manole.library import Library
from manole.models.chat import Message
from manole.models.load import ChatLoader
from manole.models.weights import OnProgress as OnWeights
from manole.models.weights import Weights
from manole.serve.example import example_folder
from manole.serve.jobs import SyncJob, SyncQueue
from manole.serve.keeping import Keeping
from manole.serve.preferences import change_preferences
from manole.serve.queue import TurnQueue, turns_at_once
from manole.serve.shelf import Shelf
from manole.serve.turns import STOPPED, TurnJob, Turns, failed
from manole.settings import Settings

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TurnOptions:
    """How one question is to be answered; what is `None` follows the settings."""

    scope: str | None = None  # the text of a `Scope`: only that of the library
    strategy: Literal["agent", "journal", "pipeline", "simple"] | None = None
    max_iterations: int | None = None  # 1 to 20
    thorough: bool | None = None
    today: date | None = None  # the day that "last month" counts from

    def applied(self, settings: Settings) -> Settings:
        """The settings with these options."""
        changes: dict[str, Any] = {
            "strategy": self.strategy,
            "max_iterations": self.max_iterations,
            "thorough": self.thorough,
        }
        update = {name: value for name, value in changes.items() if value is not None}
        agent = settings.agent.model_copy(update=update)
        return settings.model_copy(update={"agent": agent})


class Room:
    """One open library with its conversations and its sync. Made by `Service`."""

    def __init__(
        self, library: Library, settings: Settings, queue: TurnQueue, turns: Turns
    ) -> None:
        self.library = library
        self.conversations = Conversations.of(settings, library.name)
        self._settings = settings
        self._queue = queue
        self._turns = turns
        pace = Pace(busy=self._busy, max_cpu=settings.index.max_cpu)
        self._syncs = SyncQueue(library, pace, background(settings, self._busy))
        self._watching: asyncio.Task[None] | None = None

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
        on_wait: Callable[[], None] = lambda: None,
    ) -> AsyncIterator[Event]:
        """The events of a turn; the last is `Complete`.

        Within a conversation it begins once the turns before it have ended; its history is read and
        each event kept as it comes. Without one `history` is what came before, and nothing is kept.
        What cannot be kept is told in an event, and the question answered. Closing the iterator
        stops the turn, the model's call included; cancelled with the message `STOPPED`, that is
        kept as well. `on_wait` is called when other turns come first.
        Raises `BusyError`, `UsageError`, `UnknownConversationError`, `LibraryError`.
        """
        check_question(question, self._settings.agent.max_question_chars)
        settings = options.applied(self._settings)
        talk = (self.name, conversation) if conversation else None
        async with self._queue.turn(client, talk, on_wait) as model:
            keeping = Keeping(self.conversations, conversation) if conversation else None
            try:
                if keeping is not None:
                    turns = settings.agent.history_turns
                    history, notice = await keeping.begin(question, options.scope, turns)
                    if notice is not None:
                        yield notice
                day = options.today
                strategy = make(settings, self.library, model, today=lambda: day or date.today())
                events = strategy.ask(question, history, scope=options.scope)
                async with aclosing(events) as stream:  # type: ignore[type-var]  # a generator
                    async for event in stream:
                        if keeping is not None:
                            notice = await keeping.append(event)
                            if notice is not None:
                                yield notice
                        yield event
            except asyncio.CancelledError as cancelled:
                if keeping is not None:
                    await keeping.ended(*[Stopped()] if STOPPED in cancelled.args else [])
                raise
            except ManoleError as error:
                if keeping is not None:
                    await keeping.ended(*failed(error))
                raise

    def begin(
        self,
        question: str,
        *,
        conversation: str | None = None,
        options: TurnOptions = TurnOptions(),
        **how: Any,
    ) -> TurnJob:
        """A turn that goes on whoever reads it. Takes what `ask` takes. Raises `UsageError`."""
        check_question(question, self._settings.agent.max_question_chars)
        job = TurnJob(self.name, conversation, question, options.scope)
        how |= {"conversation": conversation, "options": options, "on_wait": job.waits}
        return self._turns.begin(job, self.ask(question, **how))

    async def answer(self, question: str, **how: Any) -> Complete:
        """The end of a turn, for those that do not stream. Takes what `ask` takes."""
        end: Complete | None = None
        turn = self.ask(question, **how)
        async with aclosing(turn) as events:  # type: ignore[type-var]  # a generator
            async for event in events:
                if isinstance(event, Complete):
                    end = event
        if end is None:
            raise RuntimeError("a turn ended without its last event")
        return end

    async def search(
        self, query: str, limit: int = 10, filters: Filters | None = None
    ) -> list[Find]:
        """The passages that fit best, without a model. Raises `UsageError`, `LibraryError`."""
        if not query.strip():
            raise UsageError("The query is empty.", "Give some words to look for.")
        return await self.library.search(query, limit=limit, filters=filters)

    async def search_pages(
        self, query: str, limit: int = 10, filters: Filters | None = None
    ) -> list[PageHit]:
        """The pages that fit best, without a model. Raises as `search`."""
        if not query.strip():
            raise UsageError("The query is empty.", "Give some words to look for.")
        return await self.library.search_pages(query, limit=limit, filters=filters)

    async def about(self) -> About:
        """What is in the library, and questions that it suggests. Raises `LibraryError`."""
        return await about(self.library, self._settings, date.today())

    def sync(self, *, force: bool = False, yes: bool = False) -> SyncJob:
        """Begin a sync, or join the one that is running; `yes` as in `Library.sync`."""
        return self._syncs.begin(force=force, yes=yes)

    def watch(self, say: Callable[[str], None] = _LOG.warning) -> None:
        """Follow the files' changes from now on, until the room is closed.

        They are brought up to date at once, too. `say` hears what a person should know.
        """
        if self._watching is None:
            low = background(self._settings, self._busy)
            watch = self.library.watch(self._syncs.changed, say, low)
            self._syncs.listening = watch.ready
            self._watching = asyncio.create_task(watch.run())
            self._watching.add_done_callback(_watching_ended)
            self._watching.add_done_callback(lambda _: watch.ready.set())

    def reread(self, path: str) -> SyncJob:
        """Begin a sync that reads this file again, after the one that is running."""
        return self._syncs.reread(path)

    async def stop_sync(self) -> None:
        """Stop the sync that is running and what waits for its end; what was read is kept."""
        await self._syncs.stop()

    def adopt(self, settings: Settings) -> None:
        """Follow these settings from the next question and the next sync on."""
        self._settings = settings
        self.library.adopt(settings)

    def _busy(self) -> bool:
        return self._queue.turns > 0

    async def close(self) -> None:
        """Stop a running sync and release the store."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait([self._watching])
        await self.stop_sync()
        await self.library.close()
        self.conversations.close()


def _watching_ended(task: asyncio.Task[None]) -> None:
    if task.cancelled() or not (error := task.exception()):
        return
    known = isinstance(error, ManoleError)
    _LOG.error("Files are not watched any more: %s", error, exc_info=None if known else error)


class Service:
    """One chat model for all libraries. `async with Service(settings) as service`."""

    def __init__(
        self,
        settings: Settings,
        model: ModelSource | None = None,
        *,
        weights: Weights | None = None,
        flags: Mapping[str, Any] | None = None,
        watch: bool = False,
    ) -> None:
        """`flags` are those that made the settings: what they set cannot be changed later.

        With `watch`, and unless the settings say otherwise, what is opened is kept up to date.
        Raises `SettingsError` where `serve.turns` is more than the model can, `UsageError` for a
        name that is no model's.
        """
        weights = weights or Weights(settings.weights_dir)
        private.enclose(settings.data_dir, settings.cache_dir)
        self.settings = settings
        self.flags = dict(flags or {})
        self.shelf = Shelf(weights)
        self.loader: ChatLoader | None = None
        if model is None:
            model = self.loader = ChatLoader(settings, weights, self.shelf.fetches.heard)
        self.queue = TurnQueue(model, settings.serve.queue, turns_at_once(settings))
        self.turns = Turns()
        self._rooms: dict[str, Room] = {}
        self._joined: JoinedLibrary | None = None  # that of the room called `ALL`
        self._watches = watch and settings.watch.enabled
        self._opening = asyncio.Lock()
        self._changing = asyncio.Lock()
        self.default: Room | None = None

    async def __aenter__(self) -> Service:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(
        self, folders: Path | Sequence[Path], *, on_weights: OnWeights | None = None
    ) -> Room:
        """The library of these folders; the first one opened is the default.

        `on_weights` hears of the embedder's download; without it, `shelf` tells of that.
        """
        heard = on_weights or self.shelf.fetches.heard
        library = await Library.open(folders, self.settings, on_weights=heard)
        return await self._keep(library)

    async def take(self, library: Library) -> Room:
        """As `open`, of a library that is open already, wherever its index lies.

        One whose index lies elsewhere is closed with the service.
        """
        if library.name == ALL:
            await library.close()
            self.default = await self.room(ALL)
            return self.default
        if library.follows:
            await library.close()
            return await self.open(library.roots)
        return await self._keep(library)

    async def add(self, folder: Path) -> Room:
        """Open the library of a folder, sync it, and make it the default.

        A folder inside that of another library is a library of its own. Raises `UsageError`.
        """
        self.default = room = await self.open(folder)
        room.sync()
        return room

    async def add_example(self) -> Room:
        """The same for the papers of an invented family. Raises `LibraryError`."""
        return await self.add(await asyncio.to_thread(example_folder, self.settings.data_dir))

    async def room(self, name: str | None = None) -> Room:
        """The library of that name, opened if need be; without a name, the default.

        `all` is every library at once. Raises `UsageError` for a name that no index has.
        """
        if name == ALL:
            return await self._room_of_all()
        if name is None:
            if self.default is None:
                raise UsageError("No library is open.", "Name one.")
            return self.default
        if name in self._rooms:
            return self._rooms[name]
        async with self._opening:  # so that one that is being removed is not opened meanwhile
            if name in self._rooms:
                return self._rooms[name]
            info = await asyncio.to_thread(library_info, name, self.settings)
            roots = [Path(root) for root in info.roots]
            heard = self.shelf.fetches.heard
            return self._taken(await Library.open(roots, self.settings, on_weights=heard))

    async def libraries(self) -> list[LibraryInfo]:
        """Every library that has an index, and those that are open."""
        found = await asyncio.to_thread(libraries, self.settings)
        known = {info.name for info in found}
        fresh = [room for name, room in self._rooms.items() if name not in {*known, ALL}]
        return found + [room.library.info() for room in fresh]

    async def change(self, changes: Mapping[str, Any]) -> None:
        """Write settings to the file in force, and follow those that need no restart.

        Raises `SettingsError`, `UsageError` for a name that is no model's.
        """
        async with self._changing:
            self.settings = await asyncio.to_thread(
                change_preferences, changes, self.settings, self.flags, self.shelf.weights
            )
        for room in self._rooms.values():
            room.adopt(self.settings)
        if self.loader is not None:
            self.loader.adopt(self.settings)
            self.queue.adopt(turns_at_once(self.settings))

    async def forget(self, name: str) -> None:
        """Delete a library's index; the files stay. Raises `UsageError`, `LibraryError`."""
        if name == ALL:
            raise UsageError("All libraries are removed one by one.", "Name one.")
        async with self._opening:
            room = self._rooms.pop(name, None)
            if room is not None:
                for asked in (name, ALL):
                    await self.turns.close(asked)
                await room.close()
                if self.default is room:
                    others = (r for name, r in self._rooms.items() if name != ALL)
                    self.default = next(others, None)
            try:
                await asyncio.to_thread(remove, name, self.settings)
            except UsageError:
                if room is None:  # else it was never written
                    raise

    async def close(self) -> None:
        """Release everything, the model included."""
        await self.turns.close()
        await self.shelf.fetches.close()
        for room in self._rooms.values():
            await room.close()
        self._rooms.clear()
        self._joined = None
        if self.loader is not None:
            await self.loader.close()

    async def _keep(self, library: Library) -> Room:
        async with self._opening:
            return self._taken(library)

    async def _room_of_all(self) -> Room:
        """Every library that can be searched, as one. Raises `NotIndexedError`."""
        members = []
        for name in await asyncio.to_thread(library_names, self.settings):
            try:
                library = (await self.room(name)).library
                await library.store()
                members.append(library)
            except ManoleError as error:
                _LOG.info("%s is left out: %s", name, error.message)
        async with self._opening:
            members = [library for library in members if library.name in self._rooms]
            if self._joined is None:
                self._joined = JoinedLibrary(members, self.settings, owned=False)
            else:
                self._joined.take(members)
            return self._taken(self._joined)

    def _taken(self, library: Library) -> Room:
        """The room of a library, made if need be."""
        room = self._rooms.get(library.name)
        if room is None:
            room = self._rooms[library.name] = Room(library, self.settings, self.queue, self.turns)
            if self._watches and library.follows:
                room.watch()
        self.default = self.default or room
        return room
