"""Answers from a journal: searches of dated entries, led by code or by the model.

"What have I been stressed about lately, and last year?" names two times: each is one search for
"stressed", and one part of the answer.
"""

from manole.agent.journal.functions import JournalFunctions
from manole.agent.journal.routing import asks_journal
from manole.agent.journal.turn import reflect

__all__ = ["JournalFunctions", "asks_journal", "reflect"]
