"""Two things compared in the files' own words: what is said of each, side by side.

What is to be compared is said alike ("six months' notice", "one month's notice") in two places. So
of the sentences found those two are taken that weigh most, resemble each other, and have between
them the most of the question's rare words, as "boathouse" is in one of them and "trailer" in the
other. That tells the sides from one another; nothing has to recognize them in the
question. Further rows are sentences of the same two files that resemble each other, those that
differ first. Where it is asked by how much, both have amounts, and code subtracts them.

Of 11 comparisons by strangers over five folders eight had the right two sentences, and four the
whole answer; a model of 1.5 billion weights, asked for a sentence of each side and then for an
answer, had two.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from manole.agent.answer.confidence import NEAR
from manole.agent.answer.evidence import MARKED
from manole.agent.answer.injection_filter import is_quotable
from manole.agent.answer.ranking import Scores, Senses, context_stems, held_stems, rare_stems
from manole.agent.answer.selection import Look, held
from manole.agent.answer.units import Unit
from manole.agent.answer.wording import worded
from manole.agent.languages import ENGLISH, Words, words_of
from manole.catalog.relations import MONEY
from manole.text.amounts import Amount, find_amounts
from manole.text.figures import numbers as figures_of
from manole.text.question import Question
from manole.text.words import fold, stem, stems, words
from manole.tools.objects import FoundPassage

_HEAVY = 40  # sentences that may be paired, of some hundred
_ALIKE, _NAMED = 0.5, 0.5  # weights of likeness and of named words beside a sentence's own, by hand
_SAME_FILE = 0.1  # taken off two sentences of one file: rows of a table, seldom sides
_ROWS = 3  # of the table: more are seldom about what is compared
_ALL = 7  # rows where two files are compared in all
_LABEL = re.compile(r"\|?\s*([^\W\d_][^\n|:]{1,40}?)(?:\s{2,}|\s*:\s|\s*\|)(?=.*\w)")
_PAIRED = 0.8  # cosine from which two more sentences are about one matter, by hand

Row = tuple[Unit, Unit]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The names of the two sides, and the rows of their table.

    `amounts` are two to be subtracted; `chance` is the reader's, the lower one of the first row.
    """

    names: tuple[str, str]
    rows: Sequence[Row]
    passages: Sequence[FoundPassage]
    chance: float
    amounts: tuple[Amount, Amount] | None = None

    def holders(self) -> Iterator[tuple[FoundPassage, Unit]]:
        """Yield each passage with its sentences."""
        return held((unit for row in self.rows for unit in row), self.passages)

    def answer(self, numbers: dict[str, int], words: Words = ENGLISH) -> str:
        """Return the table in Markdown, each cell with the `[n]` of its passage."""
        cells = [[self._cell(unit, numbers) for unit in row] for row in self.rows]
        lines = [f"| {one} | {other} |" for one, other in (self.names, ("---", "---"), *cells)]
        told = self._difference(words)
        return "\n".join([*([told, ""] if told else []), *lines])

    def _difference(self, words: Words) -> str:
        """Return which amount is more, by how much, and both."""
        if self.amounts is None:
            return ""
        less, more = sorted(self.amounts, key=lambda amount: amount.value)
        both = f"{words.number(more.value, 2)} − {words.number(less.value, 2)}"
        apart = words.number(more.value - less.value, 2)
        told = f"{apart} {more.currency or less.currency or ''}".rstrip()
        return f"**{self.names[self.amounts.index(more)]}: +{told}** ({both})"

    def _cell(self, unit: Unit, numbers: dict[str, int]) -> str:
        passage = self.passages[unit.passage]
        return f"{worded(passage, unit).replace('|', ' ')} [{numbers[passage.id]}]"


def compared(
    question: Question, look: Look, senses: Senses, column: str | None = None
) -> Comparison | None:
    """Return what is said of each of two things, if anything likely is.

    `column`: it is asked by how much they differ in it, so both sides have figures; of money their
    amounts count.
    """
    order = np.argsort(-look.scores, kind="stable").tolist()
    known = [at for at in order if look.units[at].says and is_quotable(look.units[at].text)]
    figures = _figures({at: look.units[at].text for at in known}, column)
    known = [at for at in known if figures.get(at, not column)][:_HEAVY]
    sides = [pair for pair in combinations(range(len(known)), 2)
             if not column or figures[known[pair[0]]] != figures[known[pair[1]]]]  # fmt: skip
    if not sides:
        return None
    vectors = senses.embed([look.units[at].text for at in known])
    near = {(a, b): float(vectors[a] @ vectors[b]) for a, b in sides}
    own, scores = held_stems(question, look.passages, look.units), look.scores[known]
    held_by, rare = [own[at] for at in known], rare_stems(question, own)
    files = [look.passages[look.units[at].passage].file for at in known]

    def weight(pair: tuple[int, int]) -> float:
        one, other = pair
        named = sum(rare[s] for s in rare.keys() & (held_by[one] | held_by[other]))
        apart = _SAME_FILE if files[one] == files[other] else 0.0
        return float(scores[[*pair]].sum()) + _ALIKE * near[pair] + _NAMED * named - apart

    best = max(sides, key=weight)
    best = min(best, best[::-1], key=lambda pair: _place(question, *(held_by[at] for at in pair)))
    chances = look.chances[[known[at] for at in best]]
    if chances.max() < NEAR:
        return None
    chosen = [best] if column else [best, *_further(best, near, files, scores)]
    rows = [(look.units[known[a]], look.units[known[b]]) for a, b in chosen]
    if len({look.passages[unit.passage].file for unit in rows[0]}) > 1:
        rows = _with_labelled(rows, _wanted(question, rows[0], look), look)
    return Comparison(
        names=_names(question, [held_by[at] for at in best], rows[0], look),
        rows=[rows[0], *sorted(rows[1:], key=_same)],
        passages=look.passages,
        chance=float(chances.min()),
        amounts=_amounts(rows[0]) if column else None,
    )


