"""What is told alike of another: "and for juniors?", after what an adult pays.

Such a follow-up exchanges what the question before is about and asks the same of it, so its answer
is worded like the one before: the premium of another policy, the bill of another year. The sentence
that was told before is found again, by the question and the answer before. Those beside it weigh
more, and so do those of passages that have the words of the follow-up itself, by any of their
names, the more the more they are like it.

The three weights are from a grid on 418 follow-ups of `training/sentences`: the sentence that
answers comes first in 270, in 243 without them; in 98 and 89 of the 153 over documents that the
reader was not taught with. A follow-up that asks something else ("and until when?") is not read so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from manole.agent.answer.confidence import CLEAR
from manole.agent.answer.injection_filter import is_quotable
from manole.agent.answer.ranking import Scores, Senses, context_stems, rare_shares
from manole.agent.answer.selection import POOL, Look, look
from manole.agent.answer.units import Unit
from manole.text.figures import numbers
from manole.text.lexicon import whole_names
from manole.text.question import Question
from manole.text.words import stems
from manole.tools.base import TurnState
from manole.tools.objects import FoundPassage
from manole.tools.search import search_question

_BESIDE, _NAMED, _ALIKE = 0.2, 0.2, 0.4  # weights of the same passage, own words, and likeness
_FIGURES, _WORDS = 1.0, 0.5  # of the answer before, which tell its sentence: set by hand
_SAME = 0.85  # likeness from which a sentence that weighs most answers clearly, set by hand
_FOUND, _LONGEST = 8, 300  # passages with sentences alike; characters that are searched for


@dataclass(frozen=True, slots=True)
class Told:
    """The sentence that was told before, with its passage, and the passages with others like it.

    `figures` are those of all answers before: what has no others was told, too. The question is
    `whole` if it says by itself what is asked; `named` are the names of each word that it adds.
    """

    sentence: str
    passage: FoundPassage
    others: tuple[FoundPassage, ...]
    figures: frozenset[str]
    whole: bool
    named: Sequence[Sequence[frozenset[str]]]

    def weighed(self, seen: Look, senses: Senses) -> Look:
        """Return the same look with what is alike weighing more; what was told does not."""
        if not seen.units or (self.whole and self._stands(seen)):
            return seen
        near = self._likeness([unit.text for unit in seen.units], senses)
        beside = [seen.passages[unit.passage].id == self.passage.id for unit in seen.units]
        own = [self._share(passage) for passage in seen.passages]
        named = np.array([own[unit.passage] for unit in seen.units])
        scores = seen.scores + _BESIDE * np.array(beside) + named * (_NAMED + _ALIKE * near**2)
        chances, first = seen.chances.copy(), int(np.argmax(scores))
        if near[first] >= _SAME:
            chances[first] = max(chances[first], CLEAR)
        return replace(seen, scores=np.asarray(scores, np.float32), chances=chances)

    def _share(self, passage: FoundPassage) -> float:
        """Return the share of the words that the question adds that a passage has."""
        there = stems(passage.text) | context_stems(passage)
        held = [any(name <= there for name in names) for names in self.named]
        return sum(held) / len(held) if held else 0.0

    def _stands(self, seen: Look) -> bool:
        """Return whether the same sentence answers anew: of a row, another column is asked."""
        return seen.units[int(np.argmax(seen.scores))].text == self.sentence

    def first(self, seen: Look, senses: Senses) -> Unit | None:
        """Return the weightiest unit of a look, if it is worded like what was told before."""
        if not seen.units:
            return None
        unit = seen.units[int(np.argmax(seen.scores))]
        anew = self.whole and self._stands(seen)
        alike = anew or self._likeness([unit.text], senses)[0] >= _SAME
        return unit if alike and is_quotable(unit.text) else None

    def _likeness(self, texts: Sequence[str], senses: Senses) -> Scores:
        """Return how like each text is to the sentence; 0 for what was told before."""
        near = np.clip(senses.embed(texts) @ senses.embed([self.sentence])[0], 0, 1)
        near[np.array([self._was_told(text) for text in texts])] = 0
        return np.asarray(near, np.float32)

    def _was_told(self, text: str) -> bool:
        own = numbers(text)
        return text == self.sentence or bool(own and own <= self.figures)


async def told_before(state: TurnState, senses: Senses) -> Told | None:
    """Return what was told before, where the question asks the same of another."""
    answers = [message.content for message in state.history if message.role == "assistant"]
    if state.question.exchanged is None or not answers:
        return None
    before = state.question.exchanged.iso_dated
    passages = await _found(state, before, POOL)
    seen = look(before, passages, senses)
    if not seen.units:
        return None
    said = answers[-1].partition("\n\n")[0]  # what is told first is likeliest
    figures, wanted = numbers(said), stems(said) - before.stems
    held = [numbers(unit.text) for unit in seen.units]
    shares = [len(figures & own) / len(figures) if figures else 0.0 for own in held]
    words = rare_shares(dict.fromkeys(wanted, 1.0), [stems(unit.text) for unit in seen.units])
    best = int(np.argmax(seen.scores + _FIGURES * np.array(shares) + _WORDS * np.array(words)))
    unit = seen.units[best]
    others = await _found(state, before.saying(unit.text[:_LONGEST]), _FOUND)
    passage = seen.passages[unit.passage]
    told = frozenset().union(*(numbers(answer.partition("\n\n")[0]) for answer in answers))
    whole, question = state.question.instead_of is not None, state.question
    added = [word for word in question.content_words if not stems(word) <= before.stems]
    named = [[*map(stems, (word, *whole_names(word, question.language)))] for word in added]
    return Told(unit.text, passage, (passage, *others), told, whole, named)


async def _found(state: TurnState, question: Question, most: int) -> list[FoundPassage]:
    within, also = state.scope.filters(), question.synonyms
    hits, _ = await search_question(state, question, most, within, anchor=False, also=also)
    return [FoundPassage.of(hit) for hit in hits]
