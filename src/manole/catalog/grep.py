"""Every line of a library with a word, a phrase or a pattern, as its index has the texts.

All lines are looked at, so that the number of hits is that of all; few are kept. An expression is
tried in a process of its own, and what took too long there is told (`text/matching_apart.py`).
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any, Protocol

from manole.catalog.near_words import NearWords
from manole.catalog.texts import texts_of
from manole.documents.fields.model import TextLine
from manole.errors import UsageError
from manole.index.search.scope import WHOLE, Scope
from manole.index.store.records import FileRecord
from manole.index.view.quotes import marks_within
from manole.library import Library
from manole.text.line_matching import LinePattern, Match, Span
from manole.text.matching_apart import SECONDS

MOST = 1000  # characters of a pattern; set by hand
LIMIT = 50  # lines, unless more are asked for
# Set by hand: characters of a line that are shown, some of them before the first mark; seconds for
# all files with an expression; what one file may take beyond its time; bytes of a reply.
_SHOWN, _BEFORE = 400, 80
_SECONDS, _GRACE = 10.0, 3.0
_REPLY = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class LineHit:
    """A line with the pattern, or two where it goes on over the line's end (`line_end`).

    `text` is at most some hundred characters around the first mark; `marks` are places in it.
    """

    file: str
    page: int | None
    line: int
    line_end: int
    text: str
    marks: tuple[Span, ...]


@dataclass(slots=True)
class Grepped:
    """What was found: the lines from `offset` on, and the number of all in each file.

    `searched` files have text, and `read` lines in those looked at; `stopped` are those in which an
    expression took too long, and `left` how many were not looked at because all took too long.
    """

    offset: int
    lines: list[LineHit] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    searched: int = 0
    read: int = 0
    stopped: list[str] = field(default_factory=list)
    left: int = 0

    @property
    def total(self) -> int:
        """The number of all lines found."""
        return sum(self.counts.values())

    @property
    def next_offset(self) -> int | None:
        """Where to go on; `None` at the end."""
        end = self.offset + len(self.lines)
        return end if self.lines and end < self.total else None

    def add(self, file: str, lines: Sequence[TextLine], found: Sequence[Match], most: int) -> None:
        """Count what was found in a file, and keep what is asked for."""
        before = self.total
        if found:
            self.counts[file] = len(found)
        wanted = range(max(0, self.offset - before), max(0, self.offset + most - before))
        for match in found[wanted.start : wanted.stop]:
            self.lines.append(_hit(file, lines[match.at], match))


def _hit(file: str, line: TextLine, match: Match) -> LineHit:
    start = max(0, match.spans[0][0] - _BEFORE) if len(match.text) > _SHOWN else 0
    end = min(len(match.text), start + _SHOWN)
    before, after = "…" * (start > 0), "…" * (end < len(match.text))
    marks = marks_within(match.spans, start, end)
    return LineHit(
        file=file,
        page=line.page,
        line=line.line,
        line_end=line.line + match.text.count("\n"),
        text=f"{before}{match.text[start:end]}{after}",
        marks=tuple((a + len(before), b + len(before)) for a, b in marks),
    )


async def grep(
    library: Library,
    pattern: LinePattern | NearWords,
    scope: Scope = WHOLE,
    *,
    limit: int = LIMIT,
    offset: int = 0,
) -> Grepped:
    """Return the lines with a pattern, in the order of the files' paths.

    Raises `UsageError` for a pattern that is none.
    """
    if isinstance(pattern, LinePattern):
        _check(pattern)
    files = [f for f in await library.files() if scope.holds(f.path, f.date or f.modified.date())]
    found = Grepped(offset, searched=sum(file.passages > 0 for file in files))
    end = time.monotonic() + _SECONDS
    looked = 0
    async with _matcher(pattern) as matcher, aclosing(_texts(library, files)) as texts:  # type: ignore[type-var]  # a generator
        async for file, lines in texts:
            if isinstance(matcher, _Apart) and time.monotonic() > end:
                found.left = found.searched - looked
                break
            matches, whole = await matcher.of(lines)
            found.add(file.path, lines, matches, limit)
            found.read += sum(bool(line.text.strip()) for line in lines)
            found.stopped += [] if whole else [file.path]
            looked += 1
    return found


def _check(pattern: LinePattern) -> None:
    if not pattern.text.strip():
        raise UsageError("The pattern is empty.", "Give a word, a phrase or an expression.")
    if len(pattern.text) > MOST:
        raise UsageError(f"The pattern is longer than {MOST} characters.", "Shorten it.")
    if not pattern.regex and not pattern.plain(pattern.text).strip():
        raise UsageError("The pattern has no letters.", "Give a word, a phrase or an expression.")


async def _texts(
    library: Library, files: Sequence[FileRecord]
) -> AsyncIterator[tuple[FileRecord, list[TextLine]]]:
    async with aclosing(texts_of(library, files)) as parts:  # type: ignore[type-var]  # a generator
        async for part in parts:
            for item in part:
                yield item


class _Matcher(Protocol):
    """What finds a pattern in the lines of a file."""

    async def of(self, lines: Sequence[TextLine]) -> tuple[list[Match], bool]:
        """Return the matches, and whether all lines were looked at."""


@asynccontextmanager
async def _matcher(pattern: LinePattern | NearWords) -> AsyncIterator[_Matcher]:
    if isinstance(pattern, NearWords):
        yield pattern
        return
    if not pattern.regex:
        yield _Here(pattern)
        return
    matcher = _Apart(pattern)
    try:
        await matcher.start()
        yield matcher
    finally:
        await matcher.close()


@dataclass(frozen=True, slots=True)
class _Here:
    """Literal patterns, whose time grows with the text and nothing else."""

    pattern: LinePattern

    async def of(self, lines: Sequence[TextLine]) -> tuple[list[Match], bool]:
        texts, joints = _request(lines)
        return await asyncio.to_thread(lambda: list(self.pattern.matches(texts, joints))), True


class _Apart:
    """Expressions, in a child that is stopped where it takes too long."""

    def __init__(self, pattern: LinePattern) -> None:
        self._pattern = pattern
        self._child: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Begin the child. Raises `UsageError` for an expression that is none."""
        self._child = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "manole.text.matching_apart",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL, limit=_REPLY,
        )  # fmt: skip
        reply = await self._ask(asdict(self._pattern), _SECONDS)
        if reply is None or "error" in reply:
            why = (reply or {}).get("error", "it takes too long to read")
            raise UsageError(
                f"{self._pattern.text} is no regular expression: {why}.",
                "Without -e it is looked for as it stands.",
            )

    async def of(self, lines: Sequence[TextLine]) -> tuple[list[Match], bool]:
        """Return the matches, and whether all lines were looked at in time."""
        reply = await self._ask(_request(lines), SECONDS + _GRACE)
        if reply is None:
            await self.close()
            await self.start()
            return [], False
        matches = [Match(at, text, [(a, b) for a, b in s]) for at, text, s in reply["found"]]
        return matches, "stopped" not in reply

    async def _ask(self, request: Any, seconds: float) -> dict[str, Any] | None:
        """Return the child's reply; `None` where it has none in time."""
        child = self._child
        assert child and child.stdin and child.stdout
        try:
            async with asyncio.timeout(seconds):
                child.stdin.write(json.dumps(request).encode() + b"\n")
                await child.stdin.drain()
                reply: dict[str, Any] = json.loads(await child.stdout.readline())
                return reply
        except (TimeoutError, ValueError, OSError):
            return None

    async def close(self) -> None:
        """End the child."""
        if self._child is not None and self._child.returncode is None:
            self._child.kill()
            await self._child.wait()


def _request(lines: Sequence[TextLine]) -> tuple[list[str], list[bool]]:
    """Return the texts of lines, and whether the next one follows each directly."""
    follows = [
        line.page == after.page and after.line == line.line + 1 for line, after in pairwise(lines)
    ]
    return [line.text for line in lines], [*follows, False] if lines else []
