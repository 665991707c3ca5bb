"""The profile `literal`: the loop as seeds 000 and 004 write it.

The model leads. It sees the seed's system prompt, the tools' schemas, the last two turns, and
after each step the call and its result; it calls tools until it answers. The keyword router only
stands in when the first output holds no call. `semantic_search` keeps the passages that score at
least 85 % of the best and asks the model for the facts of each, one call a passage; what cannot
be read is not relevant. After each step the follow-up check runs. The answer is the model's own
text, the argument of `respond`, or, out of steps, a forced synthesis from what the tools returned.

It is a row of our comparison: figures are not checked here, only the confidence is graded.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from manole.agent.answer.draft import Draft, Style, grade_figures
from manole.agent.answer.evidence import Evidence
from manole.agent.answer.guess import Guess
from manole.agent.answer.injection_filter import inert
from manole.agent.events import Event, StatusEvent
from manole.agent.profile import Profile
from manole.agent.prompts import prompt
from manole.agent.route import Route
from manole.agent.strategies.extract_facts import extract
from manole.agent.strategies.whole_passages import TOP_K, as_evidence
from manole.agent.tool_calls.decide import parameters
from manole.agent.tool_calls.parse import parse_tool_call
from manole.agent.turn import GetModel
from manole.agent.usage import Ledger
from manole.catalog.kinds import kind_called
from manole.errors import ManoleError
from manole.models.chat import Completion, JsonSchema, Message, ToolCall
from manole.text.words import words
from manole.tools.base import Error, Result
from manole.tools.environment import TraceStep, TurnState
from manole.tools.objects import FoundFile, FoundPassage
from manole.tools.registry import Registry
from manole.tools.search import SearchInputs, SemanticSearch
from manole.tools.tool import Tool

SCORE_FILTER = 0.85  # seed 004; seed 000 has 0.8
DECIDE_TOKENS = 256
TOOLS = {  # as seeds 000 and 004 describe them
    "semantic_search": "Search file contents by meaning, returns extracted facts",
    "count_files": "Count files, optionally filtered by extension or recency",
    "list_files": "List files sorted by date, size, or name",
    "grep_files": "Find files by name substring",
    "file_metadata": "Get size, creation date, modification date for a file",
    "directory_tree": "Show folder structure as a tree",
    "folder_stats": "Aggregate folder sizes and file counts",
    "disk_usage": "Total disk usage breakdown by file type",
    "respond": "Return final answer to user",
}
_KEYWORDS = {  # seed 000, `router.py`
    "count_files": ("how many", "count"),
    "directory_tree": ("file types", "folder", "tree", "directory", "structure"),
    "list_files": ("list files", "recent files", "what files", "show files"),
    "file_metadata": ("file size", "when was", "modified", "created"),
}
_SEARCH = ("query", "top_k")  # the seeds' parameters of `semantic_search`
_HISTORY = 4  # messages: the last two turns, seed 000
_RESULT_CHARS = 6000  # of one tool's message
_FILES = 50  # cited at most


class FactSearch(SemanticSearch):
    """`semantic_search` of seeds 000 and 004: search, score filter, one fact call a passage."""

    def __init__(self, ledger: Ledger, model: GetModel) -> None:
        super().__init__(anchor=False)
        self._ledger = ledger
        self._model = model

    async def __call__(
        self, state: TurnState, inputs: SearchInputs
    ) -> AsyncIterator[Result | Error]:
        """Yield the relevant passages with their facts; the model reads the facts only."""
        chosen = inputs if inputs.top_k else inputs.model_copy(update={"top_k": TOP_K})
        async for outcome in super().__call__(state, chosen):
            yield await self._mapped(state, outcome) if isinstance(outcome, Result) else outcome

    async def _mapped(self, state: TurnState, found: Result) -> Result | Error:
        kept = score_filter([p for p in found.objects if isinstance(p, FoundPassage)])
        try:
            relevant = [p for p in [await self._facts(state, p) for p in kept] if p.facts]
        except ManoleError as error:
            state.environment.hidden_environment.unread = error.message
            return replace(found, objects=kept)
        if not relevant:
            return Error("Search returned results but none were relevant to the query.")
        by_file: dict[str, list[str]] = {}
        for passage in relevant:
            by_file.setdefault(passage.file, []).extend(passage.facts or ())
        lines = [
            "\n".join([f"From {file}:", *(f"  - {fact}" for fact in dict.fromkeys(facts))])
            for file, facts in by_file.items()
        ]
        metadata = {**found.metadata, "files": list(by_file)}
        return replace(found, objects=relevant, metadata=metadata, llm_message="\n".join(lines))

    async def _facts(self, state: TurnState, passage: FoundPassage) -> FoundPassage:
        started = time.perf_counter()
        said, completion = await extract(
            state.question, passage.text, await self._model(), default=False
        )
        self._ledger.add(completion)
        self._ledger.spent("map", time.perf_counter() - started)
        return replace(passage, facts=said.facts if said.relevant else ())


def score_filter(passages: Sequence[FoundPassage]) -> list[FoundPassage]:
    """The passages that score at least 85 % of the best, by similarity as in the seeds.

    Where no passage has a vector yet, the fused score stands in.
    """
    similar = any(p.similarity is not None for p in passages)
    scores = [(p.similarity if similar else p.score) or 0.0 for p in passages]
    least = SCORE_FILTER * max(scores, default=0.0)
    return [p for p, score in zip(passages, scores, strict=True) if score >= least]


class LiteralProfile(Profile):
    """The seeds' loop: the model decides at each step and answers itself."""

    model_leads = True

    def __init__(self, state: TurnState, tools: Registry, ledger: Ledger, model: GetModel) -> None:
        found = FactSearch(ledger, model)
        own = tuple(found if name == found.name else tools[name] for name in TOOLS)
        super().__init__(state, tools, ledger, model)
        self.tools = Registry(own)  # the seeds' and no others
        self._listing = json.dumps([function(tool) for tool in own])
        self._written: dict[int, str] = {}  # step -> what the model wrote to call its tool
        self._said: str | None = None

    async def reflects(self) -> bool:
        """Never: the model leads."""
        return False

    async def plan(self) -> None:
        """Never: the model chooses a tool."""

    def first(self) -> Route:
        """What is done where the first output holds no call: seed 000's `router.py`."""
        return keyword_route(self.state.question)

    async def decide(self) -> tuple[ToolCall | None, Completion]:
        """A tool call; after the first step, an output without one is the answer."""
        model = await self.model()
        available = self.tools.available(self.state)
        completion = await model.complete(
            self._messages(),
            max_tokens=DECIDE_TOKENS,
            slot="literal",
        )
        names = {tool.name for tool in available}
        native = next((call for call in completion.tool_calls if call.name in names), None)
        order = {tool.name: list(tool.inputs.model_fields) for tool in available}
        call = native or parse_tool_call(completion.text, names, order)
        if call is None and self.state.trace:
            call = ToolCall("respond", {"answer": completion.text})
        if call is not None:
            self._written[len(self.state.trace) + 1] = _rendered(call.name, call.arguments)
            if self.tools[call.name].end:
                self._said = str(call.arguments.get("answer") or "").strip() or None
        return call, completion

    def settles(self, steps: Sequence[TraceStep]) -> bool:
        """Never: the seeds' model reads every result."""
        return False

    def has_read(self) -> bool:
        """Any tool will do; without a step there is nothing to answer from."""
        return bool(self.state.trace)

    def table(self) -> Route | None:
        """None: the seeds know no such tool."""
        return None

    async def look(self) -> AsyncIterator[Event]:
        """Nothing is shown before the answer."""
        return
        yield

    async def guess(self) -> Guess:
        """Nothing is guessed."""
        return Guess()

    look_again = look

    async def synthesize(self) -> AsyncIterator[Event]:
        """The model's own answer, else one forced from what the tools returned."""
        question = self.state.question
        unread = self.state.environment.hidden_environment.unread
        if unread:
            yield StatusEvent(message=f"{unread} The passages were not read.")
        evidence = self._evidence()
        style = Style(self._final, slot="literal", strict=False, grade=self._grade)
        if self._said is not None:
            reading = self.answer.show(self._said, question, evidence, style)
        elif any(step.results for step in self.state.trace):
            reading = self.answer.read(question, evidence, style)
        else:
            reading = self.answer.decline(question, ())
        async for event in reading:
            yield event

    def _messages(self) -> list[Message]:
        """The conversation as the seed keeps it: system, history, question, calls and results."""
        messages = [
            Message("system", prompt("literal.system").substitute(tools=self._listing)),
            *self.state.history[-_HISTORY:],
            Message("user", self.state.question),
        ]
        for step in self.state.trace:
            call = self._written.get(step.iteration) or _rendered(step.tool, step.inputs)
            messages.append(Message("assistant", call))
            messages.append(Message("tool", inert(step.message)[:_RESULT_CHARS]))
        return messages

    def _final(self, question: str, evidence: Sequence[Evidence]) -> list[Message]:
        return [*self._messages(), Message("user", prompt("literal.final").template)]

    def _evidence(self) -> list[Evidence]:
        """What an answer can cite: passages by their facts, and files that a tool named."""
        found: list[Evidence] = []
        for passage in self.state.environment.objects(FoundPassage):
            text = "\n".join(passage.facts or ()) or inert(passage.text)
            found.append(as_evidence(passage, text, len(found) + 1))
        files = dict.fromkeys(f.file for f in self.state.environment.objects(FoundFile))
        for file in list(files)[:_FILES]:
            found.append(_file_evidence(file, len(found) + 1))
        return found

    def _grade(self, draft: Draft, question: str, evidence: Sequence[Evidence]) -> None:
        """By all that the tools returned: a count stands in a tool's message, in no file."""
        grade_figures(draft, "\n".join([question, *self.found()]), evidence)
        if not any(step.results for step in self.state.trace):
            draft.confidence = "low"


