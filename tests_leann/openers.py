"""The store `leann`, opened for the contract: graphs from fifty vectors on."""

from __future__ import annotations

from pathlib import Path

from manole.index.leann import LeannStore
from manole.index.leannindex import Share

SHARE = Share(first=50, exact=100)


async def leann(path: Path) -> LeannStore:
    return await LeannStore.open(path, share=SHARE)
