"""Three questions about the example household, as `make demo` asks them.

One counts files, one has its answer inside a document, one needs two tools. The steps, the
answer and its citations are printed as `manole ask` prints them; the model is loaded once.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from manole import Agent, Library, Settings
from manole.cli.render import Screen
from manole.models.load import ChatLoader
from manole.models.weights.cache import Weights

QUESTIONS = (
    "How many PDF files do I have?",
    "What does error code E07 of the boiler mean?",
    "Which is my newest invoice, and what is its total?",
)


async def main(folder: Path) -> None:
    """Ask each question and show the turn."""
    settings = Settings.load()
    console = Console()
    loader = ChatLoader(settings, Weights(settings.weights_dir))
    async with await Library.open(folder, settings) as library:
        agent = Agent(library, loader, settings)
        for question in QUESTIONS:
            console.print()
            console.print(Text(f"› {question}", style="bold"))
            screen = Screen(console, library.resolve, links=console.is_terminal)
            async for event in agent.ask(question):
                screen.show(event)
    await loader.close()
    console.print(Text("\nNow your own files, in the terminal or in a browser:", style="dim"))
    console.print(Text("  .venv/bin/manole chat ~/Documents\n  .venv/bin/manole serve --open"))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
