"""Connections to a PostgreSQL server: shared by a process, brought up to date, made anew.

A connection is used by one thread at a time. `run` does a piece of work on one; if that breaks (the
server was restarted, a network failed), the work is done again on a new one, for some seconds. So
work must have the same result when it is done twice: the first time may have been committed without
a confirmation.

The schema's version stands in `manole.version`; a newer one, or a schema of another program, is
refused and left as it is. A transaction holds a lock while it brings the schema up to date, so that
servers that start together do it once. The driver is pg8000 (BSD), in pure Python: its import takes
milliseconds, and only those who set `conversations.database` need it.
"""

from __future__ import annotations

import contextlib
import struct
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_random_exponential

from manole.errors import ConversationError, ManoleError, SettingsError
from manole_postgres.address import Address, parsed
from manole_postgres.schema import LOCK, SCHEMA, STATEMENTS, VERSION

if TYPE_CHECKING:
    from pg8000.native import Connection

# All set by hand:
CONNECTIONS = 4  # at once, of one process
WAIT = 10.0  # seconds until a silent server is given up
STATEMENT = 9.0  # seconds a statement may take: a little less, so that the server can say why
PATIENCE = 3.0  # seconds in which a broken connection is made anew
_T = TypeVar("_T")
# SQLSTATE: the server stops or starts, has too many connections, or undid one of two that
# waited for each other.
_AWAY = ("57P01", "57P02", "57P03", "53300", "08", "40")


class _AwayError(Exception):
    """No connection can be made now."""


class _BrokenError(_AwayError):
    """An existing connection broke, or the server gave a transaction up."""


