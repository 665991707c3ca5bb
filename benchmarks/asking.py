"""What a question costs: model calls, tokens, seconds, for counts and for contents.

    python benchmarks/asking.py

Asks the example household. The model is loaded and warmed up with another question first; each
question is asked once, since a second time its prompt would be in the cache. Prints a Markdown
table.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from manole import Agent, Library, Settings
from manole.agent.events import Complete
from manole.models.load import ChatLoader
from manole.models.weights.cache import Weights

HOUSEHOLD = Path(__file__).parent.parent / "examples" / "household"
QUESTIONS = {
    "count": ("How many PDF files do I have?", "How many invoices are there?"),
    "list": ("Show me the five newest files", "Which folder has the most files?"),
    "content": (
        "What is the notice period of the rental contract?",
        "How long do the lentils cook?",
        "Who is the landlord?",
        "What does error code E07 mean?",
    ),
    "two tools": ("Which is my newest invoice, and what is its total?",),
}


async def main() -> None:
    """Ask everything and print the table."""
    settings = Settings.load()
    loader = ChatLoader(settings, Weights(settings.weights_dir))
    async with await Library.open(HOUSEHOLD, settings) as library:
        await library.sync()
        agent = Agent(library, loader, settings)
        await ask(agent, "What is the rent?")
        name = (await loader.get()).name
        print(f"Model: {name}, warm.\n")
        print("| question | calls | tokens read | cached | written | first token | total |")
        print("|---|---|---|---|---|---|---|")
        for kind, questions in QUESTIONS.items():
            for question in questions:
                print(_row(f"{kind}: {question}", await ask(agent, question)))
    await loader.close()


def _row(label: str, turn: Complete) -> str:
    read = turn.tokens.prompt - turn.tokens.cached
    return (
        f"| {label} | {turn.model_calls} | {read} | {turn.tokens.cached} "
        f"| {turn.tokens.completion} | {turn.timings['first_token']:.2f} s "
        f"| {turn.timings['total']:.2f} s |"
    )


async def ask(agent: Agent, question: str) -> Complete:
    """The end of a turn, with what it cost."""
    async for event in agent.ask(question):
        if isinstance(event, Complete):
            return event
    raise AssertionError("a turn ends in Complete")


if __name__ == "__main__":
    asyncio.run(main())
