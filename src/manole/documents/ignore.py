"""Patterns of `.gitignore`, matched as `man gitignore` describes them.

No maintained library under a permissive licence does this: `pathspec` is MPL, the others need a
program or have no wheels. A pattern becomes one regular expression over the path relative to the
folder of the ignore file; the last pattern that matches decides, `!` includes a file again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern. `regex` is matched against the whole relative path."""

    regex: re.Pattern[str]
    negated: bool
    folders_only: bool


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The rules of one ignore file. `base` is its folder, relative, "" or ending in `/`."""

    base: str
    rules: tuple[Rule, ...]

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Return whether `path` is ignored; `None` if no rule matches."""
        if not path.startswith(self.base):
            return None
        inner = path[len(self.base) :]
        for rule in reversed(self.rules):
            if (is_folder or not rule.folders_only) and rule.regex.fullmatch(inner):
                return not rule.negated
        return None


def parse(lines: Iterable[str], base: str = "") -> IgnoreFile:
    """Parse the lines of an ignore file. Broken patterns match nothing, as in git."""
    return IgnoreFile(base, tuple(filter(None, map(_rule, lines))))


def ignored(files: Sequence[IgnoreFile], path: str, is_folder: bool) -> bool:
    """Return the verdict of the innermost file that has one. `files` go from the root inwards."""
    verdicts = (file.verdict(path, is_folder) for file in reversed(files))
    return next((verdict for verdict in verdicts if verdict is not None), False)


def _rule(line: str) -> Rule | None:
    pattern = line.rstrip("\r\n")
    if pattern.startswith("#"):
        return None
    while pattern.endswith(" ") and not pattern.endswith("\\ "):
        pattern = pattern[:-1]
    negated = pattern.startswith("!")
    pattern = pattern[1:] if negated else pattern
    folders_only = pattern.endswith("/")
    pattern = pattern.rstrip("/") if folders_only else pattern
    if not pattern:
        return None
    anchored = "/" in pattern
    pattern = pattern.removeprefix("/")
    try:
        regex = re.compile(_translate(pattern if anchored else f"**/{pattern}"), re.DOTALL)
    except re.error:
        return None
    return Rule(regex, negated, folders_only)


def _translate(pattern: str) -> str:
    """Return a regular expression that matches in time polynomial in pattern and path.

    The text between two stars is matched at its first place and never tried again (atomic groups):
    a later place could not match more. So no ignore file can stall a scan.
    """
    stretches: list[list[str]] = [[""]]  # cut at `**/`, each of these cut at `*`
    i = 0
    while i < len(pattern):
        rest = pattern[i:]
        chunks = stretches[-1]
        if rest.startswith("**/") and (i == 0 or pattern[i - 1] == "/"):
            if chunks != [""] or len(stretches) == 1:
                stretches.append([""])
            i += 3
        elif rest == "**" and i > 0 and pattern[i - 1] == "/":
            chunks[-1] += ".+"
            i += 2
        elif rest[0] == "*":
            while i < len(pattern) and pattern[i] == "*":
                i += 1
            chunks.append("")
        elif rest[0] == "?":
            chunks[-1] += "[^/]"
            i += 1
        elif rest[0] == "[":
            text, i = _class(pattern, i)
            chunks[-1] += text
        elif rest[0] == "\\" and len(rest) > 1:
            chunks[-1] += re.escape(rest[1])
            i += 2
        else:
            chunks[-1] += re.escape(rest[0])
            i += 1
    if len(stretches) == 1:
        return _starred(stretches[0])
    first, *middle, last = map(_starred, stretches)
    return first + "".join(f"(?>(?:.*?/)??{part})" for part in middle) + f"(?:.*/)?{last}"


def _starred(chunks: list[str]) -> str:
    """Return `chunks` with a star between each two."""
    if len(chunks) == 1:
        return chunks[0]
    first, *middle, last = chunks
    return first + "".join(f"(?>[^/]*?{part})" for part in middle) + f"[^/]*{last}"


def _class(pattern: str, start: int) -> tuple[str, int]:
    """Translate a bracket expression and return its end; unclosed it matches nothing."""
    i = start + 1
    negated = i < len(pattern) and pattern[i] in "!^"
    i += negated
    end = pattern.find("]", i + 1)
    if end < 0:
        return "(?!)", len(pattern)
    body = pattern[i:end].replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    body = re.sub(r"([&~|]{2})", lambda m: "\\" + "\\".join(m[1]), body)
    if body.startswith("^"):
        body = "\\" + body
    return f"(?!/)[{'^' if negated else ''}{body}]", end + 1
