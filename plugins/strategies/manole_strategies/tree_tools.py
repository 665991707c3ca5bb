"""The tools of the strategy `tree`, under the names and with the payloads of its design.

They are the core's tools: a search of passages, a search of pages, a look at the pages found, and
the end of the turn. What differs is when one finds nothing. A search by vectors always returns what
is nearest, however far that is, so `fast_vector_search` keeps only passages that are relevant
(`is_relevant`); its error suggests the search of pages, and the other way round.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from manole.models.encode.embedder import Embed
from manole.text.counted import counted
from manole.text.words import content_words, stem, stems
from manole.tools.base import RANKING, Error, Result, TurnState
from manole.tools.objects import FoundPage, FoundPassage
from manole.tools.registry import Respond
from manole.tools.search import SearchInputs, SemanticSearch
from manole.tools.visual import PAGES, PageInputs, VisualInterpretation, VisualSearch

FAST, VISUAL, LOOK, ANSWER = (
    "fast_vector_search",
    "colqwen_visual_search",
    "visual_interpretation",
    "text_response",
)
_CHUNKS, _PAGES = 5, 3  # found at most, as the design prescribes
# How much nearer than chance a passage must be, from 0 (chance) to 1 (the same): by meaning alone,
# and where it has a word of the query. Set on 24 questions that two manuals answer and 22 that they
# do not: all 24 find something, 20 of the 22 nothing.
ALONE, WITH_A_WORD = 0.25, 0.18
_UNRELATED = (  # what is near to all of these is near by chance
    "The train to Lisbon leaves at noon.",
    "Add the flour and stir until smooth.",
    "The committee adopted the budget.",
    "Her brother plays the cello.",
    "Volcanoes form along plate boundaries.",
    "The goalkeeper saved a penalty.",
    "Press the button for two seconds.",
    "Interest is paid every quarter.",
)


class FastVectorSearch(SemanticSearch):
    """The tool that searches text chunks by words and meaning, and may find nothing.

    The question counts beside a query that the model made of it, which may lack what matters.
    """

    name = FAST
    description = "search the TEXT of the files: facts, codes, specifications, procedures; fast"
    offered: ClassVar[tuple[str, ...]] = ("query",)

    def __init__(self) -> None:
        super().__init__(anchor=False)

    async def __call__(
        self, state: TurnState, inputs: SearchInputs
    ) -> AsyncIterator[Result | Error]:
        """Yield the relevant passages, best first, at most five."""
        question = state.question.text
        self.also = tuple(content_words(question)) if inputs.query != question else ()
        asked = inputs.model_copy(update={"top_k": inputs.top_k or _CHUNKS})
        relevant: list[FoundPassage] = []
        async for outcome in super().__call__(state, asked):
            if isinstance(outcome, Result):
                found = [item for item in outcome.objects if isinstance(item, FoundPassage)]
                relevant = await _relevant(state, inputs.query, found)
                state.environment.hidden_environment[RANKING] = [item.id for item in relevant]
                if relevant:
                    chunks = counted(len(relevant), "text chunk")
                    yield replace(
                        outcome,
                        objects=relevant,
                        name="text_results",
                        payload_type="chunks",
                        llm_message=f"{chunks}, the best: {relevant[0].where}.",
                    )
        if not relevant:
            other = f"Try {VISUAL}." if PAGES in state.collection_names else "Try other words."
            yield Error(f"No text says anything of “{inputs.query[:80]}”.", suggestion=other)


class ColQwenVisualSearch(VisualSearch):
    """The tool that searches pages by what they show."""

    name = VISUAL
    description = "find PAGES with a diagram, drawing, chart or table; slow"
    offered: ClassVar[tuple[str, ...]] = ("query",)

    async def __call__(self, state: TurnState, inputs: PageInputs) -> AsyncIterator[Result | Error]:
        """Yield the pages, best first, at most three."""
        most = inputs.top_k if "top_k" in inputs.model_fields_set else _PAGES
        async for outcome in super().__call__(state, inputs.model_copy(update={"top_k": most})):
            if isinstance(outcome, Error):
                yield replace(outcome, suggestion=f"Try {FAST}.")
                continue
            pages = [page.where for page in outcome.objects if isinstance(page, FoundPage)]
            named = ", ".join(pages)
            yield replace(
                outcome,
                payload_type="colqwen_pages",
                llm_message=f"{counted(len(pages), 'page')}: {named}.",
            )


class LookAtPages(VisualInterpretation):
    """The tool that interprets the two best pages of the last search for pages."""

    description = "read and interpret the pages that were found"
    available_when = f"{VISUAL} has found pages"
    searched_by = VISUAL
    offered: ClassVar[tuple[str, ...]] = ()


class TextResponse(Respond):
    """The tool that ends the turn: the answer is then written from what was found."""

    name = ANSWER
    description = "answer the user from the retrieved information; ends the turn"
    available_when = "something was retrieved"
    offered: ClassVar[tuple[str, ...]] = ()


async def _relevant(
    state: TurnState, query: str, found: Sequence[FoundPassage]
) -> list[FoundPassage]:
    if not any(item.similarity is not None for item in found):
        return [item for item in found if item.bm25 is not None]  # words alone were searched
    chance = await asyncio.to_thread(_chance, state.library.embedder.embed)
    return [item for item in found if is_relevant(query, item, chance)]


def is_relevant(query: str, passage: FoundPassage, chance: float) -> bool:
    """Return whether a passage has to do with a query: by meaning, by a word and meaning, or words.

    `chance` is the similarity of unrelated texts, which differs from one embedder to the next.
    """
    nearer = ((passage.similarity or 0.0) - chance) / (1 - chance)
    if nearer >= ALONE:
        return True
    if passage.bm25 is None:
        return False
    wanted = {stem(word) for word in content_words(query)}
    return nearer >= WITH_A_WORD or (bool(wanted) and wanted <= stems(passage.text))


def _chance(embed: Embed) -> float:
    """Return the mean similarity of unrelated sentences."""
    vectors = embed(_UNRELATED)
    similar = vectors @ vectors.T
    return float(similar[~np.eye(len(similar), dtype=bool)].mean())
