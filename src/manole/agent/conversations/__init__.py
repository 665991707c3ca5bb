"""Stored conversations: every turn is kept with its events, and can be replayed exactly.

`model` defines conversations and turns, `store` keeps them, `database` is the SQLite file below it,
`export` writes them as Markdown or JSON.
"""

from manole.agent.conversations.model import Conversation, Turn
from manole.agent.conversations.store import Conversations, kept_libraries

__all__ = ["Conversation", "Conversations", "Turn", "kept_libraries"]
