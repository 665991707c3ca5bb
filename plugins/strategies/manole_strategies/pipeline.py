"""The strategy `pipeline`: plan, search, map, filter, reduce, stage by stage.

1. planner (one call): keywords, a file type and part of a file's name, as JSON;
2. searcher (no call): the five best passages, narrowed by what the planner said;
3. map (one call a passage): is it relevant, and which facts does it hold, as JSON;
4. filter (no call): irrelevant passages go;
5. reduce (one call): an answer from the facts alone, never from the passages;
6. confidence (no call): low where under 0.2 of the answer's words stand in the facts.

JSON is read in this order: `json.loads`, then patterns, then the default (relevant). A plan has no
default. Each stage reports in a status event. When a stage fails, the question is answered by
`simple`. A hint of the planner that fits no file is ignored, as it must not empty the search. It is
for comparison, so figures are not checked here.
"""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from manole.agent.answer.compose import Composer
from manole.agent.answer.draft import Draft, Style
from manole.agent.answer.evidence import Evidence
from manole.agent.answer.grounding import LOW_OVERLAP, overlap
from manole.agent.events import Event, StatusEvent
from manole.agent.turn import GetModel, Step, TurnStrategy, TurnUsage
from manole.errors import ManoleError, ModelError
from manole.index.store.records import FileRecord
from manole.models.chat.protocol import Message
from manole.text.counted import counted
from manole.text.question import Question
from manole.tools.base import Environment, TurnState
from manole.tools.objects import FoundPassage
from manole_strategies import simple
from manole_strategies.extract_facts import Extracted, as_object, extract
from manole_strategies.prompts import prompt
from manole_strategies.simple import TOP_K, as_evidence

PLAN_TOKENS = 120  # of the plan: a dozen keywords as JSON
_NOTHING = frozenset({"", "null", "none", "n/a", "any", "*"})


@dataclass(frozen=True, slots=True)
class Plan:
    """The planner's search. `parsed` is "json" or "pattern"."""

    keywords: tuple[str, ...]
    file_filter: str | None  # an extension without its dot
    source_hint: str | None
    parsed: str


def read_plan(text: str) -> Plan | None:
    """Read the planner's output: as JSON, else by patterns; `None` without keywords."""
    found, parsed = as_object(text)
    if isinstance(found.get("keywords"), list):
        words, kind, hint = found["keywords"], found.get("file_filter"), found.get("source_hint")
        return Plan(_words(words), _extension(kind), _given(hint), parsed)
    array = re.search(r'"keywords"\s*:\s*\[(.*?)(?:\]|$)', text, re.DOTALL)
    if array is None:
        return None
    words = re.findall(r'"([^"]*)"', array[1])
    return Plan(
        _words(words),
        _extension(_field("file_filter", text)),
        _given(_field("source_hint", text)),
        "pattern",
    )


def narrow(plan: Plan, files: Sequence[FileRecord]) -> tuple[dict[str, object], list[str]]:
    """Return the inputs of the search from the plan's hints, and the hints that fit no file."""
    inside = [f for f in files if f.passages]
    inputs: dict[str, object] = {}
    ignored = []
    if plan.source_hint:
        named = [f for f in inside if plan.source_hint.lower() in f.path.lower()]
        if named:
            inside = named
            inputs["files"] = tuple(f.path for f in named)
        else:
            ignored.append(f"no file's name holds “{plan.source_hint}”")
    if plan.file_filter:
        extension = f".{plan.file_filter}"
        if any(f.extension == extension for f in inside):
            inputs["extension"] = extension
        else:
            ignored.append(f"no such file is of type {extension}")
    return inputs, ignored


class Pipeline(TurnStrategy):
    """The strategy of six fixed stages."""

    async def answered(
        self, state: TurnState, usage: TurnUsage, model: GetModel
    ) -> AsyncIterator[Event]:
        """Run the stages; answer by the plain strategy where one fails."""
        stages = _Stages(state, usage, model)
        try:
            async for event in stages.run():
                yield event
        except ManoleError as error:
            yield StatusEvent(
                message=f"The {stages.current} failed: {error.message} "
                "Answering from the passages in one prompt instead."
            )
            fresh = replace(state, environment=Environment())
            composer = Composer(fresh, usage, model)
            async for event in simple.answer(fresh, composer):
                yield event


