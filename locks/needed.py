"""Which installed packages Manole needs at run time, through whom, and under which licence."""

from __future__ import annotations

import importlib.metadata as metadata
import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]


def key(name: str) -> str:
    """A package's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def direct() -> list[Requirement]:
    """The dependencies that pyproject.toml names, without those of extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [Requirement(line) for line in project["dependencies"]]


def closure() -> dict[str, set[str]]:
    """Every package that this environment needs for Manole, with those that ask for it."""
    found: dict[str, set[str]] = {}
    seen: set[tuple[str, str]] = set()

    def walk(wanted: Requirement, parent: str) -> None:
        name = key(wanted.name)
        found.setdefault(name, set()).add(parent)
        for extra in ("", *wanted.extras):
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            for line in metadata.requires(name) or []:
                further = Requirement(line)
                if further.marker is None or further.marker.evaluate({"extra": extra}):
                    walk(further, name)

    for requirement in direct():
        walk(requirement, "manole")
    return found


def licence(name: str) -> str:
    """A package's licence as its metadata says it."""
    about = metadata.metadata(name)
    stated = about.get("License-Expression") or (about.get("License") or "").split("\n")[0].strip()
    if stated:
        return stated
    classes = [c for c in about.get_all("Classifier") or [] if c.startswith("License ::")]
    return classes[0].rsplit(" :: ", 1)[-1] if classes else "not stated"
