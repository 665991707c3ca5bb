"""Counts with their nouns: `1 file`, `2 files`, `1,204 entries`."""

from __future__ import annotations

import re


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, which is given as it is for one: `entry`, `PDF file`."""
    return f"1 {noun}" if count == 1 else f"{count:,} {plural(noun)}"


def plural(noun: str) -> str:
    """Return the plural of an English noun."""
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}{'es' if re.search(r'(s|x|ch|sh)$', noun) else 's'}"
