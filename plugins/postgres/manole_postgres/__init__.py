"""Conversations in a PostgreSQL database, for several servers that share them (README.md).

`conversations` keeps them, `pool` has the connections, `schema` the tables, `address` the place.
This module is what the core finds, a `manole.agent.conversations.backend.ConversationsKind`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from manole_postgres.conversations import PostgresBackend


def backend(address: str, library: str) -> PostgresBackend:
    """Return a library's conversations. Raises `SettingsError` for a malformed address."""
    from manole_postgres.conversations import PostgresBackend

    return PostgresBackend(address, library)


def libraries(address: str) -> list[str]:
    """Return the names of the libraries with conversations there. Raises `ConversationError`."""
    from manole_postgres.conversations import libraries

    return libraries(address)
