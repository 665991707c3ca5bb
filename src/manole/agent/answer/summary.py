"""Extractive summaries: the most representative sentences of a text, verbatim and in order.

A file, a part of it, a folder or a period is read sentence by sentence. The sentences are chosen
that represent most others: greedily, the next one is the one that brings the whole text nearest to
the chosen ones (facility location; Lin and Bilmes, "A Class of Submodular Functions for Document
Summarization", ACL 2011). So no sentence is repeated in other words, and no part of the text is
left out. No model is asked: one of 1.5 billion weights that says the same in its own words says
some of it wrong.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

import numpy as np

from manole.agent.answer.ranking import context, context_stems
from manole.agent.answer.selection import Look, held
from manole.agent.answer.units import Unit, units_of
from manole.agent.answer.wording import worded
from manole.agent.languages import ENGLISH, Words
from manole.index.search.duplicates import Find
from manole.index.store.records import FileRecord
from manole.models.encode.embedder import Embed
from manole.text.figures import numbers
from manole.text.question import Question
from manole.text.sentences import ends
from manole.text.words import stems
from manole.tools.base import TurnState
from manole.tools.objects import FoundPassage

SHOWN = 8  # sentences that are shown: half a page
FILES, READ = 200, 2_000  # files and sentences that are read (of more, an even sample): seconds
_SET_APART = re.compile(r"^\s*[-*+•–>|]|: |  |\n")  # items, labels, rows: whole without a full stop
FOUND = 5  # best passages that decide which file is meant, as many as are shown
_HEADING = 6  # words that a heading has at most, set by hand
_FIGURES = 1.3  # weight of a sentence with a figure beside others, set by hand
_NEARER = 0.03  # cosine by which a heading must bring the title nearer to the question, by hand


@dataclass(frozen=True, slots=True)
class Gist:
    """The chosen sentences in order, with their passages.

    `files` were read, and `read` of their `whole` number of sentences.
    """

    look: Look
    files: int
    read: int
    whole: int

    def holders(self) -> Iterator[tuple[FoundPassage, Unit]]:
        """Yield each passage with its sentences."""
        return held(self.look.units, self.look.passages)

    def answer(self, numbers: dict[str, int], words: Words = ENGLISH) -> str:
        """Return the sentences, each with its `[n]`, by file where there are several."""
        lines: list[str] = []
        for file, units in groupby(self.look.units, key=self._file):
            lines += [f"**{file}**"] if self.files > 1 else []
            said = ((self.look.passages[unit.passage], unit) for unit in units)
            lines += [f"- {worded(p, unit)} [{numbers[p.id]}]" for p, unit in said]
        if self.read < self.whole:
            read, whole = words.number(self.read), words.number(self.whole)
            lines.append(words.chosen.format(read=read, whole=whole))
        return "\n".join(lines)

    def _file(self, unit: Unit) -> str:
        return self.look.passages[unit.passage].file


async def summary(
    state: TurnState, question: Question, found: Sequence[FoundPassage]
) -> Gist | None:
    """Return the sentences that best represent what is to be summarized; `found` are best first."""
    files, passages = await material(state, question, found)
    return await asyncio.to_thread(gist, question, files, passages, state.library.embedder.embed)


async def material(
    state: TurnState, question: Question, found: Sequence[FoundPassage]
) -> tuple[list[FileRecord], list[FoundPassage]]:
    """Return the files to summarize, and their passages in order.

    They are those of the period or the folder that the question names, unless most of what was
    found is in one of them; else the file whose passage was found best and has every word of the
    question (a short file has no second one to be found), else the one in which most was found.
    """
    files = await state.files()
    near = [passage.file for passage in found[:FOUND]]
    most, times = Counter(near).most_common(1)[0] if near else ("", 0)
    period, asked = question.period, question.stems
    dated = [f for f in files if period and f.date and f.date in period]
    if found and asked <= stems(found[0].text) | context_stems(found[0]):
        most, times = near[0], near.count(near[0])
    inside = [f for f in files if any(_named(part, asked) for part in f.path.split("/")[:-1])]
    several = next((some for some in (dated, inside) if len(some) > 1), [])
    if not several or (2 * times > len(near) and most in {f.path for f in several}):
        several = [f for f in files if f.path == most]
    order = {path: at for at, path in enumerate(near)}
    if len(several) > FILES:
        several = sorted(several, key=lambda f: order.get(f.path, FOUND))[:FILES]
    several = sorted(several, key=lambda f: (f.date or date.max, f.path))
    passages = [
        FoundPassage.of(Find(passage, 0.0))
        for file in several
        for passage in await state.library.passages(file)
    ]
    return several, passages


def gist(
    question: Question, files: Sequence[FileRecord], passages: Sequence[FoundPassage], embed: Embed
) -> Gist | None:
    """Summarize `passages`; of one file only the part that the question names, if any."""
    units = [u for at, p in enumerate(passages) for u in units_of(at, p, question)]
    if len(files) == 1:
        units = _part(question.text, units, passages, embed)
    units = [u for u in units if u.says and not is_head(u, passages[u.passage])]
    kept = [units[at] for at in np.linspace(0, len(units) - 1, min(len(units), READ), dtype=int)]
    if not kept:
        return None
    read = [f"{context(passages[u.passage])} {u.text}" for u in kept]
    vectors = embed([*read, question.text])
    telling = np.array([_FIGURES if numbers(u.text) else 1.0 for u in kept], vectors.dtype)
    chosen, gains = located(vectors[:-1], SHOWN, telling)
    order = np.argsort(chosen)
    look = Look(passages, [kept[chosen[at]] for at in order], gains[order])
    return Gist(look, len(files), len(kept), len(units))


def located(vectors: np.ndarray, most: int, telling: np.ndarray) -> tuple[list[int], np.ndarray]:
    """Return the rows that together are nearest to all, in order of choice, and their gains.

    What a row brings is weighed by how `telling` it is.
    """
    near = np.clip(vectors @ vectors.T, 0, 1)
    covered = np.zeros(len(near), near.dtype)
    chosen: list[int] = []
    gains: list[float] = []
    for _ in range(min(most, len(near))):
        gain = (np.maximum(near, covered).sum(axis=1) - covered.sum()) * telling
        gain[chosen] = -1
        best = int(gain.argmax())
        chosen.append(best)
        gains.append(float(gain[best]) / len(near))
        covered = np.maximum(covered, near[best])
    return chosen, np.array(gains, np.float32)


def _part(
    question: str, units: list[Unit], passages: Sequence[FoundPassage], embed: Embed
) -> list[Unit]:
    """Return the sentences below the heading that the question names, else all."""
    below: dict[str, list[Unit]] = {}
    within = -1
    heading = ""
    for unit in units:
        if unit.passage != within:
            within = unit.passage
            heading = (passages[within].headings or [""])[-1]
        first, _, rest = unit.text.partition("\n")
        if first.startswith("#"):
            heading = first.lstrip("# ")
        if rest or not first.startswith("#"):
            below.setdefault(heading, []).append(unit)
    title = passages[0].title or passages[0].file if passages else ""
    often = Counter(word for name in below for word in stems(name))  # "chapter" names no chapter
    asked = {word for word in stems(question) if often[word] == 1}
    names = [name for name in below if name != title and asked & stems(name)]
    if not names:
        return units
    vectors = embed([question, title, *(f"{title} {name}" for name in names)])
    whole, *parts = (vectors[1:] @ vectors[0]).tolist()
    best = max(range(len(parts)), key=parts.__getitem__)
    return below[names[best]] if parts[best] > whole + _NEARER else units


def is_head(unit: Unit, passage: FoundPassage) -> bool:
    """Return whether a unit is a title, a heading, a mail's head or front matter (YAML)."""
    first, *lines = passage.text.split("\n")
    fenced = passage.line == 1 and first.strip() == "---" and "---" in lines
    text, title = unit.parts[0][0], passage.title or "\n"
    titled = text.startswith(title) or text.endswith(title)  # also in the foot of a page
    whole = ends(text) or len(text.split()) > _HEADING or _SET_APART.search(unit.text)
    return titled or not whole or (fenced and unit.line <= 2 + lines.index("---"))


def _named(folder: str, asked: frozenset[str]) -> bool:
    """Return whether a question has all words of a folder's name."""
    own = stems(folder.replace("_", " ").replace("-", " "))
    return bool(own) and own <= asked
