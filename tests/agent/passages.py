"""Passages as a search finds them, for tests that need nothing but their text."""

from __future__ import annotations

from manole.tools.objects import FoundPassage


def passage(text: str = "", file: str = "a.md", line: int = 1, **more) -> FoundPassage:
    """A passage that fits wholly; `more` are further fields."""
    known = {"page": None, "line_end": line + text.count("\n"), "score": 1.0, "boxes": ()}
    id = f"passage:{file}:{line}"
    return FoundPassage(**{"id": id, "file": file, "line": line, "text": text, **known, **more})
