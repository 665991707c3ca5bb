"""Rejects an answer that states the opposite of its source (South for North).

Embeddings do not help: opposites are nearly the same to them, and a model of 1.5 B parameters says
yes to a reversed sentence as readily as to the right one. Words of place, order, size and
permission are few, and come in pairs (`opposites.txt`, one pair or group per line). Where an answer
has one word of a pair and the sentence it resembles most has only the other, the answer is
withdrawn and the source quoted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from manole.agent.answer.evidence import Evidence
from manole.text.words import stems, words


def turned(answer: str, evidence: Sequence[Evidence]) -> tuple[str, str] | None:
    """Return a word of an answer and its opposite in the source, or `None`.

    `evidence` is what the answer cites.
    """
    own = stems(answer)
    units = [text for item in evidence for text, _, _ in item.units]
    likest = max(units, key=lambda text: len(own & stems(text)), default="")
    said, stands = frozenset(words(answer)), frozenset(words(likest))
    for word in sorted(said & _opposites().keys() - stands):
        for other in sorted(_opposites()[word] & stands - said):
            return word, other
    return None


@cache
def _opposites() -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in files(__package__).joinpath("opposites.txt").read_text("utf-8").splitlines():
        group = frozenset(words(line))
        for word in group:
            found[word] = found.get(word, frozenset()) | (group - {word})
    return found
