"""Tells what a folder holds: every file on a line, below the name of its folder, newest first.

A line says the title or the first words, of a paper from whom it is and its sum, and the day. Of
many files some of each folder are named, and how many are left out.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import date
from itertools import zip_longest

from manole.agent.dossier.model import Item
from manole.agent.dossier.reading import rows
from manole.agent.dossier.said import line
from manole.agent.languages import Words, words_of
from manole.agent.plan.open_catalog import filled
from manole.agent.telling import Told
from manole.agent.whole.telling import WholeInputs, more, uncited
from manole.catalog.kinds import kind_of
from manole.catalog.sheets import is_sheet
from manole.documents.opened import SEPARATOR
from manole.index.search.scope import Scope
from manole.index.store.records import FileRecord
from manole.text.names import person
from manole.text.periods import Period
from manole.text.words import all_stems, stems_apart
from manole.tools.base import Action, Result, TurnState

_SHOWN, _TITLE = 30, 100  # files that are named, and characters of what one is


class TellFolder(Action[WholeInputs]):
    """The action that says what a folder holds."""

    name = "overview"
    inputs = WholeInputs

    async def __call__(self, state: TurnState, inputs: WholeInputs) -> AsyncIterator[Result]:
        """Yield the files."""
        scope = replace(state.scope, paths=(inputs.place,)) if inputs.place else state.scope
        files = [f for f in await replace(state, scope=scope).files() if SEPARATOR not in f.path]
        words, told, cut = words_of(state.question.language), Told("whole"), len(inputs.place) + 1
        groups: dict[str, list[FileRecord]] = {}
        for file in files:
            inner = file.path[cut:] if inputs.place else file.path
            groups.setdefault(inner.split("/")[0] if "/" in inner else "", []).append(file)
        for own in groups.values():
            own.sort(key=lambda file: (file.date or date.min, file.path), reverse=True)
        turns = (file for each in zip_longest(*groups.values()) for file in each if file)
        shown = {file.path for file, _ in zip(turns, range(_SHOWN), strict=False)}
        papers = await _papers(replace(state, scope=Scope(tuple(sorted(shown)))))
        days = sorted(file.date for file in files if file.date)
        when = f", {words.dated(Period('', days[0], days[-1]))}" if days else ""
        told.lines.append(f"{words.many(len(files), 'file')}{when}:")
        for name, own in sorted(groups.items()):
            named = [file for file in own if file.path in shown]
            if named and len(groups) > 1:
                title = uncited(name or inputs.place or state.library.name)
                told.lines.append(f"**{title}** ({words.number(len(own))})")
            for file in named:
                item = papers.get(file.path)
                said = await _said(state, file, item, words)
                place = (item.page, item.line, item.quote) if item else (None, None, "")
                mark = told.mark(file.path, *place)
                inner = file.path[cut:] if inputs.place else file.path
                told.lines.append(f"- {uncited(inner.removeprefix(f'{name}/'))}: {said} {mark}")
        left = len(files) - len(shown)
        told.lines += more(left, words.more.format(count=words.number(left)))
        yield told.result()


async def _papers(state: TurnState) -> Mapping[str, Item]:
    """Return what the papers and the messages among the files are."""
    catalog = await filled(state, {"papers"})
    owner = catalog.owner()
    found: dict[str, Item] = {}
    for row in rows(catalog, "SELECT * FROM messages"):
        who = person(row["sender"] or "")
        found[row["path"]] = Item(text=row["subject"] or "", file="", who=who)
    for row in rows(catalog, "SELECT * FROM papers WHERE type IS NOT NULL"):
        if is_sheet(row["path"]):
            continue
        sent = bool(owner and row["recipient"] and owner.is_named(row["issuer"] or ""))
        found[row["path"]] = Item(
            text="", file="", page=row["page"], line=row["line"], quote=row["quote"] or "",
            kind=row["type"], who=row["recipient" if sent else "issuer"] or "", sent=sent,
            amount=row["total"] if row["type"] != "contract" else None,
            currency=row["currency"] or "", status=row["status"] or "",
        )  # fmt: skip
    return found


async def _said(state: TurnState, file: FileRecord, item: Item | None, words: Words) -> str:
    """Return what a file is, on one line: a paper, a message, its title or its first words."""
    title = file.title or (item.text if item else "")
    paper = item is not None and bool(item.kind)
    if not paper and file.passages and len(title.split()) < 2:  # "Scan"
        text = (await state.library.passages(file))[0].text
        first = (line.strip("#|*>-• \t") for line in text.split("\n"))
        title = next((line for line in first if len(line) > 2), title)
    if paper and all_stems(title) <= stems_apart(file.path):
        title = ""
    if not title and not paper:
        kind = kind_of(file.extension.lstrip("."))
        title = words.nouns.get(kind, (kind, ""))[0]
    told = replace(item or Item("", ""), text=uncited(title, _TITLE))
    day = f" ({words.written(file.date)})" if file.date else ""
    return uncited(line(told, "papers" if paper else "messages", words)) + day
