"""Writes `docs/transcript.md`: real turns of the real model over the example household.

    python docs/make_transcript.py

Two parts: the example questions of the design documents with the default strategy, as they would
be talked through, and turns of `--strategy tree` over the folder's two manuals, event by event.
The day is 15 December 2024, as in the example. The index is a new one, so no plan is kept from
before; one question warms the model up and is not shown. No answer is chosen or mended, only cut.
"""

from __future__ import annotations

import asyncio
import tempfile
import textwrap
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from manole.agent.events import (
    ChoicesEvent,
    Complete,
    Decision,
    ErrorEvent,
    Event,
    EvidenceEvent,
    Extract,
    ResultEvent,
    Source,
    StatusEvent,
    Token,
)
from manole.agent.loop import make
from manole.index.search.scope import Scope
from manole.library import Library
from manole.models.chat.protocol import Message
from manole.models.cores import physical_cores
from manole.models.load import ChatLoader
from manole.models.weights.cache import Weights
from manole.settings import Settings
from manole.text.counted import counted
from manole_strategies import summarize

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "transcript.md"
TODAY = date(2024, 12, 15)
MANUALS = ("home/boiler-thermaro-b24-manual.pdf", "home/dishwasher-warranty-card.pdf")
WIDTH, CUT = 100, 150  # of a line; characters of a text that are shown
LISTED = 4  # sources, objects or lines that are shown

TALKS = (
    ("how many PDFs?", "Wie viele PDF-Dateien habe ich?"),
    ("target revenue for engineering department?",),
    ("list all invoices and their totals", "aren't there more than 2?"),
    (
        "which invoices are from 2023?",
        "arent there more than 2?",
        "what about the one from the vet, what was it for?",
    ),
    ("which invoice of 2023 was the most expensive?", "what about that invoice?"),
    ("find photos of the beach",),
    ("what is the installed voltage?", "where is the wiring diagram?"),
    ("What have I been stressed about lately vs last year?",),
)


@dataclass(frozen=True)
class TreeTurn:
    """A question to the decision agent, and what it is asked for."""

    title: str
    question: str
    summarize_tokens: int = 50_000


TREE = (
    TreeTurn("A fact in the text", "What does fault code E07 mean?"),
    TreeTurn(
        "A drawing", "What does the wiring diagram show, and to which terminal does the pump go?"
    ),
    TreeTurn(
        "Much is found, and is summarized by itself",
        "What should the water pressure of the boiler be, and what do I do when it is too low?",
        summarize_tokens=600,
    ),
    TreeTurn(
        "The other manual", "Until when is the dishwasher under warranty, and what is excluded?"
    ),
    TreeTurn("What no manual says", "Which paint colours can the outside walls of our house have?"),
    TreeTurn("What cannot be done", "Order a new fan for the boiler."),
)

HEAD = """\
# A conversation

Real turns over `examples/household`, written down by `docs/make_transcript.py` on {day} with
`{model}` on {cores} cores. The day of the questions is 15 December 2024. No answer
was chosen or mended: where one is wrong, it stands here wrong. Long texts are cut (…). A question
that leans on the talk is completed (*Understood as*), or read with the one before it. The model was
loaded before.

## The design documents' own questions

The default strategy. [The design documents](seeds.md) ask these questions; each block is one talk.
The photographs have no captions here, so the beach is found by the name of its file.
"""
BETWEEN = """\
## A decision agent, event by event

`--strategy tree` ([Strategies](../plugins/strategies/README.md#tree)) over the folder's two
manuals (`--in`), the boiler's of eight pages and the dishwasher's card. A line begins with the
second at which its event came; below a decision stand who took it, how long that took, and why. The
last two turns are about what no manual says and no tool does; the model called {impossible} of them
impossible. Where it does not, and nothing is found, code says so.
"""
REASON = "The model's reason"  # stands in the answer of a task that the model called impossible


