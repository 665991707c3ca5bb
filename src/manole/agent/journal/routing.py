"""Whether a question is one for the journal, or for all files.

A journal tells of its writer. So a question for it speaks of the person who asks ("I", "we"), and
what it asks about stands in an entry at least as well as in any other file: "Which invoices did I
get in 2023?" is answered by the invoices, "What was I worried about in 2023?", whose words no file
has, by the entries. Where there are no other files, every question is one for the journal.
"""

from __future__ import annotations

from datetime import date

from manole.agent.journal.times import of_oneself, times_of, topic_of
from manole.index.search.scope import WHOLE, Scope
from manole.library import Library
from manole.text.words import stems

_POOL = 30  # passages that are compared: the best of each kind are among them


async def asks_journal(
    library: Library, question: str, today: date, scope: Scope = WHOLE, *, timed: bool = False
) -> bool:
    """Return whether to answer from entries alone; if `timed`, only where it names a time."""
    journal = {e.file for e in await library.entries() if scope.holds(e.file, e.date)}
    if not journal or (timed and not times_of(question, today)):
        return False
    others = (f for f in await library.files() if f.passages and f.path not in journal)
    if not timed and not any(scope.holds(file.path, file.date) for file in others):
        return True
    if not of_oneself(question):
        return False
    topic = topic_of(question, today)
    if not (wanted := stems(topic)):
        return True
    told = {True: 0, False: 0}  # the most words of the topic in a passage, in entries or not
    for hit in await library.search(topic, limit=_POOL, filters=scope.filters()):
        passage = hit.passage
        held = wanted & stems(f"{passage.title or ''} {passage.path} {passage.text}")
        of_journal = passage.path in journal
        told[of_journal] = max(told[of_journal], len(held))
    return told[True] >= told[False]
