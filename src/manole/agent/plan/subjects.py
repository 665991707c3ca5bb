"""Finds papers by what they are for: "Klavierunterricht", the invoice of a piano teacher.

The word is compared in meaning with the name of each paper's file, its type and who issued it. The
papers that are most like it are meant where they are clearly set apart from all others; a word that
several sorts of papers are somewhat like, or none is, tells none. A search must find one of them,
too: a car's repairs are like its insurance in name alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

import numpy as np

from manole.agent.plan.likeness import vectors
from manole.agent.plan.named import nowhere
from manole.agent.plan.open_catalog import filled
from manole.agent.plan.understand import understood
from manole.errors import ManoleError
from manole.models.encode.embedder import Embedder
from manole.text.words import path_words
from manole.tools.base import TurnState
from manole.tools.objects import FoundPassage
from manole.tools.search import search_question

# The least cosine of the likest paper, and how much less the next after those meant must have: on
# 63 words in three languages over the papers of three people 27 of the 49 sets of papers were
# found so, no other one was, and none for the 14 words of which there are no papers.
_LIKE, _CLEARLY = 0.35, 0.12
_MOST = 6  # papers of one subject, and where a gap is looked for
_FIRST = 3  # passages of a search, one of which is of a paper that its name alone tells
_PAPERS = "SELECT path, coalesce(type, ''), coalesce(issuer, '') FROM papers ORDER BY path"
_MANY = 500  # papers beyond which nothing is embedded for a question


class Subjects:
    """The papers of a library, each `(path, type, issuer)`, by what they are for."""

    def __init__(self, embedder: Embedder, papers: Sequence[tuple[str, str, str]]) -> None:
        self._embedder = embedder
        self._papers = papers if len(papers) <= _MANY else ()

    def of(self, subject: str) -> tuple[str, ...]:
        """Return the paths of the papers that a word is for, none where they are not set apart."""
        if len(self._papers) < 2:
            return ()
        labels = vectors(self._embedder, [_label(*paper) for paper in self._papers])
        like = labels @ self._embedder.embed_query(subject)
        order = np.argsort(-like, kind="stable")
        ranked = like[order]
        steps = (ranked[:-1] - ranked[1:])[:_MOST]
        last = int(steps.argmax())
        if ranked[0] < _LIKE or steps[last] < _CLEARLY:
            return ()
        return tuple(self._papers[at][0] for at in sorted(order[: last + 1]))


async def subjects_of(state: TurnState) -> Subjects | None:
    """Return the papers of the library by what they are for, `None` without an embedder.

    What is a name of somebody is not for anything.
    """
    if await nowhere(state, await understood(state)):
        return None
    try:
        embedder = await asyncio.to_thread(lambda: state.library.embedder)
    except ManoleError:
        return None  # words alone tell
    catalog = await filled(state, {"papers"})
    _, rows = await asyncio.to_thread(catalog.run, _PAPERS, None)
    return Subjects(embedder, [(str(path), str(kind), str(by)) for path, kind, by in rows])


async def is_found(state: TurnState, papers: Collection[str]) -> bool:
    """Return whether one of these papers is among the first files that a search finds."""
    hits, _ = await search_question(state, state.question, _FIRST, state.scope.filters())
    return any(FoundPassage.of(hit).file in papers for hit in hits)


def _label(path: str, kind: str, issuer: str) -> str:
    return f"{path_words(path)} {kind} {issuer}".strip()
