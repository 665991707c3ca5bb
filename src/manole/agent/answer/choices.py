"""What may be meant, where several files answer a question, each of its own.

A hundred annual reports have a row "Net receivables", every lease names its rent. Where the
deciding sentence stands in several files with other figures, and the question has no word that only
one of them has, any answer would be one of many. So it is where the model answers with a figure of
one file, and the sentence that the reader finds likeliest, or that weighs most, gives another of
the same kind in another file: two readings, which differ; or where sentences of two files surely
answer with two figures. All are shown, each with its file, the likelier first; a click, or the same
question with that file as its scope, decides.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from manole.agent.answer.confidence import CLEAR, POSSIBLE
from manole.agent.answer.contradictions import (
    figure_of,
    in_full,
    is_of_another_year,
    same_figures,
)
from manole.agent.answer.evidence import MARKED
from manole.agent.answer.extracts import ExtractiveAnswer, Extracts, ranked
from manole.agent.answer.injection_filter import is_quotable
from manole.agent.answer.ranking import context_stems
from manole.agent.answer.selection import POOL, Look
from manole.agent.answer.units import Unit, units_of
from manole.agent.answer.wording import worded
from manole.agent.events import Choice, ChoicesEvent
from manole.agent.languages import ENGLISH, Words
from manole.text.figures import numbers as figures_in
from manole.text.question import Question
from manole.text.words import has_digit, stems
from manole.tools.base import TurnState
from manole.tools.objects import FoundPassage

ALIKE = 0.8  # Jaccard index of two sentences' words from which they say the same, set by hand
MOST = 8  # files that are named: as many as fit a screen

Held = tuple[FoundPassage, Unit]


async def several(state: TurnState, question: Question, extracts: Extracts) -> Choices | None:
    """Return the files that may be meant, where the question fits several equally."""
    return await asyncio.to_thread(choices, question, extracts.look, ranked(state)[:POOL])


def rivals(
    question: Question, answer: str, cited: Sequence[int], extracts: Extracts
) -> Choices | None:
    """Return a best sentence and that of an answer, where they give two figures of one kind.

    `cited` are the answer's own `[n]`.
    """
    look, given = extracts.look, figure_of(answer, question)
    says = [at for at, u in enumerate(look.units) if u.says and is_quotable(u.text)]
    if given is None or not says:
        return None

    def place(at: int) -> Held:
        return look.passages[look.units[at].passage], look.units[at]

    own = [
        at
        for at in says
        if extracts.numbers[place(at)[0].id] in cited
        and any(same_figures(look.units[at].text, given))
    ]
    if not own:
        return None
    passage, unit = place(max(own, key=look.scores.__getitem__))
    known = _known(passage, unit) & question.stems
    for reading in (look.chances, look.scores) if known else ():
        best, other = place(max(says, key=reading.__getitem__))
        same = same_figures(other.text, given)
        apart = passage.file != best.file and passage.file not in best.also
        if apart and same and not any(same) and known == _known(best, other) & question.stems:
            return Choices([(best, other), (passage, unit)], given[0])
    return None


def others(question: Question, answer: ExtractiveAnswer, look: Look) -> Choices | None:
    """Return the first sentence of an answer with those of other files that answer otherwise.

    They are among its others, or are likely, and about as likely as the likeliest; and no word of
    the question tells one from another.
    """
    (own, first), *told = answer.holders()
    given = figure_of(first.text, question)
    if given is None:
        return None
    held: dict[str, Held] = {own.file: (own, first)}
    known = _known(own, first) & question.stems
    for passage, unit in (*told, *_likely(look)):
        differs = (same := same_figures(unit.text, given)) and not any(same)
        alike = _known(passage, unit) & question.stems == known
        meant = passage.file not in own.also and not is_of_another_year(question, passage)
        if differs and alike and meant:
            held.setdefault(passage.file, (passage, unit))
    return Choices([*held.values()][:MOST], given[0]) if len(held) > 1 else None


def _likely(look: Look) -> Iterator[Held]:
    """Yield the sentences that likely answer, the likeliest first."""
    least = max(CLEAR, MARKED * float(look.chances.max()))
    for at in np.argsort(-look.chances, kind="stable").tolist():
        unit = look.units[at]
        if look.chances[at] >= least and unit.says and is_quotable(unit.text):
            yield look.passages[unit.passage], unit


def is_disputed(look: Look) -> bool:
    """Return whether the likeliest sentence and the weightiest stand in two files."""
    tops = {int(reading.argmax()) for reading in (look.chances, look.scores) if len(reading)}
    return len({look.passages[look.units[at].passage].file for at in tops}) > 1


@dataclass(frozen=True, slots=True)
class Choices:
    """The files that may be meant, as passages with their deciding sentences.

    `kind` is that of the figures in which they differ, if it is known.
    """

    held: Sequence[Held]
    kind: str = ""

    def holders(self) -> Iterator[Held]:
        """Yield each passage with its sentence."""
        return iter(self.held)

    def answer(self, numbers: dict[str, int], words: Words = ENGLISH) -> str:
        """Return what each file says, a line each."""
        lines = [words.choices.format(count=len(self.held))]
        for passage, unit in self.held:
            n = numbers[passage.id]
            figure = next((t for kind, t in in_full(unit.text) if kind == self.kind), "")
            said = f"**{figure}**, {passage.file}" if figure else passage.file
            lines.append(f"- {said}: “{worded(passage, unit)}” [{n}]")
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


def choices(question: Question, look: Look, found: Sequence[FoundPassage]) -> Choices | None:
    """Return the files among those `found` (best first) that say the same with other figures."""
    if not len(look.scores):
        return None
    top = int(look.scores.argmax())
    if len(look.chances) and look.chances[top] < POSSIBLE:
        return None
    best = look.units[top]
    passage = look.passages[best.passage]
    there = f"{passage.file} {passage.date or ''} {passage.text}"
    if not figures_in(best.text) or not question.numbers <= figures_in(there):
        return None
    asked = question.stems
    known, frame = _known(passage, best) & asked, _frame(best)
    held: dict[str, Held] = {passage.file: (passage, best)}
    for other in found:
        if other.file in held or other.file in passage.also or is_of_another_year(question, other):
            continue
        for unit in units_of(0, other, question):
            alike = _frame(unit)
            same = len(frame & alike) >= ALIKE * len(frame | alike)
            differs = figures_in(unit.text) != figures_in(best.text)
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
