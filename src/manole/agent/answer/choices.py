"""Choices: where several documents fit a question equally well, the person is asked to choose.

A hundred annual reports have a row "Net receivables", every lease names its rent. Where the
deciding sentence stands in several files with other figures, and the question has no word that only
one of them has, any answer would be one of many. All are shown, each with its file; a click, or the
same question with that file as its scope, decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from manole.agent.answer.selection import Look, Unit, context_stems, units_of
from manole.agent.events import Choice, ChoicesEvent
from manole.agent.languages import ENGLISH, Words
from manole.text.figures import numbers as figures_of
from manole.text.words import has_digit, stems
from manole.tools.objects import FoundPassage

ALIKE = 0.8  # Jaccard index of two sentences' words from which they say the same, set by hand
MOST = 8  # files that are named: as many as fit a screen

Held = tuple[FoundPassage, Unit]


@dataclass(frozen=True, slots=True)
class Choices:
    """The files that may be meant, as passages with their deciding sentences."""

    held: Sequence[Held]

    def holders(self) -> Iterator[Held]:
        """Yield each passage with its sentence."""
        return iter(self.held)

    def answer(self, numbers: dict[str, int], words: Words = ENGLISH) -> str:
        """Return what each file says, a line each."""
        lines = [words.choices.format(count=len(self.held))]
        for passage, unit in self.held:
            n = numbers[passage.id]
            lines.append(f"- {passage.file}: “{' '.join(unit.text.split())}” [{n}]")
        return "\n".join(lines)

    def event(self, numbers: dict[str, int], words: Words = ENGLISH) -> ChoicesEvent:
        """Return the event that offers the choices."""
        return ChoicesEvent(
            message=words.which,
            choices=[
                Choice(
                    n=numbers[passage.id],
                    file=passage.file,
                    page=passage.page,
                    title=passage.title or "",
                    quote=unit.text,
                )
                for passage, unit in self.held
            ],
        )


def choices(question: str, look: Look, found: Sequence[FoundPassage]) -> Choices | None:
    """Return the files among those `found` (best first) that say the same with other figures."""
    if not len(look.scores):
        return None
    best = look.units[int(look.scores.argmax())]
    passage = look.passages[best.passage]
    if not figures_of(best.text):
        return None
    asked = stems(question)
    known, frame = _known(passage, best) & asked, _frame(best)
    held: dict[str, Held] = {passage.file: (passage, best)}
    for other in found:
        if other.file in held or other.file in passage.also:
            continue
        for unit in units_of(0, other, question):
            alike = _frame(unit)
            same = len(frame & alike) >= ALIKE * len(frame | alike)
            differs = figures_of(unit.text) != figures_of(best.text)
            if same and differs and _known(other, unit) & asked == known:
                held[other.file] = (other, unit)
                break
    return Choices([*held.values()][:MOST]) if len(held) > 1 else None


def _frame(unit: Unit) -> frozenset[str]:
    """Return the stems of a sentence without its figures."""
    return frozenset(word for word in stems(unit.text) if not has_digit(word))


def _known(passage: FoundPassage, unit: Unit) -> frozenset[str]:
    """Return the stems by which a question may name a passage: text, headings, file name."""
    return context_stems(passage) | stems(unit.text) | stems(passage.text)
