"""`Catalog`: the relations of a library, in a SQLite database of their own.

Relations are filled when they are first needed: counting files reads no text. The database stays in
memory as long as the library's files do not change. All methods block: call them in a thread.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from calendar import day_name
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from operator import attrgetter
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from manole.catalog.comparing import LONG_SUM, LongSum, by_number, by_word, like
from manole.catalog.families import Family, families
from manole.catalog.kinds import kind_of
from manole.catalog.owner import Owner, addresses_of, owner_of
from manole.catalog.payments import Booking, bookings, bookings_of, payments
from manole.catalog.relations import FIELDS, PAPERS, RELATIONS
from manole.catalog.sandbox import MAX_ROWS, TooMuchError, Value, bounded, confine, release
from manole.catalog.sheets import Sheet, named
from manole.catalog.threads import Place, mail_of, placed
from manole.documents.fields import Field, Fields, Money
from manole.documents.notes.calendar import Event
from manole.documents.notes.terms import Term
from manole.documents.opened import SEPARATOR
from manole.errors import ManoleError
from manole.files import replacing
from manole.index.store.records import FileRecord
from manole.models.encode.days import Purpose
from manole.text.question import Question

_KEPT = frozenset({"files", "folders", "messages"})
_SHAPE = (1, *(relation.sql for relation in RELATIONS.values()))  # of the kept relations
_TAKEN = frozenset({"picture", "video", "audio"})  # made when last changed, if nothing says when
_PAID = {"invoice", "bill", None}
INTERNAL = ("found", "state", "files_words")  # tables that are no relations
_MOST = 1_000_000  # rows of all sheets in memory; the oldest make room
_TEXTS = """CREATE VIRTUAL TABLE files_words USING fts5(
    key UNINDEXED, text, tokenize='porter unicode61 remove_diacritics 2'
)"""
Function = Callable[..., Value]


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of a file that speaks of a day before it comes, and what that day is for."""

    path: str
    event: Event
    purpose: Purpose
    sure: bool


class Diary(Protocol):
    """The notes of a diary: which are about something, and their language."""

    language: str

    def speaking_of(self, phrase: str, among: Collection[int] | None = None) -> Sequence[int]:
        """Return the numbers (from 1) of the notes, `among` these, about a phrase."""
        ...

    def unknown(self, phrase: str, among: Collection[int] | None = None) -> Sequence[str]:
        """Return the words of a phrase that no note, `among` these, has."""
        ...

    def day_of(self, number: int) -> date:
        """Return the day that a note is about."""
        ...

    def speaker_in(self, question: Question) -> str | None:
        """Return the one person of a conversation whom a question names."""
        ...

    def whole(self, phrase: str, question: Question) -> str:
        """Return a phrase with the question's other words that the notes have."""
        ...

    def telling(self, question: Question, share: float) -> Sequence[str]:
        """Return the words of a question that one note has, if they are this share of it."""
        ...


class CatalogError(ManoleError):
    """A query that cannot be run; the message gives the reason."""


