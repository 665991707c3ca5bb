"""Extracts as the model reads them and citations show them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from manole.agent.answer.injection_filter import is_marked, puts_words
from manole.documents.formats import DELIMITED_EXTENSIONS
from manole.text.figures import Known, figures, numbers
from manole.text.words import stems

_MARKER = re.compile(r"\s*\[(?:\d+(?:,\s*)?)+\]")
_TOGETHER = 3  # consecutive lines in a quotation: an address, or a label above its value


def unmarked(text: str) -> str:
    """Return a text without the `[n]` of its sources."""
    return _MARKER.sub("", text)


@dataclass(frozen=True, slots=True)
class Evidence:
    """An extract that the model reads as `[n]`, and its place.

    `line`, `line_end` and `score` are those of its best unit, not of the passage; a score of 1 is a
    perfect match in every signal. `units` are the sentences and lines of the extract, each with its
    first and last line. `day` is that of a dated entry.
    """

    n: int
    file: str
    page: int | None
    line: int
    line_end: int
    label: str
    text: str
    score: float
    units: tuple[tuple[str, int, int], ...] = ()
    day: date | None = None

    def quote(self, answer: str) -> tuple[str, int, int]:
        """Return the sentence or few lines with the figures of `answer`, and its lines.

        Among several, the one that shares most words with the answer. Hidden text comes after
        visible text, and dictation comes last.
        """
        answer = unmarked(answer)
        said, told = stems(answer), numbers(answer)
        whole = (self.text, self.line, self.line_end)

        def shares(unit: tuple[str, int, int]) -> tuple[bool, int, bool, int, int]:
            text = unit[0]
            known = len(said & stems(text))
            return (
                not puts_words(text),
                len(told & numbers(text)),
                not is_marked(text),
                -text.count("\n"),
                known,
            )

        return max(self._runs(), key=shares, default=whole)

    def _runs(self) -> Iterator[tuple[str, int, int]]:
        """Yield each unit, and up to `_TOGETHER` of them on consecutive lines."""
        for at, (text, first, last) in enumerate(self.units):
            yield text, first, last
            for more, start, end in self.units[at + 1 : at + _TOGETHER]:
                if start != last + 1 or is_marked(text) or is_marked(more):
                    break
                text, last = f"{text}\n{more}", end
                yield text, first, last

    @property
    def plain(self) -> str:
        """The text without hidden and dictating sentences, unless there is nothing else."""
        text = self.text
        for unit, _, _ in self.units:
            if puts_words(unit) or is_marked(unit):
                text = text.replace(unit, "")
        return text.strip(" \n…") or self.text

    def tell(self, known: Known) -> None:
        """Add the figures that an answer may take from here to `known`: none that is dictated."""
        known.add(self.label)
        dictated = [text for text, _, _ in self.units if puts_words(text)]
        plain = self.text
        for text in dictated:
            plain = plain.replace(text, "")
        known.add(plain)
        if dictated:
            known.add("\n".join(text for text, _, _ in self.units if text not in dictated))
        if self.file.rsplit(".", 1)[-1].lower() in DELIMITED_EXTENSIONS:
            # `0098,55017` are two cells; the first is the end of an identifier, no figure.
            for figure in figures(plain.replace(",", " , ")):
                if not figure.text.startswith("0"):
                    known.take(figure)
