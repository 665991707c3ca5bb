"""Lines of an answer, each with its place as `[n]`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from manole.tools.base import Confidence, Inputs, Result
from manole.tools.objects import FoundRow, shorten

QUOTE = 200  # characters of a text that a line shows


class WholeInputs(Inputs):
    """A file or folder, the whole library without one, and the words that are looked for."""

    place: str = ""
    words: tuple[str, ...] = ()


@dataclass(slots=True)
class Told:
    """The lines of an answer, and the places that they cite."""

    lines: list[str] = field(default_factory=list)
    rows: list[FoundRow] = field(default_factory=list)

    def mark(self, file: str, page: int | None, line: int | None, quote: str) -> str:
        """Return `[n]` for a place."""
        n = len(self.rows) + 1
        place = f"whole:{file}:{page}:{line}:{n}"
        self.rows.append(FoundRow(
            id=place, n=n, file=file, page=page, line=line, quote=quote, value=quote, columns={},
        ))  # fmt: skip
        return f"[{n}]"

    def result(self, confidence: Confidence = "high") -> Result:
        """Return it as the answer to the question."""
        text = "\n".join(self.lines).replace("{", "(").replace("}", ")")
        return Result(
            objects=self.rows, name="places", payload_type="rows", llm_message=text, answers=True,
            confidence=confidence,
        )  # fmt: skip


def uncited(text: str, most: int = QUOTE) -> str:
    """Return text of a document on one line, without what would be read as a citation."""
    return re.sub(r"\[(\d+)\]", r"(\1)", shorten(text, most))


def name_of(path: str) -> str:
    """Return the name of a file or folder, as an answer says it."""
    return uncited(path.rpartition("/")[2])


def more(left: int, said: str) -> Sequence[str]:
    """Return the line that says how many are left out, none where none are."""
    return [f"… {said}"] if left > 0 else []
