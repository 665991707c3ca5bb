"""A look-up reads the newest of several versions, and tells what another one says otherwise.

Of what a search found, the passages of other versions give their place to what the newest says
there. What it does not say stays.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from manole.agent.answer.extracts import ranked
from manole.agent.answer.selection import POOL
from manole.agent.events import Source
from manole.agent.languages import words_of
from manole.agent.versions import texts
from manole.agent.versions.answer import marked, picked
from manole.agent.versions.texts import Change, Text, changes, shingles, words_in
from manole.index.search.duplicates import Find
from manole.text.question import Question
from manole.text.words import stems
from manole.tools.base import INSTEAD, TurnState
from manole.tools.objects import FoundPassage

_KEPT = "versions"  # those of what was found, by the paths looked at
_LIKE = 0.3  # share of words in a row that two passages about the same have in common, by hand


async def prefer_newest(state: TurnState) -> None:
    """Let the newest version stand for the others in all that was found so far."""
    found = [(passage, shingles(passage.text)) for passage in ranked(state)[:POOL]]
    paths = {path for p, _ in found for path in (p.file, *p.also) if p.also}
    for (one, own), (other, others) in combinations(found, 2):
        if one.file != other.file and _are_alike(own, others):
            paths |= {one.file, other.file}
    hidden = state.environment.hidden_environment
    before, known = hidden.get(_KEPT, (set(), ()))
    if paths - before:
        paths |= before
        read = await texts.texts_of(state, [f for f in await state.files() if f.path in paths])
        known = await asyncio.to_thread(texts.families, read)
        hidden[_KEPT] = paths, known
    for family in known:
        instead = dict(_instead(_meant(state.question, family), family, found))
        hidden[INSTEAD] = hidden.get(INSTEAD, {}) | instead


def _are_alike(one: frozenset[int], other: frozenset[int]) -> bool:
    return len(one & other) >= _LIKE * min(len(one), len(other))


def _instead(
    meant: Text, family: Sequence[Text], found: Sequence[tuple[FoundPassage, frozenset[int]]]
) -> Iterator[tuple[str, FoundPassage]]:
    """Yield what the version that is meant says in the place of each passage of another one."""
    own = [(passage, shingles(passage.text)) for passage in meant.passages]
    files = {path for text in family for path in (text.file.path, *text.copies)}
    for passage, said in found:
        if passage.file in files - {meant.file.path}:
            twin, same = max(own, key=lambda one: len(said & one[1]) / len(said | one[1]))
            if _are_alike(said, same):
                like = FoundPassage.of(Find(twin, passage.score, passage.similarity, passage.bm25))
                yield passage.id, replace(like, also=())


def _meant(question: Question, family: Sequence[Text]) -> Text:
    """Return the version that a question names, else the newest."""
    return (picked(question, family) or family)[-1]


async def otherwise(state: TurnState, cited: Sequence[Source], n: int) -> tuple[str, Source] | None:
    """Return what another version says in place of what is cited, as source `n`, if it differs."""
    known = state.environment.hidden_environment.get(_KEPT, ((), ()))[1]
    return await asyncio.to_thread(_otherwise, state.question, cited, known, n)


def _otherwise(
    question: Question, cited: Sequence[Source], known: Sequence[Sequence[Text]], n: int
) -> tuple[str, Source] | None:
    words = words_of(question.language)
    for source, family in ((s, f) for s in cited for f in known):
        meant, row = _meant(question, family), " ".join(words_in(source.quote))
        others = [
            text for text in family[::-1] if text is not meant and source.file == meant.file.path
        ]
        for other in others:
            for change in sorted(changes(other, meant), key=lambda c: -_shared(c, question)):
                old, new, path = change.old, change.new, other.file.path
                if old and new and _tells(change, row, question):
                    text = words.otherwise.format(
                        name=path,
                        day=words.written(texts.day_of(other, family)),
                        quote=marked(old, new),
                        n=n,
                    )
                    place = {"page": old.page, "line": old.line, "quote": old.quote}
                    return text, Source(n=n, file=path, **place)
    return None


def _tells(change: Change, row: str, question: Question) -> bool:
    """Return whether a change is one of what is cited, and all of it or about what is asked."""
    new = change.new.key if change.new and change.is_weighty else "-"
    return row in new or (new in row and _shared(change, question) > 0)


def _shared(change: Change, question: Question) -> int:
    return len(stems(change.new.shown) & question.stems) if change.new else 0
