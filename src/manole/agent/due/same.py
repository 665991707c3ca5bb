"""Whether two things that are due on one day are one, which several files or sentences say."""

from __future__ import annotations

from manole.agent.due.model import Due
from manole.text.amounts import currency_of
from manole.text.date_words import MONTHS, WEEKDAYS
from manole.text.words import fold, path_words, stem, stems

_OF_DAYS = frozenset(stem(fold(word)) for word in (*MONTHS, *WEEKDAYS))
# Words that two things share if they are one, and their share of the shorter one's; the last of two
# sentences. Set by hand.
_ALIKE, _MOSTLY, _NEARLY = 2, 0.4, 0.7


def is_same(one: Due, other: Due) -> bool:
    """Return whether `one`, which is found after `other`, says the same."""
    if one.file == other.file:
        same = one.kind == other.kind and (one.text, one.line) == (other.text, other.line)
        return same or one.said or {one.kind, other.kind} == {"ends", "renews"}
    if (one.kind, one.text, one.amount) == (other.kind, other.text, other.amount):
        return True
    loose = one.said or (one.kind == "task" and not one.sure)
    if not loose:
        return False
    if one.time and one.time == other.time and one.said != other.said:
        return True
    own, others = _words(one.text), _words(other.text)
    most = _NEARLY if one.kind == other.kind and one.said and other.said else _MOSTLY
    least = max(_ALIKE, most * min(len(own), len(others)))
    shared = own & others
    if one.kind != other.kind or one.said != other.said:
        shared |= (own & _words(path_words(other.file))) | (others & _words(path_words(one.file)))
    return len(shared) >= least


def _words(text: str) -> frozenset[str]:
    """Return the stems of a text's words but those of days and currencies."""
    found = (s for s in stems(text) if not s[0].isdigit() and s not in _OF_DAYS)
    return frozenset(s for s in found if currency_of(s) is None)