def keyword_route(question: str) -> Route:
    """The tool that a question's words name (seed 000, `router.py`)."""
    asked = question.lower()
    kind = next(filter(None, map(kind_called, words(asked))), "")
    inputs: dict[str, dict[str, object]] = {
        "count_files": {"extension": kind},
        "directory_tree": {"max_depth": 2},
        "list_files": {"extension": kind},
        "file_metadata": {"name_hint": question},
        FactSearch.name: {"query": question},
    }
    tool = next((t for t, known in _KEYWORDS.items() if any(k in asked for k in known)), None)
    tool = tool or FactSearch.name
    return Route(tool, inputs[tool], "by its keywords", "fallback")


def function(tool: Tool[Any]) -> JsonSchema:
    """A tool's schema as the seeds' model reads it: name, description, parameters."""
    schema = parameters(tool)
    known = _SEARCH if isinstance(tool, SemanticSearch) else tuple(schema["properties"])
    inputs = {
        "properties": {name: schema["properties"][name] for name in known},
        "required": schema["required"],
    }
    return {"name": tool.name, "description": TOOLS[tool.name], "parameters": inputs}


def _rendered(name: str, arguments: Mapping[str, object]) -> str:
    return json.dumps({"name": name, "params": arguments}, ensure_ascii=False, default=str)


def _file_evidence(file: str, n: int) -> Evidence:
    return Evidence(n=n, file=file, page=None, line=1, line_end=1, label=file, text=file, score=0.5)
