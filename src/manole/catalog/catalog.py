"""`Catalog`: the relations of one library, in a SQLite database of their own.

Relations are filled when they are first asked for: counting files reads no text. The database lives
in memory as long as the library's files stay what they are. All of it blocks: call it in a thread.
"""

from __future__ import annotations

import sqlite3
import threading
from calendar import day_name
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from manole.catalog.kinds import kind_of
from manole.catalog.relations import RELATIONS, Relation
from manole.catalog.sandbox import TooMuchError, Value, bounded, confine, release
from manole.documents.fields import Fields
from manole.documents.journal import Entry
from manole.errors import ManoleError
from manole.index.store import FileRecord
from manole.index.words import fold

_TEXTS = "CREATE VIRTUAL TABLE {} USING fts5(key UNINDEXED, text, {})"
_PAID = {"invoice", "bill"}
_TOKENS = "tokenize='porter unicode61 remove_diacritics 2'"


class CatalogError(ManoleError):
    """A query that cannot be run. The message says why."""


class Catalog:
    """What is known of these files. Use `fill` before a relation is asked for."""

    def __init__(self, files: Sequence[FileRecord]) -> None:
        self.files = files
        self.filled: set[str] = set()
        self._lock = threading.Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.create_collation("FOLD", _compare)
        self._database.create_function("like", 2, _like, deterministic=True)
        self._database.execute("CREATE TABLE found(search INTEGER, key)")
        for relation in RELATIONS.values():
            self._database.execute(relation.sql)

    def close(self) -> None:
        """Free the database."""
        self._database.close()

    def fill_files(self) -> None:
        """`files`."""
        alike: dict[str, list[FileRecord]] = defaultdict(list)
        for file in sorted(self.files, key=lambda f: (f.mtime_ns, f.path)):
            alike[file.content_hash or file.id].append(file)
        copies = {f.id: (len(same), n) for same in alike.values() for n, f in enumerate(same, 1)}
        self._put("files", (_file(f, *copies[f.id]) for f in sorted(self.files, key=_path)))

    def fill_folders(self, empty: Iterable[str] = ()) -> None:
        """`folders`: those of the files, and `empty` ones."""
        self._put("folders", _folders(self.files, empty))

    def fill_papers(self, papers: Iterable[tuple[FileRecord, Fields]]) -> None:
        """`papers`: the files that say what a paper says."""
        self._put("papers", (_paper(f, fields) for f, fields in papers if fields.kind))

    def fill_entries(self, entries: Iterable[Entry]) -> None:
        """`entries`, and their words."""
        rows = [
            (e.file, e.line, e.date.isoformat(), day_name[e.date.weekday()], e.title, e.text)
            for e in entries
        ]
        self._put("entries", rows)
        self._texts("entries", ((n, row[5]) for n, row in enumerate(rows, start=1)))

    def fill_texts(self, texts: Mapping[str, Sequence[str]]) -> None:
        """The words of files, by path, and how many there are."""
        self._texts("files", ((path, text) for path, all_ in texts.items() for text in all_))
        counts = [(sum(len(t.split()) for t in all_) or None, path) for path, all_ in texts.items()]
        with self._lock, self._database:
            self._database.executemany("UPDATE files SET words = ? WHERE path = ?", counts)

    def search(self, keys: Collection[Value]) -> int:
        """Keep what a search found; the number that `found.search` has for it."""
        with self._lock, self._database:
            (last,) = self._database.execute("SELECT max(search) FROM found").fetchone()
            number = (last or 0) + 1
            rows = ((number, key) for key in keys)
            self._database.executemany("INSERT INTO found VALUES (?, ?)", rows)
        return number

    def mentioning(self, relation: str, words: str) -> list[Value]:
        """The keys of rows whose text has these words, as one phrase: paths, or row numbers."""
        phrase = '"' + " ".join(words.replace('"', " ").split()) + '"'
        if phrase == '""':
            return []
        query = f"SELECT DISTINCT key FROM {_words(relation)} WHERE text MATCH ?"  # noqa: S608
        with self._lock:
            return [key for (key,) in self._database.execute(query, (phrase,))]

    def values(self, relation: str, column: str) -> list[str]:
        """The different texts of a column, most frequent first."""
        query = (
            f"SELECT {column} FROM {relation} WHERE {column} IS NOT NULL AND {column} != '' "  # noqa: S608
            f"GROUP BY {column} ORDER BY count(*) DESC, {column}"
        )
        with self._lock:
            return [str(value) for (value,) in self._database.execute(query)]

    def run(self, sql: str) -> tuple[list[str], list[tuple[Value, ...]]]:
        """The names of a query's columns and its first rows. Raises `CatalogError`."""
        with self._lock:
            confine(self._database)
            try:
                found = self._database.execute(sql)
                rows = list(bounded(found))
            except (sqlite3.Error, TooMuchError, OverflowError, UnicodeError) as error:
                raise CatalogError(str(error)) from error
            finally:
                release(self._database)
            return [name for name, *_ in found.description], rows

    def _put(self, name: str, rows: Iterable[tuple[Value, ...]]) -> None:
        relation: Relation = RELATIONS[name]
        marks = ", ".join("?" * len(relation.columns))
        with self._lock, self._database:
            self._database.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)  # noqa: S608
        self.filled.add(name)

    def _texts(self, relation: str, texts: Iterable[tuple[Value, str]]) -> None:
        name = _words(relation)
        with self._lock, self._database:
            self._database.execute(_TEXTS.format(name, _TOKENS))
            self._database.executemany(f"INSERT INTO {name} VALUES (?, ?)", texts)  # noqa: S608
        self.filled.add(name)


