"""Prompts are data: one text file each, read once. Their placeholders are `$name`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template


@cache
def raw(name: str) -> str:
    """A file of this folder as it is, such as worked examples."""
    return (files(__name__) / name).read_text("utf-8")


@cache
def prompt(name: str) -> Template:
    """The prompt `name` (a file `name.txt` of this folder)."""
    return Template(raw(f"{name}.txt").strip())
