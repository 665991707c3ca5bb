"""The follow-up check: finds important words that no result covers."""

from __future__ import annotations

from collections.abc import Iterable

from manole.text.words import content_words, has_digit, stem, stems


def uncovered(question: str, found: Iterable[str]) -> list[str]:
    """Return content words of `question` whose stems occur in none of the `found` texts.

    Only words that can be looked for count: four letters and more, or with a digit.
    """
    covered = frozenset().union(*map(stems, found))
    return [
        word
        for word in content_words(question)
        if stem(word) not in covered and (len(word) >= 4 or has_digit(word))
    ]
