"""Reads the contents of files: `semantic_search` and `read_document`."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date

from pydantic import Field

from manole.index.search.duplicates import Find
from manole.index.store.records import Filters
from manole.text.periods import find_period, iso_dated
from manole.text.words import synonyms
from manole.tools.base import Error, Inputs, Result
from manole.tools.dated import search_dated
from manole.tools.environment import TurnState
from manole.tools.matching import best_by_name
from manole.tools.objects import FoundPassage, shorten
from manole.tools.tool import Tool

_IDENTIFIER = re.compile(r"(?<![\w,.])#?(?=[\w/.-]*\d[\w/.-]*\d)[\w][\w/.-]*\w")
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


class SearchInputs(Inputs):
    """The inputs of `semantic_search`: what to look for, and where."""

    query: str = Field(min_length=1, max_length=4000)
    like: str = Field("", max_length=4000, description="a sentence that the answer may read like")
    top_k: int = Field(0, ge=0, le=200, description="passages to keep; 0: the setting")
    files: tuple[str, ...] = Field((), description="look in these files only")
    extension: str = ""
    date_from: date | None = None
    date_to: date | None = None


class SemanticSearch(Tool[SearchInputs]):
    """Searches the passages by words and meaning.

    With `anchor`, a query with an identifier searches only the documents that contain it, one with
    a period lifts documents dated in it (`manole.tools.dated`), and synonyms count as its words.
    """

    name = "semantic_search"
    description = "search INSIDE the files for information"
    inputs = SearchInputs

    def __init__(self, *, anchor: bool = True) -> None:
        self._anchor = anchor

    async def __call__(
        self, state: TurnState, inputs: SearchInputs
    ) -> AsyncIterator[Result | Error]:
        """Yield the passages nearest in words and meaning, best first."""
        filters = state.scope.filters(
            paths=inputs.files,
            extensions=(inputs.extension,) if inputs.extension else (),
            start=inputs.date_from,
            end=inputs.date_to,
        )
        limit = inputs.top_k or state.settings.agent.search_limit
        hits, said = await search_question(
            state, inputs.query, limit, filters, self._anchor, inputs.like
        )
        if not hits:
            yield Error(
                f"Nothing in the files matches “{inputs.query[:80]}”.",
                suggestion="Try visual_search for drawings, or grep_files for a file's name.",
            )
            return
        passages = [FoundPassage.of(hit) for hit in hits]
        state.environment.hidden_environment.ranking = [passage.id for passage in passages]
        files = list(dict.fromkeys(passage.file for passage in passages))
        lines = [passage.to_llm_context() for passage in passages[:3]]
        yield Result(
            objects=passages,
            metadata={"query": inputs.query, "files": files},
            name="passages",
            payload_type="passages",
            llm_message=f"{len(hits)} passages in {len(files)} files{said}:\n" + "\n".join(lines),
        )


async def search_question(
    state: TurnState,
    query: str,
    limit: int,
    filters: Filters,
    anchor: bool = True,
    like: str = "",
) -> tuple[list[Find], str]:
    """Return the passages for a question, best first, and how its period was used ("" without one).

    `anchor` is that of `SemanticSearch`; files that an identifier led to are stored in
    `hidden_environment.anchored`.
    """
    files = filters.paths
    if not files and anchor and (files := await anchored(state, query)):
        state.environment.hidden_environment.anchored = files
        filters = replace(filters, paths=files)
    dated = iso_dated(query)
    asked = query if dated == query else f"{query} {dated}"
    named = find_period(query, state.today) if anchor and not files else None
    also = synonyms(query) if anchor else ()
    return await search_dated(state, asked, limit, filters, named, also, like)


async def anchored(state: TurnState, query: str) -> tuple[str, ...]:
    """Return the one to three files that contain an identifier of the query (an invoice number).

    Nothing else identifies a document as surely. Empty without an identifier, or when no file or
    many contain it.
    """
    for identifier in _IDENTIFIER.findall(query):
        key = _squash(identifier)
        if len(key) < 5 or _ISO_DAY.fullmatch(identifier):
            continue
        hits = await state.library.search(identifier, limit=30, filters=state.scope.filters())
        holding = [h for h in hits if key in _squash(h.passage.text)]
        files = dict.fromkeys(path for h in holding for path in (h.passage.path, *h.also))
        if 1 <= len(files) <= 3:
            return tuple(files)
    return ()


def _squash(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


class ReadInputs(Inputs):
    """The inputs of `read_document`: a file, and its pages such as `2` or `1-3` ("" for all)."""

    file: str = Field(min_length=1, max_length=1000)
    pages: str = Field("", pattern=r"^\s*(\d+\s*(-\s*\d+\s*)?)?$")


class ReadDocument(Tool[ReadInputs]):
    """Opens one file at its beginning, or at a page."""

    name = "read_document"
    description = "read one file, to say what it is about"
    inputs = ReadInputs

    async def __call__(self, state: TurnState, inputs: ReadInputs) -> AsyncIterator[Result | Error]:
        """Yield the passages of the file in order, at most as many as a search returns."""
        found = best_by_name(await state.files(), inputs.file)
        if not found:
            yield Error(f"No file is named like “{inputs.file}”.", suggestion="Try grep_files.")
            return
        file = found[0]
        if file.status.value in {"failed", "skipped"}:
            yield Error(
                f"{file.path} has no text in the index ({file.reason or file.status.value}).",
                suggestion="Choose another file.",
            )
            return
        passages = await state.library.passages(file)
        first, last = _pages(inputs.pages)
        if first:
            passages = [p for p in passages if p.page is not None and first <= p.page <= last]
        passages = passages[: state.settings.agent.search_limit]
        if not passages:
            yield Error(f"{file.path} has no text on page {inputs.pages.strip() or 1}.")
            return
        yield Result(
            objects=[FoundPassage.of(Find(p, 1.0 / (i + 1))) for i, p in enumerate(passages)],
            metadata={"file": file.path, "pages": inputs.pages},
            name="document",
            payload_type="passages",
            llm_message=f"{file.path}: {shorten(passages[0].text, 400)}",
        )


def _pages(text: str) -> tuple[int, int]:
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    if not numbers:
        return 0, 0
    return min(numbers), max(numbers)