class Catalog:
    """The facts about these files. Fill a relation before it is queried."""

    def __init__(
        self, files: Sequence[FileRecord], functions: Mapping[str, tuple[int, Function]] = {}
    ) -> None:
        """`functions` are those that a query may also call: number of arguments, code."""
        self.files = files
        self._own = [file for file in files if SEPARATOR not in file.path]
        self.relations = dict(RELATIONS)
        self.sheets: dict[str, Sheet] = {}
        self.searched: set[str] = set()  # files whose tables are among the sheets
        self.filled: set[str] = set()
        self._joined: set[str] = set()  # sheets among which families were looked for
        self.bookings: list[Booking] = []  # of the statements among them
        self._lock = threading.RLock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.create_collation("FOLD", by_word)
        self._database.create_collation("LONG", by_number)
        self._database.create_function("like", 2, like, deterministic=True)
        self._database.create_aggregate(LONG_SUM, 1, LongSum)  # type: ignore[arg-type]
        self._database.execute("CREATE TABLE found(search INTEGER, key)")
        for name, (arguments, function) in functions.items():
            self._database.create_function(name, arguments, function, deterministic=True)
        self._functions = (*functions, LONG_SUM)
        self.diary: Diary | None = None
        # What letters, mails and notes speak of; `None` until these are read.
        self.ahead: list[Said] | None = None
        self.terms: list[tuple[str, Term]] = []  # by path, what follows from contracts and papers
        self.said: dict[str, Field[str]] = {}  # by path, where papers say that they are paid or not
        for relation in RELATIONS.values():
            self._database.execute(relation.sql)

    def close(self) -> None:
        """Free the database."""
        self._database.close()

    def restore(self, path: Path) -> bool:
        """Load `files`, `folders` and `messages` from where `keep` wrote them.

        False if nothing is kept, or if the files have changed since, even by a sync that was
        killed.
        """
        try:
            with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as kept:
                found = kept.execute("SELECT state FROM state").fetchone()
                held = set(kept.execute("SELECT type, name FROM sqlite_schema"))
                own = {("table", name) for name in (*RELATIONS, "found", "state")}
                if found != (self._state(),) or not held <= own:
                    return False
                kept.backup(self._database)
        except (sqlite3.Error, OSError):
            return False
        self.filled |= _KEPT
        return True

    def keep(self, path: Path) -> None:
        """Write the filled relations to a file, so that the next process need not fill them."""
        with (
            suppress(sqlite3.Error, OSError),
            replacing(path) as draft,
            closing(sqlite3.connect(draft)) as kept,
            self._lock,
        ):
            self._database.backup(kept)
            kept.execute("CREATE TABLE state(state)")
            kept.execute("INSERT INTO state VALUES (?)", (self._state(),))
            kept.commit()

    def _state(self) -> str:
        """Return a hash of these files in their current state."""
        state = hashlib.blake2b(str(_SHAPE).encode())
        for f in self.files:
            values = (f.id, f.path, f.mtime_ns, f.content_hash, f.status, f.indexed_at)
            state.update(repr(values).encode())
        return state.hexdigest()

    def fill_files(self) -> None:
        """Fill `files`: those of the folders, not what lies inside other files."""
        alike: dict[str, list[FileRecord]] = defaultdict(list)
        for file in sorted(self._own, key=lambda f: (f.mtime_ns, f.path)):
            alike[file.content_hash or file.id].append(file)
        copies = {f.id: (len(same), n) for same in alike.values() for n, f in enumerate(same, 1)}
        self._put(
            "files", (_file(f, *copies[f.id]) for f in sorted(self._own, key=attrgetter("path")))
        )

    def fill_folders(self, empty: Iterable[str] = ()) -> None:
        """Fill `folders`: those of the files, and `empty` ones."""
        self._put("folders", _folders(self._own, empty))

    def fill_messages(self) -> None:
        """Fill `messages`: the files that are e-mails."""
        mails = (file for file in self.files if file.format == "email")
        self._put("messages", (_message(f, self.mail[f.path]) for f in mails))

    @cached_property
    def mail(self) -> dict[str, Place]:
        """Where each message stands in its thread, by its path, oldest first."""
        return placed(mail_of(file) for file in self.files if file.format == "email")

    def own_addresses(self) -> frozenset[str]:
        """Return the keys of whom the library is of in its mails; none if that is unclear."""
        return addresses_of(self.owner(), [p.mail for p in self.mail.values() if not p.first])

    def fill_papers(self, papers: Iterable[tuple[FileRecord, Fields]]) -> None:
        """Fill `papers`: the files that are of a type of paper."""
        known = [(f, fields) for f, fields in papers if paper_type(f, fields)]
        self.said = {f.path: fields.status for f, fields in known if fields.status}
        self._put("papers", (_paper(f, fields) for f, fields in known))

    def owner(self) -> Owner | None:
        """Return whose papers these are, if most go to, or come from, one person or household."""
        with self._lock:
            return owner_of(self._database.execute("SELECT issuer, recipient FROM papers"))

    def complete(self, path: str, column: str, found: Field[Any]) -> None:
        """Add a field to a paper that lacks it."""
        new: dict[str, Value] = {column: _plain(found)}
        if isinstance(found.value, Money):
            new["currency"] = found.value.currency
            new |= {"page": found.page, "line": found.line, "quote": found.text}
        named = ", ".join(f"{name} = ?" for name in new)
        with self._lock, self._database:
            self._database.execute(
                f"UPDATE papers SET {named} WHERE path = ?",  # noqa: S608  # our own names
                (*new.values(), path),
            )

    def fill_entries(
        self, notes: Iterable[tuple[str, int, date, date, str, Sequence[str]]], diary: Diary
    ) -> None:
        """Fill `entries` and `people` from notes.

        A note is a path, a line, the day it is about, the day of its entry, a text, and the people
        it names.
        """
        rows, people = [], []
        for n, (path, line, day, written, text, names) in enumerate(notes, start=1):
            row = (path, line, day.isoformat(), written.isoformat(), day_name[day.weekday()], text)
            rows.append(row)
            people += [(*row, name, n) for name in names]
        self._put("entries", rows)
        self._put("people", people)
        self.diary = diary if rows else None

    def fill_notes(self, rows: Mapping[str, Iterable[tuple[Value, ...]]]) -> None:
        """Fill `tasks`, `events`, `tags` and `properties`, given as rows by relation."""
        for name, of_it in rows.items():
            self._put(name, of_it)

    def fill_texts(self, texts: Mapping[str, Sequence[str]]) -> None:
        """Fill the words of files, given as texts by path, and their numbers."""
        rows = ((path, text) for path, all_ in texts.items() for text in all_)
        counts = [(sum(len(t.split()) for t in all_) or None, path) for path, all_ in texts.items()]
        with self._lock, self._database:
            if "files_words" not in self.filled:
                self._database.execute(_TEXTS)
                self._database.executemany("INSERT INTO files_words VALUES (?, ?)", rows)
                self._database.executemany("UPDATE files SET words = ? WHERE path = ?", counts)
                self.filled.add("files_words")

    def add_sheets(self, named: Mapping[str, Sheet]) -> None:
        """Make sheets relations under these names; `fill_sheets` fills them."""
        with self._lock, self._database:
            for name, sheet in named.items():
                self.sheets[name], self.relations[name] = sheet, sheet.relation(name)
            while sum(len(s.rows) for s in self.sheets.values()) > _MOST and len(self.sheets) > 1:
                oldest = next(iter(self.sheets))
                self.searched.discard(self.sheets[oldest].file)
                self._drop(oldest)

    def _drop(self, name: str) -> None:
        del self.sheets[name], self.relations[name]
        self.filled.discard(name)
        self._database.execute(f'DROP TABLE IF EXISTS "{name}"')

    def add_files(self, read: Mapping[str, Sequence[Sheet]]) -> None:
        """Make the sheets of files, by path, relations named after these; once for each file."""
        with self._lock:
            unknown = [path for path in read if path not in self.searched]
            new = [sheet for path in unknown for sheet in read[path] if sheet.rows]
            self.searched.update(unknown)
            self.add_sheets(named(new, {*self.relations, *INTERNAL}))

    def add_families(self) -> None:
        """Make sheets of the same columns in several files one relation each, beside their own."""
        with self._lock, self._database:
            own = {n: s for n, s in self.sheets.items() if not isinstance(s, Family)}
            if own.keys() == self._joined:
                return
            for name in self.families:
                self._drop(name)
            self._joined = set(own)
            self.bookings = bookings(map(bookings_of, own.values()))
            together = payments(self.bookings)
            among = {id(part) for part in together.parts} if together else set()
            joined = [f for f in families(own.values()) if not {id(p) for p in f.parts} <= among]
            new = [*joined, *filter(None, [together])]
            self.add_sheets(named(new, {*self.relations, *INTERNAL}))

    @property
    def families(self) -> dict[str, Family]:
        """The sheets that join others, by name."""
        return {name: s for name, s in self.sheets.items() if isinstance(s, Family)}

    def fill_sheets(self, names: Collection[str]) -> None:
        """Fill those of these relations that are sheets. Raises `CatalogError`."""
        with self._lock:
            for name in (self.sheets.keys() & names) - self.filled:
                try:
                    self._database.execute(self.relations[name].sql)
                    self._put(name, self.sheets[name].stored())
                except (sqlite3.Error, UnicodeError) as error:
                    self._database.execute(f'DROP TABLE IF EXISTS "{name}"')
                    raise CatalogError(str(error)) from error

    def search(self, keys: Collection[Value]) -> int:
        """Keep the keys that a search found; return its number in `found.search`."""
        with self._lock, self._database:
            (last,) = self._database.execute("SELECT max(search) FROM found").fetchone()
            number = (last or 0) + 1
            rows = ((number, key) for key in keys)
            self._database.executemany("INSERT INTO found VALUES (?, ?)", rows)
        return number

    def mentioning(self, words: str) -> list[Value]:
        """Return the paths of files whose text has these words as one phrase, else all of them."""
        said = words.replace('"', " ").split()
        query = "SELECT DISTINCT key FROM files_words WHERE text MATCH ?"
        with self._lock:
            for wanted in (f'"{" ".join(said)}"', " ".join(f'"{word}"' for word in said)):
                found = self._database.execute(query, (wanted,)).fetchall() if said else []
                if found:
                    return [key for (key,) in found]
        return []

    def values(self, relation: str, column: str) -> list[str]:
        """Return the different texts of a column, most frequent first."""
        query = (
            f"SELECT {column} FROM {relation} WHERE {column} IS NOT NULL AND {column} != '' "  # noqa: S608
            f"GROUP BY {column} ORDER BY count(*) DESC, {column}"
        )
        with self._lock:
            return [str(value) for (value,) in self._database.execute(query)]

    def run(
        self, sql: str, limit: int | None = MAX_ROWS
    ) -> tuple[list[str], list[tuple[Value, ...]]]:
        """Return the names of a query's columns and its first rows. Raises `CatalogError`."""
        with self._lock:
            confine(self._database, *self._functions)
            try:
                found = self._database.execute(sql)
                rows = list(bounded(found, limit))
            except (sqlite3.Error, TooMuchError, OverflowError, UnicodeError) as error:
                raise CatalogError(str(error)) from error
            finally:
                release(self._database)
            return [name for name, *_ in found.description], rows

    def count(self, sql: str) -> int:
        """Return the number of rows of a query. Raises `CatalogError`."""
        ((found,),) = self.run(f"SELECT count(*) FROM ({sql})")[1]  # noqa: S608  # runs confined
        return int(found or 0)

    def _put(self, name: str, rows: Iterable[tuple[Value, ...]]) -> None:
        """Fill a relation, once: two turns may have read its rows at the same time."""
        marks = ", ".join("?" * len(self.relations[name].columns))
        with self._lock, self._database:
            if name not in self.filled:
                self._database.executemany(f'INSERT INTO "{name}" VALUES ({marks})', rows)  # noqa: S608
                self.filled.add(name)


