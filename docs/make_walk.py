"""Writes the walk through one real question into `docs/how-it-answers.md`.

`python docs/make_walk.py` asks the question of the example household twice (the second time with
a warm model), and puts every event of the second turn between the page's two markers, with the
second at which it came. Tokens are gathered into one line.
"""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

from manole import Agent, Library, Settings
from manole.agent.events import Event, Token
from manole.models.load import ChatLoader
from manole.models.weights.cache import Weights

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "how-it-answers.md"
BEGIN, END = "<!-- walk: begin -->", "<!-- walk: end -->"
QUESTION = "What does error code E07 of the boiler mean?"
WIDTH = 96


async def events() -> list[tuple[float, Event]]:
    """The events of the warm turn, each with its second."""
    settings = Settings.load()
    loader = ChatLoader(settings, Weights(settings.weights_dir))
    async with await Library.open(ROOT / "examples" / "household", settings) as library:
        await library.sync()
        agent = Agent(library, loader, settings)
        for _ in range(2):
            started = time.perf_counter()
            seen = [(time.perf_counter() - started, event) async for event in agent.ask(QUESTION)]
    await loader.close()
    return seen


def short(value: object) -> object:
    """A value as the page shows it: long texts and lists are cut."""
    if isinstance(value, str):
        return value if len(value) <= 150 else value[:150] + " …"
    if isinstance(value, list):
        return [short(v) for v in value[:1]] + ([f"… {len(value) - 1} more"] if value[1:] else [])
    if isinstance(value, dict):
        left_out = {"id", "headings", "boxes"}
        return {k: short(v) for k, v in value.items() if k not in left_out and v is not None}
    return value


def walk(seen: list[tuple[float, Event]]) -> str:
    """The events as the page shows them."""
    lines = [f"question: {QUESTION}", ""]
    tokens = [(at, event.content) for at, event in seen if isinstance(event, Token)]
    for at, event in seen:
        if isinstance(event, Token):
            if tokens:
                pieces, first = "".join(t for _, t in tokens), tokens[0][0]
                lines.append(f"{first:6.2f} s  token      {len(tokens)} pieces: {pieces}")
                tokens = []
            continue
        shown = short(event.model_dump(exclude={"type", "version"}, exclude_defaults=True))
        text = json.dumps(shown, ensure_ascii=False)
        rows = [text[i : i + WIDTH - 20] for i in range(0, len(text), WIDTH - 20)]
        lines.append(f"{at:6.2f} s  {event.type:<9}  {rows[0]}")
        lines += [" " * 20 + row for row in rows[1:]]
    return "\n".join(lines)


def main() -> None:
    """Ask, and write the page."""
    text = PAGE.read_text("utf-8")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    made = walk(asyncio.run(events()))
    PAGE.write_text(f"{head}{BEGIN}\n```text\n{made}\n```\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
