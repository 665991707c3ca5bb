"""What a plug-in says where the packages of its extra are missing, as they are here."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from manole.errors import StoreError
from manole.index.store.opening import open_store
from manole.settings import Settings


async def test_leann_says_how_to_install_it(tmp_path):
    if find_spec("leann_backend_hnsw"):
        pytest.skip("LEANN is installed")
    with pytest.raises(StoreError, match=r'pip install "manole\[leann\]"'):
        await open_store(tmp_path / "index", Settings.load({"index.store": "leann"}))
    assert not (tmp_path / "index").exists()
