"""The languages of a library, told from some hundred passages of it, not from each.

A sample spread over the whole library says within two or three parts in a hundred how much of it is
in a language, in half a second, however large it is. What was told is kept in the library's
description with the seconds that embedding took here, and holds until the library has grown or
shrunk by a quarter.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manole.index.store.libraries import read_meta, write_meta
from manole.text.language import UNKNOWN, count_languages

if TYPE_CHECKING:
    from manole.index.store.protocol import Store

KEY = "languages"  # in the description
SAMPLE = 400  # passages
GROWN = 1.25


@dataclass(frozen=True, slots=True)
class Languages:
    """Shares of the passages by language (ISO 639, or "unknown"), the largest first, sum 1.

    `passages` there were when they were told. `seconds`: what embedding one took on this machine,
    with an encoder of cost 1 (`manole.models.catalog.encoders`); `None` where that was not
    measured.
    """

    shares: Mapping[str, float]
    passages: int
    seconds: float | None = None

    @property
    def foreign(self) -> float:
        """The share of the passages that are certainly not English."""
        return sum(part for name, part in self.shares.items() if name not in {"en", UNKNOWN})

    def holds(self, passages: int) -> bool:
        """Whether it can still be said of a library with so many passages."""
        return self.passages / GROWN <= passages <= self.passages * GROWN


def kept(path: Path) -> Languages | None:
    """What the description of the index in `path` says; it may be damaged."""
    found: Any = read_meta(path).get(KEY)
    try:
        shares = {str(name): float(part) for name, part in found["shares"].items()}
        seconds = None if found["seconds"] is None else float(found["seconds"])
        return Languages(shares, int(found["passages"]), seconds)
    except (TypeError, ValueError, AttributeError, KeyError):
        return None


async def tell(store: Store) -> Languages:
    """What is kept, where it still holds; else look. Raises `StoreError`."""
    known, (passages, _) = kept(store.path), await store.count()
    if known is not None and known.holds(passages):
        return known
    texts = await store.sampled_texts(SAMPLE) if passages else []
    counted = await asyncio.to_thread(count_languages, texts) if texts else Counter[str]()
    shares = {name: round(count / len(texts), 4) for name, count in counted.most_common()}
    return Languages(shares, passages, known.seconds if known else None)


def keep(path: Path, told: Languages) -> None:
    """Write it into the description. Raises `StoreError`."""
    write_meta(path, {KEY: asdict(told)})
