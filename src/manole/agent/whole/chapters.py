"""Tells a file by its chapters: its own headings, and of each the sentences that say most.

Chapters are the headings of the first level that has several. A table of contents is none: most of
its lines are names of others.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from manole.agent.answer.injection_filter import is_quotable
from manole.agent.answer.ranking import context
from manole.agent.answer.summary import gist, is_head, located
from manole.agent.answer.units import Unit, units_of
from manole.agent.answer.wording import worded
from manole.agent.languages import words_of
from manole.agent.telling import Told
from manole.agent.whole.telling import WholeInputs, more, name_of, uncited
from manole.documents.extract import Extractor
from manole.documents.split import MARKDOWN, headings_in
from manole.errors import ManoleError
from manole.index.search.duplicates import Find
from manole.index.store.records import FileRecord, PassageRecord
from manole.index.view.page_text import joined
from manole.models.encode.embedder import Embed
from manole.text.sentences import ends
from manole.tools.base import Action, Result, TurnState
from manole.tools.objects import FoundPassage

_SHOWN, _READ = 12, 60  # chapters that are shown, and units of one that are compared
_LONG, _QUOTE = 160, 320  # characters of a unit from which one is enough, and of what is shown
_CELLS = 0.7  # weight of what is no sentence, set by hand
_RUNNING = 3  # pages on which a line is a running head

Place = tuple[int, int]  # page, 0 where there are none, and line


@dataclass(slots=True)
class _Chapter:
    level: int
    name: str
    at: Place
    units: list[Unit] = field(default_factory=list)
    items: list[Unit] = field(default_factory=list)  # what is no sentence


class TellChapters(Action[WholeInputs]):
    """The action that tells a file by its chapters."""

    name = "chapters"
    inputs = WholeInputs

    async def __call__(self, state: TurnState, inputs: WholeInputs) -> AsyncIterator[Result]:
        """Yield the chapters; of a file without any, what it says as a whole."""
        (file,) = [file for file in await state.files() if file.path == inputs.place]
        records = await state.library.passages(file)
        if not records:
            return
        passages = [FoundPassage.of(Find(record, 0.0)) for record in records]
        headings = await _headings(state, file, records)
        embed = (await asyncio.to_thread(lambda: state.library.embedder)).embed
        units = [unit for at, p in enumerate(passages) for unit in units_of(at, p, state.question)]
        chapters = await asyncio.to_thread(_chapters, headings, units, passages)
        words, told = words_of(state.question.language), Told("whole")

        def line(unit: Unit) -> str:
            passage = passages[unit.passage]
            text = uncited(worded(passage, unit), _QUOTE)
            return f"{text} {told.mark(passage.file, passage.page, unit.line, unit.text)}"

        if not chapters:
            told.lines.append(words.unheaded.format(file=name_of(file.path)))
            whole = await asyncio.to_thread(gist, state.question, [file], passages, embed)
            told.lines += [f"- {line(unit)}" for unit in (whole.look.units if whole else ())]
            yield told.result("low")
            return
        told.lines.append(f"{name_of(file.path)}: {words.many(len(chapters), 'chapter')}")
        for chapter in chapters[:_SHOWN]:
            said = await asyncio.to_thread(_telling, chapter, passages, embed)
            name = uncited(chapter.name).replace("**", "")
            if said:
                told.lines.append(f"- **{name}**: {' '.join(map(line, said))}")
            else:
                page, at = chapter.at
                told.lines.append(
                    f"- **{name}** {told.mark(file.path, page or None, at or None, name)}"
                )
        left = len(chapters) - _SHOWN
        told.lines += more(left, words.more.format(count=words.number(left)))
        yield told.result()


async def _headings(
    state: TurnState, file: FileRecord, records: Sequence[PassageRecord]
) -> list[_Chapter]:
    """Return the headings of a file in order."""
    pages = joined(records)
    if file.format in MARKDOWN:
        return [
            _Chapter(level, name, (page.number or 0, page.first_line + at))
            for page in pages
            for at, level, name in headings_in(page.text)
        ]
    if file.format != "pdf":
        return []
    try:
        found = await asyncio.to_thread(state.library.found, file.path)
        with Extractor() as extractor:
            outline = await extractor.outline(found)
    except ManoleError:
        return []  # it is not there now
    lines = {
        (page.number, _bare(text)): number
        for page in reversed(pages)
        for number, text in reversed([*enumerate(page.text.split("\n"), page.first_line)])
    }
    return [_Chapter(level, name, (page, lines.get((page, _bare(name)), 0)))
            for level, name, page in outline]  # fmt: skip


def _chapters(
    headings: list[_Chapter], units: Sequence[Unit], passages: Sequence[FoundPassage]
) -> list[_Chapter]:
    """Return the chapters of the first level that has several, with their units."""
    headings.sort(key=lambda one: one.at)
    for level in sorted({one.level for one in headings}):
        above = [one for one in headings if one.level <= level]
        if sum(one.level == level for one in above) > 1:
            break
    else:
        return []
    names = {_bare(one.name) for one in headings}
    heads = _running(units, passages)
    said: dict[int, list[str]] = {}
    for unit in units:
        passage = passages[unit.passage]
        at = bisect_right(above, (passage.page or 0, unit.line), key=lambda one: one.at) - 1
        if at < 0 or _bare(unit.text) in heads:
            continue
        said.setdefault(at, []).extend(_bare(text) for text, _ in unit.parts)
        unit = replace(unit, parts=tuple(p for p in unit.parts if _bare(p[0]) not in names))
        if unit.parts and unit.says and is_quotable(unit.text):
            one = above[at]
            (one.items if is_head(unit, passage) else one.units).append(unit)
    return [
        one
        for at, one in enumerate(above)
        if one.level == level and not _lists(said.get(at, []), names - {_bare(one.name)})
    ]


def _running(units: Sequence[Unit], passages: Sequence[FoundPassage]) -> set[str]:
    """Return the texts of units that stand on several pages."""
    own = {(_bare(unit.text), passages[unit.passage].page) for unit in units}
    return {text for text, n in Counter(text for text, _ in own).items() if n >= _RUNNING}


def _lists(lines: Sequence[str], names: set[str]) -> bool:
    """Return whether most of these lines are names of other chapters."""
    said = [line for line in lines if line]
    listed = (any(n in x and 2 * len(n) >= len(x) for n in names if n) for x in said)
    return 2 * sum(listed) > len(said) > 0


def _telling(chapter: _Chapter, passages: Sequence[FoundPassage], embed: Embed) -> list[Unit]:
    """Return one or two units that stand for the others of a chapter, in order."""
    own = chapter.units or chapter.items
    units = [own[at] for at in np.linspace(0, len(own) - 1, min(len(own), _READ), dtype=int)]
    if not units:
        return []
    vectors = embed([f"{context(passages[u.passage])} {u.text}" for u in units])
    weights = np.array([1.0 if ends(u.text) else _CELLS for u in units], vectors.dtype)
    chosen, _ = located(vectors, 2, weights)
    if len(units[chosen[0]].text) >= _LONG:
        chosen = chosen[:1]
    return [units[at] for at in sorted(chosen)]


def _bare(text: str) -> str:
    """Return the letters of a line without its number, its markup and the page that it names."""
    return "".join(c for c in text.casefold() if c.isalpha())
