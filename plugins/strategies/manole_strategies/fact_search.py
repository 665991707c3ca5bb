"""The search of the contents that gives facts: the tool `semantic_search` of the first designs.

Search, score filter, one call of the model for the facts of each passage, filter. A passage is read
once a turn, since it is always asked the same: what the question asks.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import replace

from manole.agent.turn import GetModel, TurnUsage
from manole.errors import ManoleError
from manole.tools.base import Error, Result, TurnState
from manole.tools.objects import FoundPassage
from manole.tools.search import SearchInputs, SemanticSearch
from manole_strategies.extract_facts import extract
from manole_strategies.simple import TOP_K

SCORE_FILTER = 0.85  # as the design that is compared prescribes
_DEEP = 3  # passages of a file looked at to find its best one


class FactSearch(SemanticSearch):
    """The tool `semantic_search` with a score filter, and a call for the facts of each passage.

    Where files are given, the best passage of each is read.
    """

    def __init__(self, usage: TurnUsage, model: GetModel) -> None:
        super().__init__(anchor=False)
        self._usage = usage
        self._model = model
        self._known: dict[str, tuple[str, ...]] = {}  # facts by passage
        self._told: set[str] = set()  # passages whose facts the model has read
        self.unread = ""  # why passages were not read by the model

    async def __call__(
        self, state: TurnState, inputs: SearchInputs
    ) -> AsyncIterator[Result | Error]:
        """Yield the relevant passages with their facts; the model reads the facts only."""
        most = _DEEP * len(inputs.files) or inputs.top_k or TOP_K
        chosen = inputs.model_copy(update={"top_k": most})
        async for outcome in super().__call__(state, chosen):
            if isinstance(outcome, Result):
                found = [p for p in outcome.objects if isinstance(p, FoundPassage)]
                kept = first_of_each(found) if inputs.files else score_filter(found)
                yield await self._mapped(state, outcome, kept)
            else:
                yield outcome

    async def _mapped(
        self, state: TurnState, found: Result, kept: Sequence[FoundPassage]
    ) -> Result | Error:
        try:
            relevant = [p for p in [await self._facts(state, p) for p in kept] if p.facts]
        except ManoleError as error:
            self.unread = error.message
            return replace(found, objects=kept)
        if not relevant:
            return Error("Search returned results but none were relevant to the query.")
        fresh = [passage for passage in relevant if passage.id not in self._told]
        if not fresh:
            return Error("Search found nothing but what it found before.")
        self._told.update(passage.id for passage in fresh)
        by_file: dict[str, list[str]] = {}
        for passage in fresh:
            by_file.setdefault(passage.file, []).extend(passage.facts or ())
        lines = [
            "\n".join([f"From {file}:", *(f"  - {fact}" for fact in dict.fromkeys(facts))])
            for file, facts in by_file.items()
        ]
        metadata = {**found.metadata, "files": list(by_file)}
        return replace(found, objects=fresh, metadata=metadata, llm_message="\n".join(lines))

    async def _facts(self, state: TurnState, passage: FoundPassage) -> FoundPassage:
        if passage.id not in self._known:
            model = await self._model()
            started = time.perf_counter()
            asked = state.question.text
            said, completion = await extract(asked, passage.text, model, default=False)
            self._usage.add(completion)
            self._usage.spent("map", time.perf_counter() - started)
            self._known[passage.id] = said.facts if said.relevant else ()
        return replace(passage, facts=self._known[passage.id])


def score_filter(passages: Sequence[FoundPassage]) -> list[FoundPassage]:
    """Return the passages that score at least 85 % of the best, by similarity.

    Where no passage has a vector yet, the fused score is used.
    """
    similar = any(p.similarity is not None for p in passages)
    scores = [(p.similarity if similar else p.score) or 0.0 for p in passages]
    least = SCORE_FILTER * max(scores, default=0.0)
    return [p for p, score in zip(passages, scores, strict=True) if score >= least]


def first_of_each(passages: Iterable[FoundPassage]) -> list[FoundPassage]:
    """Return the first passage of each file."""
    first: dict[str, FoundPassage] = {}
    for passage in passages:
        first.setdefault(passage.file, passage)
    return list(first.values())
