"""The tools that find pages by what they show, and read the best ones.

`visual_search` ranks pages by their text and by their lines, also those in drawings and scans.
`visual_interpretation` looks at the two best: where a vision model is available it answers the
question about the picture of the page; the words of the page are evidence in any case.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import ClassVar

from pydantic import Field

from manole.index.search.duplicates import Find
from manole.index.store.page_records import PAGED
from manole.text.counted import counted
from manole.tools.base import Error, Inputs, Progress, Result, Tool, TurnState
from manole.tools.objects import FoundPage, FoundPassage, shorten

VISUAL_SEARCH, VISUAL_INTERPRETATION = "visual_search", "visual_interpretation"
PAGES = "pages"  # the collection of a turn whose library has pages
_TOP = 2  # pages that are looked at: a vision model takes seconds for each


async def has_pages(state: TurnState) -> bool:
    """Return whether any file of the turn has pages whose lines are known."""
    return any(file.metadata.get(PAGED, "0") != "0" for file in await state.files())


class PageInputs(Inputs):
    """The inputs of `visual_search`: what to look for, and how many pages at most."""

    query: str = Field(min_length=1, max_length=4000)
    top_k: int = Field(5, ge=1, le=50)
    files: tuple[str, ...] = Field((), description="look in these files only")


class VisualSearch(Tool[PageInputs]):
    """The tool that finds the best pages for a question: drawings by labels, tables by rows."""

    name = VISUAL_SEARCH
    description = "find pages with a drawing, figure, table or picture"
    available_when = "the library has PDF pages or pictures"
    inputs = PageInputs

    def is_tool_available(self, state: TurnState) -> bool:
        """Return whether there are pages."""
        return PAGES in state.collection_names

    async def __call__(self, state: TurnState, inputs: PageInputs) -> AsyncIterator[Result | Error]:
        """Yield the pages, best first."""
        filters = state.scope.filters(paths=inputs.files)
        hits = await state.library.search_pages(inputs.query, inputs.top_k, filters)
        if not hits:
            yield Error(
                f"No page matches “{inputs.query[:80]}”.",
                suggestion="Try semantic_search for text.",
            )
            return
        pages = [FoundPage.of(hit) for hit in hits]
        named = ", ".join(page.to_llm_context() for page in pages[:3])
        yield Result(
            objects=pages,
            metadata={"query": inputs.query},
            name="visual_pages",
            payload_type="pages",
            llm_message=f"{counted(len(hits), 'page')}: {named}",
        )


class InterpretationInputs(Inputs):
    """The inputs of `visual_interpretation`: a question; by default the turn's own."""

    query: str = Field("", max_length=4000)


class VisualInterpretation(Tool[InterpretationInputs]):
    """The tool that reads the best pages of the last search for pages, `searched_by`."""

    name = VISUAL_INTERPRETATION
    searched_by: ClassVar[str] = VISUAL_SEARCH
    description = "look at the pages that were found"
    available_when = "visual_search found pages"
    inputs = InterpretationInputs

    def is_tool_available(self, state: TurnState) -> bool:
        """Return whether pages were found."""
        return self._pages(state) != []

    async def __call__(
        self, state: TurnState, inputs: InterpretationInputs
    ) -> AsyncIterator[Result | Error | Progress]:
        """Yield the words of the pages and, with a vision model, its description of them."""
        pages = self._pages(state)[:_TOP]
        if not pages:
            yield Error(
                "No pages were found that could be read.", suggestion=f"Try {self.searched_by}."
            )
            return
        objects: list[FoundPassage] = []
        failures: list[str] = []
        question = inputs.query or state.question.text
        vision = await state.library.vision()
        for page in pages:
            if vision is not None:
                yield Progress(f"{vision.name} looks at {page.where}.")
                sight = await state.library.look(page.file, page.page, question)
                if sight.text:
                    objects.append(_seen(page, sight.text, vision.name))
                else:
                    failures.append(f"{page.where}: {sight.reason}")
            objects += await _words(state, page)
        for failure in failures:
            yield Progress(f"Not seen: {failure}.")
        if not objects:
            yield Error("The pages found have no words.", suggestion=f"Try {self.searched_by}.")
            return
        best = next((found for found in objects if found.seen_by), objects[0])
        yield Result(
            objects=objects,
            metadata={"pages": [page.where for page in pages]},
            name="visual_interpretations",
            payload_type="interpretations",
            llm_message=" and ".join(page.where for page in pages) + f": {shorten(best.text)}",
        )

    def _pages(self, state: TurnState) -> list[FoundPage]:
        """Return the pages of the last search that found some which no earlier one had."""
        for stored in reversed(state.environment.find(self.searched_by, "visual_pages")):
            if pages := [page for page in stored.objects if isinstance(page, FoundPage)]:
                return pages
        return []


async def _words(state: TurnState, page: FoundPage) -> list[FoundPassage]:
    """Return the passages of a page, beginning with those that the search found."""
    file = next((file for file in await state.files() if file.path == page.file), None)
    if file is None:
        return []
    found = page.passages
    passages = [p for p in await state.library.passages(file) if p.page == page.page]
    passages.sort(key=lambda p: found.index(p.id) if p.id in found else len(found))
    return [FoundPassage.of(Find(p, page.score)) for p in passages]


def _seen(page: FoundPage, text: str, model: str) -> FoundPassage:
    """Return a model's description of a page as a passage."""
    return FoundPassage(
        id=f"sight:{page.id}",
        file=page.file,
        page=page.page,
        line=1,
        line_end=1,
        text=text,
        score=page.score,
        seen_by=model,
    )
