"""Prompts are data: one text file each, read once. Their placeholders are `$name`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template


@cache
def prompt(name: str) -> Template:
    """The prompt `name` (a file `name.txt` of this folder)."""
    return Template((files(__name__) / f"{name}.txt").read_text("utf-8").strip())