class Pool:
    """Connections to one database. Use `shared`."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(CONNECTIONS)

    def run(self, work: Callable[[Connection], _T]) -> _T:
        """Run `work` in a transaction of its own. Raises `ConversationError`."""
        try:
            try:
                return self._once(work)
            except _BrokenError:
                pass  # without any connection at all there is nothing to try again
            for attempt in Retrying(
                retry=retry_if_exception_type(_AwayError),
                stop=stop_after_delay(PATIENCE),
                wait=wait_random_exponential(0.2, max=1.0),
                reraise=True,
            ):
                with attempt:
                    found = self._once(work)
            return found
        except _AwayError as error:
            raise ConversationError(
                f"{_capital(self.address.place)} cannot be reached: {error}.",
                "Is the server running, and is conversations.database right?",
            ) from None

    def close(self) -> None:
        """Close the connections that nobody uses now."""
        with self._lock:
            dropped, self._idle = self._idle, []
        for connection in dropped:
            _close(connection)

    def _once(self, work: Callable[[Connection], _T]) -> _T:
        with self._places:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                with self._failures(_AwayError):
                    connection = self._connected()
            try:
                with self._failures(_BrokenError), _transaction(connection):
                    found = work(connection)
            except BaseException as error:
                if isinstance(error, _AwayError):
                    self.close()  # the others have the same server
                _close(connection)
                raise
            with self._lock:
                self._idle.append(connection)
            return found

    def _connected(self) -> Connection:
        """Make a connection, and the schema if there is none."""
        from pg8000.native import Connection

        options = self.address.options()
        connection = Connection(**options, timeout=WAIT)
        try:
            connection.run(f"SET statement_timeout = {STATEMENT * 1000:.0f}")
            connection.run(
                "SELECT set_config('synchronous_commit', 'on', false) "
                "WHERE current_setting('synchronous_commit') = 'off'"
            )
            self._prepare(connection)
        except BaseException:
            _close(connection)
            raise
        return connection

    def _prepare(self, connection: Connection) -> None:
        """Make the schema if there is none. Raises `ConversationError` for one that is not ours."""
        ((encoding,),) = connection.run("SELECT current_setting('server_encoding')")
        if encoding != "UTF8":
            raise ConversationError(
                f"{_capital(self.address.place)} keeps texts as {encoding}.",
                "Create one with the encoding UTF8 for Manole.",
            )
        if self._is_made(connection):
            return
        with _transaction(connection):
            connection.run("SELECT pg_advisory_xact_lock(:lock)", lock=LOCK)
            if not self._is_made(connection):
                for statement in STATEMENTS:
                    connection.run(statement)
                connection.run("INSERT INTO manole.version VALUES (:now)", now=VERSION)

    def _is_made(self, connection: Connection) -> bool:
        """Return whether there is a schema. Raises `ConversationError` for another one."""
        tables = connection.run(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = :schema",
            schema=SCHEMA,
        )
        if not tables:
            return False
        if ["version"] not in tables:
            raise ConversationError(
                f"{_capital(self.address.place)} has a schema {SCHEMA} of another program.",
                "Choose another database. Nothing was changed.",
            )
        rows = connection.run("SELECT version FROM manole.version")
        version = int(rows[0][0]) if len(rows) == 1 else -1
        if version > VERSION:
            raise ConversationError(
                f"The conversations in {self.address.place} were kept by a newer Manole "
                f"(version {version}; this one reads {VERSION}).",
                "Update Manole. The database is left as it is.",
            )
        if version != VERSION:
            raise ConversationError(
                f"The schema {SCHEMA} in {self.address.place} is damaged.", "Put a copy back."
            )
        return True

    @contextlib.contextmanager
    def _failures(self, away: type[_AwayError]) -> Iterator[None]:
        """Turn errors of the driver and the network into `away` or `ConversationError`."""
        from pg8000.native import DatabaseError, InterfaceError

        try:
            yield
        except ManoleError:
            raise
        except DatabaseError as error:
            fields = error.args[0] if error.args and isinstance(error.args[0], dict) else {}
            code, message = fields.get("C", ""), fields.get("M", str(error))
            if code.startswith(_AWAY):
                raise away(message) from error
            raise self._readable(code, message) from error
        except (InterfaceError, OSError, struct.error, EOFError) as error:
            raise away(_reason(error)) from error

    def _readable(self, code: str, message: str) -> ConversationError:
        place = _capital(self.address.place)
        if code.startswith("28"):
            return ConversationError(
                f"{place} does not let {self.address.user} in: {message}.",
                "Correct user and password in MANOLE_CONVERSATIONS__DATABASE.",
            )
        if code == "3D000":
            return ConversationError(f"{place} does not exist.", "Create it: createdb.")
        if code == "42501":
            return ConversationError(
                f"{place} forbids it to {self.address.user}: {message}.",
                f"Grant {self.address.user} CREATE on the database, or the schema {SCHEMA}.",
            )
        if code == "57014":
            return ConversationError(f"{place} took longer than {STATEMENT:.0f} s.", "Try again.")
        if code.startswith("53"):
            return ConversationError(f"{place} has no room left: {message}.", "Make some.")
        if code == "25006":
            return ConversationError(
                f"{place} only lets itself be read: {message}.", "Name the primary server."
            )
        return ConversationError(f"{place} refused: {message} ({code}).", "See the server's log.")


_POOLS: weakref.WeakValueDictionary[Address, Pool] = weakref.WeakValueDictionary()
_MAKING = threading.Lock()


def shared(text: str) -> Pool:
    """Return the process's pool for an address. Raises `SettingsError` if it is malformed."""
    address = parsed(text)
    try:
        import pg8000.native  # noqa: F401  # an extra
    except ImportError:
        raise SettingsError(
            "conversations.database needs the extra `cluster`.", "pip install 'manole[cluster]'"
        ) from None
    with _MAKING:
        pool = _POOLS.get(address)
        if pool is None:
            pool = _POOLS[address] = Pool(address)
        return pool


@contextlib.contextmanager
def _transaction(connection: Connection) -> Iterator[None]:
    connection.run("START TRANSACTION")
    try:
        yield
        connection.run("COMMIT")
    except BaseException:
        with contextlib.suppress(Exception):
            connection.run("ROLLBACK")
        raise


def _close(connection: Connection) -> None:
    with contextlib.suppress(Exception):  # it may be broken in any way
        connection.close()


def _reason(error: BaseException) -> str:
    """Return the innermost message: the driver wraps that of the system."""
    cause = error.__cause__ or error
    if isinstance(cause, TimeoutError):
        return f"no answer within {WAIT:.0f} s"
    return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
