"""Shows turns that were kept as they were shown when they were asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from manole.agent.events import Complete, Event, Token
from manole.cli.render import Screen, clean

if TYPE_CHECKING:
    from manole.agent.conversations import Turn

SHOWN = 10  # turns shown of a talk that goes on


def replay(screen: Screen, turns: Sequence[Turn], *, brief: bool = False) -> None:
    """Print the turns; `brief`: the last of them, their answers and the names of their sources."""
    console = screen.console
    if brief and len(turns) > SHOWN:
        console.print(Text(f"{len(turns) - SHOWN} earlier questions are not shown.", style="dim"))
        turns = turns[-SHOWN:]
    for turn in turns:
        console.print()
        console.print(Text.assemble(("› ", "bold cyan"), clean(turn.question)), soft_wrap=True)
        for event in _short(turn) if brief else turn.events:
            screen.show(event)
        if turn.end is None:
            screen.stop()
            console.print(Text("This answer was not finished.", style="yellow"))
        if turn.rating:
            comment = f": {clean(turn.comment)}" if turn.comment else ""
            console.print(Text(f"Rated {turn.rating}{comment}", style="dim"), soft_wrap=True)


def _short(turn: Turn) -> Iterator[Event]:
    end = turn.end
    if end is None:
        yield from (event for event in turn.events if isinstance(event, Token))
        return
    cited = [source.model_copy(update={"quote": ""}) for source in end.sources if source.cited]
    short: Complete = end.model_copy(update={"sources": cited})
    yield short
