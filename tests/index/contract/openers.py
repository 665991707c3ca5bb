"""The stores of the default install, opened for the contract."""

from __future__ import annotations

from pathlib import Path

from manole.index.store.lance import LanceStore
from manole.index.store.vector_index import Limits


async def lance(path: Path) -> LanceStore:
    """Every vector is looked at, as in a library of ordinary size."""
    return await LanceStore.open(path)


async def lance_with_an_index(path: Path) -> LanceStore:
    """As a library of millions is searched, from three hundred passages on."""
    limits = Limits(first=300, partition=64, exact=100, samples=20)
    return await LanceStore.open(path, limits=limits)