def cut(text: str, most: int = CUT) -> str:
    """A text on one line, at most so long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[:most].rstrip()} …"


def indented(text: str, indent: str = "") -> list[str]:
    """A text in lines of the page's width, the later ones a little further in."""
    later = f"{indent}{'  ' if indent or text.startswith('- ') else ''}"
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=later, break_on_hyphens=False
    )


def call(event: Decision) -> str:
    """A decision as a call."""
    inputs = ", ".join(f"{name}={cut(str(value), 90)!r}" for name, value in event.inputs.items())
    return f"{event.tool}({inputs})"


def place(item: Source | Extract) -> str:
    """Where a source or an extract stands."""
    if item.page is not None:
        return f"{item.file}, page {item.page}"
    return f"{item.file}, line {item.line}" if item.line is not None else item.file


def some(lines: Sequence[str]) -> Iterator[str]:
    """The first of many lines, and how many more there are."""
    yield from lines[:LISTED]
    if len(lines) > LISTED:
        yield f"… {len(lines) - LISTED} more"


def sources(end: Complete) -> Iterator[str]:
    """The sources of an answer, each with its quotation."""
    cited = [source for source in end.sources if source.cited]
    if not cited and end.sources:
        yield "nearest:"
    lines = [
        f"[{s.n}] {place(s)}" + (f": “{cut(s.quote)}”" if s.quote else "")
        for s in cited or end.sources
    ]
    yield from some(lines)


def figures(end: Complete) -> str:
    """What an answer cost, and how sure it is."""
    calls = counted(end.model_calls, "model call")
    read = end.tokens.prompt - end.tokens.cached
    tokens = f" · {read} tokens read, {end.tokens.completion} written" if end.model_calls else ""
    found = "" if end.found else "not found · "
    return f"{found}{end.confidence} confidence · {calls}{tokens} · {end.timings['total']:.1f} s"


def answer(end: Complete) -> Iterator[str]:
    """The lines of an answer; of a long list the first."""
    lines = [line for line in end.answer.splitlines() if line.strip()]
    rows = [line for line in lines if line.startswith("- ")]
    for line in lines:
        if line not in rows:
            yield line
        elif line == rows[0]:
            yield from some([cut(row) for row in rows])


# The talks -----------------------------------------------------------------------------------


def short(question: str, events: Sequence[Event]) -> Iterator[str]:
    """A turn as it is talked: the question, the steps, the answer, its sources and figures."""
    yield f"› {question}"
    for event in events:
        match event:
            case StatusEvent() if event.message.startswith("Understood as"):
                yield f"  {event.message}"
            case Decision():
                yield from indented(f"{call(event)}  by {event.by}", "  ")
            case ChoicesEvent():
                yield from (f"  which one? {choice.file}" for choice in event.choices)
    end = events[-1]
    assert isinstance(end, Complete)
    yield ""
    for line in answer(end):
        yield from indented(line)
    for line in sources(end):
        yield from indented(line, "  ")
    yield figures(end)


async def talk(library: Library, loader: ChatLoader, questions: Sequence[str]) -> str:
    """Talk a conversation through."""
    strategy = make(library.settings, library, loader, today=lambda: TODAY)
    history: list[Message] = []
    told = []
    for question in questions:
        events = [event async for event in strategy.ask(question, history)]
        told.append("\n".join(short(question, events)))
        end = events[-1]
        assert isinstance(end, Complete)
        history += [Message("user", question), Message("assistant", end.answer)]
    return "```text\n" + "\n\n".join(told) + "\n```\n"


# The decision agent --------------------------------------------------------------------------


def found(item: dict[str, Any]) -> str:
    """An object of a result on one line."""
    text = item.get("text") or item.get("summary") or item.get("interpretation") or ""
    text = text or " · ".join(line["text"] for line in item.get("lines", ()))
    where = item.get("file", "")
    if item.get("page") is not None:
        where = f"{where}, page {item['page']}"
    return f"{where}: {cut(text)}" if where else cut(text, 3 * CUT)


