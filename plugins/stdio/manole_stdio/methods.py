"""The methods of the protocol: their params and their answers.

A method takes its checked params and a function that sends events, and returns the data of its
answer. Errors are raised as `ManoleError`.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from manole import __version__
from manole.agent.conversations.export import conversation_json
from manole.agent.turn import check_question
from manole.errors import NotIndexedError
from manole.index.search.scope import Scope
from manole.index.store.records import FileRecord
from manole.serve.open_library import OpenLibrary, TurnOptions
from manole.serve.service import Service
from manole.serve.shapes import file_json, graph_json, hit_json
from manole_stdio import params as given
from manole_stdio.protocol import Request, RequestError, shortened
from manole_stdio.shapes import event_of, result_of, turn_json
from manole_stdio.syncs import Emit, Syncs

CLIENT = "stdio"
Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Method:
    """A method; `run` takes an instance of `params`."""

    params: type[given.Params]
    run: Callable[[Any, Emit], Coroutine[Any, Any, Data]]


class Methods:
    """Every method of one library, except `cancel` and `shutdown`, which concern the server."""

    def __init__(self, service: Service, opened: OpenLibrary, syncs: Syncs) -> None:
        self._service = service
        self._opened = opened
        self._syncs = syncs
        self.table: dict[str, Method] = {
            "query": Method(given.Query, self.query),
            "search": Method(given.Search, self.search),
            "index": Method(given.Index, self.index),
            "status": Method(given.Params, self.status),
            "files": Method(given.Files, self.files),
            "graph": Method(given.Graph, self.graph),
            "due": Method(given.Due, self.due),
            "conversations": Method(given.List, self.conversations),
            "conversation_create": Method(given.Create, self.conversation_create),
            "conversation_get": Method(given.One, self.conversation_get),
            "conversation_rename": Method(given.Rename, self.conversation_rename),
            "conversation_delete": Method(given.One, self.conversation_delete),
            "conversation_export": Method(given.Export, self.conversation_export),
        }

    async def query(self, params: given.Query, emit: Emit) -> Data:
        """Answer a question; its steps and tokens are events."""
        check_question(params.text)
        await self._syncs.first(emit)
        options = TurnOptions(
            scope=Scope.text(params.scope, params.since, params.until),
            strategy=params.strategy,
            max_iterations=params.max_iterations,
            today=params.today,
        )
        end = await self._opened.answer(
            params.text,
            on_event=lambda event: emit(*event_of(event)),
            client=CLIENT,
            conversation=params.conversation,
            history=[message.message() for message in params.history],
            options=options,
        )
        return result_of(end)

    async def search(self, params: given.Search, emit: Emit) -> Data:
        """Find the passages that fit best."""
        await self._syncs.first(emit)
        found = await self._opened.search(params.text, params.limit)
        return {"results": [hit_json(hit) for hit in found.finds]}

    async def index(self, params: given.Index, emit: Emit) -> Data:
        """Bring the index up to date."""
        return await self._syncs.index(params.force, params.yes, emit)

    async def status(self, _params: given.Params, _emit: Emit) -> Data:
        """Return the library, its counts, and the status of each file."""
        opened, job, loader = self._opened, self._opened.syncing, self._service.loader
        files = await self._known()
        return {
            "version": __version__,
            "library": opened.name,
            "folders": [str(root) for root in opened.library.roots],
            "indexed": opened.library.indexed,
            "sync": job.describe() if job else None,
            "model": {
                "name": self._service.settings.model.name,
                "loaded": loader is None or loader.loaded,
            },
            "counts": {
                "files": len(files),
                "passages": sum(file.passages for file in files),
                "statuses": Counter(file.status.value for file in files),
            },
            "files": [
                {"file": file.path, "status": file.status.value, "reason": file.reason}
                for file in files
            ],
        }

    async def files(self, params: given.Files, emit: Emit) -> Data:
        """List what is known of each file."""
        await self._syncs.first(emit)
        files = await self._opened.library.files()
        end = None if params.limit is None else params.offset + params.limit
        part = files[params.offset : end]
        return {"total": len(files), "files": [file_json(file) for file in part]}

    async def graph(self, params: given.Graph, emit: Emit) -> Data:
        """Return the map of files: which are alike, name the same things, and lie together."""
        await self._syncs.first(emit)
        return graph_json(await self._opened.graph(params.threshold))

    async def due(self, params: given.Due, emit: Emit) -> Data:
        """Return what is due: payments, days to cancel, tasks, appointments."""
        await self._syncs.first(emit)
        found = await self._opened.due(params.days, params.today)
        return found.model_dump(mode="json")

    async def conversations(self, params: given.List, _emit: Emit) -> Data:
        """List the conversations of this library, newest first."""
        found = await asyncio.to_thread(
            self._opened.conversations.list,
            limit=params.limit,
            offset=params.offset,
            containing=params.containing,
        )
        return {"conversations": [conversation_json(one) for one in found]}

    async def conversation_create(self, params: given.Create, _emit: Emit) -> Data:
        """Begin a conversation."""
        kept = self._opened.conversations
        return conversation_json(await asyncio.to_thread(kept.create, params.title))

    async def conversation_get(self, params: given.One, _emit: Emit) -> Data:
        """Return a conversation with its turns; `turns` is their list here."""
        kept = self._opened.conversations
        one = await asyncio.to_thread(kept.get, params.id)
        turns = await asyncio.to_thread(kept.turns, params.id)
        return conversation_json(one) | {"turns": [turn_json(turn) for turn in turns]}

    async def conversation_rename(self, params: given.Rename, _emit: Emit) -> Data:
        """Give a conversation another title."""
        kept = self._opened.conversations
        return conversation_json(await asyncio.to_thread(kept.rename, params.id, params.title))

    async def conversation_delete(self, params: given.One, _emit: Emit) -> Data:
        """Delete a conversation."""
        await asyncio.to_thread(self._opened.conversations.delete, params.id)
        return {"deleted": params.id}

    async def conversation_export(self, params: given.Export, _emit: Emit) -> Data:
        """Return a conversation as the text of a file."""
        kept = self._opened.conversations
        text = await asyncio.to_thread(kept.export, params.id, params.format)
        return {"format": params.format, "text": text}

    async def _known(self) -> Sequence[FileRecord]:
        try:
            return await self._opened.library.files()
        except NotIndexedError:
            return ()


def checked(request: Request, model: type[given.Params]) -> given.Params:
    """Return the request's params as `model`. Raises `RequestError`."""
    try:
        return model.model_validate(request.params)
    except ValidationError as error:
        wrong = [
            f"`{shortened('.'.join(str(part) for part in item['loc']))}`: {item['msg']}"
            for item in error.errors(include_url=False, include_input=False)[:3]
        ]
        known = ", ".join(f"`{name}`" for name in model.model_fields) or "nothing"
        raise RequestError(
            "bad_params",
            f"{request.method} cannot be carried out. {'; '.join(wrong)}.",
            f"It takes {known}.",
            id=request.id,
        ) from None
