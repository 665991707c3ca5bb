"""Answers whether, and where, files speak of something, from every line that was read of them.

A line counts where all words stand near each other, in any form. Where there is none, the passage
nearest in meaning is quoted, and told is which files could not be read, or not all of them. Lines
of a table of contents come last.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from itertools import groupby

from manole.agent.answer.ranking import likeness
from manole.agent.answer.units import units_of
from manole.agent.answer.wording import worded
from manole.agent.languages import Words, words_of
from manole.agent.plan.understand import understood
from manole.agent.telling import Told
from manole.agent.whole.telling import QUOTE, WholeInputs, more, name_of, uncited
from manole.catalog.grep import Grepped, LineHit, grep
from manole.catalog.near_words import NearWords
from manole.documents.model import UNREAD, Status
from manole.errors import ManoleError
from manole.index.search.duplicates import Find
from manole.index.search.scope import Scope
from manole.index.store.records import FileRecord
from manole.tools.base import Action, Result, TurnState
from manole.tools.objects import FoundPassage

_SHOWN, _NAMED = 8, 3  # places and files that are named; set by hand
_LONG, _BEFORE = 320, 60  # characters of sentences that are quoted whole, and before a place
_LIKE, _READ = 0.25, 10  # cosine from which a sentence may be about it; passages that are compared
_CONTENTS = re.compile(r"(?:\.{3,}|…|\s{2,}|\(#[^)]*\))\s*\d*\s*$")


class TellMentions(Action[WholeInputs]):
    """The action that says where files speak of something."""

    name = "mentions"
    inputs = WholeInputs

    async def __call__(self, state: TurnState, inputs: WholeInputs) -> AsyncIterator[Result]:
        """Yield the places, or that there is none."""
        words, told = words_of(state.question.language), Told("whole")
        scope = replace(state.scope, paths=(inputs.place,)) if inputs.place else state.scope
        files = await replace(state, scope=scope).files()
        found = await _looked(state, inputs.words, scope)
        unread = [file for file in files if file.status is not Status.INDEXED or _pages(file)]
        several = len(files) > 1
        if found.total:
            held = f", {words.many(len(found.counts), 'file')}" if len(found.counts) > 1 else ""
            said = words.many(found.total, "place") + held
            asked = (await understood(state)).parsed
            whether = asked.tool == self.name or asked.labels["op"] == "exists"
            told.lines.append(f"{words.yes.format(found=said) if whether else said}:")
            told.lines += await _places(state, told, found.lines, several=several)
            left = found.total - min(_SHOWN, len(found.lines))
            told.lines += more(left, words.more.format(count=words.number(left)))
        elif found.read:
            where = words.many(found.searched, "file") if several else name_of(files[0].path)
            told.lines.append(words.none_of.format(
                lines=words.many(found.read, "line"), place=where,
                words=words.joined(f"“{uncited(word)}”" for word in inputs.words),
            ))  # fmt: skip
            for word in inputs.words if len(inputs.words) > 1 else ():
                alone = await _looked(state, (word,), scope)
                count = words.many(alone.total, "place")
                told.lines += [f"“{uncited(word)}”: {count}"] if alone.total else []
                told.lines += await _places(state, told, alone.lines[:1], several=several)
            told.lines += await _nearest(state, scope, inputs, told)
        if unread and not found.total:
            told.lines.append(words.not_read.format(names=_names(unread, words)))
        if told.lines:
            yield told.result("high" if found.total else "medium")


async def _places(
    state: TurnState, told: Told, hits: Sequence[LineHit], *, several: bool
) -> list[str]:
    """Return the first places, those of one file below its name where there are several."""
    ordered = sorted(hits, key=lambda hit: bool(_CONTENTS.search(hit.text)))[:_SHOWN]
    lines = []
    for file, own in groupby(sorted(ordered, key=lambda hit: hit.file), lambda hit: hit.file):
        lines += [f"**{uncited(file)}**"] if several else []
        passages = [FoundPassage.of(Find(p, 0.0)) for p in await state.library.passages(file)]
        for hit in own:
            quote = hit.text.strip("…")
            mark = told.mark(hit.file, hit.page, hit.line, quote.split("\n")[0])
            lines.append(f"- “{_quoted(state, passages, hit)}” {mark}")
    return lines


def _quoted(state: TurnState, passages: Sequence[FoundPassage], hit: LineHit) -> str:
    """Return the sentences in which a place stands, or of long ones what is around it."""
    for n, passage in enumerate(passages):
        if passage.page == hit.page and passage.line <= hit.line <= passage.line_end:
            for unit in units_of(n, passage, state.question):
                said = worded(passage, unit)
                if unit.line <= hit.line and hit.line_end <= unit.line_end and len(said) <= _LONG:
                    return uncited(said, _LONG)
    at = hit.marks[0][0] if len(hit.text) > QUOTE and hit.marks else 0
    cut = hit.text.rfind(" ", 0, max(0, at - _BEFORE)) + 1
    return "… " * (cut > 0) + uncited(hit.text[cut:].strip("|#>*•-… \t"))


async def _looked(state: TurnState, words: Sequence[str], scope: Scope) -> Grepped:
    return await grep(state.library, await NearWords.read(state.library, words), scope)


async def _nearest(
    state: TurnState, scope: Scope, inputs: WholeInputs, told: Told
) -> Sequence[str]:
    """Return the line with the sentence nearest in meaning, none where none is near."""
    asked = " ".join(inputs.words)
    try:
        embedder = await asyncio.to_thread(lambda: state.library.embedder)
        hits = await state.library.search(asked, _READ, scope.filters())
    except ManoleError:
        return ()
    passages = [FoundPassage.of(hit) for hit in hits]
    units = [u for n, p in enumerate(passages) for u in units_of(n, p, state.question) if u.says]
    texts = [worded(passages[unit.passage], unit) for unit in units]
    near = await asyncio.to_thread(likeness, asked, [*texts, asked], embedder)
    best = int(near[:-1].argmax()) if units else -1
    if not units or near[best] < _LIKE:
        return ()
    unit, passage = units[best], passages[units[best].passage]
    mark = told.mark(passage.file, passage.page, unit.line, unit.text)
    closest = words_of(state.question.language).closest
    return [closest.format(quote=uncited(texts[best]), n=mark.strip("[]"))]


def _pages(file: FileRecord) -> str:
    return file.metadata.get(UNREAD, "")


def _names(files: Sequence[FileRecord], words: Words) -> str:
    """Return which files were not read, or which of their pages; of many their number."""
    if len(files) > _NAMED:
        return words.many(len(files), "file")
    pages = words.column("pages")
    return ", ".join(
        f"{uncited(file.path)} ({pages} {_pages(file)})" if _pages(file) else uncited(file.path)
        for file in files
    )