def told(event: Event) -> list[str]:
    """An event in lines: what it is, then what it says."""
    match event:
        case Decision():
            reason = f"“{event.reasoning}”" if event.by == "model" else event.reasoning
            took = f", {event.seconds:.1f} s" if event.seconds else ""
            return [f"{event.step} {call(event)}", f"{event.by}{took}: {reason}"]
        case ResultEvent():
            lines = some([found(item) for item in event.objects])
            return [f"{event.payload_type} of {event.tool}: {cut(event.message)}", *lines]
        case ErrorEvent():
            tool = f"{event.tool}: " if event.tool else ""
            hint = [f"suggestion: {event.suggestion}"] if event.suggestion else []
            return [f"{tool}{event.message}", *hint]
        case StatusEvent():
            return [cut(event.message, 3 * CUT)]
        case EvidenceEvent():
            return list(some([f"[{item.n}] {place(item)}" for item in event.extracts]))
        case ChoicesEvent():
            return [choice.file for choice in event.choices]
        case Complete():
            return [figures(event), *answer(event), *sources(event)]
    return []


def long(seen: Sequence[tuple[float, Event]]) -> Iterator[str]:
    """A turn event by event; of the pieces of the answer only the first."""
    pieces = [event for _, event in seen if isinstance(event, Token)]
    for at, event in seen:
        if isinstance(event, Token) and event is not pieces[0]:
            continue
        lines = told(event)
        if isinstance(event, Token):
            lines = [f"{counted(len(pieces), 'piece')}; the first: “{event.content.strip()}”"]
        begin = f"{at:6.1f} s  {event.type:<10}"
        for line in lines:
            for wrapped in textwrap.wrap(line, WIDTH - len(begin), break_on_hyphens=False):
                yield f"{begin}{wrapped}"
                begin = " " * len(begin)


async def timed(events: AsyncIterator[Event]) -> list[tuple[float, Event]]:
    """Each event with its second."""
    started = time.perf_counter()
    return [(time.perf_counter() - started, event) async for event in events]


async def tree(library: Library, loader: ChatLoader, turn: TreeTurn) -> str:
    """One turn of the decision agent."""
    summarize.TOKENS = turn.summarize_tokens
    agent = library.settings.agent.model_copy(update={"strategy": "tree"})
    settings = library.settings.model_copy(update={"agent": agent})
    strategy = make(settings, library, loader, today=lambda: TODAY)
    scope = Scope.text(MANUALS, None, None)
    seen = await timed(strategy.ask(turn.question, scope=scope))
    limit = f" (over {turn.summarize_tokens} tokens)"
    title = turn.title + (limit if turn.summarize_tokens < 50_000 else "")
    lines = "\n".join(long(seen))
    return f"### {title}\n\n```text\n› {turn.question}\n\n{lines}\n```\n"


async def page() -> str:
    """Ask everything; the page."""
    with tempfile.TemporaryDirectory() as data:
        settings = Settings.load().model_copy(update={"data_dir": Path(data)})
        loader = ChatLoader(settings, Weights(settings.weights_dir))
        try:
            async with await Library.open(ROOT / "examples" / "household", settings) as library:
                await library.sync()
                await talk(library, loader, ["What is the rent?"])  # warms the model up
                parts = [await talk(library, loader, questions) for questions in TALKS]
                turns = [await tree(library, loader, turn) for turn in TREE]
                name = (await loader.get()).name
        finally:
            await loader.close()
    head = HEAD.format(day=f"{date.today():%-d %B %Y}", model=name, cores=physical_cores())
    impossible = sum(REASON in turn for turn in turns[-2:])
    between = BETWEEN.format(impossible=impossible or "none")
    return "\n".join([head, *parts, between, *turns])


if __name__ == "__main__":
    PAGE.write_text(asyncio.run(page()), encoding="utf-8")
