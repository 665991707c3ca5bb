"""Pages: finding them by what is on them, and reading the best (seed 003).

`visual_search` ranks pages by their text and by their lines, those in drawings and scans too.
`visual_interpretation` looks at the two best: a vision model answers the question about the page's
picture, where one is at hand; the words of the page are evidence in any case.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from pydantic import Field

from manole.index.search.duplicates import Find
from manole.index.search.pages import PageHit
from manole.index.store.page_records import PAGED
from manole.tools.base import Error, Inputs, Progress, Result
from manole.tools.environment import TurnState
from manole.tools.search import passage_object, shorten
from manole.tools.tool import Tool

VISUAL_SEARCH, VISUAL_INTERPRETATION = "visual_search", "visual_interpretation"
PAGES = "pages"  # the collection that a turn has at hand where the library has pages
_TOP = 2  # pages that are looked at


async def has_pages(state: TurnState) -> bool:
    """Whether any file of the turn has pages whose lines are known."""
    return any(file.metadata.get(PAGED, "0") != "0" for file in await state.files())


class PageInputs(Inputs):
    """`visual_search`: what to look for, and how many pages at most."""

    query: str = Field(min_length=1, max_length=4000)
    top_k: int = Field(5, ge=1, le=50)
    files: tuple[str, ...] = Field((), description="look in these files only")


class VisualSearch(Tool[PageInputs]):
    """The pages that fit a question best: drawings by their labels, tables by their rows."""

    name = VISUAL_SEARCH
    description = "find pages with a drawing, figure, table or picture"
    available_when = "the library has PDF pages or pictures"
    inputs = PageInputs

    def is_tool_available(self, state: TurnState) -> bool:
        """Where there are pages."""
        return PAGES in state.collections

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
        where = ", ".join(_named(hit) for hit in hits[:3])
        yield Result(
            objects=[page_object(hit) for hit in hits],
            metadata={"query": inputs.query},
            name="visual_pages",
            payload_type="pages",
            llm_message=f"{{num_objects}} pages: {where}",
        )


class InterpretationInputs(Inputs):
    """`visual_interpretation`: the question for the pages; by default the turn's own."""

    query: str = Field("", max_length=4000)


class VisualInterpretation(Tool[InterpretationInputs]):
    """Reads the best pages that `visual_search` found last."""

    name = VISUAL_INTERPRETATION
    description = "look at the pages that were found"
    available_when = "visual_search found pages"
    inputs = InterpretationInputs

    def is_tool_available(self, state: TurnState) -> bool:
        """Only when pages were found."""
        return _pages_found(state) != []

    async def __call__(
        self, state: TurnState, inputs: InterpretationInputs
    ) -> AsyncIterator[Result | Error | Progress]:
        """Yield what stands on the pages and, with a vision model, what it sees there."""
        pages = _pages_found(state)[:_TOP]
        if not pages:
            yield Error("No pages were found that could be read.", suggestion="Try visual_search.")
            return
        objects: list[dict[str, Any]] = []
        failures: list[str] = []
        question = inputs.query or state.question
        vision = await state.library.vision()
        for page in pages:
            if vision is not None:
                yield Progress(f"{vision.name} looks at {_where(page)}.")
                sight = await state.library.look(page["file"], page["page"], question)
                if sight.text:
                    objects.append(_seen(page, sight.text, vision.name))
                else:
                    failures.append(f"{_where(page)}: {sight.reason}")
            objects += await _words(state, page)
        for failure in failures:
            yield Progress(f"Not seen: {failure}.")
        if not objects:
            yield Error("The pages found have no words.", suggestion="Try semantic_search.")
            return
        seen = [o for o in objects if o.get("seen_by")]
        said = shorten(seen[0]["text"]) if seen else shorten(objects[0]["text"])
        yield Result(
            objects=objects,
            metadata={"pages": [_where(page) for page in pages]},
            name="visual_interpretations",
            payload_type="interpretations",
            llm_message=f"{' and '.join(_where(page) for page in pages)}: {said}",
        )


def page_object(hit: PageHit) -> dict[str, Any]:
    """A page as tools hand it on: `kind` "page", its file, number, score and best lines."""
    return {
        "id": f"page:{hit.file.id}:{hit.page or 0}",
        "kind": "page",
        "file": hit.file.path,
        "page": hit.page,
        "score": hit.score,
        "lines": [
            {
                "text": line.text,
                "box": line.box.sides,
                "similarity": line.similarity,
            }
            for line in hit.lines
        ],
        "passages": [passage.passage.id for passage in hit.passages],
    }


def _pages_found(state: TurnState) -> list[dict[str, Any]]:
    entries = state.environment.find(VISUAL_SEARCH, "visual_pages") or []
    return entries[-1]["objects"] if entries else []


async def _words(state: TurnState, page: dict[str, Any]) -> list[dict[str, Any]]:
    """The passages of a page, those that were found first."""
    files = {file.path: file for file in await state.files()}
    if page["file"] not in files:
        return []
    found = page["passages"]
    passages = [
        p for p in await state.library.passages(files[page["file"]]) if p.page == page["page"]
    ]
    passages.sort(key=lambda p: found.index(p.id) if p.id in found else len(found))
    return [passage_object(Find(p, page["score"])) for p in passages]


def _seen(page: dict[str, Any], text: str, model: str) -> dict[str, Any]:
    """What a model saw on a page, as evidence."""
    return {
        "id": f"sight:{page['id']}",
        "kind": "passage",
        "file": page["file"],
        "page": page["page"],
        "line": 1,
        "line_end": 1,
        "title": None,
        "headings": [],
        "date": None,
        "text": text,
        "also": [],
        "score": page["score"],
        "similarity": None,
        "bm25": None,
        "seen_by": model,
    }


def _named(hit: PageHit) -> str:
    lines = f" (“{shorten(hit.lines[0].text, 60)}”)" if hit.lines else ""
    return f"{hit.file.path}{f', page {hit.page}' if hit.page else ''}{lines}"


def _where(page: dict[str, Any]) -> str:
    return f"{page['file']}, page {page['page']}" if page["page"] else str(page["file"])
