"""Prompts are data: one text file each, read once. Their placeholders are `$name`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template


@cache
def raw(name: str, package: str = __name__) -> str:
    """A file of this folder as it is, such as worked examples."""
    return (files(package) / name).read_text("utf-8")


@cache
def prompt(name: str, package: str = __name__) -> Template:
    """The prompt `name` (a file `name.txt` of this folder, or of another package)."""
    return Template(raw(f"{name}.txt", package).strip())
