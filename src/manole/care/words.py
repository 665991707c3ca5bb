"""Command lines as the doctor prints them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable


def command(*words: object, roots: Iterable[str] = ()) -> str:
    """A command to copy into a shell, between backquotes."""
    return f"`{shlex.join([*map(str, words), *roots])}`"


REPAIR = command("manole", "doctor", "--fix")
