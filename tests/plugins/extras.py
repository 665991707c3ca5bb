"""The extras of the program, as pyproject.toml lists them."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

_MODULES = {"leann-core": "leann", "pyzmq": "zmq"}  # not named as their packages


def modules() -> dict[str, list[str]]:
    """The modules of each extra's packages, by the name of the extra."""
    file = Path(__file__).parents[2] / "pyproject.toml"
    extras = tomllib.loads(file.read_text("utf-8"))["project"]["optional-dependencies"]
    return {extra: [_module(wanted) for wanted in needed] for extra, needed in extras.items()}


def _module(wanted: str) -> str:
    name = Requirement(wanted).name
    return _MODULES.get(name, name.replace("-", "_"))
