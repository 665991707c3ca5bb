"""Whether the embedder fits the languages of what was indexed first."""

from __future__ import annotations

from manole.index.store.languages import tell
from manole.index.store.protocol import Store
from manole.models.catalog.encoders import MULTILINGUAL
from manole.models.weights.cache import Weights
from manole.settings import Settings

MANY = 0.05  # of the passages
FEW = 20  # passages, with which nothing is gained


async def better(store: Store, settings: Settings) -> str | None:
    """The embedder for the languages of a new index, where none was named and it is at hand."""
    if settings.index.embedder != "auto" or (await store.count())[0] < FEW:
        return None
    if Weights(settings.weights_dir).path(MULTILINGUAL) is None:
        return None
    return MULTILINGUAL if (await tell(store)).foreign > MANY else None
