"""What one tool tells by itself: lines of an answer, each with its place as `[n]`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from manole.tools.base import Confidence, Result
from manole.tools.objects import FoundRow


@dataclass(slots=True)
class Told:
    """The lines of an answer, and the places that they cite; `sort` begins the ids of these."""

    sort: str
    lines: list[str] = field(default_factory=list)
    rows: list[FoundRow] = field(default_factory=list)

    def mark(
        self, file: str, page: int | None, line: int | None, quote: str, value: str | None = None
    ) -> str:
        """Return `[n]` for a place; `value` is what it tells, if not the quotation."""
        n = len(self.rows) + 1
        self.rows.append(FoundRow(
            id=f"{self.sort}:{file}:{page}:{line}:{n}", n=n, file=file, page=page, line=line,
            quote=quote, value=quote if value is None else value, columns={},
        ))  # fmt: skip
        return f"[{n}]"

    def result(
        self,
        confidence: Confidence = "high",
        name: str = "places",
        metadata: Mapping[str, Any] | None = None,
    ) -> Result:
        """Return it as the answer to the question."""
        return Result(
            objects=self.rows, metadata=dict(metadata or {}), name=name, payload_type="rows",
            llm_message=unfilled("\n".join(self.lines)), answers=True, confidence=confidence,
        )  # fmt: skip


def unfilled(text: str) -> str:
    """Return text of documents without braces, which would be filled in."""
    return text.replace("{", "(").replace("}", ")")


def uncited(text: str) -> str:
    """Return text of a document without what would be read as a citation."""
    return re.sub(r"\[(\d+)\]", r"(\1)", text)
