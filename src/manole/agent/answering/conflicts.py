"""Where sources contradict each other, both are shown and nothing is averaged.

A contract says that the rent is 980 euros, a later letter says 1,025. The model answers with one
of them. Code then looks for a sentence of another file that speaks of what the question asks, as
fully as the cited one does, and gives another figure of the same kind; it is quoted below the
answer. The kinds are amounts of money, percentages, days, times, and counts of one unit (months).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from manole.agent.answering.evidence import Evidence
from manole.agent.figures import canonical
from manole.index.words import has_digit, stem, stems, words

ENOUGH = 0.75  # of the question's content words a sentence must hold to contradict another
_FIGURE = r"\d+(?:[.,'’]\d{3})*(?:[.,]\d+)?"
_SIGN = r"(?:€|\$|£|\b(?:eur|usd|gbp|chf)\b|\b(?:euros?|dollars?|pounds?|francs?)\b)"
_DAY = r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
_KINDS = re.compile(
    rf"(?P<day>{_DAY})|(?P<time>\d{{1,2}}:\d{{2}})"
    rf"|{_SIGN}\s?(?P<before>{_FIGURE})|(?P<money>{_FIGURE})\s?{_SIGN}"
    rf"|(?P<percent>{_FIGURE})\s?(?:%|per\s?cent\b)"
    rf"|(?P<count>{_FIGURE})[\s-](?P<unit>[^\W\d_]{{3,}})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Conflict:
    """A sentence of another file that gives another figure; `n` is its extract's number."""

    n: int
    file: str
    quote: str

    def __str__(self) -> str:
        name = self.file.rsplit("/", 1)[-1]
        return f"But {name} says: “{' '.join(self.quote.split())}” [{self.n}]"


def conflict(
    question: str, answer: str, cited: Sequence[int], evidence: Sequence[Evidence]
) -> Conflict | None:
    """The extract that contradicts `answer`, if one does. `cited` are the answer's own extracts.

    Only an answer of one figure that the question does not hold can be contradicted.
    """
    given = figures(answer) - figures(question)
    asked = stems(question)
    own = [e for e in evidence if e.n in cited]
    if len(given) != 1 or not asked or not own:
        return None
    kind, value = next(iter(given))
    files = {e.file for e in own}
    exact = {word for word in asked if has_digit(word)}  # a year that is asked for
    cover = max((_covered(asked, e.quote(answer)[0]) for e in own), default=0.0)
    for other in evidence:
        if other.file in files:
            continue
        for text in _sentences(other):
            rivals = {v for k, v in figures(text) if k == kind}
            if not rivals or value in rivals or not exact <= stems(f"{other.label} {text}"):
                continue
            if _covered(asked, text) >= max(ENOUGH, cover):
                return Conflict(other.n, other.file, text)
    return None


def figures(text: str) -> set[tuple[str, str]]:
    """The figures of a text as kind and value: `("money", "980")`, `("month", "3")`."""
    return set(_figures(text))


def _figures(text: str) -> Iterator[tuple[str, str]]:
    for match in _KINDS.finditer(text):
        found = {name: value for name, value in match.groupdict().items() if value}
        if "unit" in found:
            yield stem(words(found["unit"])[0]), canonical(found["count"])
        else:
            name, value = next(iter(found.items()))
            exact = name in ("day", "time")
            yield ("money" if name == "before" else name), value if exact else canonical(value)


def _covered(asked: frozenset[str], text: str) -> float:
    return len(asked & stems(text)) / len(asked)


def _sentences(item: Evidence) -> list[str]:
    return [text for text, _, _ in item.units] or [item.text]
