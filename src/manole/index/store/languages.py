"""The languages of a library, estimated from a sample of its passages.

A sample spread over the whole library says how much of it is in each language within two or three
percentage points, in half a second, however large the library is. The result is kept in the
library's description with the seconds that embedding took here, and holds until the library has
grown or shrunk by a quarter.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manole.index.store.libraries import read_meta, write_meta
from manole.models.catalog.encoders import MULTILINGUAL
from manole.models.weights.cache import Weights
from manole.settings import Settings
from manole.text.language import UNKNOWN, count_languages

if TYPE_CHECKING:
    from manole.index.store.protocol import Store

KEY = "languages"  # in the description
SAMPLE = 400  # passages
GROWN = 1.25
MANY = 0.05  # share of the passages that are not English, beyond which MiniLM does not fit
FEW = 20  # passages, with which another embedder gains nothing


@dataclass(frozen=True, slots=True)
class Languages:
    """Shares of the passages by language (ISO 639, or "unknown"), the largest first, sum 1.

    `passages` is how many there were at that time. `seconds` is what embedding one took on this
    machine with an encoder of cost 1 (`manole.models.catalog.encoders`); `None` if not measured.
    """

    shares: Mapping[str, float]
    passages: int
    seconds: float | None = None

    @property
    def foreign(self) -> float:
        """The share of the passages that are certainly not English."""
        return sum(part for name, part in self.shares.items() if name not in {"en", UNKNOWN})

    def holds(self, passages: int) -> bool:
        """Return whether the shares still hold for a library with so many passages."""
        return self.passages / GROWN <= passages <= self.passages * GROWN


def kept(path: Path) -> Languages | None:
    """Return what the description of the index in `path` says; `None` if nothing, or damaged."""
    found: Any = read_meta(path).get(KEY)
    try:
        shares = {str(name): float(part) for name, part in found["shares"].items()}
        seconds = None if found["seconds"] is None else float(found["seconds"])
        return Languages(shares, int(found["passages"]), seconds)
    except (TypeError, ValueError, AttributeError, KeyError):
        return None


async def tell(store: Store) -> Languages:
    """Return what is kept, if it still holds; else sample the store. Raises `StoreError`."""
    known, (passages, _) = kept(store.path), await store.count()
    if known is not None and known.holds(passages):
        return known
    texts = await store.sampled_texts(SAMPLE) if passages else []
    counted = await asyncio.to_thread(count_languages, texts) if texts else Counter[str]()
    shares = {name: round(count / len(texts), 4) for name, count in counted.most_common()}
    return Languages(shares, passages, known.seconds if known else None)


def keep(path: Path, languages: Languages) -> None:
    """Write them into the description of the index in `path`. Raises `StoreError`."""
    write_meta(path, {KEY: asdict(languages)})


async def better_embedder(store: Store, settings: Settings) -> str | None:
    """Return the embedder for the languages of a new index, where none was named and it is there.

    `None` where the usual one fits. Raises `StoreError`.
    """
    if settings.index.embedder != "auto" or (await store.count())[0] < FEW:
        return None
    if Weights(settings.weights_dir).path(MULTILINGUAL) is None:
        return None
    return MULTILINGUAL if (await tell(store)).foreign > MANY else None
