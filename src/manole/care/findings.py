"""The findings of the doctor: one for each thing checked, with what to do about it."""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Level(StrEnum):
    """How bad a finding is. A warning is something that works, or that the next sync mends."""

    GOOD = "good"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Fix:
    """A remedy that loses nothing. `run` returns what it did; fixes of one name run once."""

    name: str
    run: Callable[[], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked. `topic` groups findings; `where` is a file, folder or setting.

    `remedy` is what a person can do, if possible a command; `fix` is what `doctor --fix` does.
    """

    level: Level
    topic: str
    text: str
    where: str = ""
    remedy: str = ""
    fix: Fix | None = field(default=None, compare=False)

    def as_json(self) -> dict[str, Any]:
        """Return the finding for programs."""
        return {
            "level": self.level.value,
            "topic": self.topic,
            "text": self.text,
            "where": self.where,
            "remedy": self.remedy,
            "fixable": self.fix is not None,
        }


def good(topic: str, text: str, where: object = "") -> Finding:
    """Return the finding that nothing is wrong."""
    return Finding(Level.GOOD, topic, text, str(where))


def warning(
    topic: str, text: str, where: object = "", remedy: str = "", fix: Fix | None = None
) -> Finding:
    """Return the finding that something works, but should be attended to."""
    return Finding(Level.WARNING, topic, text, str(where), remedy, fix)


def problem(
    topic: str, text: str, where: object = "", remedy: str = "", fix: Fix | None = None
) -> Finding:
    """Return the finding that something does not work, or not correctly."""
    return Finding(Level.PROBLEM, topic, text, str(where), remedy, fix)


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings: the worst first, otherwise as they were found."""
    rank = (Level.PROBLEM, Level.WARNING, Level.GOOD)
    return sorted(findings, key=lambda finding: rank.index(finding.level))


def command(*words: object, roots: Iterable[str] = ()) -> str:
    """Return a command line to copy into a shell, between backquotes."""
    return f"`{shlex.join([*map(str, words), *roots])}`"


REPAIR = command("manole", "doctor", "--fix")
