"""The subject of a measurement: an updated library, its search, and who answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from manole.agent.events import Event
from manole.agent.loop import make
from manole.index.search.scope import Scope
from manole.index.sync.report import Progress
from manole.library import Library
from manole.models.load import ChatLoader
from manole.models.weights.cache import Weights
from manole.models.weights.files import Progress as WeightsProgress
from manole.settings import Settings
from manole.text.question import Question as Asked
from manole.tools.base import TurnState
from manole.tools.search import search_question
from manole_evaluate.gold import GoldAsker
from manole_evaluate.questions import Question
from manole_evaluate.retrieval import Place
from manole_evaluate.runner import Asker


@dataclass(frozen=True, slots=True)
class Subject:
    """What the runner gets. `asker` and `model_name` are None where only search is measured."""

    retriever: LibraryRetriever
    asker: Asker | None = None
    model_name: str | None = None


class LibraryRetriever:
    """The search that the agent makes for a question, as a `Retriever`: it heeds dates in it."""

    def __init__(self, library: Library) -> None:
        self._library = library

    async def __call__(self, query: str, limit: int, scope: str | None) -> list[Place]:
        """At most `limit` passages below the folder or file `scope`, best first."""
        library = self._library
        state = TurnState(Asked(query), library, library.settings, scope=Scope.parse(scope))
        hits, _ = await search_question(state, state.question, limit, state.scope.filters())
        return [(path, hit.passage.page) for hit in hits for path in (hit.passage.path, *hit.also)]


class LibraryReader:
    """The index's text of a file as a `GoldReader`."""

    def __init__(self, library: Library) -> None:
        self._library = library

    async def __call__(self, file: str) -> Sequence[tuple[int | None, str]]:
        """The passages in order; none for a file that is not in the index."""
        for known in await self._library.files():
            if known.path == file:
                passages = await self._library.passages(known)
                return [(passage.page, passage.text) for passage in passages]
        return ()


class AgentAsker:
    """The strategy of the settings as an `Asker`.

    A question with `asked_on` is asked as if on that day.
    """

    cites = True

    def __init__(self, library: Library, loader: ChatLoader, settings: Settings) -> None:
        self._library = library
        self._loader = loader
        self._settings = settings

    async def ask(self, question: Question) -> AsyncIterator[Event]:
        """The events of a turn behind the question's history, within its scope."""
        day = question.asked_on
        strategy = make(
            self._settings, self._library, self._loader, today=lambda: day or date.today()
        )
        async for event in strategy.ask(question.question, question.history, scope=question.scope):
            yield event


@asynccontextmanager
async def open_subject(
    root: Path, settings: Settings, strategy: str, tell: Callable[[str], None]
) -> AsyncIterator[Subject]:
    """Index `root` and load what `strategy` needs: "none" is search only, "gold" the ceiling.

    Any other is the strategy of the settings.

    `tell` hears what is being done. Raises `ManoleError` when the index or the model cannot be
    had: without them there is nothing to measure.
    """

    def progress(step: Progress) -> None:
        tell(f"indexing ({step.stage} {step.done} of {step.total})")

    def weights(step: WeightsProgress) -> None:
        share = 100 * step.done_bytes // step.total_bytes if step.total_bytes else 0
        tell(f"{step.stage} {step.model} {step.file} ({share} %)")

    async with await Library.open(root, settings, on_weights=weights) as library:
        await library.sync(progress=progress)
        retriever = LibraryRetriever(library)
        if strategy == "none":
            yield Subject(retriever)
            return
        tell("loading the model")
        loader = ChatLoader(settings, Weights(settings.weights_dir))
        try:
            model = await loader.get()
            asker: Asker
            if strategy == "gold":
                asker = GoldAsker(model, LibraryReader(library), settings.agent.answer_tokens)
            else:
                asker = AgentAsker(library, loader, settings)
            yield Subject(retriever, asker, model.name)
        finally:
            await loader.close()
