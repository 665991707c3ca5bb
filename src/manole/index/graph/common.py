"""Which words a file shares with each of those it is like: a reason that a person can read.

A word that fewer of the others have says more about the one that has it; a longer one says more
than a short one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from manole.text.words import STOP, fold

_WORD = re.compile(r"[^\W\d_]{4,}")
_TOLD = 3  # words
_MOST = 200_000  # characters of a text that are read


def words_in_common(text: str, others: Sequence[str]) -> list[str]:
    """For each of `others` the telling words it shares with `text`: `both say lentils, carrots`."""
    own = Counter(_words(text))
    shared = [own.keys() & set(_words(other)) for other in others]
    spread = Counter(word for words in shared for word in words)
    told = []
    for words in shared:
        best = sorted(words, key=lambda word: (spread[word], -own[word], -len(word), word))
        told.append(f"both say {', '.join(best[:_TOLD])}" if best else "")
    return told


def _words(text: str) -> list[str]:
    found = (word.lower() for word in _WORD.findall(text[:_MOST]))
    return [word for word in found if fold(word) not in STOP]