def _file(file: FileRecord, copies: int, copy: int) -> tuple[Value, ...]:
    path = PurePosixPath(file.path)
    extension = file.extension.lstrip(".")
    kind, changed = kind_of(extension), file.modified.date()
    made = file.date or (changed if kind in _TAKEN else None)
    return (
        file.path, path.name, _parent(path), extension, kind, file.size,
        changed.isoformat(), made.isoformat() if made else None,
        file.title, file.pages or None, None, copies, copy, file.status.value, file.reason,
    )  # fmt: skip


def _message(file: FileRecord, place: Place) -> tuple[Value, ...]:
    known = file.metadata
    to = ", ".join(filter(None, (known.get("to"), known.get("cc"))))
    return (
        file.path, known.get("from"), to or None, known.get("subject"), place.mail.day,
        known.get("attachments"), place.thread, place.answers, place.answered,
    )  # fmt: skip


def _parent(path: PurePosixPath) -> str:
    return "" if str(path.parent) == "." else str(path.parent)


def _folders(files: Sequence[FileRecord], empty: Iterable[str]) -> Iterator[tuple[Value, ...]]:
    count: dict[str, int] = dict.fromkeys(empty, 0)
    size: dict[str, int] = defaultdict(int)
    for file in files:
        for folder in PurePosixPath(file.path).parents:
            count[str(folder)] = count.get(str(folder), 0) + 1
            size[str(folder)] += file.size
    for name in sorted(count):
        if name != ".":
            path = PurePosixPath(name)
            yield name, path.name, _parent(path), len(path.parts), count[name], size[name]


def paper_type(file: FileRecord, fields: Fields) -> str | None:
    """Return the type of a paper. Photos with a total are receipts, even headed "tax invoice"."""
    slip = kind_of(file.extension.lstrip(".")) == "picture" and fields.total is not None
    return "receipt" if slip and fields.kind in _PAID else fields.kind


def _paper(file: FileRecord, fields: Fields) -> tuple[Value, ...]:
    money = fields.total or fields.due or fields.net
    known = {column: _plain(getattr(fields, name)) for column, name in FIELDS.items()}
    known["date"] = known["date"] or (file.date.isoformat() if file.date else None)
    known |= {"path": file.path, "type": paper_type(file, fields)}
    if money is not None:
        known |= {"total": float(money.value.amount), "currency": money.value.currency}
        known |= {"page": money.page, "line": money.line, "quote": money.text}
    return tuple(known.get(column) for column in PAPERS.columns)


def _plain(found: Field[Any] | None) -> Value:
    if found is None:
        return None
    if isinstance(found.value, Money):
        return float(found.value.amount)
    return found.value.isoformat() if isinstance(found.value, date) else str(found.value)