def _figures(texts: Mapping[int, str], column: str | None) -> dict[int, Collection[object]]:
    """Return the amounts of sentences, or else their figures, where a column is measured."""
    amounts = {at: [a.value for a in find_amounts(text)] for at, text in texts.items()}
    if column in MONEY and any(amounts.values()):
        return dict(amounts)
    return {at: figures_of(text) for at, text in texts.items()} if column else {}


def _place(question: Question, known: frozenset[str], other: frozenset[str]) -> int:
    """Return where the question first names a side by a word that the other one has not."""
    own = known - other
    return next((at for at, w in enumerate(question.words) if stem(w) in own), len(question.words))


def _further(
    best: tuple[int, int],
    near: Mapping[tuple[int, int], float],
    files: Sequence[str],
    scores: Scores,
) -> Iterator[tuple[int, int]]:
    """Yield more pairs of the same two files, each the first file's first."""
    one, other = best
    if files[one] == files[other]:
        return
    least, used = MARKED * (scores[one] + scores[other]), {one, other}
    sides = {files[one], files[other]}
    apart = [p for p, like in near.items() if like >= _PAIRED and {files[at] for at in p} == sides]
    for pair in sorted(apart, key=lambda pair: -scores[[*pair]].sum()):
        heavy = scores[[*pair]].sum() >= least
        if heavy and len(used) < 2 * _ROWS and not used.intersection(pair):
            used.update(pair)
            yield pair if files[pair[0]] == files[one] else pair[::-1]


def _wanted(question: Question, row: Row, look: Look) -> frozenset[str]:
    """Return the stems of what is asked of two files, whose titles tell them from others."""
    above = (context_stems(look.passages[unit.passage]) for unit in row)
    return question.stems.difference(*above)


def _with_labelled(rows: list[Row], wanted: frozenset[str], look: Look) -> list[Row]:
    """Return rows with those whose label is wanted; with all, where nothing that is said is."""
    if wanted & stems(f"{rows[0][0].text} {rows[0][1].text}"):
        return rows
    labelled = [row for row in _labelled(rows[0], look) if row not in rows]
    named = [row for row in labelled if wanted & stems(row[0].text)]
    return named or [*rows, *labelled][:_ALL]


def _labelled(row: Row, look: Look) -> Iterator[Row]:
    """Yield the lines of two files that begin with the same label and go on otherwise."""
    files = [look.passages[unit.passage].file for unit in row]
    sides: tuple[dict[str, Unit], dict[str, Unit]] = ({}, {})
    for unit in look.units:
        file = look.passages[unit.passage].file
        if file in files and (begun := _LABEL.match(unit.text)) and is_quotable(unit.text):
            sides[files.index(file)].setdefault(fold(begun[1].strip()), unit)
    for label, unit in sides[0].items():
        if label in sides[1] and not _same(pair := (unit, sides[1][label])):
            yield pair


def _same(row: Row) -> bool:
    """Return whether both sides of a row say the same."""
    one, other = row
    return stems(one.text) == stems(other.text) and figures_of(one.text) == figures_of(other.text)


def _amounts(row: Row) -> tuple[Amount, Amount] | None:
    """Return the one amount of each side in which they differ; `None` where it is not one."""
    one, other = (find_amounts(unit.text) for unit in row)
    apart = [pair for pair in zip(one, other, strict=False) if pair[0].value != pair[1].value]
    alike = len(one) == len(other) and len(apart) == 1
    same = alike and len({amount.currency for amount in apart[0] if amount.currency}) < 2
    return apart[0] if same else None


def _names(
    question: Question, known: Sequence[frozenset[str]], row: Row, look: Look
) -> tuple[str, str]:
    """Return the names of the sides: from the question, else their heading, title or file."""
    asked = list(dict.fromkeys(words(question.text.replace("-", " "))))
    own = [[w for w in asked if stem(w) in known[at] - known[1 - at]] for at in (0, 1)]
    if all(own):
        return " ".join(own[0]), " ".join(own[1])
    first = [look.passages[unit.passage] for unit in row]
    for name in (_heading, _title, lambda passage: passage.file):
        one, other = (name(passage).replace("|", " ") for passage in first)
        if one != other:
            return one, other
    called = words_of(question.language)
    return called.one, called.other


def _heading(passage: FoundPassage) -> str:
    return str(next((h for h in reversed(passage.headings) if h), "")) or _title(passage)


def _title(passage: FoundPassage) -> str:
    return str(passage.title or passage.file)
