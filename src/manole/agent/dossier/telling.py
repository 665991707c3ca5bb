"""The summary of a dossier: the few sentences that say most, word for word, the newest first.

Those are chosen that together stand for the others (as in `answer/summary.py`); newer ones count
more, and so do figures and a name that stands early.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from manole.agent.answer.injection_filter import is_quotable
from manole.agent.answer.summary import is_head, located
from manole.agent.answer.units import Unit
from manole.agent.answer.wording import worded
from manole.agent.dossier.model import Item
from manole.agent.dossier.names import Name
from manole.models.encode.embedder import Embed
from manole.text.figures import numbers
from manole.text.sentences import ends
from manole.text.words import stems, words
from manole.tools.objects import FoundPassage

LEAST, MOST = 3, 6
_FEW = 6  # words of a sentence that says something; a greeting has fewer
_READ = 80  # sentences that are compared: half a second
_FIGURES, _EARLY, _NEW = 1.2, 1.2, 0.6  # weights, set by hand
_SAME = 0.6  # share of the words that two sentences have in common to be one


@dataclass(frozen=True, slots=True)
class Said:
    """An item and its place, from which sentences are taken; all of what the name itself `says`."""

    item: Item
    passage: FoundPassage
    unit: Unit
    name: Name
    says: bool = False


def telling(said: Sequence[Said], embed: Embed | None) -> list[Item]:
    """Return the most telling sentences that name it, the newest first."""
    found = _unlike([sentence for one in said for sentence in _sentences(one)])[:_READ]
    most = min(MOST, max(LEAST, len(found) // 2))
    if embed is not None and len(found) > LEAST:
        weights = np.array([_weight(one, n, len(found)) for n, one in enumerate(found)])
        vectors = embed([item.text for item, _ in found])
        chosen, _ = located(vectors, most, weights.astype(vectors.dtype))
        found = [found[at] for at in sorted(chosen)]
    return [item for item, _ in found[:most]]


def _sentences(one: Said) -> list[tuple[Item, bool]]:
    """Return the sentences of a unit that name it, and whether each begins with the name."""
    found = []
    for unit, text in whole(one.passage, one.unit):
        if one.says or one.name.stands(text):
            shown = worded(one.passage, unit)
            item = replace(one.item, text=shown, quote=text, line=unit.line)
            found.append((item, one.name.stands(shown[: len(shown) // 3])))
    return found


def whole(passage: FoundPassage, unit: Unit) -> Iterator[tuple[Unit, str]]:
    """Yield the sentences of a unit that say something: no greeting, head or piece of a table."""
    if not unit.says or is_head(unit, passage):
        return
    for text, line, _ in unit.sentences:
        if ends(text) and len(words(text)) >= _FEW and is_quotable(text) and "|" not in text:
            parts = tuple((part, at) for at, part in enumerate(text.split("\n"), line))
            yield replace(unit, parts=parts), text


def _unlike(found: Sequence[tuple[Item, bool]]) -> list[tuple[Item, bool]]:
    """Return the sentences the newest first, each once."""
    kept: list[tuple[Item, bool]] = []
    seen: list[frozenset[str]] = []
    for one in sorted(found, key=lambda f: f[0].day or date.min, reverse=True):
        own = stems(one[0].text)
        if not any(len(own & other) >= _SAME * min(len(own), len(other)) for other in seen):
            kept.append(one)
            seen.append(own)
    return kept


def _weight(one: tuple[Item, bool], place: int, of: int) -> float:
    item, early = one
    new = 1 + _NEW * (1 - place / of)
    return new * (_FIGURES if numbers(item.text) else 1) * (_EARLY if early else 1)
