"""The findings of the doctor, one for each thing checked, each with its remedy."""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

Tell = Callable[[str], None]  # takes the name of the next check


class Level(StrEnum):
    """The severity of a finding. A warning works as it is, or the next sync mends it."""

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
    """The result of one check. `topic` groups findings; `where` is a file, folder or setting.

    `remedy` is advice, if possible a command; `doctor --fix` runs `fix`.
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


def is_locked(place: Path, *, unreadable: bool = False) -> bool:
    """Return whether a process holds the lock file `place`; `unreadable` if it cannot be opened."""
    if not place.exists():
        return False
    from filelock import FileLock, Timeout  # 10 ms, which `manole --help` need not wait for

    lock = FileLock(place)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    except OSError:
        return unreadable
    lock.release()
    return False


REPAIR = command("manole", "doctor", "--fix")
