"""Which tool, with which arguments, and when none: choosing among functions never seen before.

    python benchmarks/toolchoice.py simple.jsonl multiple.jsonl irrelevance.jsonl --limit 50

Cases are in the form of the Berkeley Function Calling Leaderboard (`toolcalls.py`).
The same model chooses in three ways:

* `schema`: constrained by a JSON schema to the functions at hand and an
  explicit `none`;
* `prompt`: the same prompt without the constraint;
* `native`: the model's own tool-call format, by the endpoint's `tools`.

Prints a Markdown table, one line for each file and way.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median

from manole.errors import ManoleError, UsageError
from manole.models.chat.protocol import ChatModel, Completion, JsonSchema, Message, ToolCall
from manole.models.load import ChatLoader
from manole.models.weights.cache import Weights
from manole.settings import Settings
from manole_evaluate.summary import Share
from manole_strategies.tool_calls import parse_tool_call
from toolcalls import Case, Function, Judged, judge, load

CALL_TOKENS = 256
NONE = "none"
SYSTEM = """You choose one function for a request and fill in its inputs. Answer in JSON: \
{"tool": name, "inputs": {...}}
Functions:
%s
Take a value from the request only. Leave out optional inputs that the request does not mention. \
Choose "none" when no function does what is asked."""


@dataclass(frozen=True, slots=True)
class Option:
    """What can be chosen. `parameters` is the JSON schema of its inputs, an object's.

    `order` names the inputs as positional arguments stand; by default as `parameters` has them.
    """

    name: str
    parameters: JsonSchema
    order: tuple[str, ...] = ()


NOTHING = Option(NONE, {"type": "object", "properties": {}, "additionalProperties": False})

Choice = tuple[ToolCall | None, Completion]


async def choose(
    options: Sequence[Option],
    model: ChatModel,
    messages: Sequence[Message],
    *,
    max_tokens: int,
) -> tuple[ToolCall | None, Completion]:
    """The model's choice among `options`, `None` when it made none that can be read.

    `messages` describe the options and say what is wanted. Raises `ModelError`.
    """
    completion = await model.complete(
        messages, max_tokens=max_tokens, schema=choice(options), slot="decide"
    )
    order = {o.name: o.order or tuple(o.parameters.get("properties", ())) for o in options}
    return parse_tool_call(completion.text, set(order), order), completion


def choice(options: Sequence[Option]) -> JsonSchema:
    """`{"tool": ..., "inputs": {...}}` with the inputs of the chosen option only."""
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {"tool": {"const": option.name}, "inputs": option.parameters},
                "required": ["tool", "inputs"],
                "additionalProperties": False,
            }
            for option in options
        ]
    }


@dataclass(frozen=True)
class Done:
    """One case, one way: how it was judged and what it cost."""

    file: str
    way: str
    id: str
    judged: Judged
    call: ToolCall | None
    tokens_read: int
    seconds: float


def messages(case: Case) -> list[Message]:
    """The prompt of `schema` and `prompt`."""
    listing = "\n".join(map(described, case.functions))
    listing += f"\n- {NONE}(): no function above does what is asked"
    return [Message("system", SYSTEM % listing), Message("user", case.question[:4000])]


def described(function: Function) -> str:
    """A function as the prompt lists it: its line, then a line for each input."""
    required = function.parameters.get("required", [])
    lines = [f"- {function.name}: {function.description}"]
    for name, one in function.parameters.get("properties", {}).items():
        kind = one.get("type", "any") + ("" if name in required else ", optional")
        lines.append(f"    {name} ({kind}): {one.get('description', '')}")
    return "\n".join(lines)


async def by_schema(case: Case, model: ChatModel) -> Choice:
    """Held to a schema of the functions at hand."""
    options = [*(Option(f.name, f.parameters) for f in case.functions), NOTHING]
    call, completion = await choose(options, model, messages(case), max_tokens=CALL_TOKENS)
    return (None if call is None or call.name == NONE else call), completion


async def by_prompt(case: Case, model: ChatModel) -> Choice:
    """The same words, unconstrained."""
    completion = await model.complete(messages(case), max_tokens=CALL_TOKENS, slot="prompt")
    return parse_tool_call(completion.text, {f.name for f in case.functions}), completion


async def natively(case: Case, model: ChatModel) -> Choice:
    """The model's own format; a call that the endpoint left in the text is read there."""
    completion = await model.complete(
        [Message("user", case.question[:4000])],
        max_tokens=CALL_TOKENS,
        tools=[{"type": "function", "function": asdict(f)} for f in case.functions],
        slot="native",
    )
    if completion.tool_calls:
        return completion.tool_calls[0], completion
    return parse_tool_call(completion.text, {f.name for f in case.functions}), completion


