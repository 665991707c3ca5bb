"""The service behind every interface: one model and its queue, libraries, conversations, syncs.

An interface translates requests into calls of a `Service`, and results into answers. It does not
know the agent, the index or the model.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from manole import private
from manole.agent.conversations import Conversations
from manole.agent.conversations.model import Conversation
from manole.agent.turn import ModelSource
from manole.errors import ManoleError, UsageError
from manole.index.store.libraries import LibraryInfo, libraries, library_info, library_names, remove
from manole.joined import ALL, JoinedLibrary
from manole.library import Library
from manole.models.load import ChatLoader
from manole.models.weights.cache import Weights
from manole.models.weights.files import OnProgress as OnWeights
from manole.serve.example import example_folder
from manole.serve.model_manager import ModelManager
from manole.serve.open_library import OpenLibrary
from manole.serve.preferences import change_preferences
from manole.serve.queue import TurnQueue, turns_at_once
from manole.serve.turns import Turns
from manole.settings import Settings

_LOG = logging.getLogger(__name__)


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
        """Make the service; nothing is loaded yet.

        What `flags`, which are part of the settings, set cannot be changed later. With `watch`,
        unless the settings rule it out, every library opened is kept up to date. Raises
        `SettingsError` where `serve.turns` is more than the model can answer at once, `UsageError`
        for a name that is no model's.
        """
        weights = weights or Weights(settings.weights_dir)
        private.check(data_dir=settings.data_dir, cache_dir=settings.cache_dir)
        self.settings = settings
        self.flags = dict(flags or {})
        self.models = ModelManager(weights)
        self.loader: ChatLoader | None = None
        if model is None:
            model = self.loader = ChatLoader(settings, weights, self.models.fetches.note)
        self.queue = TurnQueue(model, at_once=turns_at_once(settings))
        self.turns = Turns()
        self._libraries: dict[str, OpenLibrary] = {}
        self._joined: JoinedLibrary | None = None  # the library called `ALL`
        self._watches = watch and settings.watch.enabled
        self._opening = asyncio.Lock()
        self._changing = asyncio.Lock()
        self.default: OpenLibrary | None = None

    async def __aenter__(self) -> Service:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(
        self, folders: Path | Sequence[Path], *, on_weights: OnWeights | None = None
    ) -> OpenLibrary:
        """Open the library of these folders; the first one opened is the default.

        `on_weights` is called with the progress of the embedder's download; without it, `models`
        shows that progress.
        """
        progress = on_weights or self.models.fetches.note
        library = await Library.open(folders, self.settings, on_weights=progress)
        return await self._add(library)

    async def take(self, library: Library) -> OpenLibrary:
        """Serve a library that is open already.

        One on this machine is closed and opened again as by `open`; one whose index lies elsewhere
        is kept, and closed with the service.
        """
        if library.name == ALL:
            await library.close()
            self.default = await self.opened(ALL)
            return self.default
        if library.follows:
            await library.close()
            return await self.open(library.roots)
        return await self._add(library)

    async def add(self, folder: Path) -> OpenLibrary:
        """Open the library of a folder, sync it, and make it the default.

        A folder inside another library's folder is a library of its own. Raises `UsageError`.
        """
        self.default = opened = await self.open(folder)
        opened.sync()
        return opened

    async def add_example(self) -> OpenLibrary:
        """Add the example, the papers of an invented family. Raises `LibraryError`."""
        return await self.add(await asyncio.to_thread(example_folder, self.settings.data_dir))

    async def opened(self, name: str | None = None) -> OpenLibrary:
        """Return the library of that name, opened if necessary; without a name, the default.

        `all` is every library at once. Raises `UsageError` for a name that no index has.
        """
        if name == ALL:
            return await self._all_libraries()
        if name is None:
            if self.default is None:
                raise UsageError("No library is open.", "Name one.")
            return self.default
        if name in self._libraries:
            return self._libraries[name]
        async with self._opening:  # so that no library is opened while it is removed
            if name in self._libraries:
                return self._libraries[name]
            info = await asyncio.to_thread(library_info, name, self.settings)
            roots = [Path(root) for root in info.roots]
            progress = self.models.fetches.note
            return self._open_library(await Library.open(roots, self.settings, on_weights=progress))

    async def libraries(self) -> list[LibraryInfo]:
        """List every library that has an index or is open."""
        found = await asyncio.to_thread(libraries, self.settings)
        known = {info.name for info in found}
        fresh = [opened for name, opened in self._libraries.items() if name not in {*known, ALL}]
        return found + [opened.library.info() for opened in fresh]

    async def conversations(
        self, limit: int, offset: int, containing: str | None
    ) -> list[tuple[str, Conversation]]:
        """List the conversations about every library, each with its name, the latest first.

        Those that cannot be read are left out.
        """
        names = [*(info.name for info in await self.libraries()), ALL]
        lists = await asyncio.gather(
            *(
                asyncio.to_thread(self._conversations_of, name, limit + offset, containing)
                for name in names
            )
        )
        found = sorted(chain(*lists), key=lambda item: item[1].updated, reverse=True)
        return found[offset : offset + limit]

    def _conversations_of(
        self, name: str, limit: int, containing: str | None
    ) -> list[tuple[str, Conversation]]:
        opened = self._libraries.get(name)
        talks = opened.conversations if opened else Conversations.of(self.settings, name)
        try:
            return [(name, item) for item in talks.list(limit=limit, containing=containing)]
        except ManoleError as error:
            _LOG.warning("The conversations of %s are left out: %s", name, error.message)
            return []
        finally:
            if not opened:
                talks.close()

    async def change(self, changes: Mapping[str, Any]) -> None:
        """Write settings to the file in force, and use those that need no restart.

        Raises `SettingsError`, `UsageError` for a name that is no model's.
        """
        async with self._changing:
            self.settings = await asyncio.to_thread(
                change_preferences, changes, self.settings, self.flags, self.models.weights
            )
        for opened in self._libraries.values():
            opened.adopt(self.settings)
        if self.loader is not None:
            self.loader.adopt(self.settings)
            self.queue.adopt(turns_at_once(self.settings))

    async def forget(self, name: str) -> None:
        """Delete a library's index; the files stay. Raises `UsageError`, `LibraryError`."""
        if name == ALL:
            raise UsageError("All libraries are removed one by one.", "Name one.")
        async with self._opening:
            opened = self._libraries.pop(name, None)
            if opened is not None:
                for asked in (name, ALL):
                    await self.turns.close(asked)
                await opened.close()
                if self.default is opened:
                    others = (r for name, r in self._libraries.items() if name != ALL)
                    self.default = next(others, None)
            try:
                await asyncio.to_thread(remove, name, self.settings)
            except UsageError:
                if opened is None:  # else it was never written
                    raise

    async def close(self) -> None:
        """Release everything, the model included."""
        await self.turns.close()
        await self.models.fetches.close()
        for opened in self._libraries.values():
            await opened.close()
        self._libraries.clear()
        self._joined = None
        if self.loader is not None:
            await self.loader.close()

    async def _add(self, library: Library) -> OpenLibrary:
        async with self._opening:
            return self._open_library(library)

    async def _all_libraries(self) -> OpenLibrary:
        """Join every library that can be searched. Raises `NotIndexedError` where there is none."""
        members = []
        for name in await asyncio.to_thread(library_names, self.settings):
            try:
                library = (await self.opened(name)).library
                await library.reader()
                members.append(library)
            except ManoleError as error:
                _LOG.info("%s is left out: %s", name, error.message)
        async with self._opening:
            members = [library for library in members if library.name in self._libraries]
            if self._joined is None:
                self._joined = JoinedLibrary(members, self.settings, owned=False)
            else:
                self._joined.take(members)
            return self._open_library(self._joined)

    def _open_library(self, library: Library) -> OpenLibrary:
        """Return the open library of a library; make it if necessary."""
        opened = self._libraries.get(library.name)
        if opened is None:
            opened = self._libraries[library.name] = OpenLibrary(
                library, self.settings, self.queue, self.turns
            )
            if self._watches and library.follows:
                opened.watch()
        self.default = self.default or opened
        return opened
