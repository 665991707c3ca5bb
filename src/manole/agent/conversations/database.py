"""The SQLite file of conversations: opening, sharing and protecting it.

Write-ahead logging lets several processes read while one writes, and `synchronous=FULL` puts each
commit on the disk before the call returns. A writer takes the lock when it begins, so that it waits
for another one rather than fail half-way. The version of the schema is in `PRAGMA user_version`; a
file of another version, or of another program, is refused and left as it is. Errors of SQLite
become a `ConversationError` that names the file.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_random

from manole import private
from manole.errors import ConversationError
from manole.text.words import caseless

WAIT = 10.0  # seconds to wait for another process, which writes for milliseconds; set by hand
SCHEMA = (
    """CREATE TABLE conversations (
        id TEXT PRIMARY KEY, title TEXT, created TEXT NOT NULL, updated TEXT NOT NULL)""",
    "CREATE INDEX conversations_updated ON conversations (updated)",
    """CREATE TABLE turns (
        key INTEGER PRIMARY KEY,
        conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        n INTEGER NOT NULL, question TEXT NOT NULL, scope TEXT, asked TEXT NOT NULL,
        answer TEXT, rating TEXT CHECK (rating IN ('up', 'down')), comment TEXT,
        UNIQUE (conversation, n))""",
    """CREATE TABLE events (
        key INTEGER PRIMARY KEY,
        turn INTEGER NOT NULL REFERENCES turns (key) ON DELETE CASCADE,
        event TEXT NOT NULL)""",
    "CREATE INDEX events_turn ON events (turn)",
)
VERSION = 1  # of the schema
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_PRAGMAS = ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON", "trusted_schema = OFF")


class Database:
    """A file that is opened when first needed, and used by one thread at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._open: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None  # the open file, to notice when it is replaced

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open a consistent view of the data; empty if there is no file, which is not created."""
        with self._lock, self.failures():
            if self.path.exists():
                with _transaction(self._connected(), "BEGIN") as connection:
                    yield connection
            else:
                with contextlib.closing(_connection(":memory:")) as connection:
                    _prepare(connection, self.path)
                    yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction: at the end of the block all is on the disk; if it raises, nothing."""
        with self._lock, self.failures():
            if not self.path.exists():
                self._create()
            with _transaction(self._connected(), "BEGIN IMMEDIATE") as connection:
                yield connection

    def erase(self) -> None:
        """Remove deleted data from the log too, unless another process reads it."""
        with self._lock, self.failures():
            self._connected().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the file. It is opened again when needed."""
        with self._lock:
            if self._open is not None:
                self._open.close()
                self._open = None

    def _connected(self) -> sqlite3.Connection:
        info = self.path.stat()
        if self._open is not None and self._file != (info.st_dev, info.st_ino):
            self.close()  # it was moved aside, or deleted
        if self._open is None:
            self._open = _opened(self.path)
            self._file = (info.st_dev, info.st_ino)
        return self._open

    def _create(self) -> None:
        """Create an empty file that only its owner can read."""
        private.make(self.path.parent)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))

    @contextlib.contextmanager
    def failures(self) -> Iterator[None]:
        """Turn errors of SQLite and the file system into `ConversationError`."""
        try:
            yield
        except sqlite3.Error as error:
            if _code(error) not in _BUSY:
                with contextlib.suppress(sqlite3.Error):
                    self.close()
            raise _readable(self.path, error) from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise _unusable(self.path, reason) from error


def damaged(path: Path, reason: str) -> ConversationError:
    """Return the error for a file with invalid content."""
    return ConversationError(
        f"The conversations in {path} are damaged ({reason}).",
        f"Put a copy back, or run `manole conversations set-aside {path.stem}`: it moves the file "
        "aside and deletes nothing.",
    )


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection, begin: str) -> Iterator[sqlite3.Connection]:
    connection.execute(begin)
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _opened(path: Path) -> sqlite3.Connection:
    """Return a connection to the file, with its tables."""
    # Changing to write-ahead logging fails at once, without waiting, while another process does so,
    # and so may the first read of a file while another changes it.
    attempts = Retrying(
        retry=retry_if_exception(lambda error: _code(error) in _BUSY),
        stop=stop_after_delay(WAIT),
        wait=wait_random(0.01, 0.1),
        reraise=True,
    )
    connection = _connection(path)
    try:
        attempts(_prepare, connection, path)
        attempts(connection.execute, "PRAGMA journal_mode = WAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _connection(path: Path | str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=WAIT, isolation_level=None, check_same_thread=False)
    connection.create_function("fold", 1, _fold, deterministic=True)
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables in an empty file. Raises `ConversationError` for a foreign one."""
    if _is_made(connection, path):
        return
    with _transaction(connection, "BEGIN IMMEDIATE"):
        if not _is_made(connection, path):
            for statement in SCHEMA:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION:d}")


def _is_made(connection: sqlite3.Connection, path: Path) -> bool:
    """Return whether there are tables. Raises `ConversationError` for those of another version."""
    # One statement, as another process may make the tables between two.
    both = "SELECT user_version, (SELECT count(*) FROM sqlite_master) FROM pragma_user_version"
    version, tables = connection.execute(both).fetchone()
    if version > VERSION:
        raise ConversationError(
            f"The conversations in {path} were kept by a newer Manole "
            f"(version {version}; this one reads {VERSION}).",
            "Update Manole. The file is left as it is.",
        )
    if version != VERSION and (version or tables):
        raise damaged(path, "another program's database")
    return bool(version)


def _fold(text: str | None) -> str | None:
    return None if text is None else caseless(text)


def _code(error: BaseException) -> int:
    """Return SQLite's primary error code, 0 for an error without one."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _readable(path: Path, error: sqlite3.Error) -> ConversationError:
    code = _code(error)
    if code in _DAMAGED:
        return damaged(path, str(error))
    if code in _BUSY:
        return ConversationError(
            f"Another process has been writing to {path} for {WAIT:.0f} seconds.",
            "Try again when it is done.",
        )
    if code == sqlite3.SQLITE_FULL:
        return ConversationError(f"There is no space left for {path}.", "Free some, and try again.")
    return _unusable(path, str(error))


def _unusable(path: Path, reason: str) -> ConversationError:
    return ConversationError(
        f"{path} cannot be used: {reason}.", "Check its disk and its permissions."
    )
