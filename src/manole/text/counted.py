"""Counts with their nouns: `1 file`, `2 files`, `1,204 entries`."""

from __future__ import annotations

import re


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, which is given as it is for one: `entry`, `PDF file`."""
    if count == 1:
        return f"1 {noun}"
    if re.search(r"[^aeiou]y$", noun):
        return f"{count:,} {noun[:-1]}ies"
    return f"{count:,} {noun}{'es' if re.search(r'(s|x|ch|sh)$', noun) else 's'}"