class _Stages:
    """One question on its way through the stages; `current` names the one at work."""

    def __init__(self, state: TurnState, usage: TurnUsage, model: GetModel) -> None:
        self.state = state
        self.usage = usage
        self.model = model
        self.answer = Composer(state, usage, model)
        self.current = "planner"

    async def run(self) -> AsyncIterator[Event]:
        """Yield the events of the turn. Raises `ManoleError` when a stage fails."""
        plan = await self._plan()
        yield _status(
            f"Planner ({plan.parsed}): keywords {', '.join(plan.keywords) or 'none'}; "
            f"file filter {plan.file_filter or 'none'}; source hint {plan.source_hint or 'none'}."
        )
        self.current = "searcher"
        async for event in self._search(plan):
            yield event
        passages = list(self.state.environment.objects(FoundPassage))
        self.current = "map"
        mapped: list[tuple[FoundPassage, Extracted]] = []
        if passages:
            yield StatusEvent(
                message=f"Reading {counted(len(passages), 'passage')}, one after the other."
            )
        for number, passage in enumerate(passages, start=1):
            mapped.append((passage, await self._map(passage)))
            yield _status(_mapped(number, len(passages), *mapped[-1]))
        kept = [(passage, found) for passage, found in mapped if found.relevant and found.facts]
        count = sum(len(found.facts) for _, found in kept)
        yield _status(
            f"Filter: {len(kept)} of {counted(len(mapped), 'passage')} stay, "
            f"with {counted(count, 'fact')}."
        )
        self.current = "reduce"
        async for event in self._reduce(passages, kept):
            yield event
        end = self.answer.complete()
        yield _status(f"Confidence: {end.grounding:.2f} of the answer's words stand in the facts.")
        yield end

    async def _plan(self) -> Plan:
        started = time.perf_counter()
        asked = prompt("planner").substitute(query=self.state.question)
        model = await self.model()
        completion = await model.complete(
            [Message("user", asked)], max_tokens=PLAN_TOKENS, slot="plan"
        )
        self.usage.add(completion)
        self.usage.spent("plan", time.perf_counter() - started)
        plan = read_plan(completion.text)
        if plan is None:
            raise ModelError("Its output cannot be read.", "Ask again, or ask in other words.")
        return plan

    async def _search(self, plan: Plan) -> AsyncIterator[Event]:
        inputs, ignored = narrow(plan, await self.state.files())
        for reason in ignored:
            yield _status(f"Searcher: {reason}; that hint is put aside.")
        query = " ".join(plan.keywords) or self.state.question.text
        tools = simple.search_only(self.state)
        arguments = {"query": query[:4000], "top_k": TOP_K, **inputs}
        async for event in tools.run(Step(simple.SEARCH, arguments, "the plan's search", "auto")):
            yield event

    async def _map(self, passage: FoundPassage) -> Extracted:
        started = time.perf_counter()
        found, completion = await extract(
            self.state.question.text, passage.text, await self.model(), default=True
        )
        self.usage.add(completion)
        self.usage.spent("map", time.perf_counter() - started)
        return found

    async def _reduce(
        self,
        passages: Sequence[FoundPassage],
        kept: Sequence[tuple[FoundPassage, Extracted]],
    ) -> AsyncIterator[Event]:
        question = self.state.question
        if not kept:
            nearest = [as_evidence(p, p.text, n) for n, p in enumerate(passages, start=1)]
            reading = self.answer.decline(question, nearest)
        else:
            facts = [
                as_evidence(passage, "\n".join(f"- {fact}" for fact in found.facts), n)
                for n, (passage, found) in enumerate(kept, start=1)
            ]
            reading = self.answer.attempt(question, facts, REDUCE)
        started = time.perf_counter()
        async for event in reading:
            yield event
        self.usage.spent("reduce", time.perf_counter() - started)


def messages_for(question: str, evidence: Sequence[Evidence]) -> list[Message]:
    """Return the reduce prompt: the facts without their sources."""
    facts = "\n".join(dict.fromkeys(line for e in evidence for line in e.text.split("\n")))
    return [Message("user", prompt("reduce").substitute(facts_list=facts, query=question))]


def check_confidence(draft: Draft, question: Question, evidence: Sequence[Evidence]) -> None:
    """Grade by the share of the answer's words that are in the facts (stage 6)."""
    draft.grounding = round(overlap(draft.text, (e.text for e in evidence)), 3)
    draft.confidence = "low" if draft.grounding < LOW_OVERLAP else "high"


REDUCE = Style(prompt=messages_for, slot="reduce", strict=False, grade=check_confidence)


def _status(message: str) -> StatusEvent:
    return StatusEvent(message=message, debug=True)


def _mapped(number: int, total: int, passage: FoundPassage, found: Extracted) -> str:
    verdict = "relevant" if found.relevant else "not relevant"
    head = f"Map {number} of {total} ({passage.where}): {verdict} ({found.parsed})."
    return "\n".join([head, *(f"  - {fact}" for fact in found.facts)])


def _field(name: str, text: str) -> str | None:
    match = re.search(rf'"{name}"\s*:\s*"([^"]*)"', text)
    return match[1] if match else None


def _words(items: Sequence[object]) -> tuple[str, ...]:
    texts = (" ".join(str(item).split()) for item in items if isinstance(item, str | int))
    return tuple(dict.fromkeys(text for text in texts if text))[:8]


def _given(value: object) -> str | None:
    text = value.strip() if isinstance(value, str) else ""
    return None if text.lower() in _NOTHING else text


def _extension(value: object) -> str | None:
    text = (_given(value) or "").lower().lstrip("*").lstrip(".")
    return text if re.fullmatch(r"[a-z0-9]{1,10}", text) else None
