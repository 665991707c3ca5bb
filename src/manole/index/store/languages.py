"""The languages of a library, estimated from a sample of its passages.

A sample spread over the whole library gives the share of each language within two or three
percentage points, in half a second, however large the library is. The result is kept in the
library's description, with the seconds that embedding took here, and is used until the library has
grown or shrunk by a quarter.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manole.index.store.libraries import read_meta, write_meta
from manole.models.catalog.encoders import ENCODERS, MULTILINGUAL, USUAL
from manole.models.weights.cache import Weights
from manole.settings import Settings
from manole.text.language import UNKNOWN, count_languages

if TYPE_CHECKING:
    from manole.index.store.protocol import Store

KEY = "languages"  # in the description
SAMPLE = 400  # passages: a standard error of 2.5 points at most (√(0.5 · 0.5 / 400))
# Set by hand:
GROWN = 1.25  # growth after which the shares are estimated anew
MANY = 0.05  # share of passages in other languages beyond which an embedder does not fit
FEW = 20  # passages, below which another embedder gains nothing


@dataclass(frozen=True, slots=True)
class Languages:
    """Shares of the passages by language (ISO 639, or "unknown"), the largest first, sum 1.

    `passages` is their number at that time. `seconds` is the time that embedding one took on this
    machine with an encoder of cost 1 (`manole.models.catalog.encoders`); `None` if not measured.
    """

    shares: Mapping[str, float]
    passages: int
    seconds: float | None = None

    def beside(self, known: Collection[str]) -> float:
        """Return the share of the passages that are certainly in none of the known languages."""
        others = self.shares.keys() - {*known, UNKNOWN}
        return sum(self.shares[name] for name in others)

    def holds(self, passages: int) -> bool:
        """Return whether the shares still hold for a library of `passages` passages."""
        return self.passages / GROWN <= passages <= self.passages * GROWN


def kept(path: Path) -> Languages | None:
    """Return the languages in the description of the index in `path`; `None` without valid ones."""
    found: Any = read_meta(path).get(KEY)
    try:
        shares = {str(name): float(part) for name, part in found["shares"].items()}
        seconds = None if found["seconds"] is None else float(found["seconds"])
        return Languages(shares, int(found["passages"]), seconds)
    except (TypeError, ValueError, AttributeError, KeyError):
        return None


async def estimated(store: Store) -> Languages:
    """Return the languages that are kept, if they still hold; else sample the store.

    Raises `StoreError`.
    """
    known, (passages, _) = kept(store.path), await store.count()
    if known is not None and known.holds(passages):
        return known
    texts = await store.sampled_texts(SAMPLE) if passages else []
    counted = await asyncio.to_thread(count_languages, texts) if texts else Counter[str]()
    shares = {name: round(count / len(texts), 4) for name, count in counted.most_common()}
    return Languages(shares, passages, known.seconds if known else None)


def keep(path: Path, languages: Languages) -> None:
    """Write the languages into the description of the index in `path`. Raises `StoreError`."""
    write_meta(path, {KEY: asdict(languages)})


async def better_embedder(store: Store, settings: Settings) -> str | None:
    """Return the embedder for the languages of a new index, if its weights are at hand.

    `None` where the usual one fits or the settings name one. Raises `StoreError`.
    """
    if settings.index.embedder != "auto" or (await store.count())[0] < FEW:
        return None
    if Weights(settings.weights_dir).path(MULTILINGUAL) is None:
        return None
    known = ENCODERS[USUAL].languages
    return MULTILINGUAL if (await estimated(store)).beside(known) > MANY else None
