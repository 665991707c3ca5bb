"""Calls and replies of tools, free of the protocol; `server` translates them.

A reply has three parts: a text that answers by itself, the same as data, and links to the files it
is about. Characters of files that steer a terminal or are invisible are removed from all of them.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, computed_field

from manole.serve.open_library import OpenLibrary
from manole.tools.base import Inputs
from manole_mcp.uris import Place, cited

# Control characters but tab and line break, marks that turn the direction of writing, and tag
# characters, which show nothing and can carry words all the same.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool: its library, its client, and the report of its progress."""

    opened: OpenLibrary
    client: str
    report: Callable[[str], Awaitable[None]]


def place_of(one: Any) -> Place | None:
    """Return the place of what has `file`, `page` and `line`; `None` without a file."""
    return cited(one.file, one.page, one.line) if one.file else None


class Cited(BaseModel):
    """A mix-in for what has a place: its address."""

    @computed_field
    def uri(self) -> str | None:
        """The address, which can be read as a resource."""
        place = place_of(self)
        return place.uri if place else None


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of a tool."""

    text: str
    data: BaseModel
    links: tuple[Place, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool as it is offered to programs."""

    name: str
    title: str
    description: str
    inputs: type[Inputs]
    outputs: type[BaseModel]
    run: Callable[[Call, Any], Awaitable[Reply]]


def plain(value: Any) -> Any:
    """Return JSON without invisible characters, and with nothing that UTF-8 cannot write."""
    if isinstance(value, str):
        text = value.replace("\r\n", "\n").replace("\r", "\n")
        return _UNSEEN.sub("", text).encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value
