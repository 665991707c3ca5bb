"""The strategy `literal`: the loop of a tool-calling agent, in which the model leads.

The rewriter makes the question whole (`rewriter.py`). The model then sees a system prompt, the
schemas of the tools, the last two turns, and after each step the call and its result; it calls
tools until it answers. Tools that trigger themselves run before each decision. Keywords choose a
tool only when the first output has no call, or no model can be had (`router.py`). `semantic_search`
keeps the passages that score at least 85 % of the best and asks the model for the facts of each
(`fact_search.py`). After each step a check finds what no result covers (`coverage.py`). The answer
is the model's own text, the argument of `respond`, or, out of steps, a synthesis from the results;
where the model fails, it is the result of a tool, or a quotation.

It is for comparison: figures are not checked here, only the confidence is graded.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace

from manole.agent.answer.compose import Composer
from manole.agent.answer.draft import Draft, Style, cut_after, grade_figures
from manole.agent.answer.evidence import Evidence
from manole.agent.answer.injection_filter import inert
from manole.agent.events import Decision, ErrorEvent, Event, StatusEvent
from manole.agent.turn import Executor, GetModel, Step, TurnStrategy, TurnUsage, without_files
from manole.errors import ManoleError, ModelError
from manole.models.chat.protocol import ChatModel, Completion, JsonSchema, Message, ToolCall
from manole.text.question import Question
from manole.tools.base import AnyTool, TraceStep, TurnState
from manole.tools.objects import FoundFile, FoundPassage
from manole.tools.registry import Registry
from manole.tools.search import SemanticSearch
from manole_strategies.coverage import Coverage, uncovered
from manole_strategies.fact_search import FactSearch
from manole_strategies.prompts import prompt
from manole_strategies.rewriter import Rewritten, ask_intent, rewrite
from manole_strategies.router import keyword_step, vocabulary
from manole_strategies.simple import as_evidence
from manole_strategies.tool_calls import called_name, parameters, parse_tool_call

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
_SEARCH = ("query", "top_k")  # the parameters of `semantic_search` that are offered
_HISTORY = 4  # messages: the last two turns
_RESULT_CHARS = 6000  # of one tool's message, so that several fit a small context
_TALK_CHARS = 20_000  # of all tools' messages; of the oldest only the beginning is kept
_BEGINNING = 300
_REPLY_CHARS = 4000  # of a decision: four times what its tokens can hold
_FILES = 50  # cited at most, as many as a tool returns


class Literal(TurnStrategy):
    """The strategy in which the model decides at each step and answers itself."""

    def answered(self, state: TurnState, usage: TurnUsage, model: GetModel) -> AsyncIterator[Event]:
        """Rewrite, decide, run and check until the model answers."""
        return _Turn(state, usage, model).run()


class _Turn:
    """One question on its way through the loop."""

    def __init__(self, state: TurnState, usage: TurnUsage, model: GetModel) -> None:
        self._model = model
        self._search, known = FactSearch(usage, self.model), Registry()
        own = tuple(self._search if n == FactSearch.name else known[n] for n in TOOLS)
        self.state = state
        self.usage = usage
        self.tools = Executor(state, Registry(own))
        self.answer = Composer(state, usage, self.model)
        self._order = {tool.name: list(tool.inputs.model_fields) for tool in own}
        self._listing = json.dumps([function(tool) for tool in own])
        self._talk: list[Message] = []  # calls and results of this turn
        self._paths: list[str] = []
        self._rewritten = Rewritten()
        self._failure: ManoleError | None = None  # of the model that leads
        self._said: str | None = None

    async def model(self) -> ChatModel:
        """Return the model. Raises what it failed with, if it failed in this turn."""
        if self._failure is not None:
            raise self._failure
        return await self._model()

    async def run(self) -> AsyncIterator[Event]:
        """Yield the events of the turn."""
        state = self.state
        if nothing := await without_files(state):
            yield self.answer.complete(nothing, found=False)
            return
        self._paths = [file.path for file in await state.files()]
        async for event in rewrite(state, self.usage, self.model, self._rewritten):
            yield event
        self._search.also = state.question.synonyms
        self._coverage = Coverage(state, self._rewritten.intent, self._paths)
        async for event in self._decided():
            yield event
        if not state.trace:
            async for event in self._run(await self._routed()):
                yield event
        async for event in self._ended():
            yield event
        yield self.answer.complete()

    async def _decided(self) -> AsyncIterator[Event]:
        """Let the model choose until it wants to respond."""
        for _ in range(self.state.settings.agent.max_iterations):
            async for event in self.tools.run_triggered():
                yield event
            if self.tools.exhausted:
                return
            started = time.perf_counter()
            try:
                call, text = await self._decide()
            except ManoleError as error:
                self._failure = error
                without = "What was found is used." if self.state.trace else "Keywords choose."
                yield StatusEvent(message=f"{error.message} {without}")
                return
            seconds = round(time.perf_counter() - started, 3)
            if len(text) == _REPLY_CHARS:
                yield cut_after(_REPLY_CHARS)
            called = called_name(text)
            if call is None and self.state.trace and called and called not in self.tools.tools:
                message = f"There is no tool {called}."
                yield ErrorEvent(message=message, tool=called)
                if not self._tell(text, message):
                    return
                continue
            if call is None:
                step = await self._routed() if not self.state.trace else self._plain()
            elif self.tools.tools[call.name].end:
                why = "the results are enough"
                yield Decision(
                    step=self.tools.steps + 1, tool=call.name, reasoning=why, seconds=seconds
                )
                return
            else:
                step = Step(call.name, self._offered(call), "the model chose it", "model")
            before, refused = self.tools.steps, ""
            async for event in self._run(replace(step, seconds=seconds)):
                refused = event.message if isinstance(event, ErrorEvent) else ""
                yield event
            if self.tools.steps > before:
                continue
            if not refused:
                yield StatusEvent(message="That was asked before. What was found is used.")
                return
            if not self._tell(text, refused):
                return

    async def _decide(self) -> tuple[ToolCall | None, str]:
        """Return the model's call and text; once something was found, a text is the answer."""
        model = await self.model()
        completion = await model.complete(
            self._messages(), max_tokens=DECIDE_TOKENS, slot="literal"
        )
        self.usage.add(completion)
        text = completion.text[:_REPLY_CHARS]
        names = {tool.name for tool in self.tools.tools.available(self.state)}
        native = next(iter(completion.tool_calls), None)
        if native is not None and native.name not in names:
            text, native = _rendered(native.name, native.arguments), None
        call = native or parse_tool_call(text, names, self._order)
        if call is None and "respond" in names and not called_name(text):
            call = ToolCall("respond", {"answer": text})
        if call is not None and self.tools.tools[call.name].end:
            answer = str(call.arguments.get("answer") or "")
            self._said = answer[:_REPLY_CHARS].strip() or None
        return call, text

    async def _routed(self) -> Step:
        """Return the step that the words of the question choose, or else its kind."""
        question = self.state.question.text
        step = keyword_step(question, self._rewritten.intent, self._paths)
        if step.tool == FactSearch.name and not self._rewritten.intent:
            self._rewritten.intent = await ask_intent(question, self.usage, self.model)
            self._coverage.intent = self._rewritten.intent
            step = keyword_step(question, self._rewritten.intent, self._paths)
        return step

    def _offered(self, call: ToolCall) -> dict[str, object]:
        """Return the inputs of a call that the model is offered: others it can only have copied."""
        known = _SEARCH if call.name == FactSearch.name else self._order[call.name]
        return {name: value for name, value in call.arguments.items() if name in known}

    def _plain(self) -> Step:
        """Return the search that is made where the model would answer from nothing."""
        why = "nothing was found to answer from"
        return Step(FactSearch.name, {"query": self.state.question.text}, why, "fallback")

    async def _run(self, step: Step) -> AsyncIterator[Event]:
        """Run a step, then those that fill the gaps of what was found."""
        following: Step | None = step
        while following is not None:
            before = self.tools.steps
            async for event in self.tools.run(following):
                yield event
            if self.tools.steps == before:
                return
            done = self.state.trace[-1]
            call = _rendered(done.tool, self._offered(ToolCall(done.tool, dict(done.inputs))))
            self._tell(call, inert(done.message)[:_RESULT_CHARS])
            ended = self.tools.exhausted or self._search.unread
            following = None if ended else self._coverage.step()

    def _tell(self, call: str, result: str) -> bool:
        """Put a call and its result into the conversation, unless just these are its end."""
        told = [Message("assistant", call), Message("tool", result)]
        if self._talk[-2:] == told:
            return False
        self._talk += told
        return True

    async def _ended(self) -> AsyncIterator[Event]:
        """Give the model's own answer, else one forced from what the tools returned."""
        question = self.state.question
        if self._search.unread:
            yield StatusEvent(message=f"{self._search.unread} The passages were not read.")
        known = not self.state.environment.is_empty()
        if known and self._said is None and self._failure is None:
            try:
                await self._force()
            except ManoleError as error:
                self._failure = error
                yield StatusEvent(message=f"{error.message} What was found is used.")
        evidence = self._evidence()
        style = Style(slot="literal", strict=False, grade=self._grade)
        if self._said is not None:
            reading = self.answer.show(self._said, question, evidence, style)
        elif self._failure is not None and (step := self._settling()):
            reading = self.answer.say(step)
        elif known:
            reading = self.answer.read(question, evidence, style)  # it fails again, and quotes
        else:
            reading = self.answer.decline(question, ())
        async for event in reading:
            yield event

    async def _force(self) -> None:
        """Ask for an answer. Raises `ModelError` where none is written."""
        model = await self.model()
        asked = [*self._messages(), Message("user", prompt("literal.final").template)]
        text = ""
        async with aclosing(
            model.stream(asked, max_tokens=DECIDE_TOKENS, slot="literal")  # type: ignore[type-var]  # an async generator
        ) as stream:
            async for item in stream:
                if isinstance(item, Completion):
                    self.usage.add(item)
                elif len(text) < _REPLY_CHARS:
                    text += item.text
        text = text[:_REPLY_CHARS].strip()
        if not text or called_name(text):
            raise ModelError("The model wrote no answer.", "Ask again, or ask in other words.")
        self._said = text

    def _settling(self) -> TraceStep | None:
        """Return the last step whose own message answers; with a gap only where no text is."""
        state = self.state
        step = next((step for step in reversed(state.trace) if step.answers), None)
        if step is None:
            return None
        if not uncovered(state.question.text, [step.message], vocabulary([step.tool])):
            return step
        read = next(state.environment.objects(FoundPassage), None)
        return None if read else replace(step, confidence="low")

    def _messages(self) -> list[Message]:
        """Return the conversation: system message, history, question, calls and results."""
        kept: list[Message] = []
        left = _TALK_CHARS
        for message in reversed(self._talk):
            text = message.content if left > 0 else message.content[:_BEGINNING]
            left -= len(text)
            kept.append(replace(message, content=text))
        return [
            Message("system", prompt("literal.system").substitute(tools=self._listing)),
            *self.state.history[-_HISTORY:],
            Message("user", self.state.question.text),
            *reversed(kept),
        ]

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

    def _grade(self, draft: Draft, question: Question, evidence: Sequence[Evidence]) -> None:
        """Grade by all that the tools returned: a count stands in a tool's message, in no file."""
        found = [message for _, message in self.state.environment.messages]
        grade_figures(draft, question.saying("\n".join([question.text, *found])), evidence)
        if not found:
            draft.confidence = "low"


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
