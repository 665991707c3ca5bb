"""Prompts as data: one text file each, read once, with placeholders such as `$name`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template


@cache
def raw(name: str, package: str = __name__) -> str:
    """Return the text of a file in this folder, or in another package."""
    return (files(package) / name).read_text("utf-8")


@cache
def prompt(name: str, package: str = __name__) -> Template:
    """Return the prompt `name` (`name.txt` in this folder, or in another package)."""
    return Template(raw(f"{name}.txt", package).strip())