def _words(relation: str) -> str:
    return f"{relation}_words"


def _path(file: FileRecord) -> str:
    return file.path


def _file(file: FileRecord, copies: int, copy: int) -> tuple[Value, ...]:
    path = PurePosixPath(file.path)
    extension = file.extension.lstrip(".")
    return (
        file.path, path.name, _parent(path), extension, kind_of(extension), file.size,
        file.modified.date().isoformat(), file.date.isoformat() if file.date else None,
        file.title, file.pages or None, None, copies, copy, file.status.value, file.reason,
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


def _type(file: FileRecord, fields: Fields) -> str | None:
    """What people call a paper. Till slips are photographed, and many are headed "tax invoice"."""
    picture = kind_of(file.extension.lstrip(".")) == "picture"
    return "receipt" if picture and fields.kind in _PAID else fields.kind


def _paper(file: FileRecord, fields: Fields) -> tuple[Value, ...]:
    money = fields.total or fields.due or fields.net
    day = fields.date.value if fields.date else file.date
    amounts = [float(f.value.amount) if f else None for f in (fields.net, fields.tax, money)]
    return (
        file.path,
        _type(file, fields),
        fields.issuer.value if fields.issuer else None,
        fields.number.value if fields.number else None,
        day.isoformat() if day else None,
        *(f.value.isoformat() if f else None for f in (fields.due_date, fields.end_date)),
        *amounts,
        money.value.currency if money else None,
        money.page if money else None,
        money.line if money else None,
    )


def _compare(one: str, other: str) -> int:
    a, b = fold(one), fold(other)
    return (a > b) - (a < b)


def _like(pattern: str | None, value: Value) -> bool | None:
    """SQL's LIKE without regard to case and accents; of `_`, only itself is meant."""
    if pattern is None or value is None:
        return None
    parts = fold(pattern).split("%")
    text = fold(str(value))
    if len(parts) == 1:
        return text == parts[0]
    if not text.startswith(parts[0]) or not text.endswith(parts[-1]):
        return False
    at = len(parts[0])
    for part in parts[1:-1]:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return at <= len(text) - len(parts[-1])
