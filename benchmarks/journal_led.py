"""Who chooses the searches of a journal: code, or the model.

    python benchmarks/journal_led.py questions.jsonl journal/
    MANOLE_JOURNAL__FUNCTIONS=baml python benchmarks/journal_led.py ... --led-by model

Asks the first 20 questions (`--limit`) with `--strategy journal`, all of them led by code and then
all of them led by the model (or only in one of both ways). A question is a line of JSON as `manole
eval` reads and judges it. A choice is unreadable where it was no choice, or one that no search can
be made of, so that a simple search took its place; it was mended where its meaning was clear
(`manole.agent.journal.selector`). Prints a Markdown table. Answers are written to `--details`, one
a line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median

from manole.agent.events import Decision, Event, StatusEvent
from manole.errors import ManoleError, UsageError
from manole.library import Library
from manole.models.chat.protocol import Message
from manole.models.load import ChatLoader
from manole.models.weights.cache import Weights
from manole.settings import Settings
from manole_evaluate.questions import Question, load, within
from manole_evaluate.runner import Outcome, run
from manole_evaluate.subject import AgentAsker

LED_BY = "code", "model"
UNREADABLE = "could not be read", "cannot be made as it was chosen"
MENDED = "The choice was mended"


@dataclass
class Watched:
    """An asker that counts the model's choices on their way through."""

    asker: AgentAsker
    choices: int = 0
    unreadable: int = 0
    mended: int = 0
    steps: list[str] = field(default_factory=list)  # of the last question
    cites = True

    async def ask(self, question: Question) -> AsyncIterator[Event]:
        """The events of a turn."""
        self.steps = []
        async for event in self.asker.ask(question):
            match event:
                case Decision():
                    self.choices += event.by == "model"
                    inputs = json.dumps(event.inputs, ensure_ascii=False, default=str)
                    self.steps.append(f"{event.by}: {event.tool} {inputs}: {event.reasoning}")
                case StatusEvent():
                    lost = any(said in event.message for said in UNREADABLE)
                    self.choices += lost  # there is no decision then
                    self.unreadable += lost
                    self.mended += event.message.startswith(MENDED)
                    self.steps.append(event.message)
            yield event


async def asked(
    questions: Sequence[Question],
    library: Library,
    loader: ChatLoader,
    led_by: str,
    file: Path | None,
) -> str:
    """Ask all of them; a row of the table."""
    agent = library.settings.agent.model_copy(update={"strategy": "journal", "led_by": led_by})
    settings = library.settings.model_copy(update={"agent": agent})
    watched = Watched(AgentAsker(library, loader, settings))
    outcomes: list[Outcome] = []

    def keep(outcome: Outcome) -> None:
        outcomes.append(outcome)
        print(f"{led_by}: {len(outcomes)} of {len(questions)}", file=sys.stderr)
        if file:
            row = outcome.as_json() | {"led_by": led_by, "steps": watched.steps}
            with file.open("a", encoding="utf-8") as details:
                details.write(json.dumps(row, ensure_ascii=False) + "\n")

    await run(questions, asker=watched, on_outcome=keep)
    answers = [outcome.answer for outcome in outcomes if outcome.answer]
    right = sum(answer.correct for answer in answers)
    calls = fmean(answer.model_calls for answer in answers)
    return (
        f"| {led_by} | {len(questions)} | {watched.choices} | {watched.unreadable} "
        f"| {watched.mended} | {right} | {calls:.1f} | {median(a.total_s for a in answers):.1f} |"
    )


async def measure(options: argparse.Namespace) -> None:
    """Ask in both ways, and print the table. Raises `ManoleError`."""
    if not options.files.is_dir():
        raise UsageError(f"There is no folder {options.files}.", "Name the journal's folder.")
    settings = Settings.load()
    questions = within(load(options.questions), options.questions, options.files)
    questions = questions[: options.limit]
    loader = ChatLoader(settings, Weights(settings.weights_dir))
    try:
        async with await Library.open(options.files, settings) as library:
            await library.sync()
            model = await loader.get()
            await model.complete([Message("user", "Hello")], max_tokens=1)  # wakes the engine
            print(f"Model: {model.name}, warm.\n")
            print(
                "| led by | questions | choices of the model | unreadable | mended | right "
                "| model calls | seconds, median |"
            )
            print("|---|---:|---:|---:|---:|---:|---:|---:|")
            for led_by in options.led_by:
                print(await asked(questions, library, loader, led_by, options.details), flush=True)
    finally:
        await loader.close()


def main() -> None:
    """Read the command line, ask, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("questions", type=Path, help="a JSONL file")
    parser.add_argument("files", type=Path, help="the journal's folder")
    parser.add_argument("--limit", type=int, default=20, help="questions, the first ones")
    parser.add_argument("--led-by", nargs="+", choices=LED_BY, default=LED_BY)
    parser.add_argument("--details", type=Path, metavar="FILE.jsonl")
    options = parser.parse_args()
    try:
        asyncio.run(measure(options))
    except ManoleError as error:
        parser.exit(2 if isinstance(error, UsageError) else 1, f"{error}\n")


if __name__ == "__main__":
    main()
