"""What is asked of all of a file or a folder, and what an answer says of it."""

from __future__ import annotations

from collections.abc import Sequence

from manole.agent import telling
from manole.tools.base import Inputs
from manole.tools.objects import shorten

QUOTE = 200  # characters of a text that a line shows


class WholeInputs(Inputs):
    """A file or folder, the whole library without one, and the words that are looked for."""

    place: str = ""
    words: tuple[str, ...] = ()


def uncited(text: str, most: int = QUOTE) -> str:
    """Return text of a document on one line, without what would be read as a citation."""
    return telling.uncited(shorten(text, most))


def name_of(path: str) -> str:
    """Return the name of a file or folder, as an answer says it."""
    return uncited(path.rpartition("/")[2])


def more(left: int, said: str) -> Sequence[str]:
    """Return the line that says how many are left out, none where none are."""
    return [f"… {said}"] if left > 0 else []