WAYS: dict[str, Callable[[Case, ChatModel], Awaitable[Choice]]] = {
    "schema": by_schema,
    "prompt": by_prompt,
    "native": natively,
}


async def ask(name: str, way: str, case: Case, model: ChatModel) -> Done:
    """One case, one way. What the engine refuses is a wrong answer: no call where one was due."""
    started = time.perf_counter()
    try:
        call, completion = await WAYS[way](case, model)
        read = completion.usage.prompt_tokens - completion.usage.cached_tokens
        judged = judge(case, call)
    except ManoleError as error:
        print(f"{case.id}, {way}: {error.message}", file=sys.stderr)
        call, read, judged = None, 0, Judged(bool(case.wanted), False, False, False)
    return Done(name, way, case.id, judged, call, read, time.perf_counter() - started)


async def run(options: argparse.Namespace) -> list[Done]:
    """Every file's cases, each way in turn."""
    files = {path.stem: chosen(load(path), options) for path in options.files}
    settings = Settings.load()
    loader = ChatLoader(settings, Weights(settings.weights_dir))
    done: list[Done] = []
    try:
        model = await loader.get()
        await model.complete([Message("user", "Hello")], max_tokens=1)  # wakes the engine
        for name, cases in files.items():
            for case in cases:
                for way in options.ways.split(","):
                    done.append(await ask(name, way, case, model))
                    if options.details:
                        note(done[-1], options.details)
            print(f"{name}: {len(cases)} cases", file=sys.stderr)
        print(f"Model: {model.name}, warm.\n")
    finally:
        await loader.close()
    return done


def chosen(cases: list[Case], options: argparse.Namespace) -> list[Case]:
    """Shuffled by the seed, then cut."""
    if options.sample is not None:
        random.Random(options.sample).shuffle(cases)
    return cases[: options.limit]


def note(done: Done, path: Path) -> None:
    """Add a line to the details."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(done), ensure_ascii=False) + "\n")


def table(done: Sequence[Done]) -> str:
    """A line for each file and way, and for all files together."""
    lines = [
        "| cases | way | tool right | and arguments | called though none fits "
        "| none though one fits | tokens read | seconds, median |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    names = list(dict.fromkeys(one.file for one in done))
    for name in [*names, "all"] if len(names) > 1 else names:
        for way in dict.fromkeys(one.way for one in done):
            part = [one for one in done if one.way == way and name in {"all", one.file}]
            lines.append(f"| {name} | {way} | {_cells(part)} |")
    return "\n".join(lines)


def _cells(part: Sequence[Done]) -> str:
    wanted = [one.judged for one in part if one.judged.expected]
    others = [one.judged for one in part if not one.judged.expected]
    return " | ".join(
        [
            _share([j.tool for j in [*wanted, *others]]),
            _share([j.arguments for j in [*wanted, *others]]),
            _share([j.called for j in others]),
            _share([not j.called for j in wanted]),
            f"{fmean(one.tokens_read for one in part):.0f}",
            f"{median(one.seconds for one in part):.2f} s",
        ]
    )


def _share(values: Sequence[bool]) -> str:
    share = Share(sum(values), len(values))
    if share.value is None:
        return "–"
    low, high = share.interval
    return (
        f"{100 * share.value:.1f} % ({share.count}/{share.total}; {100 * low:.0f}–{100 * high:.0f})"
    )


def main() -> None:
    """Read the command line, ask, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.jsonl")
    parser.add_argument("--limit", type=int, help="cases of each file, at most")
    parser.add_argument("--sample", type=int, metavar="SEED", help="shuffle before cutting")
    parser.add_argument("--ways", default=",".join(WAYS), help="comma-separated")
    parser.add_argument("--details", type=Path, metavar="FILE.jsonl", help="add each call here")
    options = parser.parse_args()
    try:
        if unknown := set(options.ways.split(",")) - set(WAYS):
            raise UsageError(f"There is no way {unknown.pop()}.", f"There are {', '.join(WAYS)}.")
        print(table(asyncio.run(run(options))))
    except ManoleError as error:
        parser.exit(2 if isinstance(error, UsageError) else 1, f"{error}\n")


if __name__ == "__main__":
    main()
