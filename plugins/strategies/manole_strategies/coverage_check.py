"""The follow-up check: which important words no result has covered."""

from __future__ import annotations

from collections.abc import Iterable

from manole.text.words import content_words, has_digit, stem, stems


def uncovered(question: str, found: Iterable[str]) -> list[str]:
    """Content words of `question` whose stem occurs in none of the `found` texts.

    Only words that can be looked for count: four letters and more, or with a digit.
    """
    covered: set[str] = set()
    for text in found:
        covered |= stems(text)
    return [
        word
        for word in content_words(question)
        if stem(word) not in covered and (len(word) >= 4 or has_digit(word))
    ]
