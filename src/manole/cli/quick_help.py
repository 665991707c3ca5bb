"""Printing help without a Markdown parser.

Typer's help imports Rich's Markdown renderer, which imports a parser: 15 ms of the 170 that `manole
--help` computes for (a median of 15 runs, two cores). Typer imports it at the top of a module of
its own, so no import of ours can be put off to spare that. Our help is not written in Markdown, so
a stand-in takes the renderer's place until it is called.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

RENDERER = "rich.markdown"


class Markdown:
    """Becomes the real renderer when it is called."""

    def __new__(cls, *args: Any, **options: Any) -> Any:
        """An instance of Rich's own class."""
        sys.modules.pop(RENDERER, None)
        return importlib.import_module(RENDERER).Markdown(*args, **options)


def leave_out_markdown() -> None:
    """Let `from rich.markdown import Markdown` cost nothing, unless it is imported already."""
    stand_in = ModuleType(RENDERER, __doc__)
    stand_in.Markdown = Markdown  # type: ignore[attr-defined]
    sys.modules.setdefault(RENDERER, stand_in)
