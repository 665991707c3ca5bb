"""Whether a question is one for the journal, or for all files.

A journal tells of its writer. So a question for it speaks of the person who asks ("I", "we"), or
names nothing but days of which no other file is ("what happened on 3 May?"); and no other file says
more of what it asks about than the entries of its time: "Which invoices did I get in 2023?" is
answered by the invoices, "What was I worried about in 2023?", whose words no file has, by the
entries. Where there are no other files, every question is one for the journal.
"""

from __future__ import annotations

from manole.agent.journal.times import of_oneself, times_of, topic_of
from manole.index.search.scope import WHOLE, Scope
from manole.library import Library
from manole.models.parser import parser
from manole.text.question import Question
from manole.text.words import stems

_POOL = 30  # passages that are compared: the best of each kind are among them


async def asks_journal(
    library: Library, question: Question, scope: Scope = WHOLE, *, timed: bool = False
) -> bool:
    """Return whether to answer from entries alone; if `timed`, only where it names a time."""
    entries = [e for e in await library.entries() if scope.holds(e.file, e.date)]
    times = times_of(question)
    if not entries or (timed and not times):
        return False
    journal = {entry.file for entry in entries}
    others = [
        f
        for f in await library.files()
        if f.passages and f.path not in journal and scope.holds(f.path, f.date)
    ]
    if not timed and not others:
        return True
    topic = topic_of(question, times)
    wanted = stems(topic)
    if not of_oneself(question.text):
        days = [time.period for time in times if time.period.start == time.period.end]
        of_days = bool(days) and len(days) == len(times) and (not wanted or _asks_time(question))
        return of_days and not any(f.date and f.date in day for f in others for day in days)
    if not wanted:
        return True
    of_then = {e.file for e in entries if not times or any(e.date in t.period for t in times)}
    most, is_told = 0, True  # the words of the topic in the passage with most of them, best first
    for hit in await library.search(topic, limit=_POOL, filters=scope.filters()):
        passage = hit.passage
        held = len(wanted & stems(f"{passage.title or ''} {passage.path} {passage.text}"))
        if held > most and (passage.path in of_then or passage.path not in journal):
            most, is_told = held, passage.path in of_then
    return is_told


def _asks_time(question: Question) -> bool:
    """Return whether a question, in any language of the parser, names nothing but times."""
    parsed = parser().read(question.text)
    return not parsed.unread and all(mark.tag == "period" for mark in parsed.marks)
