"""Finds all that names somebody or something in a library, without a model.

Names stand in the columns of papers and messages, in texts, in the rows of tables and in the names
of files.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from operator import itemgetter

from manole.agent.answer.rows import is_tabular, rows_of
from manole.agent.answer.units import Unit, units_of
from manole.agent.answer.wording import worded, worded_all
from manole.agent.dossier.model import PARTS, Dossier, Item, Part, Role, Section, in_order, sums_of
from manole.agent.dossier.names import Name, fuller, near, words_of
from manole.agent.dossier.reading import CONTACTS, Read, read, rows
from manole.agent.dossier.telling import Said, telling, whole
from manole.agent.due import Due, due
from manole.agent.due.found import day_of
from manole.catalog.kinds import kind_of
from manole.catalog.sheets import is_sheet
from manole.documents.formats import RECORDS
from manole.errors import UsageError
from manole.index.search.duplicates import Find
from manole.index.store.records import FileRecord, PassageRecord
from manole.text.dates import date_of, find_dates, mentions
from manole.text.names import person
from manole.text.words import path_words
from manole.tools.base import TurnState
from manole.tools.journal import entries_in
from manole.tools.objects import FoundPassage, shorten

LIMIT, MOST = 10, 200  # items of a section
_LONG, _NAME = 240, 100  # characters of an item's text, and of a name that is looked for
_NARROW, _NEXT = 160, 3  # characters of a unit from which only sentences are told, so many at most
_OF_FILE = 3  # passages of one file, which a manual would have hundreds of
_AHEAD = 3660  # days
_ADDED = frozenset({"invoice", "bill", "receipt", "credit note"})
_CALENDAR = "ics"


async def dossier(state: TurnState, name: str, limit: int = LIMIT) -> Dossier:
    """Return what there is of a name, at most `limit` items of each section.

    It is empty where nothing names it; then `near` are names that do stand there. Raises
    `UsageError` for a name without letters.
    """
    asked = " ".join(name.split())[:_NAME]
    if not any(map(str.isalnum, asked)):
        raise UsageError("The name is empty.", "Name a person, a firm, an animal or a thing.")
    known = await read(state, asked)
    ahead = await due(known.state, _AHEAD)
    days = {(e.file, n): e.date for e in await entries_in(known.state)
            for n in range(e.line, e.line_end + 1)}  # fmt: skip
    found = await asyncio.to_thread(lambda: _Search(asked, known, ahead, days).run())
    said = [one for one in found.said if found.items]
    embed = known.state.library.embedder.embed if len(said) > 1 else None
    summary = await asyncio.to_thread(telling, said, embed)
    return await asyncio.to_thread(found.dossier, summary, limit)


Told = tuple[FoundPassage, Unit, str]  # a unit of a passage, and its text for people


class _Search:
    """What is found of one name."""

    def __init__(
        self, asked: str, read: Read, ahead: Sequence[Due], days: Mapping[tuple[str, int], date]
    ) -> None:
        self.asked, self.read, self.ahead, self.days = asked, read, ahead, days
        self.today = read.state.question.today
        self.question = replace(read.state.question, text=asked)
        self.owner = read.catalog.owner()
        self.name = Name.read(asked, read.spoken)
        self.in_cells = Name.read(asked, read.spoken, genitive=False)
        self.own = self.owner is not None and self.name.stands(self.owner.name)
        self._diary = {path for path, _ in days}
        self.items: dict[Part, list[Item]] = {part: [] for part in PARTS}
        self.said: list[Said] = []  # sentences that the summary is chosen from
        self.texts: list[str] = []  # passages that name it
        self._of_file: dict[str, list[PassageRecord]] = {}
        for file, passage in read.passages:
            self._of_file.setdefault(file.path, []).append(passage)
        self._units: dict[str, list[Told]] = {}  # by file

    def run(self) -> _Search:
        """Look through all there is."""
        if self.name.words:
            self._find_units()
            roles = {**self._papers(), **self._messages()}
            self._tasks(self._coming(roles))
            self._texts()
            self._named_files()
        return self

    def _find_units(self) -> None:
        for file, record in self.read.passages:
            if not self.name.stands(record.text) or file.format == _CALENDAR:
                continue
            self.texts.append(record.text)
            passage = FoundPassage.of(Find(record, 0.0))
            name = self.in_cells if is_tabular(passage) else self.name
            units = [unit for unit in self._every(file, passage) if name.stands(unit.text)]
            told = worded_all(passage, units)
            self._units.setdefault(file.path, []).extend(
                (passage, unit, text) for unit, text in zip(units, told, strict=True) if text
            )

    def _every(self, file: FileRecord, passage: FoundPassage) -> Iterator[Unit]:
        """Yield the contacts, the rows or the units of a passage."""
        if file.format == CONTACTS:
            yield from _cards(passage)
        elif is_tabular(passage):
            texts = passage.text.split("\n")
            lines = rows_of(passage)
            for said in dict.fromkeys(lines.values()):
                own = (at for at, row in lines.items() if row == said)
                parts = tuple((texts[at - passage.line], at) for at in own)
                yield Unit(0, parts)
        else:
            for unit in units_of(0, passage, self.question):
                rows = unit.parts if unit.text.startswith("|") else ()
                yield from (replace(unit, parts=(row,)) for row in rows) if rows else (unit,)

    def _first(self, path: str) -> Told | None:
        """Return the first words of a file that name it; those that say more than a name do."""
        own = self._units.get(path, [])
        says = next((one for one in own if one[1].says), own[0] if own else None)
        return next(filter(self._tells, own), says)

    def _tells(self, told: Told) -> bool:
        """Return whether a sentence of a unit names it."""
        return any(self.name.stands(sentence) for _, sentence in whole(*told[:2]))

    def _where(self, told: Told) -> tuple[int | None, int, str, str]:
        """Return page, line, text and quotation of a unit; of a long one where it is named."""
        passage, unit, text = told
        said = unit.sentences
        named = [n for n, (sentence, _, _) in enumerate(said) if self.name.stands(sentence)]
        if len(text) > _NARROW and named and len(said) > 1 and "|" not in unit.text:
            last = named[-1] + 1 if named[-1] - named[0] < _NEXT else named[0] + 1
            kept = said[named[0] : last]
            lines = [(t, line + n) for s, line, _ in kept for n, t in enumerate(s.split("\n"))]
            unit = replace(unit, parts=tuple(lines))
            text = ("… " if named[0] else "") + worded(passage, unit)
        return passage.page, unit.line, shorten(text, _LONG), unit.text

    def _opening(self, path: str) -> Told | None:
        """Return the first sentence of a file that names it only in its head or its path."""
        for passage in (FoundPassage.of(Find(p, 0.0)) for p in self._of_file.get(path, ())):
            for unit in () if is_tabular(passage) else units_of(0, passage, self.question):
                for sentence, _ in whole(passage, unit):
                    return passage, sentence, worded(passage, sentence)
        return None

    def _papers(self) -> dict[str, Role]:
        """Add the papers; return those that the name sent or got."""
        roles: dict[str, Role] = {}
        for row in rows(self.read.catalog, "SELECT * FROM papers"):
            path, issuer, recipient = str(row["path"]), row["issuer"] or "", row["recipient"] or ""
            role = self._role(issuer, recipient)
            first = self._first(path)
            if is_sheet(path) or (role == "names" and not first and not self.name.stands(path)):
                continue
            if role != "names":
                roles[path] = role
            page, line, quote = row["page"], row["line"], str(row["quote"] or "")
            text = ""
            if role == "names" and first:
                page, line, text, quote = self._where(first)
            money = row["type"] in _ADDED and row["total"] is not None
            sent = self._is_owner(issuer) and bool(recipient)
            self._add("papers", Item(
                text=text, file=path, day=day_of(row["date"]), page=page, line=line, quote=quote,
                kind=str(row["type"] or ""), role=role, status=str(row["status"] or ""),
                who=str(recipient if sent else issuer), sent=sent,
                amount=row["total"] if money else None,
                currency=str(row["currency"] or "") if money else "",
            ))  # fmt: skip
        return roles

    def _role(self, sender: str, recipient: str) -> Role:
        return "from" if self._is(sender) else "to" if self._is(recipient) else "names"

    def _is_owner(self, name: str) -> bool:
        return self.owner is not None and self.owner.is_named(name)

    def _is(self, name: str) -> bool:
        return bool(name) and self.name.stands(name)

    def _messages(self) -> dict[str, Role]:
        """Add the messages; return those that the name sent or got."""
        roles: dict[str, Role] = {}
        for row in rows(self.read.catalog, "SELECT * FROM messages"):
            path, sender = str(row["path"]), str(row["sender"] or "")
            role = self._role(sender, str(row["recipients"] or ""))
            subject, first = str(row["subject"] or ""), self._first(path)
            if role == "names" and not first and not self._is(subject):
                continue
            if role != "names":
                roles[path] = role
            if role == "from" or not first or (role == "to" and not self._tells(first)):
                first = self._opening(path) or first
            page, line, text, quote = self._where(first) if first else (None, 1, "", "")
            sent = self._is_owner(person(sender)) or (role == "to" and not self.own)
            who = str(row["recipients"] or "") if sent else sender
            item = Item(
                text=subject or text, file=path, day=day_of(row["date"]), role=role, page=page,
                line=line, quote=quote, sent=sent, who=", ".join(map(person, who.split(","))),
            )  # fmt: skip
            self._add("messages", item)
            if role == "from" and first:
                self.said.append(Said(item, first[0], first[1], self.name, says=True))
        return roles

    def _coming(self, roles: Mapping[str, Role]) -> set[tuple[str, int | None]]:
        """Add what is to come; return the places that it comes from."""
        papers = {item.file for item in self.items["papers"]}
        for one in self.ahead:
            own = one.file in (roles if one.said else papers)
            named = self._is(one.text) or self._is(one.quote)
            if (one.said or one.kind != "event") and (
                named or (own and (one.said or one.kind != "task"))
            ):
                self._add("coming", Item(
                    text=shorten(one.text, _LONG), file=one.file, day=one.day, page=one.page,
                    line=one.line, quote=one.quote, kind=one.kind, sure=one.sure,
                ))  # fmt: skip
        return {(item.file, item.line) for item in self.items["coming"]}

    def _tasks(self, known: set[tuple[str, int | None]]) -> None:
        """Add tasks and events that are past, or of no day."""
        for row in rows(self.read.catalog, "SELECT * FROM tasks"):
            place = str(row["path"]), row["line"]
            if self._is(f"{row['text']} {row['tag'] or ''}") and place not in known:
                due_on = day_of(row["due"]) if row["status"] == "open" else None
                self._add("coming" if due_on and due_on >= self.today else "tasks", Item(
                    text=shorten(str(row["text"]), _LONG), file=place[0], line=place[1],
                    day=day_of(row["done"]) or day_of(row["due"]), quote=str(row["text"]),
                    kind="task", status=str(row["status"]),
                ))  # fmt: skip
        for row in rows(self.read.catalog, "SELECT * FROM events WHERE path LIKE '%.ics'"):
            told = [str(row[key]) for key in ("title", "place", "people", "notes") if row[key]]
            place = str(row["path"]), row["line"]
            day = day_of(row["date"])
            if self._is(" ".join(told)) and place not in known:
                coming = day is not None and self.today <= day
                self._add("coming" if coming else "tasks", Item(
                    text=shorten(", ".join(told), _LONG), file=place[0], line=place[1], day=day,
                    quote=told[0], kind="event",
                ))  # fmt: skip

    def _texts(self) -> None:
        """Add what texts and tables say, where it is not of a paper, a message or a task."""
        told = {i.file for part in ("papers", "messages") for i in self.items[part]}
        known = {(i.file, i.line) for part in self.items.values() for i in part}
        files = {file for file, _ in known}
        for path, units in self._units.items():
            file, own, other = self.read.files[path], list[Item](), list[tuple[bool, Item]]()
            part = self._part(file)
            for passage, unit, text in units:
                page, line, shown, quote = self._where((passage, unit, text))
                item = Item(
                    text=shown, file=path, day=self._dated(part, file, unit, text), page=page,
                    line=line, quote=quote,
                )  # fmt: skip
                if part in {"diary", "passages"}:
                    self.said.append(Said(item, passage, unit, self.name))
                if path in told or (path, unit.line) in known:
                    continue
                if part != "passages":
                    self._add(part, item)
                elif self._tells((passage, unit, text)):
                    own.append(item)
                elif not self.name.stands(path) and (unit.says or path not in files):
                    other.append((not unit.says, item))
            other.sort(key=itemgetter(0))
            for item in own[:_OF_FILE] or [item for _, item in other[:1]]:
                self._add(part, item)

    def _part(self, file: FileRecord) -> Part:
        if file.format == CONTACTS:
            return "contacts"
        if is_sheet(file.path) or file.format in RECORDS:
            return "rows"
        name = file.path.rpartition("/")[2]
        dated = file.date is not None and not path_words(name)  # "2024-11.md"
        return "diary" if dated or (file.path in self._diary) else "passages"

    def _dated(self, part: Part, file: FileRecord, unit: Unit, text: str) -> date | None:
        """Return the day of an entry or a row, or of the heading above it, else of its file."""
        if part == "contacts":
            return None
        if part == "rows":
            return next((day for _, _, day in find_dates(text)), None)
        if (day := self.days.get((file.path, unit.line))) is not None or file.date is None:
            return day
        for mention in mentions(unit.text.split("\n")[0]):
            said = mention.readings[0]
            if said.day and said.month == file.date.month and said.year in {None, file.date.year}:
                return date_of(file.date.year, said.month, said.day)
        return file.date

    def _named_files(self) -> None:
        """Add the files, photos above all, that name it in their own names, or as their author."""
        known = {item.file for part in self.items.values() for item in part}
        for path, file in self.read.files.items():
            in_head = path in self._units and not self._units[path]  # such as an author
            if path in known or not (in_head or self.name.stands(path)):
                continue
            kind = kind_of(file.extension.lstrip("."))
            day = file.date or (file.modified.date() if kind == "picture" else None)
            first = self._opening(path) or self._first(path)
            page, line, text, quote = self._where(first) if first else (None, None, "", "")
            self._add("files", Item(
                text=text or file.title or "", file=path, day=day, page=page, line=line,
                quote=quote, kind=kind or "",
            ))  # fmt: skip

    def _add(self, part: Part, item: Item) -> None:
        """Add an item, once: copies say the same."""
        if not any(i.text == item.text and i.day == item.day and i.kind == item.kind
                   and (i.text or i.file == item.file) and i.amount == item.amount
                   for i in self.items[part]):  # fmt: skip
            self.items[part].append(item)

    def dossier(self, summary: Sequence[Item], limit: int) -> Dossier:
        """Return it as a whole, bounded."""
        every = [item for part in self.items.values() for item in part]
        if not every:
            others = near(self.asked, self.read.spoken, self.read.files)
            return Dossier(self.asked, near=others, whole=self.read.whole)
        days = [item.day for item in every if item.day and item.sure]
        typed = " ".join(words_of(self.asked)) or self.asked
        return Dossier(
            name=self.name.surface(self.texts, self.read.spoken) or typed,
            forms=fuller(self.name, self.read.spoken, self.texts),
            near=near(self.asked, self.read.spoken),
            summary=summary,
            sections=[
                Section(part, in_order(part, own)[:limit], len(own))
                for part, own in self.items.items() if own
            ],
            sums=list(sums_of(self.items["papers"])),
            places=len(every),
            files=len({item.file for item in every}),
            first=min(days, default=None),
            last=max(days, default=None),
            whole=self.read.whole,
            exact=self._is_exact(),
        )  # fmt: skip

    def _is_exact(self) -> bool:
        together = replace(self.name, alone=frozenset())
        every = (self.texts, self.read.spoken.known, self.read.files)
        return any(together.stands(text) for texts in every for text in texts)


def _cards(passage: FoundPassage) -> Iterator[Unit]:
    """Yield the contacts of a passage, each with its lines."""
    card: list[tuple[str, int]] = []
    for line, text in enumerate([*passage.text.split("\n"), ""], passage.line):
        if text.strip():
            card.append((text.strip(), line))
        elif card:
            yield Unit(0, tuple(card))
            card = []
