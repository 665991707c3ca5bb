"""What a terminal shows while an answer is awaited: the steps, the seconds, the places found.

It is gone as soon as there is an answer. What is printed into a file or a pipe does without.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.live import Live
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

_LINES = 8  # the last ones: a terminal of few rows has room for its question beside them
_A_SECOND = 4  # how often the seconds are written anew


class Waiting:
    """The lines of a turn that runs, below them its last step with the seconds so far."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self._lines: list[Text] = []
        self._step = ""
        self._since = 0.0

    def step(self, words: str) -> None:
        """Show what is done now."""
        self._step = words
        if self._live is None and self._console.is_interactive:
            self._since = time.monotonic()
            self._live = Live(
                self, console=self._console, transient=True, refresh_per_second=_A_SECOND
            )
            self._live.start(refresh=True)

    def found(self, line: Text) -> None:
        """Show a place that was found."""
        self._lines.append(line)

    def end(self) -> None:
        """Take everything away; the next step begins anew."""
        if self._live is not None:
            self._live.stop()
        self._live, self._lines, self._step = None, [], ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines, each cut to the width of the terminal."""
        seconds = time.monotonic() - self._since
        for line in (*self._lines[-_LINES:], Text(f"  {self._step} {seconds:.0f} s", "dim")):
            line = line.copy()
            line.truncate(options.max_width, overflow="ellipsis")
            yield line
