"""What the doctor says: one finding for each thing looked at, and what to do about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Level(StrEnum):
    """How bad it is. A warning is something that works, or that the next sync does."""

    GOOD = "good"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Fix:
    """A remedy that loses nothing. `run` says what it did; fixes of one name are done once."""

    name: str
    run: Callable[[], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. `topic` groups findings; `where` is a file, a folder or a setting.

    `remedy` is what a person can do, a command where there is one; `fix` what `doctor --fix` does.
    """

    level: Level
    topic: str
    text: str
    where: str = ""
    remedy: str = ""
    fix: Fix | None = field(default=None, compare=False)

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "level": self.level.value,
            "topic": self.topic,
            "text": self.text,
            "where": self.where,
            "remedy": self.remedy,
            "fixable": self.fix is not None,
        }


def good(topic: str, text: str, where: object = "") -> Finding:
    """Nothing is wrong here."""
    return Finding(Level.GOOD, topic, text, str(where))


def warning(
    topic: str, text: str, where: object = "", remedy: str = "", fix: Fix | None = None
) -> Finding:
    """It works, but something should be done."""
    return Finding(Level.WARNING, topic, text, str(where), remedy, fix)


def problem(
    topic: str, text: str, where: object = "", remedy: str = "", fix: Fix | None = None
) -> Finding:
    """It does not work, or not rightly."""
    return Finding(Level.PROBLEM, topic, text, str(where), remedy, fix)


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """The worst first, otherwise as they were found."""
    rank = (Level.PROBLEM, Level.WARNING, Level.GOOD)
    return sorted(findings, key=lambda finding: rank.index(finding.level))
