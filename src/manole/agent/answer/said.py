"""The sentence itself: what a file says in so many words is not said again by a model.

Where a sentence is sure, and also weighs most by all that is known of it, two readings agree: it is
the answer, in the file's own words, at once. Of ninety such questions over documents by others it
was the right one in seventy-two; a model of 1.5 billion weights makes something else of every
third. A paragraph is read once more, sentence by sentence, so that only
those are said that answer; a row is said with the names of its columns, an entry with its day.
Where the next item of a list answers as well, it is the list that is asked for.

Figures and codes are not left to the reader, which takes "what changed in version 0.9" for a
question about any version: all those of the question stand in the passage or above it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from manole.agent.answer.confidence import CLEAR, POSSIBLE
from manole.agent.answer.extracts import Extracts
from manole.agent.answer.injection_filter import is_quotable
from manole.agent.answer.ranking import context
from manole.agent.answer.selection import Look, look
from manole.agent.answer.units import Unit
from manole.agent.answer.wording import day_before, worded
from manole.agent.languages import ENGLISH, Words
from manole.text.figures import numbers
from manole.text.question import Question
from manole.text.sentences import ends
from manole.tools.objects import FoundPassage

TOLD = frozenset({"lookup", "explain"})  # kinds of answers that one sentence may give
SURE = 0.7  # the chance from which a sentence is believed: of 90 above it 72 were right
_NEARLY = 0.75  # share of the best sentence's chance from which another of its unit is said, too


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence that answers, with the reader's `chance` that it does.

    It is one of `several` where the one beside it answers as well.
    """

    passage: FoundPassage
    unit: Unit
    chance: float
    several: bool

    def holders(self) -> Iterator[tuple[FoundPassage, Unit]]:
        """Yield the passage with the sentence."""
        yield self.passage, self.unit

    def answer(self, numbers: dict[str, int], words: Words = ENGLISH) -> str:
        """Return the sentence with its `[n]`."""
        said = day_before(self.passage, words) + worded(self.passage, self.unit)
        return f"{said} [{numbers[self.passage.id]}]"


@dataclass(frozen=True, slots=True)
class Together:
    """The sentences that answer the parts of a question, in the order of the parts."""

    parts: Sequence[Said]

    @property
    def chance(self) -> float:
        """The lowest chance of a part."""
        return min(part.chance for part in self.parts)

    def holders(self) -> Iterator[tuple[FoundPassage, Unit]]:
        """Yield each passage with its sentences."""
        by_id = {part.passage.id: part.passage for part in self.parts}
        for id, passage in by_id.items():
            units = dict.fromkeys(part.unit for part in self.parts if part.passage.id == id)
            yield passage, Unit(0, tuple(piece for unit in units for piece in unit.parts))

    def answer(self, numbers: dict[str, int], words: Words = ENGLISH) -> str:
        """Return the sentences, each a paragraph."""
        return "\n\n".join(dict.fromkeys(part.answer(numbers, words) for part in self.parts))


def together(question: Question, extracts: Extracts) -> Together | None:
    """Return what answers each part of a question that asks several things about one.

    What fits the whole question is preferred for each part. All parts are possibly answered, and
    one of them clearly.
    """
    found: list[Said] = []
    for part in question.parts:
        weighed = look(part, extracts.pool.passages, extracts.senses)
        scores = weighed.scores + extracts.pool.scores
        says = [at for at, u in enumerate(weighed.units) if u.says and is_quotable(u.text)]
        best = max(says, key=scores.__getitem__, default=None)
        if best is None or weighed.chances[best] < POSSIBLE:
            return None
        unit, chance = weighed.units[best], float(weighed.chances[best])
        passage = weighed.passages[unit.passage]
        found.append(Said(passage, answering(part, passage, unit, extracts), chance, False))
    clear = max(part.chance for part in found) >= CLEAR
    return Together(found) if clear and len(found) > 1 else None


def said(question: Question, extracts: Extracts) -> Said | None:
    """Return the sentence that surely answers, if there is one."""
    shown = extracts.look.beginning(question.codes) or extracts.look
    best = _surest(shown)
    if best is None:
        return None
    unit = shown.units[best]
    passage = shown.passages[unit.passage]
    if not fits(passage, question):
        return None
    return Said(
        passage=passage,
        unit=answering(question.whole, passage, unit, extracts),
        chance=float(shown.chances[best]),
        several=_is_one_of_several(shown, best),
    )


def fits(passage: FoundPassage, question: Question) -> bool:
    """Return whether a passage, with what stands above it, has the question's figures."""
    known = f"{context(passage)} {passage.file} {passage.date or ''} {passage.text}"
    return question.numbers <= numbers(known)


def _surest(look: Look) -> int | None:
    """Return the sentence in which both readings agree and of which the reader is sure."""
    says = [at for at, u in enumerate(look.units) if u.says and is_quotable(u.text)]
    best = max(says, key=look.scores.__getitem__, default=0)
    least = max([SURE, *(look.chances[at] for at in says)])
    return best if says and look.chances[best] >= least else None


def _is_one_of_several(look: Look, best: int) -> bool:
    """Return whether the unit before or behind it answers as well."""
    passage = look.units[best].passage
    beside = (at for at in (best - 1, best + 1) if 0 <= at < len(look.units))
    return any(
        look.units[at].passage == passage and look.units[at].says and look.chances[at] >= CLEAR
        for at in beside
    )


def answering(question: Question, passage: FoundPassage, unit: Unit, extracts: Extracts) -> Unit:
    """Return the sentences of a unit that answer, below the line that names a form."""
    sentences = unit.sentences
    chances = extracts.read(question, passage, [text for text, _, _ in sentences])
    least = _NEARLY * max(chances)
    kept = [one for one, chance in zip(sentences, chances, strict=True) if chance >= least]
    if kept[0] != sentences[0] and not ends(sentences[0][0]):
        kept.insert(0, sentences[0])
    lines = (
        (line, at) for text, first, _ in kept for at, line in enumerate(text.split("\n"), first)
    )
    return replace(unit, parts=tuple(lines))
