"""The part of a library that a question is about: folders and files, and a period.

Sent and kept as text, a scope has one path a line and the period last (`2024-01-01..2024-12-31`);
one of the two days may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from manole.documents.opened import lies_in
from manole.documents.scan import readable
from manole.errors import UsageError
from manole.index.store.records import Filters

MOST = 100  # places of one scope; set by hand
_DAY = r"\d{4}-\d\d-\d\d"
_PERIOD = re.compile(rf"(?=.*\d)({_DAY})?\.\.({_DAY})?")


@dataclass(frozen=True, slots=True)
class Scope:
    """A part of a library: files and folders (`paths`), and the days from `start` to `end`.

    Without paths it is the whole library, without days any time. Both days are inclusive.
    """

    paths: tuple[str, ...] = ()
    start: date | None = None
    end: date | None = None

    @classmethod
    def parse(cls, text: str | None) -> Scope:
        """Read a scope from its text.

        Raises `UsageError` for impossible days, for a place outside, or for too many places.
        """
        *lines, last = (text or "").split("\n")
        period = _PERIOD.fullmatch(last.strip())
        days = period.groups() if period else (None, None)
        if not period:
            lines.append(last)
        paths = [line.removeprefix("./").strip("/") for line in lines]
        if len(paths) > MOST:
            raise UsageError(
                f"{len(paths)} places are more than can be asked at once ({MOST}).",
                "Choose a folder that holds them.",
            )
        try:
            start, end = (date.fromisoformat(day) if day else None for day in days)
        except ValueError:
            raise UsageError(f"There are no such days: {last}.", "Write YYYY-MM-DD.") from None
        if outside := next((path for path in paths if ".." in path.split("/")), None):
            raise UsageError(f"{outside} lies outside this library.", "Name a place inside.")
        whole = any(path in {"", "."} for path in paths)
        return cls(() if whole else tuple(dict.fromkeys(map(readable, paths))), start, end)

    @classmethod
    def text(
        cls, paths: str | Iterable[str] | None, start: date | None, end: date | None
    ) -> str | None:
        """Return the text of a scope; `None` if it leaves nothing out. Raises `UsageError`."""
        given = [_plain(path) for path in ([paths] if isinstance(paths, str) else paths or ())]
        if start and end and end < start:
            raise UsageError(f"{end} is before {start}.", "Exchange the two days.")
        if start or end:
            given.append(f"{start or ''}..{end or ''}")
        return str(cls.parse("\n".join(given))) or None

    def __str__(self) -> str:
        period = [f"{self.start or ''}..{self.end or ''}"] if self.dated else []
        return "\n".join([*map(_plain, self.paths), *period])

    def __bool__(self) -> bool:
        return bool(self.paths) or self.dated

    @property
    def dated(self) -> bool:
        """Whether it is limited to some days."""
        return bool(self.start or self.end)

    @property
    def one(self) -> str | None:
        """Its file or folder, if it is just one, at any time."""
        return self.paths[0] if len(self.paths) == 1 and not self.dated else None

    @property
    def words(self) -> str:
        """The scope as a sentence names it: "in letters, from 2024-01-01"."""
        days = [f"from {self.start}"] * bool(self.start) + [f"to {self.end}"] * bool(self.end)
        places = [f"in {', '.join(self.paths)}"] * bool(self.paths)
        return ", ".join([*places, " ".join(days)] if days else places)

    def filters(
        self,
        *,
        paths: Sequence[str] = (),
        extensions: tuple[str, ...] = (),
        start: date | None = None,
        end: date | None = None,
    ) -> Filters:
        """Return the filters of a search within this scope, with further restrictions."""
        return Filters(
            within=self.paths,
            paths=tuple(paths),
            extensions=extensions,
            date_from=max(filter(None, (self.start, start)), default=None),
            date_to=min(filter(None, (self.end, end)), default=None),
        )

    def holds(self, path: str, day: date | None = None) -> bool:
        """Return whether a file, or something of that day in it, is in the scope."""
        if day and ((self.start and day < self.start) or (self.end and day > self.end)):
            return False
        return is_within(path, self.paths)


WHOLE = Scope()


def _plain(path: str) -> str:
    """Return a path in a form that cannot be read as a period."""
    return f"{path}/" if _PERIOD.fullmatch(path.strip()) else path


def is_within(path: str, places: Sequence[str]) -> bool:
    """Return whether a file is at or below one of these places; true without places."""
    return not places or any(lies_in(path, place) for place in places)
