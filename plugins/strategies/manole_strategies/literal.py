"""The strategy `literal`: the loop of a tool-calling agent, in which the model leads.

The model sees a system prompt, the schemas of the tools, the last two turns, and after each step
the call and its result; it calls tools until it answers. Tools that trigger themselves run before
each decision. Keywords choose a tool only when the first output has no call. `semantic_search`
keeps the passages that score at least 85 % of the best and asks the model for the facts of each;
passages with unreadable replies are not relevant. After each step a check finds the important words
of the question that no result covers. The answer is the model's own text, the argument of
`respond`, or, out of steps, a synthesis from the results.

It is for comparison: figures are not checked here, only the confidence is graded.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import replace

from manole.agent.answer.compose import Composer
from manole.agent.answer.draft import Draft, Style, grade_figures
from manole.agent.answer.evidence import Evidence
from manole.agent.answer.injection_filter import inert
from manole.agent.events import Decision, Event, StatusEvent
from manole.agent.followups.rewrite import stand_alone
from manole.agent.turn import Executor, GetModel, Step, TurnStrategy, TurnUsage, without_files
from manole.catalog.kinds import kind_called
from manole.errors import ManoleError
from manole.models.chat.protocol import Completion, JsonSchema, Message, ToolCall
from manole.text.words import content_words, has_digit, stem, stems, words
from manole.tools.base import AnyTool, Error, Result, TurnState
from manole.tools.objects import FoundFile, FoundPassage
from manole.tools.registry import Registry
from manole.tools.search import SearchInputs, SemanticSearch
from manole_strategies.extract_facts import extract
from manole_strategies.prompts import prompt
from manole_strategies.simple import TOP_K, as_evidence
from manole_strategies.tool_calls import parameters, parse_tool_call

SCORE_FILTER = 0.85  # as the design that is compared prescribes
DECIDE_TOKENS = 256  # of a call, or of an answer of some paragraphs
TOOLS = {  # the descriptions that the model reads
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
_KEYWORDS = {
    "count_files": ("how many", "count"),
    "directory_tree": ("file types", "folder", "tree", "directory", "structure"),
    "list_files": ("list files", "recent files", "what files", "show files"),
    "file_metadata": ("file size", "when was", "modified", "created"),
}
_SEARCH = ("query", "top_k")  # the parameters of `semantic_search` that are offered
_HISTORY = 4  # messages: the last two turns
_RESULT_CHARS = 6000  # of one tool's message, so that several fit a small context
_FILES = 50  # cited at most, as many as a tool returns
_MORE = 3  # passages of a follow-up search: it only fills a gap


class FactSearch(SemanticSearch):
    """The tool `semantic_search` with a score filter, and a call for the facts of each passage."""

    def __init__(self, usage: TurnUsage, model: GetModel) -> None:
        super().__init__(anchor=False)
        self._usage = usage
        self._model = model
        self.unread = ""  # why passages were not read by the model

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
            self.unread = error.message
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
        self._usage.add(completion)
        self._usage.spent("map", time.perf_counter() - started)
        return replace(passage, facts=said.facts if said.relevant else ())


def score_filter(passages: Sequence[FoundPassage]) -> list[FoundPassage]:
    """Return the passages that score at least 85 % of the best, by similarity.

    Where no passage has a vector yet, the fused score is used.
    """
    similar = any(p.similarity is not None for p in passages)
    scores = [(p.similarity if similar else p.score) or 0.0 for p in passages]
    least = SCORE_FILTER * max(scores, default=0.0)
    return [p for p, score in zip(passages, scores, strict=True) if score >= least]


class Literal(TurnStrategy):
    """The strategy in which the model decides at each step and answers itself."""

    def answered(self, state: TurnState, usage: TurnUsage, model: GetModel) -> AsyncIterator[Event]:
        """Decide, run and check until the model answers."""
        return _Turn(state, usage, model).run()


class _Turn:
    """One question on its way through the loop."""

    def __init__(self, state: TurnState, usage: TurnUsage, model: GetModel) -> None:
        self._search, known = FactSearch(usage, model), Registry()
        own = tuple(self._search if n == FactSearch.name else known[n] for n in TOOLS)
        self.state = state
        self.usage = usage
        self.model = model
        self.tools = Executor(state, Registry(own))
        self.answer = Composer(state, usage, model)
        self._listing = json.dumps([function(tool) for tool in own])
        self._written: dict[int, str] = {}  # step -> what the model wrote to call its tool
        self._said: str | None = None

    async def run(self) -> AsyncIterator[Event]:
        """Yield the events of the turn."""
        state = self.state
        if nothing := await without_files(state):
            yield self.answer.complete(nothing, found=False)
            return
        async for event in stand_alone(state, self.usage, self.model):
            yield event
        async for event in self._decided():
            yield event
        if not state.trace:
            plain = Step(FactSearch.name, {"query": state.question}, "a plain search", "fallback")
            async for event in self.tools.run(plain):
                yield event
        async for event in self._synthesized():
            yield event
        yield self.answer.complete()

    async def _decided(self) -> AsyncIterator[Event]:
        """Let the model choose until it wants to respond."""
        while not self.tools.exhausted:
            async for event in self.tools.run_triggered():
                yield event
            started = time.perf_counter()
            try:
                call, completion = await self._decide()
            except ManoleError as error:
                yield StatusEvent(message=f"{error.message} Searching without the model.")
                return
            self.usage.add(completion)
            seconds = round(time.perf_counter() - started, 3)
            if call is not None and self.tools.tools[call.name].end:
                why = "the results are enough"
                yield Decision(
                    step=self.tools.steps + 1, tool=call.name, reasoning=why, seconds=seconds
                )
                return
            before = self.tools.steps
            step = (
                replace(keyword_step(self.state.question), seconds=seconds)
                if call is None
                else Step(call.name, call.arguments, "the model chose it", "model", seconds)
            )
            async for event in self.tools.run(step):
                yield event
            if self.tools.steps == before:
                return
            async for event in self._follow_up():
                yield event

    async def _decide(self) -> tuple[ToolCall | None, Completion]:
        """Return the model's call; after the first step an output without one is the answer."""
        model = await self.model()
        available = self.tools.tools.available(self.state)
        completion = await model.complete(
            self._messages(), max_tokens=DECIDE_TOKENS, slot="literal"
        )
        names = {tool.name for tool in available}
        native = next((call for call in completion.tool_calls if call.name in names), None)
        order = {tool.name: list(tool.inputs.model_fields) for tool in available}
        call = native or parse_tool_call(completion.text, names, order)
        if call is None and self.state.trace:
            call = ToolCall("respond", {"answer": completion.text})
        if call is not None:
            self._written[len(self.state.trace) + 1] = _rendered(call.name, call.arguments)
            if self.tools.tools[call.name].end:
                self._said = str(call.arguments.get("answer") or "").strip() or None
        return call, completion

    async def _follow_up(self) -> AsyncIterator[Event]:
        """Search for the important words that no result covers."""
        found = self._found()
        missing = uncovered(self.state.question, found)
        if found and missing:
            query = {"query": " ".join(missing), "top_k": _MORE}
            why = f"no result covers {', '.join(missing)}"
            async for event in self.tools.run(Step(FactSearch.name, query, why, "followup")):
                yield event

    def _found(self) -> list[str]:
        """Return what the tools have found, as the model reads it."""
        return [message for _, message in self.state.environment.messages]

    async def _synthesized(self) -> AsyncIterator[Event]:
        """Give the model's own answer, else one forced from what the tools returned."""
        question = self.state.question
        if self._search.unread:
            yield StatusEvent(message=f"{self._search.unread} The passages were not read.")
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
        """Return the conversation: system message, history, question, calls and results."""
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
        """Return what an answer can cite: passages with their facts, files that a tool named."""
        found: list[Evidence] = []
        for passage in self.state.environment.objects(FoundPassage):
            text = "\n".join(passage.facts or ()) or inert(passage.text)
            found.append(as_evidence(passage, text, len(found) + 1))
        files = dict.fromkeys(f.file for f in self.state.environment.objects(FoundFile))
        for file in list(files)[:_FILES]:
            found.append(_file_evidence(file, len(found) + 1))
        return found

    def _grade(self, draft: Draft, question: str, evidence: Sequence[Evidence]) -> None:
        """Grade by all that the tools returned: a count stands in a tool's message, in no file."""
        grade_figures(draft, "\n".join([question, *self._found()]), evidence)
        if not any(step.results for step in self.state.trace):
            draft.confidence = "low"


def keyword_step(question: str) -> Step:
    """Return the tool that a question's words name."""
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
    return Step(tool, inputs[tool], "the model named no tool", "fallback")


def function(tool: AnyTool) -> JsonSchema:
    """Return a tool's schema for the model: name, description, parameters."""
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


def uncovered(question: str, found: Iterable[str]) -> list[str]:
    """Return content words of `question` whose stems occur in none of the `found` texts.

    Only words that can be looked for count: four letters and more, or with a digit.
    """
    covered = frozenset().union(*map(stems, found))
    return [
        word
        for word in content_words(question)
        if stem(word) not in covered and (len(word) >= 4 or has_digit(word))
    ]
